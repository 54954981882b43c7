/** A background process as a row of `processes`. */
import { ENDED_BY, type ProcessEnd } from "../../process/process.js";
import { type KeptProcess, PROCESS_STATES } from "../../process/store.js";
import type { ProcessId, SessionId } from "../../session/ids.js";
import { storableText } from "../../util/text.js";
import type { Row, SqlValue } from "../db.js";
import { flag, json, maybe, number, oneOf, sourceOfAnyPlatform, text } from "./values.js";

/** As the partial indexes say it. */
export const LIVE = "state IN ('starting', 'running')";

export function keptProcess(row: Row): KeptProcess {
  const endedAt = maybe(row.ended_at, number);
  return {
    id: text<ProcessId>(row.id),
    home: text(row.home),
    sessionId: text<SessionId>(row.session_id),
    by: sourceOfAnyPlatform(row.source),
    command: text(row.command),
    workdir: text(row.workdir),
    environment: text(row.environment),
    pty: flag(row.pty),
    walled: flag(row.walled),
    watch: {
      checkIntervalMs: maybe(row.check_interval_ms, number),
      notifyOnComplete: text(row.completion) !== "none",
      patterns: json<string[]>(row.patterns),
    },
    state: oneOf(row.state, PROCESS_STATES),
    startedAt: number(row.started_at),
    end: endedAt === null ? null : endOf(row),
    endedAt,
    reportedThrough: number(row.reported_through),
    matchedThrough: number(row.matched_through),
    matchedAt: maybe(row.matched_at, number),
  };
}

function endOf(row: Row): ProcessEnd {
  if (row.error !== null) return { kind: "lost", why: text(row.error) };
  return {
    kind: "exited",
    code: maybe(row.exit_code, number),
    signal: maybe(row.exit_signal, text),
    by: oneOf(row.ended_by, ENDED_BY),
    leftBehind: flag(row.left_behind),
  };
}

/** exit_code, exit_signal, ended_by, left_behind, error */
export function endValues(end: ProcessEnd): SqlValue[] {
  if (end.kind === "lost") return [null, null, null, null, storableText(end.why)];
  return [end.code, end.signal, end.by, end.leftBehind ? 1 : 0, null];
}
