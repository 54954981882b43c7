/** One background process: its state, what it prints, its terminal if it has one, and a button that ends it. */
import { useState } from "preact/hooks";
import type { WireProcess } from "../../../web/wire.js";
import { Link } from "../../router.js";
import { Button, Copy, Time } from "../../ui.js";
import { beginningOf, isolated } from "../../words.js";
import { Act, said } from "../act.js";
import { Badge, Facts, Theirs } from "../bits.js";
import { spanWords } from "../figures.js";
import { Shown, View } from "../frame.js";
import { hasEnded, processTone, processWords } from "../state-words.js";
import { ProcessOutput } from "./process-output.js";
import { ProcessScreen } from "./process-screen.js";
import { useProcesses } from "./use-processes.js";

const MOST_TITLE = 60;
const MOST_ASKED = 200;

export function OneProcess({ id, base }: { readonly id: string; readonly base: string }) {
  const { value, failure, reload } = useProcesses();
  const process = value?.find((each) => each.id === id);
  const back = <Link href={base}>All processes</Link>;
  if (!process)
    return (
      <View title="Process" tools={back}>
        <Shown
          value={value}
          failure={failure}
          reload={reload}
          isEmpty={() => true}
          empty="This process is not there any more, or it is not yours."
        >
          {() => null}
        </Shown>
      </View>
    );
  const title = (
    <span class="row">
      <span id="process-name">
        <Theirs text={beginningOf(process.command, MOST_TITLE)} />
      </span>
      <Badge tone={processTone(process)}>{processWords(process)}</Badge>
    </span>
  );
  const isOver = hasEnded(process);
  return (
    <View title={title} tools={back}>
      <div class="view-command">
        <pre class="mono">
          <Theirs text={process.command} />
        </pre>
        <Copy text={process.command} label="Copy the command" />
      </div>
      <ProcessFacts process={process} />
      {isOver ? null : (
        <div class="row">
          <Act
            act={() => said(`/processes kill ${process.id}`)}
            after={reload}
            about="process-name"
            kind="danger"
            ask={{
              title: "Kill this process?",
              text: `“${isolated(beginningOf(process.command, MOST_ASKED))}” stops at once, with everything that it started. Its output stays.`,
              action: "Kill",
            }}
          >
            Kill
          </Act>
        </div>
      )}
      <Watched process={process} isOver={isOver} change={value} />
    </View>
  );
}

function ProcessFacts({ process }: { readonly process: WireProcess }) {
  const { name, startedAt, endedAt, sessionId } = process;
  const ended =
    endedAt === null ? null : (
      <>
        <Time at={endedAt} />, after {spanWords(endedAt - startedAt)}
      </>
    );
  const conversation =
    sessionId === null ? null : (
      <Link href={`/conversation/${encodeURIComponent(sessionId)}`}>Open the conversation</Link>
    );
  return (
    <Facts
      of={[
        ["Process", <Theirs key="name" text={name} />],
        ["Started", <Time key="started" at={startedAt} />],
        ["Ended", ended],
        ["Started by", conversation],
      ]}
    />
  );
}

/** Its output, or its terminal. */
function Watched(props: {
  readonly process: WireProcess;
  readonly isOver: boolean;
  readonly change: unknown;
}) {
  const { process, isOver, change } = props;
  const [isScreen, setScreen] = useState(false);
  return (
    <>
      {process.hasScreen ? (
        <fieldset class="view-choice">
          <legend class="sr-only">What to show</legend>
          <Button class="small" aria-pressed={!isScreen} onClick={() => setScreen(false)}>
            Output
          </Button>
          <Button class="small" aria-pressed={isScreen} onClick={() => setScreen(true)}>
            Terminal
          </Button>
        </fieldset>
      ) : null}
      {isScreen && process.hasScreen ? (
        <ProcessScreen id={process.id} isOver={isOver} />
      ) : (
        <ProcessOutput id={process.id} change={change} />
      )}
    </>
  );
}
