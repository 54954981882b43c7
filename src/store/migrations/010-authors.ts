/** Who wrote each message, which messages are the gateway's own, and what in the inbox no platform brought. */
import type { Dialect } from "../db.js";

export function authors({ int, text }: Dialect): readonly string[] {
  return [
    `ALTER TABLE messages ADD COLUMN author ${text}`,
    `ALTER TABLE messages ADD COLUMN note ${int}`,
    `ALTER TABLE inbox ADD COLUMN made_by ${text}`,
    "CREATE INDEX inbox_waiting ON inbox (key, id) WHERE state = 'waiting'",
    // Until now only their ids told. From here on a colon does, which no platform's id has: it is escaped there.
    ...(["command", "handoff", "moved"] as const).map(
      (word) =>
        `UPDATE inbox SET made_by = '${word}', message_id = '${word}:' || substr(message_id, ${word.length + 2})
         WHERE message_id LIKE '${word} %' AND state IN ('waiting', 'running')`,
    ),
  ];
}
