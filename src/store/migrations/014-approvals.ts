/** What an owner allowed for good: one person's calls of exactly one kind, in one lane. */
import type { Dialect } from "../db.js";

export function approvals({ int, text, autoId, tableEnd }: Dialect): readonly string[] {
  return [
    `CREATE TABLE standing_approvals (
      id ${autoId},
      lane ${text} NOT NULL,
      identity ${text} NOT NULL,
      digest ${text} NOT NULL,
      shown ${text} NOT NULL,
      created_at ${int} NOT NULL,
      UNIQUE (lane, identity, digest)
    ) ${tableEnd}`,
  ];
}
