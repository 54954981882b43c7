/** Transcripts: append-only, numbered without gaps, superseded rather than deleted. */

import { sessionNotFound } from "../../session/errors.js";
import type { SessionId } from "../../session/ids.js";
import { completeUsage, serializeMetadata } from "../../session/session.js";
import { parseSessionKey } from "../../session/session-key.js";
import type {
  AdoptedSession,
  AppendRequest,
  PartWish,
  TranscriptEnd,
  TranscriptStore,
} from "../../session/store.js";
import type { Message, StoredMessage } from "../../session/transcript.js";
import { storableText } from "../../util/text.js";
import type { Db, Queries } from "../db.js";
import { columnsOf } from "./columns.js";
import { addRoute } from "./lanes.js";
import { RecentMessages } from "./recent-messages.js";
import { insertMessages, messageValues, storedMessage, writeOrigin } from "./rows.js";
import { freeTitle, readSession, reopen } from "./session-steps.js";
import { takeBackWith } from "./summaries.js";
import { number } from "./values.js";

const PAGE = 1_000;

export class SqlTranscript implements TranscriptStore {
  readonly #db: Db;
  readonly #recent: RecentMessages;

  constructor(db: Db) {
    this.#db = db;
    this.#recent = new RecentMessages(db);
  }

  append(request: AppendRequest): Promise<number> {
    return this.#db.transaction((tx) => appendIn(tx, request));
  }

  rewrite(sessionId: SessionId, messages: readonly Message[], touch: boolean, now: number): Promise<void> {
    return this.#db.transaction(async (tx) => {
      const { entry, nextSeq, activeFrom } = await readSession(
        tx,
        sessionId,
        this.#db.dialect.forUpdate("sessions"),
      );
      const kept = await equalBeginning(tx, sessionId, activeFrom, messages);
      const first = await tx.get(
        "SELECT seq FROM messages WHERE session_id = ? AND seq > ? AND superseded_at IS NULL ORDER BY seq LIMIT 1",
        sessionId,
        kept.throughSeq,
      );
      // Always the last ones: `RecentMessages` relies on it.
      await tx.run(
        "UPDATE messages SET superseded_at = ? WHERE session_id = ? AND seq > ? AND superseded_at IS NULL",
        now,
        sessionId,
        kept.throughSeq,
      );
      const added = messages.slice(kept.count);
      await insertMessages(tx, sessionId, nextSeq, added, now);
      await tx.run(
        "UPDATE sessions SET next_seq = ?, message_count = ?, active_from = ?, updated_at = ? WHERE id = ?",
        nextSeq + added.length,
        messages.length,
        kept.count > 0 ? activeFrom : nextSeq,
        touch ? Math.max(now, entry.updatedAt) : entry.updatedAt,
        sessionId,
      );
      if (touch) await reopen(tx, sessionId);
      if (messages.length === 0) await takeBackWith(tx, sessionId, 0);
      else if (first) await takeBackWith(tx, sessionId, number(first.seq));
      tx.record({ kind: "session", sessionId });
    });
  }

  async messages(
    sessionId: SessionId,
    page: { afterSeq: number; limit: number; superseded: boolean },
  ): Promise<StoredMessage[]> {
    const active = page.superseded ? "" : "AND superseded_at IS NULL";
    const rows = await this.#db.all(
      `SELECT ${columnsOf("messages")} FROM messages WHERE session_id = ? AND seq > ? ${active} ORDER BY seq LIMIT ?`,
      sessionId,
      page.afterSeq,
      page.limit,
    );
    return rows.map(storedMessage);
  }

  async part(sessionId: SessionId, { side, seq, limit }: PartWish): Promise<StoredMessage[]> {
    const [is, order] = side === "before" ? ["<", "DESC"] : [">", "ASC"];
    const rows = await this.#db.all(
      `SELECT ${columnsOf("messages")} FROM messages WHERE session_id = ? AND seq ${is} ? AND superseded_at IS NULL
         AND seq >= (SELECT active_from FROM sessions WHERE id = ?) ORDER BY seq ${order} LIMIT ?`,
      sessionId,
      seq,
      sessionId,
      limit,
    );
    return (side === "before" ? rows.toReversed() : rows).map(storedMessage);
  }

  recent(sessionId: SessionId, limit: number): Promise<TranscriptEnd> {
    return this.#recent.read(sessionId, Math.max(0, Math.floor(limit)));
  }

  adopt(session: AdoptedSession, messages: readonly Message[]): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      if (await tx.get("SELECT id FROM sessions WHERE id = ?", session.sessionId)) return false;
      const { platform, chatType } = parseSessionKey(session.key);
      const usage = completeUsage(session.usage);
      const title = session.title
        ? await freeTitle(tx, session.owner, session.title, session.sessionId)
        : null;
      await tx.run(
        `INSERT INTO sessions (id, key, owner, lane_owner, chat, platform, chat_type, origin, display_name, title, created_at,
           updated_at, ended_at, end_reason, parent_id, next_seq, message_count, consolidated_through, summary,
           standing, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost, metadata)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        session.sessionId,
        session.key,
        session.owner,
        session.owner,
        session.chat,
        platform,
        chatType,
        writeOrigin(session.origin),
        session.displayName,
        title,
        session.createdAt,
        session.updatedAt,
        session.endedAt ?? null,
        session.endReason ?? null,
        session.parentId ?? null,
        messages.length + 1,
        messages.length,
        session.consolidatedThrough ?? 0,
        session.summary ? storableText(session.summary) : null,
        storableText(JSON.stringify(session.standing ?? [])),
        usage.inputTokens,
        usage.outputTokens,
        usage.cacheReadTokens,
        usage.cacheWriteTokens,
        usage.cost,
        storableText(serializeMetadata(session.metadata ?? {})),
      );
      await insertMessages(tx, session.sessionId, 1, messages, session.updatedAt);
      if (session.bind) await addRoute(tx, session, session.sessionId);
      tx.record({ kind: "session", sessionId: session.sessionId });
      return true;
    });
  }
}

/** Takes the next numbers and adds the messages, within a transaction. */
export async function appendIn(tx: Queries, request: AppendRequest): Promise<number> {
  const { sessionId, messages, touch, now } = request;
  const usage = completeUsage(request.usage);
  const row = await tx.get(
    `UPDATE sessions SET next_seq = next_seq + ?, message_count = message_count + ?,
       updated_at = CASE WHEN updated_at < ? THEN ? ELSE updated_at END,
       input_tokens = input_tokens + ?, output_tokens = output_tokens + ?, cache_read_tokens = cache_read_tokens + ?,
       cache_write_tokens = cache_write_tokens + ?, cost = cost + ? WHERE id = ? RETURNING next_seq`,
    messages.length,
    messages.length,
    touch ? now : 0,
    now,
    usage.inputTokens,
    usage.outputTokens,
    usage.cacheReadTokens,
    usage.cacheWriteTokens,
    usage.cost,
    sessionId,
  );
  if (!row) throw sessionNotFound(sessionId);
  tx.record({ kind: "session", sessionId });
  const firstSeq = number(row.next_seq) - messages.length;
  await insertMessages(tx, sessionId, firstSeq, messages, now);
  return firstSeq;
}

/** How many of the active messages stand at the beginning of the new list already, and the last one's seq. */
async function equalBeginning(
  tx: Queries,
  sessionId: SessionId,
  activeFrom: number,
  messages: readonly Message[],
): Promise<{ count: number; throughSeq: number }> {
  let count = 0;
  let throughSeq = activeFrom - 1;
  for (;;) {
    const rows = await tx.all(
      `SELECT ${columnsOf("messages")} FROM messages WHERE session_id = ? AND seq > ? AND superseded_at IS NULL ORDER BY seq LIMIT ?`,
      sessionId,
      throughSeq,
      PAGE,
    );
    for (const row of rows) {
      const message = messages[count];
      if (!message || !sameMessage(message, storedMessage(row))) return { count, throughSeq };
      count += 1;
      throughSeq = number(row.seq);
    }
    if (rows.length < PAGE) return { count, throughSeq };
  }
}

function sameMessage(message: Message, stored: StoredMessage): boolean {
  const sameTime = message.at === undefined || message.at === stored.at;
  return sameTime && JSON.stringify(messageValues(message)) === JSON.stringify(messageValues(stored));
}
