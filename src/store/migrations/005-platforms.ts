/** What platforms need: who has an account, what it remembers, home channels, and files that come and go with messages. */
import type { Dialect } from "../db.js";

export function platforms({ int, text, tableEnd }: Dialect): readonly string[] {
  return [
    `CREATE TABLE accounts (
      platform ${text} NOT NULL,
      account ${text} NOT NULL,
      owner ${text} NOT NULL,
      lease_until ${int} NOT NULL,
      PRIMARY KEY (platform, account)
    ) ${tableEnd}`,
    `CREATE TABLE account_memory (
      platform ${text} NOT NULL,
      account ${text} NOT NULL,
      name ${text} NOT NULL,
      value ${text} NOT NULL,
      PRIMARY KEY (platform, account, name)
    ) ${tableEnd}`,
    `CREATE TABLE home_channels (
      platform ${text} PRIMARY KEY,
      address ${text} NOT NULL,
      name ${text} NOT NULL
    ) ${tableEnd}`,
    `CREATE INDEX outbox_by_address ON outbox (platform, account, address, id)
     WHERE state IN ('pending', 'sending')`,
    `ALTER TABLE inbox ADD COLUMN attachments ${text}`,
    `ALTER TABLE messages ADD COLUMN attachments ${text}`,
    `ALTER TABLE outbox ADD COLUMN reply_to ${text}`,
    `ALTER TABLE outbox ADD COLUMN attachments ${text}`,
  ];
}
