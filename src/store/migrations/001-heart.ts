/** Sessions, routes, messages, handoffs, and the search index that is fed behind them. */
import type { Dialect } from "../db.js";

export function heart(dialect: Dialect): readonly string[] {
  const { int, real, text, autoId, tableEnd } = dialect;
  return [
    `CREATE TABLE sessions (
      id ${text} PRIMARY KEY,
      key ${text} NOT NULL,
      owner ${text} NOT NULL,
      lane_owner ${text} NOT NULL,
      chat ${text} NOT NULL,
      platform ${text} NOT NULL,
      chat_type ${text} NOT NULL,
      origin ${text} NOT NULL,
      display_name ${text} NOT NULL,
      title ${text},
      created_at ${int} NOT NULL,
      updated_at ${int} NOT NULL,
      ended_at ${int},
      end_reason ${text},
      parent_id ${text},
      reset_reason ${text},
      next_seq ${int} NOT NULL DEFAULT 1,
      message_count ${int} NOT NULL DEFAULT 0,
      active_from ${int} NOT NULL DEFAULT 1,
      consolidated_through ${int} NOT NULL DEFAULT 0,
      summary ${text},
      input_tokens ${int} NOT NULL DEFAULT 0,
      output_tokens ${int} NOT NULL DEFAULT 0,
      cache_read_tokens ${int} NOT NULL DEFAULT 0,
      cache_write_tokens ${int} NOT NULL DEFAULT 0,
      cost ${real} NOT NULL DEFAULT 0,
      metadata ${text} NOT NULL DEFAULT '{}'
    ) ${tableEnd}`,
    "CREATE INDEX sessions_by_activity ON sessions (updated_at, id)",
    "CREATE INDEX sessions_by_owner ON sessions (owner, updated_at, id)",
    // Those that moved to a lane of others.
    "CREATE INDEX sessions_by_lane_owner ON sessions (lane_owner, updated_at, id) WHERE lane_owner <> owner",
    "CREATE UNIQUE INDEX sessions_by_title ON sessions (title, owner) WHERE title IS NOT NULL",
    "CREATE INDEX sessions_by_end ON sessions (ended_at) WHERE ended_at IS NOT NULL",

    // A session has at most one lane: whoever binds it elsewhere takes it. The lane knows its own place and people,
    // whatever session it has at the moment.
    `CREATE TABLE routes (
      key ${text} PRIMARY KEY,
      session_id ${text} NOT NULL UNIQUE REFERENCES sessions (id),
      owner ${text} NOT NULL,
      chat ${text} NOT NULL,
      origin ${text} NOT NULL,
      display_name ${text} NOT NULL
    ) ${tableEnd}`,

    `CREATE TABLE messages (
      id ${autoId},
      session_id ${text} NOT NULL REFERENCES sessions (id),
      seq ${int} NOT NULL,
      role ${text} NOT NULL,
      content ${text} NOT NULL,
      name ${text},
      tool_call_id ${text},
      tool_calls ${text},
      reasoning ${text},
      at ${int} NOT NULL,
      superseded_at ${int},
      UNIQUE (session_id, seq)
    ) ${tableEnd}`,

    `CREATE TABLE handoffs (
      id ${text} PRIMARY KEY,
      session_id ${text} NOT NULL REFERENCES sessions (id),
      from_key ${text} NOT NULL,
      target ${text} NOT NULL,
      state ${text} NOT NULL,
      requested_at ${int} NOT NULL,
      claimed_by ${text},
      lease_until ${int},
      fence ${int} NOT NULL DEFAULT 0,
      claims ${int} NOT NULL DEFAULT 0,
      finished_at ${int},
      error ${text}
    ) ${tableEnd}`,
    "CREATE UNIQUE INDEX handoffs_active ON handoffs (session_id) WHERE state IN ('pending', 'running')",
    "CREATE INDEX handoffs_open ON handoffs (requested_at, id) WHERE state IN ('pending', 'running')",
    "CREATE INDEX handoffs_by_session ON handoffs (session_id)",

    `CREATE TABLE search_watermark (
      one ${int} PRIMARY KEY CHECK (one = 1),
      indexed_through ${int} NOT NULL
    ) ${tableEnd}`,
    "INSERT INTO search_watermark (one, indexed_through) VALUES (1, 0)",
    ...searchIndex[dialect.name],
  ];
}

/** The index holds terms only (see search/terms.ts); text stays in `messages`. */
const searchIndex: Readonly<Record<Dialect["name"], readonly string[]>> = {
  sqlite: [
    `CREATE VIRTUAL TABLE message_terms USING fts5(
      terms, content = '', contentless_delete = 1,
      tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co' tokenchars '='"
    )`,
  ],
  postgres: [
    `CREATE TABLE message_terms (
      message_id BIGINT PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
      terms TSVECTOR NOT NULL
    )`,
    "CREATE INDEX message_terms_by_term ON message_terms USING GIN (terms)",
  ],
};
