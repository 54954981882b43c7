/** The accounts on platforms: whether each is connected, and by which process. */
import type { WirePlatform } from "../../../web/wire.js";
import { Time } from "../../ui.js";
import { Badge, Theirs } from "../bits.js";
import { Shown, View } from "../frame.js";
import { toneOf } from "../state-words.js";
import { Table, type TableColumn } from "../table.js";
import { type ItemsOf, useOwner } from "./use-owner.js";

const COLUMNS: readonly TableColumn<WirePlatform>[] = [
  { title: "Platform", cell: ({ title }) => <Theirs text={title} /> },
  { title: "State", cell: ({ state }) => <Badge tone={toneOf(state)}>{state}</Badge> },
  { title: "Since", cell: ({ since }) => (since === null ? "–" : <Time at={since} />) },
  { title: "Process", cell: ({ by }) => (by === "" ? "–" : <Theirs text={by} />) },
  {
    title: "Problem",
    cell: ({ error }) =>
      error === null ? (
        "–"
      ) : (
        <span class="view-error">
          <Theirs text={error} />
        </span>
      ),
  },
];

export function Platforms() {
  const { value, failure, reload } = useOwner<ItemsOf<WirePlatform>>("platforms");
  return (
    <View title="Platforms">
      <Shown
        value={value}
        failure={failure}
        reload={reload}
        isEmpty={({ items }) => items.length === 0}
        empty={
          <>
            No platform is set up. Run <code>baton setup</code> to add one.
          </>
        }
      >
        {({ items }) => (
          <Table
            caption="Platforms"
            columns={COLUMNS}
            rows={items}
            keyOf={({ platform, title, by }) => `${platform} ${title} ${by}`}
          />
        )}
      </Shown>
    </View>
  );
}
