/**
 * How long what is to be said was told to wait, whose it is, what may not have arrived; how often a turn was the only one that its
 * process was running when it ended; and the process that a tool call has started.
 */
import type { Dialect } from "../db.js";

export function answers({ int, text }: Dialect): readonly string[] {
  return [
    `ALTER TABLE outbox ADD COLUMN wait_ms ${int} NOT NULL DEFAULT 0`,
    `ALTER TABLE outbox ADD COLUMN turn_id ${text}`,
    "CREATE INDEX outbox_unknown ON outbox (created_at) WHERE state = 'unknown'",
    `ALTER TABLE turns ADD COLUMN lone_deaths ${int} NOT NULL DEFAULT 0`,
    `ALTER TABLE turns ADD COLUMN mourned ${text} NOT NULL DEFAULT ''`,
    "CREATE INDEX turns_by_owner ON turns (owner) WHERE state = 'running'",
    `ALTER TABLE tool_calls ADD COLUMN process ${text}`,
  ];
}
