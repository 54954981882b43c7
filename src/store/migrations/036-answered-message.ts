/** Which message of the transcript a turn answers; null for a turn that an older Baton began. */
import type { Dialect } from "../db.js";

export function answeredMessage({ int }: Dialect): readonly string[] {
  return [`ALTER TABLE turns ADD COLUMN message_seq ${int}`];
}
