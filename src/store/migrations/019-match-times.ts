/** When lines of a process that match were last told of: so the next gateway keeps the pause, too. */
import type { Dialect } from "../db.js";

export function matchTimes({ int }: Dialect): readonly string[] {
  return [`ALTER TABLE processes ADD COLUMN matched_at ${int}`];
}
