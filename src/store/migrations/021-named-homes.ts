/** Home channels that people named. The table `home_channels` has the default one of each platform, as before. */
import type { Dialect } from "../db.js";

export function namedHomes({ text, tableEnd }: Dialect): readonly string[] {
  return [
    `CREATE TABLE named_homes (
      word ${text} PRIMARY KEY,
      platform ${text} NOT NULL,
      address ${text} NOT NULL,
      name ${text} NOT NULL
    ) ${tableEnd}`,
  ];
}
