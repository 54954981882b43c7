/** Failed tries of a summary and of what should be remembered, each counted for itself; which range was refused. */
import type { Dialect } from "../db.js";

export function tries({ int }: Dialect): readonly string[] {
  return [
    `ALTER TABLE consolidations ADD COLUMN memory_failures ${int} NOT NULL DEFAULT 0`,
    `ALTER TABLE consolidations ADD COLUMN memory_try_at ${int} NOT NULL DEFAULT 0`,
    // The cursor from which ranges gave no shorter summary, null if none did; the smallest and the largest of them.
    `ALTER TABLE consolidations ADD COLUMN refused_after ${int}`,
    `ALTER TABLE consolidations ADD COLUMN refused_least ${int} NOT NULL DEFAULT 0`,
    "ALTER TABLE consolidations RENAME COLUMN refused_tokens TO refused_most",
  ];
}
