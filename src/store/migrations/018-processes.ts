/** Background processes: whose they are, what was promised about them, how they ended, and what was said of it. */
import type { Dialect } from "../db.js";

export function processes({ int, text, tableEnd }: Dialect): readonly string[] {
  return [
    // `completion`: the notice of its end is not wanted ('none'), 'promised', 'due' since it ended, or 'said'.
    `CREATE TABLE processes (
      id ${text} PRIMARY KEY,
      home ${text} NOT NULL,
      session_id ${text} NOT NULL REFERENCES sessions (id),
      source ${text} NOT NULL,
      command ${text} NOT NULL,
      workdir ${text} NOT NULL,
      environment ${text} NOT NULL,
      pty ${int} NOT NULL,
      walled ${int} NOT NULL,
      check_interval_ms ${int},
      patterns ${text} NOT NULL,
      watched ${int} NOT NULL,
      completion ${text} NOT NULL,
      state ${text} NOT NULL,
      started_at ${int} NOT NULL,
      ended_at ${int},
      exit_code ${int},
      exit_signal ${text},
      ended_by ${text},
      left_behind ${int},
      error ${text},
      reported_through ${int} NOT NULL DEFAULT 0,
      matched_through ${int} NOT NULL DEFAULT 0
    ) ${tableEnd}`,
    // When a gateway of a home was last there.
    `CREATE TABLE process_homes (home ${text} PRIMARY KEY, seen_at ${int} NOT NULL) ${tableEnd}`,
    "CREATE INDEX processes_by_session ON processes (session_id, started_at)",
    "CREATE INDEX processes_by_home ON processes (home, started_at)",
    "CREATE INDEX processes_live ON processes (session_id, started_at) WHERE state IN ('starting', 'running')",
    "CREATE INDEX processes_live_by_home ON processes (home) WHERE state IN ('starting', 'running')",
    "CREATE INDEX processes_watched ON processes (home, started_at, id) WHERE watched = 1",
    "CREATE INDEX processes_due ON processes (ended_at, id) WHERE completion = 'due'",
    // The last turn of a session is found at once, however many it had.
    "CREATE INDEX turns_in_session ON turns (session_id, inbox_id)",
    "DROP INDEX turns_by_session",
  ];
}
