/** The journey of a message: what was accepted, the turns that answer it, and what is to be said. */
import type { Dialect } from "../db.js";

export function journey(dialect: Dialect): readonly string[] {
  const { int, text, autoId, tableEnd } = dialect;
  return [
    `CREATE TABLE inbox (
      id ${autoId},
      platform ${text} NOT NULL,
      account ${text} NOT NULL,
      chat ${text} NOT NULL,
      message_id ${text} NOT NULL,
      kind ${text} NOT NULL,
      key ${text} NOT NULL,
      source ${text} NOT NULL,
      text ${text} NOT NULL,
      received_at ${int} NOT NULL,
      state ${text} NOT NULL,
      owner ${text} NOT NULL,
      UNIQUE (platform, account, chat, message_id)
    ) ${tableEnd}`,
    "CREATE INDEX inbox_open ON inbox (platform, account, id) WHERE state IN ('waiting', 'running')",

    `CREATE TABLE turns (
      id ${text} PRIMARY KEY,
      inbox_id ${int} NOT NULL REFERENCES inbox (id),
      session_id ${text} NOT NULL,
      key ${text} NOT NULL,
      address ${text} NOT NULL,
      state ${text} NOT NULL,
      owner ${text} NOT NULL,
      lease_until ${int} NOT NULL,
      fence ${int} NOT NULL,
      attempt ${int} NOT NULL,
      started_at ${int} NOT NULL,
      finished_at ${int},
      error ${text}
    ) ${tableEnd}`,
    // One turn at a time per session, across processes.
    "CREATE UNIQUE INDEX turns_running ON turns (session_id) WHERE state = 'running'",
    "CREATE INDEX turns_by_session ON turns (session_id)",
    "CREATE INDEX turns_by_item ON turns (inbox_id)",

    `CREATE TABLE outbox (
      id ${autoId},
      delivery_id ${text} NOT NULL UNIQUE,
      platform ${text} NOT NULL,
      account ${text} NOT NULL,
      address ${text} NOT NULL,
      kind ${text} NOT NULL,
      text ${text} NOT NULL,
      session_id ${text},
      state ${text} NOT NULL,
      owner ${text} NOT NULL,
      attempts ${int} NOT NULL DEFAULT 0,
      not_before ${int} NOT NULL DEFAULT 0,
      created_at ${int} NOT NULL,
      sent_at ${int},
      message_id ${text},
      error ${text}
    ) ${tableEnd}`,
    "CREATE INDEX outbox_by_session ON outbox (session_id) WHERE session_id IS NOT NULL",
    "CREATE INDEX outbox_open ON outbox (platform, account, id) WHERE state IN ('pending', 'sending')",
  ];
}
