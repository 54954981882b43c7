/**
 * Why each delivery is said, of which handoff it is, what a message that no platform brought was made of, and which messages
 * leave the idle clock alone. Until now only ids told; from here on no id is read.
 */
import type { Dialect } from "../db.js";

export function purposes({ int, text }: Dialect): readonly string[] {
  return [
    `ALTER TABLE outbox ADD COLUMN handoff_id ${text}`,
    "CREATE INDEX outbox_of_handoff ON outbox (handoff_id) WHERE handoff_id IS NOT NULL",
    ...(["here", "back", "told"] as const).map(
      (word) =>
        `UPDATE outbox SET kind = '${HANDOFF_PURPOSES[word]}', handoff_id = substr(delivery_id, 1, 21)
         WHERE delivery_id LIKE 'ho\\_%.${word}%' ESCAPE '\\' AND substr(delivery_id, 22, 1) = '.'`,
    ),
    `ALTER TABLE inbox ADD COLUMN made_of ${text}`,
    `ALTER TABLE inbox ADD COLUMN in_background ${int} NOT NULL DEFAULT 0`,
    ...(["command", "handoff", "moved"] as const).map(
      (word) => `UPDATE inbox SET made_of = substr(message_id, ${word.length + 2}) WHERE made_by = '${word}'`,
    ),
  ];
}

const HANDOFF_PURPOSES = { here: "announcement", back: "retraction", told: "outcome" };
