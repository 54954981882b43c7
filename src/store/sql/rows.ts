import type { SessionId } from "../../session/ids.js";
/** Rows of the database as records of the heart, and back. */
import type { ResetReason } from "../../session/reset-policy.js";
import type { EndReason, SessionEntry } from "../../session/session.js";
import type { SessionKey } from "../../session/session-key.js";
import { type ChatType, parseSource, type SessionSource, serializeSource } from "../../session/source.js";
import type { Attachment, Author, Message, StoredMessage, ToolCall } from "../../session/transcript.js";
import { storableText } from "../../util/text.js";
import type { Queries, Row, SqlValue } from "../db.js";

/** A session as stored: the entry, and what only the store needs. */
export interface SessionRow {
  readonly entry: SessionEntry;
  readonly nextSeq: number;
  readonly activeFrom: number;
}

export function sessionRow(row: Row): SessionRow {
  const tokens = {
    inputTokens: Number(row.input_tokens),
    outputTokens: Number(row.output_tokens),
    cacheReadTokens: Number(row.cache_read_tokens),
    cacheWriteTokens: Number(row.cache_write_tokens),
  };
  const entry: SessionEntry = {
    key: row.key as SessionKey,
    sessionId: row.id as SessionId,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    origin: readOrigin(row),
    displayName: row.display_name as string,
    platform: row.platform as string,
    chatType: row.chat_type as ChatType,
    title: row.title as string | null,
    owner: row.owner as string,
    laneOwner: row.lane_owner as string,
    chat: row.chat as string,
    parentId: row.parent_id as SessionId | null,
    endedAt: numberOrNull(row.ended_at),
    endReason: row.end_reason as EndReason | null,
    wasAutoReset: false,
    resetReason: row.reset_reason as ResetReason | null,
    messageCount: Number(row.message_count),
    ...tokens,
    totalTokens: tokens.inputTokens + tokens.outputTokens + tokens.cacheReadTokens + tokens.cacheWriteTokens,
    cost: Number(row.cost),
    consolidatedThrough: Number(row.consolidated_through),
    summary: row.summary as string | null,
    metadata: JSON.parse(row.metadata as string),
  };
  return { entry, nextSeq: Number(row.next_seq), activeFrom: Number(row.active_from) };
}

/** A platform that was registered when the session began may not be now: the session stays readable. */
function readOrigin(row: Row): SessionSource {
  const json = JSON.parse(row.origin as string) as Record<string, unknown>;
  try {
    return parseSource(json);
  } catch {
    return {
      platform: row.platform as string,
      chatId: String(json.chat_id),
      chatType: row.chat_type as ChatType,
    };
  }
}

export function writeOrigin(source: SessionSource): string {
  return JSON.stringify(serializeSource(source)).toWellFormed();
}

export function storedMessage(row: Row): StoredMessage {
  const stored = {
    seq: Number(row.seq),
    at: Number(row.at),
    ...(row.superseded_at === null ? {} : { supersededAt: Number(row.superseded_at) }),
  };
  const content = row.content as string;
  const name = row.name === null ? {} : { name: row.name as string };
  switch (row.role as Message["role"]) {
    case "user":
      return {
        role: "user",
        content,
        ...name,
        ...(row.author === null ? {} : { author: JSON.parse(row.author as string) as Author }),
        ...(row.note === null ? {} : { note: true }),
        ...readAttachments(row),
        ...stored,
      };
    case "assistant": {
      const toolCalls =
        row.tool_calls === null ? {} : { toolCalls: JSON.parse(row.tool_calls as string) as ToolCall[] };
      const reasoning = row.reasoning === null ? {} : { reasoning: row.reasoning as string };
      return { role: "assistant", content, ...toolCalls, ...reasoning, ...stored };
    }
    case "tool":
      return { role: "tool", toolCallId: row.tool_call_id as string, ...name, content, ...stored };
    case "system":
      return { role: "system", content, ...stored };
  }
}

const INSERT_MESSAGE = `INSERT INTO messages
  (session_id, seq, role, content, name, tool_call_id, tool_calls, reasoning, attachments, author, note, at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** The only place where messages are written. */
export async function insertMessages(
  tx: Queries,
  sessionId: SessionId,
  firstSeq: number,
  messages: readonly Message[],
  now: number,
): Promise<void> {
  if (messages.length > 0) tx.record({ kind: "messages" });
  let seq = firstSeq;
  for (const message of messages) {
    await tx.run(INSERT_MESSAGE, sessionId, seq++, ...messageValues(message), message.at ?? now);
  }
}

/** role, content, name, tool_call_id, tool_calls, reasoning, attachments, author, note */
export function messageValues(message: Message): SqlValue[] {
  const name = message.role === "user" || message.role === "tool" ? (message.name ?? null) : null;
  const toolCallId = message.role === "tool" ? message.toolCallId : null;
  const toolCalls =
    message.role === "assistant" && message.toolCalls ? JSON.stringify(message.toolCalls) : null;
  const reasoning = message.role === "assistant" ? (message.reasoning ?? null) : null;
  const attachments = message.role === "user" ? writeAttachments(message.attachments) : null;
  const { author, note } = message.role === "user" ? message : {};
  return [
    message.role,
    message.content,
    name,
    toolCallId,
    toolCalls,
    reasoning,
    attachments,
    author ? storableText(JSON.stringify(author)) : null,
    note ? 1 : null,
  ];
}

export function writeAttachments(attachments: readonly Attachment[] | undefined): string | null {
  return attachments?.length ? storableText(JSON.stringify(attachments)) : null;
}

export function readAttachments(row: Row): { attachments?: readonly Attachment[] } {
  return row.attachments === null
    ? {}
    : { attachments: JSON.parse(row.attachments as string) as Attachment[] };
}

export async function hasActiveHandoff(tx: Queries, sessionId: SessionId): Promise<boolean> {
  const sql = "SELECT 1 FROM handoffs WHERE session_id = ? AND state IN ('pending', 'running')";
  return (await tx.get(sql, sessionId)) !== undefined;
}

export async function hasRunningTurn(tx: Queries, sessionId: SessionId): Promise<boolean> {
  const sql = "SELECT 1 FROM turns WHERE session_id = ? AND state = 'running'";
  return (await tx.get(sql, sessionId)) !== undefined;
}

function numberOrNull(value: SqlValue | undefined): number | null {
  return value === null || value === undefined ? null : Number(value);
}
