/** Summaries of long conversations, who is making one, and what is remembered of a session before it starts fresh. */
import type { Dialect } from "../db.js";

export function summaries({ int, real, text, autoId, tableEnd }: Dialect): readonly string[] {
  return [
    // What people asked for as long as the conversation lasts, word for word: a JSON list beside the summary.
    `ALTER TABLE sessions ADD COLUMN standing ${text} NOT NULL DEFAULT '[]'`,
    // When what should be remembered of an ended session was written down; null if nobody has looked.
    `ALTER TABLE sessions ADD COLUMN flushed_at ${int}`,
    "UPDATE sessions SET flushed_at = ended_at WHERE ended_at IS NOT NULL",
    // Whether its first title was made, by Baton or by a person: Baton makes one once.
    `ALTER TABLE sessions ADD COLUMN titled ${int} NOT NULL DEFAULT 0`,
    "UPDATE sessions SET titled = 1",
    "CREATE INDEX sessions_open ON sessions (platform, chat_type, updated_at, id) WHERE ended_at IS NULL",
    "CREATE INDEX sessions_unflushed ON sessions (ended_at) WHERE flushed_at IS NULL AND end_reason IN ('idle', 'daily')",

    // One row for each time that a summary was made. The newest that was not undone is the session's.
    `CREATE TABLE summaries (
      id ${autoId},
      session_id ${text} NOT NULL REFERENCES sessions (id),
      after_seq ${int} NOT NULL,
      through_seq ${int} NOT NULL,
      before_summary ${text},
      before_standing ${text} NOT NULL,
      made_at ${int} NOT NULL
    ) ${tableEnd}`,
    "CREATE INDEX summaries_by_session ON summaries (session_id, id)",

    // Who makes a summary of a session now, and what came of earlier tries.
    `CREATE TABLE consolidations (
      session_id ${text} PRIMARY KEY REFERENCES sessions (id),
      ratio ${real},
      owner ${text} NOT NULL DEFAULT '',
      lease_until ${int} NOT NULL DEFAULT 0,
      fence ${int} NOT NULL DEFAULT 0,
      failures ${int} NOT NULL DEFAULT 0,
      next_try_at ${int} NOT NULL DEFAULT 0,
      refused_tokens ${int} NOT NULL DEFAULT 0,
      remembered_through ${int} NOT NULL DEFAULT 0
    ) ${tableEnd}`,
  ];
}
