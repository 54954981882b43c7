/** Files that messages brought: which of those in the media folder are this store's. */
import type { Dialect } from "../db.js";

export function files({ int, text, tableEnd }: Dialect): readonly string[] {
  return [
    `CREATE TABLE media_files (
      name ${text} PRIMARY KEY,
      taken_at ${int} NOT NULL
    ) ${tableEnd}`,
  ];
}
