/** Since when a process has an account. */
import type { Dialect } from "../db.js";

export function holders({ int }: Dialect): readonly string[] {
  return [`ALTER TABLE accounts ADD COLUMN since ${int} NOT NULL DEFAULT 0`];
}
