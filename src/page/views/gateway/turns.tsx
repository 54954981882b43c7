/** The turns that run now, in any process, the longest first. */
import type { WireRunningTurn } from "../../../web/wire.js";
import { platformTitle } from "../../me.js";
import { Link } from "../../router.js";
import { Time } from "../../ui.js";
import { Badge, Theirs } from "../bits.js";
import { Shown, View } from "../frame.js";
import { Table, type TableColumn } from "../table.js";
import { type ItemsOf, useOwner } from "./use-owner.js";

const COLUMNS: readonly TableColumn<WireRunningTurn>[] = [
  {
    title: "Conversation",
    cell: ({ sessionId, name, isOthers }) =>
      isOthers ? (
        <Theirs text={name} />
      ) : (
        <Link href={`/conversation/${encodeURIComponent(sessionId)}`}>
          <Theirs text={name} />
        </Link>
      ),
  },
  { title: "Platform", cell: ({ platform }) => platformTitle(platform) },
  { title: "Began", cell: ({ startedAt }) => <Time at={startedAt} /> },
  { title: "Process", cell: ({ holder }) => <Theirs text={holder} /> },
  {
    title: "State",
    cell: ({ isStopping }) =>
      isStopping ? <Badge tone="warn">stopping</Badge> : <Badge tone="ok">running</Badge>,
  },
];

export function Turns() {
  const { value, failure, reload } = useOwner<ItemsOf<WireRunningTurn>>("turns");
  return (
    <View title="Turns">
      <Shown
        value={value}
        failure={failure}
        reload={reload}
        isEmpty={({ items }) => items.length === 0}
        empty="No turn runs now."
      >
        {({ items }) => (
          <Table
            caption="Turns that run now"
            columns={COLUMNS}
            rows={items}
            keyOf={({ sessionId }) => sessionId}
          />
        )}
      </Shown>
    </View>
  );
}
