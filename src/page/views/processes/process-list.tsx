/** Every background process that the person may see. */
import type { WireProcess } from "../../../web/wire.js";
import { Link } from "../../router.js";
import { Time } from "../../ui.js";
import { Badge, Theirs } from "../bits.js";
import { Shown, View } from "../frame.js";
import { processTone, processWords } from "../state-words.js";
import { placeBelow } from "../subplace.js";
import { Table, type TableColumn } from "../table.js";
import { useProcesses } from "./use-processes.js";

export function ProcessList({ base }: { readonly base: string }) {
  const { value, failure, reload } = useProcesses();
  return (
    <View title="Processes">
      <Shown
        value={value}
        failure={failure}
        reload={reload}
        isEmpty={(processes) => processes.length === 0}
        empty="Nothing runs in the background. The agent starts a process there when a command takes long, such as a server."
      >
        {(processes) => (
          <Table
            caption="Background processes"
            columns={columns(base)}
            rows={processes}
            keyOf={({ id }) => id}
          />
        )}
      </Shown>
    </View>
  );
}

function columns(base: string): readonly TableColumn<WireProcess>[] {
  return [
    {
      title: "Process",
      cell: ({ id, name, command }) => (
        <Link class="view-process" href={placeBelow(base, id)}>
          <code>
            <Theirs text={command} />
          </code>
          <small>
            <Theirs text={name} />
          </small>
        </Link>
      ),
    },
    {
      title: "State",
      cell: (process) => <Badge tone={processTone(process)}>{processWords(process)}</Badge>,
    },
    { title: "Started", cell: ({ startedAt }) => <Time at={startedAt} /> },
    { title: "Ended", cell: ({ endedAt }) => (endedAt === null ? "–" : <Time at={endedAt} />) },
  ];
}
