/** Which terminals are open and in which lane; and the session that a message from one is meant for. */
import type { Dialect } from "../db.js";

export function terminals({ int, tableEnd }: Dialect): readonly string[] {
  return [
    "ALTER TABLE inbox ADD COLUMN bound_to TEXT",
    `CREATE TABLE terminals (
      owner TEXT PRIMARY KEY,
      key TEXT NOT NULL,
      is_script ${int} NOT NULL,
      back_to TEXT,
      lease_until ${int} NOT NULL
    ) ${tableEnd}`,
  ];
}
