/** What Baton remembers about people and group chats. */
import type { Dialect } from "../db.js";

export function notes({ int, text, autoId, tableEnd }: Dialect): readonly string[] {
  return [
    `CREATE TABLE memory_notes (
      id ${autoId},
      owner ${text} NOT NULL,
      text ${text} NOT NULL,
      made_at ${int} NOT NULL,
      made_by ${text} NOT NULL
    ) ${tableEnd}`,
    "CREATE INDEX memory_notes_by_owner ON memory_notes (owner, id)",
    // Whoever writes notes holds the row of their owner: so two at once do not both take the last room.
    `CREATE TABLE memory_owners (owner ${text} PRIMARY KEY) ${tableEnd}`,
  ];
}
