/** The page in the browser: what its chats say, who is signed in there, and how far long work has got. */
import type { Dialect } from "../db.js";

export function web({ int, text, autoId, tableEnd }: Dialect): readonly string[] {
  return [
    // The last position of each chat. Whoever writes into a chat holds its row, so positions are committed in order.
    `CREATE TABLE web_chats (chat ${text} PRIMARY KEY, position ${int} NOT NULL) ${tableEnd}`,
    // `position`: of its last change. `thread`: empty for what is in no thread.
    `CREATE TABLE web_posts (
      id ${autoId},
      chat ${text} NOT NULL,
      position ${int} NOT NULL,
      delivery_id ${text} NOT NULL,
      thread ${text} NOT NULL,
      purpose ${text} NOT NULL,
      text ${text} NOT NULL,
      buttons ${text} NOT NULL,
      attachments ${text},
      session_id ${text},
      at ${int} NOT NULL,
      is_gone ${int} NOT NULL DEFAULT 0,
      UNIQUE (chat, position),
      UNIQUE (chat, delivery_id)
    ) ${tableEnd}`,
    "CREATE INDEX web_posts_in_thread ON web_posts (chat, thread, position) WHERE is_gone = 0",
    "CREATE INDEX web_posts_by_session ON web_posts (session_id) WHERE session_id IS NOT NULL",
    "CREATE INDEX web_posts_by_time ON web_posts (at) WHERE session_id IS NULL",
    "CREATE INDEX web_posts_with_files ON web_posts (id) WHERE attachments IS NOT NULL",
    `CREATE TABLE web_devices (
      id ${text} PRIMARY KEY,
      identity ${text} NOT NULL,
      alias ${text},
      called ${text},
      token_hash ${text} NOT NULL UNIQUE,
      name ${text} NOT NULL,
      created_at ${int} NOT NULL,
      seen_at ${int} NOT NULL
    ) ${tableEnd}`,
    "CREATE INDEX web_devices_by_identity ON web_devices (identity)",
    `CREATE TABLE web_links (
      code_hash ${text} PRIMARY KEY,
      identity ${text} NOT NULL,
      alias ${text},
      called ${text},
      expires_at ${int} NOT NULL
    ) ${tableEnd}`,
    `CREATE TABLE work (
      id ${autoId},
      what ${text} NOT NULL,
      unit ${text} NOT NULL,
      done ${int} NOT NULL,
      total ${int},
      started_at ${int} NOT NULL,
      told_at ${int} NOT NULL,
      ended_at ${int},
      outcome ${text},
      owner ${text} NOT NULL
    ) ${tableEnd}`,
  ];
}
