/** The browsers in which the person is signed in. Each can be signed out from any of them. */
import type { WireDevice } from "../../../web/wire.js";
import { post } from "../../call.js";
import { useLoaded } from "../../loaded.js";
import { Time } from "../../ui.js";
import { isolated } from "../../words.js";
import { Act } from "../act.js";
import { Badge, Theirs } from "../bits.js";
import { Shown } from "../frame.js";
import { Table, type TableColumn } from "../table.js";
import { useFresh } from "../use-tick.js";

const SELDOM_S = 30;

export function Devices() {
  const loaded = useLoaded<{ readonly items: readonly WireDevice[] }>("/api/devices", []);
  const { value, failure, reload } = loaded;
  useFresh(SELDOM_S, loaded);
  return (
    <>
      <p class="muted">
        To sign in on another device, send <code>/web</code> to Baton in a private chat, and open the link
        there.
      </p>
      <Shown
        value={value}
        failure={failure}
        reload={reload}
        isEmpty={({ items }) => items.length === 0}
        empty="No browser is signed in with a link."
      >
        {({ items }) => (
          <Table caption="Signed-in browsers" columns={columns(reload)} rows={items} keyOf={({ id }) => id} />
        )}
      </Shown>
    </>
  );
}

function columns(reload: () => void): readonly TableColumn<WireDevice>[] {
  return [
    {
      title: "Browser",
      cell: ({ id, name, isThis }) => (
        <span class="row">
          <span id={`device-${id}`}>
            <Theirs text={name} />
          </span>
          {isThis ? <Badge tone="ok">this browser</Badge> : null}
        </span>
      ),
    },
    { title: "Account", cell: ({ identity }) => <Theirs text={identity} /> },
    { title: "Signed in", cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: "Last seen", cell: ({ seenAt, isThis }) => (isThis ? "now" : <Time at={seenAt} />) },
    {
      title: "Actions",
      kind: "actions",
      cell: ({ id, name, isThis }) => (
        <Act
          act={async () => {
            await post("/api/devices/revoke", { id });
            return isThis ? null : `Signed out “${isolated(name)}”.`;
          }}
          after={reload}
          about={`device-${id}`}
          kind="danger"
          ask={{
            title: isThis ? "Sign out here?" : "Sign out this browser?",
            text: isThis
              ? "You need a new link to sign in again. Your conversations stay."
              : `“${isolated(name)}” needs a new link to sign in again.`,
            action: "Sign out",
          }}
        >
          Sign out
        </Act>
      ),
    },
  ];
}
