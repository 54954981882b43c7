/** Sessions and the routes from keys to them: what begins, ends, moves and changes a session. */
import { ConflictError, sessionNotFound } from "../../session/errors.js";
import type { ResetReason } from "../../session/reset-policy.js";
import {
  completeUsage,
  type EndReason,
  nameIn,
  type SessionEntry,
  type SessionPatch,
  serializeMetadata,
} from "../../session/session.js";
import { parseSessionKey, type SessionKey } from "../../session/session-key.js";
import type { NewSession, Resolved, ResolveRequest, RouteStore } from "../../session/store.js";
import { escapePart } from "../../util/escape.js";
import { storableText } from "../../util/text.js";
import type { Db, Dialect, Queries } from "../db.js";
import type { SearchFeed } from "../search/feed.js";
import type { SearchIndex } from "../search/search.js";
import { hasActiveHandoff, insertMessages, type SessionRow, sessionRow, writeOrigin } from "./rows.js";

export class SqlRoutes implements RouteStore {
  readonly #db: Db;
  readonly #index: SearchIndex;
  readonly #feed: SearchFeed;

  constructor(db: Db, index: SearchIndex, feed: SearchFeed) {
    this.#db = db;
    this.#index = index;
    this.#feed = feed;
  }

  async resolve(request: ResolveRequest): Promise<Resolved> {
    const resolved = await this.#db.transaction((tx) => this.#resolveIn(tx, request));
    if (request.message) this.#feed.poke();
    return resolved;
  }

  async #resolveIn(tx: Queries, request: ResolveRequest): Promise<Resolved> {
    const present = await lockCurrent(tx, this.#db.dialect, request.fresh.key);
    if (!present) return this.#begin(tx, request, null, null);
    if (request.forceNew) return this.#begin(tx, request, present, null);

    const reason = request.dueReset(present.entry);
    if (reason === null || (await hasActiveHandoff(tx, present.entry.sessionId)))
      return goOn(tx, request, present);
    if (request.heldByProcess === null) return { kind: "ask processes" };
    return request.heldByProcess ? goOn(tx, request, present) : this.#begin(tx, request, present, reason);
  }

  /** Starts the request's fresh session; the present one, if any, ends and becomes its parent. */
  async #begin(
    tx: Queries,
    request: ResolveRequest,
    present: SessionRow | null,
    reason: ResetReason | null,
  ): Promise<Resolved> {
    const { fresh, message, now } = request;
    const parentId = present?.entry.sessionId ?? null;
    const count = message ? 1 : 0;
    await insertSession(tx, fresh, { now, parentId, resetReason: reason, count });
    if (present) {
      await endSession(tx, present.entry, reason ?? "reset", now);
      await tx.run("UPDATE routes SET session_id = ? WHERE key = ?", fresh.sessionId, fresh.key);
    } else {
      const added = await tx.run(
        "INSERT INTO routes (key, session_id) VALUES (?, ?) ON CONFLICT (key) DO NOTHING",
        fresh.key,
        fresh.sessionId,
      );
      if (added === 0) {
        // Another process gave the key its first session while this one was about to: that one it is.
        await tx.run("DELETE FROM sessions WHERE id = ?", fresh.sessionId);
        return this.#resolveIn(tx, request);
      }
    }
    if (message) await insertMessages(tx, fresh.sessionId, 1, [message], now);
    const { entry } = await readSession(tx, fresh.sessionId);
    return { kind: "resolved", entry: { ...entry, wasAutoReset: reason !== null }, seq: message ? 1 : null };
  }

  reset(key: SessionKey, freshId: string, now: number): Promise<SessionEntry | null> {
    return this.#db.transaction(async (tx) => {
      const present = await lockCurrent(tx, this.#db.dialect, key);
      if (!present) return null;
      const { origin, displayName, owner, chat, sessionId } = present.entry;
      const fresh = { sessionId: freshId, key, origin, displayName, owner, chat };
      await insertSession(tx, fresh, { now, parentId: sessionId, resetReason: null, count: 0 });
      await endSession(tx, present.entry, "reset", now);
      await tx.run("UPDATE routes SET session_id = ? WHERE key = ?", freshId, key);
      return (await readSession(tx, freshId)).entry;
    });
  }

  bind(key: SessionKey, sessionId: string, now: number): Promise<SessionEntry> {
    return this.#db.transaction(async (tx) => {
      const target = await readSession(tx, sessionId, this.#db.dialect.forUpdate("sessions"));
      const present = await lockCurrent(tx, this.#db.dialect, key);
      if (present?.entry.sessionId === sessionId) return present.entry;
      if (await hasActiveHandoff(tx, sessionId)) {
        throw new ConflictError(
          "handoff_active",
          "This session is being handed off; wait for the outcome or cancel it.",
        );
      }
      return bindSession(tx, { key, target: target.entry, present: present?.entry ?? null, now });
    });
  }

  update(key: SessionKey, patch: SessionPatch, now: number): Promise<SessionEntry | null> {
    return this.#db.transaction(async (tx) => {
      const present = await lockCurrent(tx, this.#db.dialect, key);
      if (!present) return null;
      const { sessionId, consolidatedThrough, summary, metadata } = present.entry;
      const usage = completeUsage(patch);
      await tx.run(
        `UPDATE sessions SET updated_at = ?, input_tokens = input_tokens + ?, output_tokens = output_tokens + ?,
           cache_read_tokens = cache_read_tokens + ?, cache_write_tokens = cache_write_tokens + ?, cost = cost + ?,
           consolidated_through = ?, summary = ?, metadata = ? WHERE id = ?`,
        now,
        usage.inputTokens,
        usage.outputTokens,
        usage.cacheReadTokens,
        usage.cacheWriteTokens,
        usage.cost,
        patch.consolidatedThrough ?? consolidatedThrough,
        patch.summary === undefined ? summary : patch.summary === null ? null : storableText(patch.summary),
        storableText(serializeMetadata(patch.metadata ?? metadata)),
        sessionId,
      );
      return (await readSession(tx, sessionId)).entry;
    });
  }

  setTitle(sessionId: string, title: string | null): Promise<SessionEntry> {
    return this.#db.transaction(async (tx) => {
      const { entry } = await readSession(tx, sessionId, this.#db.dialect.forUpdate("sessions"));
      if (title !== null && (await titleHolder(tx, entry.owner, title, sessionId)) !== null) {
        throw new ConflictError(
          "title_taken",
          `Another session is already called ${JSON.stringify(title)}. Choose another title.`,
        );
      }
      await tx.run("UPDATE sessions SET title = ? WHERE id = ?", title, sessionId);
      return { ...entry, title };
    });
  }

  end(sessionId: string, reason: EndReason, now: number): Promise<SessionEntry> {
    return this.#db.transaction(async (tx) => {
      const { entry } = await readSession(tx, sessionId, this.#db.dialect.forUpdate("sessions"));
      await endSession(tx, entry, reason, now);
      await tx.run("DELETE FROM routes WHERE session_id = ?", sessionId);
      return (await readSession(tx, sessionId)).entry;
    });
  }

  prune(endedBefore: number, limit: number): Promise<{ sessionIds: string[]; messages: number }> {
    return this.#db.transaction(async (tx) => {
      const rows = await tx.all(
        `SELECT id FROM sessions s WHERE ${PRUNABLE} ORDER BY ended_at LIMIT ? ${this.#db.dialect.forUpdate("s")}`,
        endedBefore,
        limit,
      );
      const sessionIds = rows.map((row) => row.id as string);
      let messages = 0;
      for (const id of sessionIds) {
        await this.#index.forget(tx, id);
        messages += await tx.run("DELETE FROM messages WHERE session_id = ?", id);
        await tx.run("DELETE FROM handoffs WHERE session_id = ?", id);
        await tx.run("DELETE FROM sessions WHERE id = ?", id);
      }
      if (sessionIds.length > 0) await this.#index.lowerWatermark(tx);
      return { sessionIds, messages };
    });
  }
}

/** Ended sessions that no key leads to and nobody is moving. */
export const PRUNABLE = `ended_at < ? AND NOT EXISTS (SELECT 1 FROM routes r WHERE r.session_id = s.id)
  AND NOT EXISTS (SELECT 1 FROM handoffs h WHERE h.session_id = s.id AND h.state IN ('pending', 'running'))`;

/**
 * The session of a key, held until the transaction ends. The route first, then the session: a join would miss a route
 * that another transaction is just moving.
 */
export async function lockCurrent(
  tx: Queries,
  dialect: Dialect,
  key: SessionKey,
): Promise<SessionRow | null> {
  const route = await tx.get(
    `SELECT session_id FROM routes WHERE key = ? ${dialect.forUpdate("routes")}`,
    key,
  );
  return route ? readSession(tx, route.session_id as string, dialect.forUpdate("sessions")) : null;
}

export async function readSession(tx: Queries, sessionId: string, forUpdate = ""): Promise<SessionRow> {
  const row = await tx.get(`SELECT * FROM sessions WHERE id = ? ${forUpdate}`, sessionId);
  if (!row) throw sessionNotFound(sessionId);
  return sessionRow(row);
}

/** Makes the key lead to the target, from wherever the target was; the key's present session ends `switched`. */
export async function bindSession(
  tx: Queries,
  move: { key: SessionKey; target: SessionEntry; present: SessionEntry | null; now: number },
): Promise<SessionEntry> {
  const { key, target, present, now } = move;
  if (present) await endSession(tx, present, "switched", now);
  await tx.run("DELETE FROM routes WHERE session_id = ? OR key = ?", target.sessionId, key);
  await tx.run("INSERT INTO routes (key, session_id) VALUES (?, ?)", key, target.sessionId);
  const { platform, chatType, parts } = parseSessionKey(key);
  await tx.run(
    `UPDATE sessions SET key = ?, platform = ?, chat_type = ?, chat = ?, updated_at = ?, ended_at = NULL, end_reason = NULL
     WHERE id = ?`,
    key,
    platform,
    chatType,
    parts[0] ? `${platform}:${escapePart(parts[0])}` : target.chat,
    now,
    target.sessionId,
  );
  return (await readSession(tx, target.sessionId)).entry;
}

/** Who of this owner's other sessions has the title. */
export async function titleHolder(
  tx: Queries,
  owner: string,
  title: string,
  except: string,
): Promise<string | null> {
  const row = await tx.get(
    "SELECT id FROM sessions WHERE owner = ? AND title = ? AND id <> ?",
    owner,
    title,
    except,
  );
  return (row?.id as string | undefined) ?? null;
}

async function goOn(tx: Queries, request: ResolveRequest, present: SessionRow): Promise<Resolved> {
  const { fresh, message, touch, now } = request;
  const { entry, nextSeq } = present;
  const added = message ? 1 : 0;
  const changed: SessionEntry = {
    ...entry,
    updatedAt: touch ? now : entry.updatedAt,
    displayName: (touch && nameIn(fresh.origin)) || entry.displayName,
    messageCount: entry.messageCount + added,
  };
  if (touch || added) {
    await tx.run(
      "UPDATE sessions SET updated_at = ?, display_name = ?, next_seq = next_seq + ?, message_count = message_count + ? WHERE id = ?",
      changed.updatedAt,
      changed.displayName,
      added,
      added,
      entry.sessionId,
    );
  }
  if (message) await insertMessages(tx, entry.sessionId, nextSeq, [message], now);
  return { kind: "resolved", entry: changed, seq: message ? nextSeq : null };
}

async function insertSession(
  tx: Queries,
  fresh: NewSession,
  begin: { now: number; parentId: string | null; resetReason: ResetReason | null; count: number },
): Promise<void> {
  const { platform, chatType } = parseSessionKey(fresh.key);
  await tx.run(
    `INSERT INTO sessions (id, key, owner, chat, platform, chat_type, origin, display_name, created_at, updated_at,
       parent_id, reset_reason, next_seq, message_count) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    fresh.sessionId,
    fresh.key,
    fresh.owner,
    fresh.chat,
    platform,
    chatType,
    writeOrigin(fresh.origin),
    fresh.displayName,
    begin.now,
    begin.now,
    begin.parentId,
    begin.resetReason,
    1 + begin.count,
    begin.count,
  );
}

async function endSession(tx: Queries, entry: SessionEntry, reason: EndReason, now: number): Promise<void> {
  if (entry.endedAt !== null) return;
  await tx.run("UPDATE sessions SET ended_at = ?, end_reason = ? WHERE id = ?", now, reason, entry.sessionId);
}
