/**
 * The columns that are read of a table, by name. Whoever asks for all of them gets others after a migration: then a gateway
 * of the version before, in the middle of an upgrade, could read nothing more with what it has prepared.
 */
const COLUMNS = {
  sessions: [
    ...[
      "id",
      "key",
      "owner",
      "lane_owner",
      "chat",
      "platform",
      "chat_type",
      "origin",
      "display_name",
      "title",
    ],
    ...["created_at", "updated_at", "ended_at", "end_reason", "parent_id", "reset_reason", "next_seq"],
    ...["message_count", "active_from", "consolidated_through", "summary", "input_tokens", "output_tokens"],
    ...["cache_read_tokens", "cache_write_tokens", "cost", "metadata"],
  ],
  routes: ["key", "session_id", "owner", "chat", "origin", "display_name"],
  messages: [
    ...["id", "session_id", "seq", "role", "content", "name", "author", "note", "tool_call_id", "tool_calls"],
    ...["reasoning", "attachments", "at", "superseded_at"],
  ],
  inbox: [
    ...["id", "platform", "account", "chat", "message_id", "kind", "key", "source", "text", "attachments"],
    ...["said_by", "made_by", "made_of", "in_background", "received_at", "state", "owner"],
  ],
  outbox: [
    ...["id", "delivery_id", "platform", "account", "address", "kind", "text", "session_id", "reply_to"],
    ...["handoff_id", "attachments", "state", "owner", "attempts", "not_before", "wait_ms"],
  ],
  tool_calls: ["id", "turn_id", "call_id", "name", "arguments", "said", "state", "result", "process"],
  persons: ["id", "name", "created_at"],
  pairings: ["identity", "called", "asked_at", "expires_at", "answers", "denied"],
} as const;

export function columnsOf(table: keyof typeof COLUMNS, as: string = table): string {
  return COLUMNS[table].map((column) => `${as}.${column}`).join(", ");
}
