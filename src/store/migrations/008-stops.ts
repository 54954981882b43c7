/** Turns that another process was asked to end, and what is to be said but has to wait. */
import type { Dialect } from "../db.js";

export function stops({ text }: Dialect): readonly string[] {
  return [
    `ALTER TABLE turns ADD COLUMN stop_asked ${text}`,
    "CREATE INDEX turns_to_stop ON turns (owner) WHERE state = 'running' AND stop_asked IS NOT NULL",
    `CREATE INDEX outbox_waiting ON outbox (platform, account, not_before)
     WHERE state IN ('pending', 'sending') AND not_before > 0`,
  ];
}
