/** How far a handoff has got, and messages that moved along with their session. */
import type { Dialect } from "../db.js";

export function moves({ int, text, tableEnd }: Dialect): readonly string[] {
  return [
    `CREATE TABLE moves (
      handoff_id ${text} PRIMARY KEY REFERENCES handoffs (id) ON DELETE CASCADE,
      asker ${text},
      wait_ms ${int},
      thread_begun ${int} NOT NULL DEFAULT 0,
      destination ${text},
      destination_key ${text}
    ) ${tableEnd}`,
    "CREATE INDEX handoffs_from ON handoffs (from_key, finished_at)",
    `ALTER TABLE inbox ADD COLUMN said_by ${text}`,
  ];
}
