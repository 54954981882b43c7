/** Rows of the database as records of the heart, and back. */
import type { SessionId } from "../../session/ids.js";
import { RESET_REASONS } from "../../session/reset-policy.js";
import type { SessionEntry } from "../../session/session.js";
import { END_REASONS } from "../../session/session.js";
import type { SessionKey } from "../../session/session-key.js";
import { CHAT_TYPES, parseSource, type SessionSource, serializeSource } from "../../session/source.js";
import {
  type Attachment,
  type Author,
  MESSAGE_ROLES,
  type Message,
  type StoredMessage,
  type ToolCall,
} from "../../session/transcript.js";
import { storableText } from "../../util/text.js";
import type { Queries, Row, SqlValue } from "../db.js";
import { json, maybe, number, oneOf, text } from "./values.js";

/** What a message says instead, if its author was erased. It is in no search index. */
export const ERASED = "[erased]";

/** A session as stored: the entry, and what only the store needs. */
export interface SessionRow {
  readonly entry: SessionEntry;
  readonly nextSeq: number;
  readonly activeFrom: number;
}

export function sessionRow(row: Row): SessionRow {
  const tokens = {
    inputTokens: number(row.input_tokens),
    outputTokens: number(row.output_tokens),
    cacheReadTokens: number(row.cache_read_tokens),
    cacheWriteTokens: number(row.cache_write_tokens),
  };
  const entry: SessionEntry = {
    key: text<SessionKey>(row.key),
    sessionId: text<SessionId>(row.id),
    createdAt: number(row.created_at),
    updatedAt: number(row.updated_at),
    origin: readOrigin(row),
    displayName: text(row.display_name),
    platform: text(row.platform),
    chatType: oneOf(row.chat_type, CHAT_TYPES),
    title: maybe(row.title, text),
    owner: text(row.owner),
    laneOwner: text(row.lane_owner),
    chat: text(row.chat),
    parentId: maybe(row.parent_id, text<SessionId>),
    endedAt: maybe(row.ended_at, number),
    endReason: maybe(row.end_reason, (value) => oneOf(value, END_REASONS)),
    wasAutoReset: false,
    resetReason: maybe(row.reset_reason, (value) => oneOf(value, RESET_REASONS)),
    messageCount: number(row.message_count),
    ...tokens,
    totalTokens: tokens.inputTokens + tokens.outputTokens + tokens.cacheReadTokens + tokens.cacheWriteTokens,
    cost: number(row.cost),
    consolidatedThrough: number(row.consolidated_through),
    summary: maybe(row.summary, text),
    standing: json(row.standing),
    metadata: json(row.metadata),
  };
  return { entry, nextSeq: number(row.next_seq), activeFrom: number(row.active_from) };
}

/** A platform that was registered when the session began may not be now: the session stays readable. */
function readOrigin(row: Row): SessionSource {
  const origin = json<Record<string, unknown>>(row.origin);
  try {
    return parseSource(origin);
  } catch {
    return {
      platform: text(row.platform),
      chatId: String(origin.chat_id),
      chatType: oneOf(row.chat_type, CHAT_TYPES),
    };
  }
}

export function writeOrigin(source: SessionSource): string {
  return JSON.stringify(serializeSource(source)).toWellFormed();
}

export function storedMessage(row: Row): StoredMessage {
  const stored = {
    seq: number(row.seq),
    at: number(row.at),
    ...(row.superseded_at === null ? {} : { supersededAt: number(row.superseded_at) }),
  };
  const content = text(row.content);
  const name = row.name === null ? {} : { name: text(row.name) };
  switch (oneOf(row.role, MESSAGE_ROLES)) {
    case "user":
      return {
        role: "user",
        content,
        ...name,
        ...(row.author === null ? {} : { author: json<Author>(row.author) }),
        ...(row.note === null ? {} : { note: true }),
        ...readAttachments(row),
        ...stored,
      };
    case "assistant": {
      const toolCalls = row.tool_calls === null ? {} : { toolCalls: json<ToolCall[]>(row.tool_calls) };
      const reasoning = row.reasoning === null ? {} : { reasoning: text(row.reasoning) };
      return { role: "assistant", content, ...toolCalls, ...reasoning, ...stored };
    }
    case "tool":
      return { role: "tool", toolCallId: text(row.tool_call_id), ...name, content, ...stored };
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
  const last = firstSeq + messages.length - 1;
  if (messages.length > 0) tx.record({ kind: "messages", sessionId, first: firstSeq, last });
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
  const attachments = message.role === "user" ? writeList(message.attachments) : null;
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

export function writeList(list: readonly (Attachment | string)[] | undefined): string | null {
  return list?.length ? storableText(JSON.stringify(list)) : null;
}

export function readAttachments(row: Row): { attachments?: readonly Attachment[] } {
  return row.attachments === null ? {} : { attachments: json(row.attachments) };
}

export async function hasActiveHandoff(tx: Queries, sessionId: SessionId): Promise<boolean> {
  const sql = "SELECT 1 FROM handoffs WHERE session_id = ? AND state IN ('pending', 'running')";
  return (await tx.get(sql, sessionId)) !== undefined;
}

export async function hasRunningTurn(tx: Queries, sessionId: SessionId): Promise<boolean> {
  const sql = "SELECT 1 FROM turns WHERE session_id = ? AND state = 'running'";
  return (await tx.get(sql, sessionId)) !== undefined;
}
