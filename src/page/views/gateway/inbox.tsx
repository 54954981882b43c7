/** What was accepted and is not answered yet, oldest first. */
import type { WireWaiting } from "../../../web/wire.js";
import { Time } from "../../ui.js";
import { Badge, Beginning, Theirs } from "../bits.js";
import { More, Shown, View } from "../frame.js";
import { inboxWords } from "../state-words.js";
import { Table, type TableColumn } from "../table.js";
import { usePages } from "../use-pages.js";
import { useFresh } from "../use-tick.js";

const OFTEN_S = 5;

const COLUMNS: readonly TableColumn<WireWaiting>[] = [
  { title: "From", cell: ({ place }) => <Theirs text={place} /> },
  { title: "Kind", cell: ({ kind }) => inboxWords(kind) },
  { title: "Text", cell: Beginning },
  { title: "Accepted", cell: ({ at }) => <Time at={at} /> },
  { title: "State", cell: ({ state }) => <Badge tone="">{state}</Badge> },
];

export function Inbox() {
  const inbox = usePages<WireWaiting>("/api/owner/inbox", ["waiting"]);
  useFresh(OFTEN_S, inbox);
  return (
    <View title="Inbox">
      <Shown
        value={inbox.items}
        failure={inbox.failure}
        reload={inbox.reload}
        isEmpty={(items) => items.length === 0}
        empty="Nothing waits. Every accepted message is answered."
      >
        {(items) => (
          <Table
            caption="Messages that wait for an answer"
            columns={COLUMNS}
            rows={items}
            keyOf={({ id }) => id}
          />
        )}
      </Shown>
      <More {...inbox} />
    </View>
  );
}
