/** When a message failed for good, and whether its chat must still hear of that. */
import type { Dialect } from "../db.js";

export function undelivered({ int }: Dialect): readonly string[] {
  return [
    `ALTER TABLE outbox ADD COLUMN failed_at ${int}`,
    `ALTER TABLE outbox ADD COLUMN untold ${int} NOT NULL DEFAULT 0`,
    "CREATE INDEX outbox_failed ON outbox (failed_at) WHERE state = 'failed'",
    "CREATE INDEX outbox_untold ON outbox (platform, account, address) WHERE untold = 1",
  ];
}
