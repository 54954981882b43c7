/** The log as it is written: at a level and above, with the words that are looked for, and paused to read in peace. */
import { useMemo, useState } from "preact/hooks";
import type { WireLogs } from "../../../web/wire.js";
import { Button, Failure, Loading } from "../../ui.js";
import { Filter } from "../bits.js";
import { FollowEnd } from "../follow-end.js";
import { View } from "../frame.js";
import { linesWith } from "../tail.js";
import { useLog } from "./use-log.js";

type LogEntry = WireLogs["lines"][number];

const LEVELS = [
  { level: "info", words: "Everything" },
  { level: "warn", words: "Warnings and errors" },
  { level: "error", words: "Errors" },
] as const;

export function Logs() {
  const [level, setLevel] = useState<string>("info");
  const [filter, setFilter] = useState("");
  const [isPaused, setPaused] = useState(false);
  const tools = (
    <>
      <label class="row">
        Level
        <select value={level} onChange={(event) => setLevel(event.currentTarget.value)}>
          {LEVELS.map((each) => (
            <option key={each.level} value={each.level}>
              {each.words}
            </option>
          ))}
        </select>
      </label>
      <Filter label="Filter the lines" value={filter} onChange={setFilter} />
      <Button aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
        Pause
      </Button>
    </>
  );
  return (
    <View title="Logs" tools={tools}>
      <Lines key={level} level={level} filter={filter} isPaused={isPaused} />
    </View>
  );
}

function Lines(props: { readonly level: string; readonly filter: string; readonly isPaused: boolean }) {
  const { level, filter, isPaused } = props;
  const { log, failure, read } = useLog(level, isPaused);
  const shown = useMemo(() => linesWith(log?.lines ?? [], filter, ({ line }) => textOf(line)), [log, filter]);
  if (log === null)
    return failure === null ? <Loading /> : <Failure text={failure} retry={() => void read()} />;
  return (
    <>
      {failure === null ? null : <Failure text={failure} retry={() => void read()} />}
      {shown.length === 0 ? (
        <p class="empty">
          {log.lines.length === 0 ? "Nothing is in the log at this level." : "No line has these words."}
        </p>
      ) : (
        <FollowEnd label="Log" content={shown} class="view-log">
          <ol class="mono">
            {shown.map(({ number, line }) => (
              <li key={number} class={`view-log-line ${line.level}`}>
                <time dateTime={new Date(line.at).toISOString()}>{clockTime(line.at)}</time>{" "}
                <span class="view-log-level">{line.level}</span>{" "}
                <span class="muted">
                  <bdi>{line.by}</bdi>
                </span>{" "}
                <bdi>{line.text}</bdi>
                {line.cause === null ? null : (
                  <span class="muted view-log-cause">
                    Cause: <bdi>{line.cause}</bdi>
                  </span>
                )}
              </li>
            ))}
          </ol>
        </FollowEnd>
      )}
    </>
  );
}

function textOf({ level, by, text, cause }: LogEntry): string {
  return `${level} ${by} ${text} ${cause ?? ""}`;
}

/** `2026-11-19 08:41:05`, as it is on this machine. */
function clockTime(at: number): string {
  const date = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return date.toISOString().slice(0, 19).replace("T", " ");
}
