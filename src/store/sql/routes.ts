/** Sessions and the lanes they are in: what begins, ends, moves and changes a session. */
import { ConflictError, InputError } from "../../session/errors.js";
import type { SessionId } from "../../session/ids.js";
import type { ResetReason } from "../../session/reset-policy.js";
import {
  completeUsage,
  type EndReason,
  nameIn,
  type SessionEntry,
  type SessionPatch,
  serializeMetadata,
} from "../../session/session.js";
import type { SessionKey } from "../../session/session-key.js";
import type { Answerer, LanePlace, Resolved, ResolveRequest, RouteStore } from "../../session/store.js";
import { storableText } from "../../util/text.js";
import type { Db, Queries } from "../db.js";
import type { SearchIndex } from "../search-index.js";
import { forgetSession, forgetSessionless } from "./forget.js";
import { noteLeft } from "./handoff-rows.js";
import { addRoute, bindAnew, bindSession, lentSession, lockLane, meetPerson, setRoute } from "./lanes.js";
import { moveWaiting } from "./move-waiting.js";
import { hasActiveHandoff, hasRunningTurn, insertMessages, type SessionRow } from "./rows.js";
import { endSession, insertSession, readSession, titleHolder } from "./session-steps.js";
import { dropSummaries } from "./summaries.js";
import { maybe, number, text } from "./values.js";

export class SqlRoutes implements RouteStore {
  readonly #db: Db;
  readonly #index: SearchIndex;

  constructor(db: Db, index: SearchIndex) {
    this.#db = db;
    this.#index = index;
  }

  resolve(request: ResolveRequest): Promise<Resolved> {
    return this.#db.transaction((tx) => this.resolveIn(tx, request));
  }

  /** The same within a transaction that does more. */
  async resolveIn(tx: Queries, request: ResolveRequest): Promise<Resolved> {
    const lane = await lockLane(tx, this.#db.dialect, request.fresh.key);
    const lent = lane || request.forceNew ? null : await lentSession(tx, request.fresh.key);
    if (lent) return goOn(tx, request, await readSession(tx, lent, this.#db.dialect.forUpdate("sessions")));
    if (!lane) return this.#begin(tx, request, null, null);
    const present = await meetPerson(tx, lane, request.fresh);
    if (request.forceNew) return this.#begin(tx, request, present, null);
    // It ended by policy while nobody wrote: so it is told now, as if it ended now.
    const { endReason } = present.entry;
    if (request.touch && (endReason === "idle" || endReason === "daily"))
      return this.#begin(tx, request, present, endReason);

    const reason = request.dueReset(present.entry);
    if (reason === null || (await isHeld(tx, present.entry.sessionId))) return goOn(tx, request, present);
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
      await setRoute(tx, fresh, fresh.sessionId);
      const change = { before: present.entry, after: fresh.sessionId };
      if (request.holder !== undefined) await bindAnew(tx, fresh.key, change, request.holder);
    } else if (!(await addRoute(tx, fresh, fresh.sessionId))) {
      // Another process gave the key its first session while this one was about to: that one it is.
      await tx.run("DELETE FROM sessions WHERE id = ?", fresh.sessionId);
      return this.resolveIn(tx, request);
    }
    if (message) await insertMessages(tx, fresh.sessionId, 1, [message], now);
    const { entry } = await readSession(tx, fresh.sessionId);
    return { kind: "resolved", entry: { ...entry, wasAutoReset: reason !== null }, seq: message ? 1 : null };
  }

  reset(key: SessionKey, freshId: SessionId, now: number): Promise<SessionEntry | null> {
    return this.#db.transaction(async (tx) => {
      const lane = await lockLane(tx, this.#db.dialect, key);
      if (!lane) return null;
      const { entry } = lane.session;
      // The new session is the lane's own, wherever the old one came from.
      const fresh = { ...lane.place, sessionId: freshId };
      await insertSession(tx, fresh, { now, parentId: entry.sessionId, resetReason: null, count: 0 });
      await endSession(tx, entry, "reset", now);
      await setRoute(tx, lane.place, freshId);
      return (await readSession(tx, freshId)).entry;
    });
  }

  bind(
    to: LanePlace | SessionKey,
    sessionId: SessionId,
    now: number,
    answering?: Answerer,
  ): Promise<SessionEntry> {
    const { dialect } = this.#db;
    return this.#db.transaction(async (tx) => {
      const { entry, from } = await bindSession(tx, dialect, to, sessionId, now, answering?.holder);
      if (from === null) return entry;
      await noteLeft(tx, from, entry, now);
      if (answering) await moveWaiting(tx, dialect, from, entry, answering);
      return entry;
    });
  }

  update(key: SessionKey, patch: SessionPatch, touch: boolean, now: number): Promise<SessionEntry | null> {
    return this.#db.transaction(async (tx) => {
      const present = (await lockLane(tx, this.#db.dialect, key))?.session;
      if (!present) return null;
      const { sessionId, updatedAt, consolidatedThrough, summary, standing, metadata } = present.entry;
      const cursor = patch.consolidatedThrough ?? consolidatedThrough;
      if (cursor >= present.nextSeq) {
        throw new InputError(
          "invalid_message",
          `consolidatedThrough is ${cursor}, but the session has no message beyond ${present.nextSeq - 1}.`,
        );
      }
      const usage = completeUsage(patch);
      await tx.run(
        `UPDATE sessions SET updated_at = ?, input_tokens = input_tokens + ?, output_tokens = output_tokens + ?,
           cache_read_tokens = cache_read_tokens + ?, cache_write_tokens = cache_write_tokens + ?, cost = cost + ?,
           consolidated_through = ?, summary = ?, standing = ?, metadata = ? WHERE id = ?`,
        touch ? Math.max(now, updatedAt) : updatedAt,
        usage.inputTokens,
        usage.outputTokens,
        usage.cacheReadTokens,
        usage.cacheWriteTokens,
        usage.cost,
        cursor,
        patch.summary === undefined ? summary : patch.summary === null ? null : storableText(patch.summary),
        storableText(JSON.stringify(patch.standing ?? standing)),
        storableText(serializeMetadata(patch.metadata ?? metadata)),
        sessionId,
      );
      const isSummedUp = patch.summary !== undefined || patch.consolidatedThrough !== undefined;
      if (isSummedUp || patch.standing !== undefined) await dropSummaries(tx, sessionId);
      tx.record({ kind: "session", sessionId });
      return (await readSession(tx, sessionId)).entry;
    });
  }

  setTitle(sessionId: SessionId, title: string | null): Promise<SessionEntry> {
    return this.#db.transaction(async (tx) => {
      const { entry } = await readSession(tx, sessionId, this.#db.dialect.forUpdate("sessions"));
      if (title !== null && (await titleHolder(tx, entry.owner, title, sessionId)) !== null) {
        throw new ConflictError(
          "title_taken",
          `Another session is already called ${JSON.stringify(title)}. Choose another title.`,
        );
      }
      await tx.run("UPDATE sessions SET title = ?, titled = 1 WHERE id = ?", title, sessionId);
      tx.record({ kind: "session", sessionId });
      return { ...entry, title };
    });
  }

  end(
    sessionId: SessionId,
    reason: EndReason,
    onlyIn: SessionKey | null,
    now: number,
  ): Promise<SessionEntry> {
    const { forUpdate } = this.#db.dialect;
    return this.#db.transaction(async (tx) => {
      await tx.all(`SELECT key FROM routes WHERE session_id = ? ${forUpdate("routes")}`, sessionId);
      const { entry } = await readSession(tx, sessionId, forUpdate("sessions"));
      if (onlyIn !== null && entry.key !== onlyIn) return entry;
      await endSession(tx, entry, reason, now);
      await tx.run("DELETE FROM routes WHERE session_id = ?", sessionId);
      return (await readSession(tx, sessionId)).entry;
    });
  }

  expire(
    sessionId: SessionId,
    dueReset: (entry: SessionEntry) => ResetReason | null,
    now: number,
  ): Promise<boolean> {
    const { forUpdate } = this.#db.dialect;
    return this.#db.transaction(async (tx) => {
      await tx.all(`SELECT key FROM routes WHERE session_id = ? ${forUpdate("routes")}`, sessionId);
      const { entry } = await readSession(tx, sessionId, forUpdate("sessions"));
      const reason = entry.endedAt === null ? dueReset(entry) : null;
      if (reason === null || (await isHeld(tx, sessionId))) return false;
      await endSession(tx, entry, reason, now);
      return true;
    });
  }

  prune(endedBefore: number, limit: number): Promise<{ sessionIds: SessionId[]; messages: number }> {
    const { forUpdate } = this.#db.dialect;
    return this.#db.transaction(async (tx) => {
      // Lanes are held before sessions, here too. The first to come has reopened the session.
      await tx.all(
        `SELECT key FROM routes WHERE session_id IN (SELECT id FROM sessions s WHERE ${PRUNABLE} ORDER BY ended_at LIMIT ?)
         ORDER BY key ${forUpdate("routes")}`,
        endedBefore,
        limit,
      );
      const rows = await tx.all(
        `SELECT id FROM sessions s WHERE ${PRUNABLE} ORDER BY ended_at LIMIT ? ${forUpdate("s")}`,
        endedBefore,
        limit,
      );
      const sessionIds = rows.map((row) => text<SessionId>(row.id));
      let messages = 0;
      for (const id of sessionIds) messages += await forgetSession(tx, this.#index, id);
      return { sessionIds, messages };
    });
  }

  remove({ sessionId, endedAt, updatedAt, messageCount, title }: SessionEntry): Promise<number | null> {
    return this.#db.transaction(async (tx) => {
      const found = await tx.get(
        `SELECT s.ended_at, s.updated_at, s.message_count, s.title FROM sessions s
         WHERE s.id = ? AND ${PRUNABLE} ${this.#db.dialect.forUpdate("s")}`,
        sessionId,
        Number.MAX_SAFE_INTEGER,
      );
      const same =
        found && maybe(found.ended_at ?? null, number) === endedAt && number(found.updated_at) === updatedAt;
      if (!same || number(found.message_count) !== messageCount || found.title !== title) return null;
      return forgetSession(tx, this.#index, sessionId);
    });
  }

  forget(before: number, limit: number): Promise<number> {
    return this.#db.transaction((tx) => forgetSessionless(tx, before, limit));
  }
}

/** Ended sessions that nobody is moving, and in which nothing runs. A lane leads only to those that ended by policy. */
export const PRUNABLE = `ended_at < ?
  AND (end_reason IN ('idle', 'daily') OR NOT EXISTS (SELECT 1 FROM routes r WHERE r.session_id = s.id))
  AND NOT EXISTS (SELECT 1 FROM handoffs h WHERE h.session_id = s.id AND h.state IN ('pending', 'running'))
  AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_id = s.id AND t.state = 'running')
  AND NOT EXISTS (SELECT 1 FROM processes p WHERE p.session_id = s.id AND p.state IN ('starting', 'running'))`;

/** Nothing starts fresh in the middle of something. */
async function isHeld(tx: Queries, sessionId: SessionId): Promise<boolean> {
  return (await hasActiveHandoff(tx, sessionId)) || (await hasRunningTurn(tx, sessionId));
}

async function goOn(tx: Queries, request: ResolveRequest, present: SessionRow): Promise<Resolved> {
  const { fresh, message, touch, now } = request;
  const { entry, nextSeq } = present;
  const added = message ? 1 : 0;
  const changed: SessionEntry = {
    ...entry,
    updatedAt: touch ? Math.max(now, entry.updatedAt) : entry.updatedAt,
    displayName: (touch && nameIn(fresh.origin)) || entry.displayName,
    messageCount: entry.messageCount + added,
  };
  if (touch || added) {
    await tx.run(
      "UPDATE sessions SET updated_at = ?, display_name = ?, next_seq = next_seq + ?, message_count = message_count + ?, flushed_at = NULL WHERE id = ?",
      changed.updatedAt,
      changed.displayName,
      added,
      added,
      entry.sessionId,
    );
    tx.record({ kind: "session", sessionId: entry.sessionId });
  }
  if (message) await insertMessages(tx, entry.sessionId, nextSeq, [message], now);
  return { kind: "resolved", entry: changed, seq: message ? nextSeq : null };
}
