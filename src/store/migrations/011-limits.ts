/** What people have spent of a day's limits, by identity. */
import type { Dialect } from "../db.js";

export function limits({ int, text, tableEnd }: Dialect): readonly string[] {
  return [
    `CREATE TABLE spending (
      day ${text} NOT NULL,
      identity ${text} NOT NULL,
      model_calls ${int} NOT NULL DEFAULT 0,
      media_bytes ${int} NOT NULL DEFAULT 0,
      PRIMARY KEY (day, identity)
    ) ${tableEnd}`,
  ];
}
