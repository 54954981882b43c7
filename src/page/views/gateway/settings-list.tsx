/** Every setting that holds now, and where it comes from. They are changed on the machine that Baton runs on. */
import { useState } from "preact/hooks";
import type { WireSetting } from "../../../web/wire.js";
import { useLoaded } from "../../loaded.js";
import { Filter, Theirs } from "../bits.js";
import { Shown, View } from "../frame.js";
import { Table, type TableColumn } from "../table.js";
import { linesWith } from "../tail.js";
import type { ItemsOf } from "./use-owner.js";

const COLUMNS: readonly TableColumn<WireSetting>[] = [
  {
    title: "Setting",
    cell: ({ key, description }) => (
      <>
        <code>
          <Theirs text={key} />
        </code>
        <p class="muted small view-description">{description}</p>
      </>
    ),
  },
  {
    title: "Value",
    cell: ({ value }) =>
      value === "" ? (
        <span class="muted">(empty)</span>
      ) : (
        <code>
          <Theirs text={value} />
        </code>
      ),
  },
  { title: "From", kind: "short", cell: ({ origin }) => <Theirs text={origin} /> },
];

export function SettingsList() {
  const [filter, setFilter] = useState("");
  const { value, failure, reload } = useLoaded<ItemsOf<WireSetting>>("/api/owner/settings", []);
  return (
    <View title="Settings" tools={<Filter label="Filter the settings" value={filter} onChange={setFilter} />}>
      <p class="muted">
        To change one, run <code>baton config set &lt;setting&gt; &lt;value&gt;</code> on the machine that
        Baton runs on. Secrets are not shown.
      </p>
      <Shown
        value={value}
        failure={failure}
        reload={reload}
        isEmpty={({ items }) => items.length === 0}
        empty="There are no settings."
      >
        {({ items }) => <Found found={linesWith(items, filter, textOf)} />}
      </Shown>
    </View>
  );
}

function Found({ found }: { readonly found: readonly WireSetting[] }) {
  if (found.length === 0) return <p class="empty">No setting has these words.</p>;
  return <Table caption="Settings" columns={COLUMNS} rows={found} keyOf={({ key }) => key} />;
}

function textOf({ key, value, origin, description }: WireSetting): string {
  return `${key} ${value} ${origin} ${description}`;
}
