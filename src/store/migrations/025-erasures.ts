/** When a session last lost messages of somebody who was erased: what a process read of it before is read again. */
import type { Dialect } from "../db.js";

export function erasures({ int }: Dialect): readonly string[] {
  return [`ALTER TABLE sessions ADD COLUMN erased_at ${int}`];
}
