/**
 * Lanes that the person who runs Baton moves: to other keys after a change of scopes, or one session into another lane.
 * Locks are taken as everywhere: routes by their keys, then sessions by their ids. Every column that has a lane's key is
 * written here: `routes`, `sessions`, `jobs` and `standing_approvals`, messages that wait in the `inbox`, and `handoffs` for the
 * way back.
 */
import type { SessionId } from "../../session/ids.js";
import type { KeyOf, LaneOutcome, LaneStore, LaneWork, SeenMove } from "../../session/lane-store.js";
import type { Platform } from "../../session/platform.js";
import type { LaneStep, SeenLane } from "../../session/rescope.js";
import type { SessionEntry } from "../../session/session.js";
import type { SessionKey } from "../../session/session-key.js";
import type { Answerer, LanePlace } from "../../session/store.js";
import type { Db, Queries, Row } from "../db.js";
import { columnsOf } from "./columns.js";
import { noteLeft } from "./handoff-rows.js";
import { addRoute, moveInto } from "./lanes.js";
import { moveWaiting } from "./move-waiting.js";
import { hasActiveHandoff, hasRunningTurn } from "./rows.js";
import { endSession, readSession } from "./session-steps.js";
import { maybe, number, sourceOfAnyPlatform, text } from "./values.js";

const SEEN = `SELECT ${columnsOf("routes", "r")}, s.title AS title, s.updated_at AS updated_at
  FROM routes r JOIN sessions s ON s.id = r.session_id`;

/** Takes back what a transaction did before it found that a lane has changed. */
class Changed extends Error {}

export class SqlLaneMoves implements LaneStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async page(after: string, limit: number): Promise<SeenLane[]> {
    return (await this.#db.all(`${SEEN} WHERE r.key > ? ORDER BY r.key LIMIT ?`, after, limit)).map(seenLane);
  }

  async at(key: SessionKey): Promise<SeenLane | null> {
    const row = await this.#db.get(`${SEEN} WHERE r.key = ?`, key);
    return row ? seenLane(row) : null;
  }

  async formerPlace(key: SessionKey): Promise<LanePlace | null> {
    const row = await this.#db.get(
      `SELECT s.key, s.lane_owner AS owner, s.chat, s.origin, s.display_name FROM sessions s WHERE s.key = ?
       ORDER BY s.updated_at DESC, s.id DESC LIMIT 1`,
      key,
    );
    return row ? placeIn(row) : null;
  }

  async severalInDms(): Promise<Platform[]> {
    const rows = await this.#db.all(
      `SELECT s.platform FROM sessions s WHERE s.chat_type = 'dm' GROUP BY s.platform
       HAVING min(s.lane_owner) <> max(s.lane_owner) ORDER BY s.platform`,
    );
    return rows.map((row) => text(row.platform));
  }

  async work(key: SessionKey, sessionId: SessionId | null): Promise<LaneWork> {
    return {
      turn: sessionId !== null && (await hasRunningTurn(this.#db, sessionId)),
      handoff:
        (sessionId !== null && (await hasActiveHandoff(this.#db, sessionId))) ||
        (await isAwaited(this.#db, key)),
      waiting: await waitingIn(this.#db, key),
    };
  }

  take(step: LaneStep, keyOf: KeyOf, now: number): Promise<LaneOutcome> {
    return this.#unlessChanged(async (tx) => {
      const { lane } = step;
      const seen = [lane, ...(step.kind === "rekey" && step.over ? [step.over] : [])];
      const to = step.kind === "rekey" ? step.to : lane.key;
      const over = step.kind === "rekey" ? (step.over?.sessionId ?? null) : lane.sessionId;
      const found = await this.#lock(tx, [lane.key, to]);
      if (found.get(lane.key) !== lane.sessionId || (found.get(to) ?? null) !== over) return "changed";
      const entries = await this.#lockSessions(tx, seen);
      for (const { key, sessionId } of seen) {
        if (await this.#isBusy(tx, key, sessionId, now)) return "busy";
      }
      for (const { sessionId } of step.kind === "end" ? seen : seen.slice(1)) {
        await endSession(tx, entries.get(sessionId) ?? entryGone(), "switched", now);
      }
      for (const { key } of seen) await tx.run("DELETE FROM routes WHERE key = ?", key);
      if (step.kind === "rekey") await rekey(tx, lane, to);
      await this.#follow(tx, lane.key, keyOf);
      return "done";
    });
  }

  async rekeyStrays(keyOf: KeyOf, now: number): Promise<number> {
    const rows = await this.#db.all(
      `SELECT DISTINCT k.key FROM (
         SELECT i.key FROM inbox i WHERE i.state = 'waiting' UNION ALL SELECT j.origin_key FROM jobs j
       ) AS k WHERE NOT EXISTS (SELECT 1 FROM routes r WHERE r.key = k.key) ORDER BY k.key`,
    );
    let changed = 0;
    for (const row of rows) {
      const key = text<SessionKey>(row.key);
      changed += await this.#db.transaction(async (tx) =>
        (await this.#isBusy(tx, key, null, now)) ? 0 : this.#follow(tx, key, keyOf),
      );
    }
    return changed;
  }

  move(
    to: LanePlace,
    { sessionId, from, present }: SeenMove,
    now: number,
    answering?: Answerer,
  ): Promise<SessionEntry | "changed" | "busy"> {
    return this.#unlessChanged(async (tx) => {
      const found = await this.#lock(tx, [to.key], sessionId);
      const isIn = [...found].find(([, id]) => id === sessionId)?.[0] ?? null;
      if (isIn !== from || (found.get(to.key) ?? null) !== present) return "changed";
      const ids = [sessionId, ...(present === null ? [] : [present])];
      const entries = await this.#lockSessions(
        tx,
        ids.map((id) => ({ sessionId: id })),
      );
      if (from !== null && !answering && (await waitingIn(tx, from)) > 0) return "changed";
      if (await this.#isBusy(tx, to.key, present, now, "runs")) return "busy";
      if (await this.#isBusy(tx, from ?? to.key, sessionId, now, "runs")) return "busy";
      if (present === null) {
        // Nobody else gives the lane its first session meanwhile.
        await tx.run("DELETE FROM routes WHERE session_id = ?", sessionId);
        if (!(await addRoute(tx, to, sessionId))) throw new Changed();
      }
      const there = present === null ? null : (entries.get(present) ?? entryGone());
      const entry = await moveInto(tx, to, entries.get(sessionId) ?? entryGone(), there, now);
      if (from === null) return entry;
      await noteLeft(tx, from, entry, now);
      if (answering) await moveWaiting(tx, this.#db.dialect, from, entry, answering);
      return entry;
    });
  }

  /** The sessions of these lanes by key, and of the lane that has this session; held until the transaction ends. */
  async #lock(
    tx: Queries,
    [one, other = one]: readonly [SessionKey, SessionKey?],
    sessionId = "",
  ): Promise<Map<SessionKey, SessionId>> {
    const rows = await tx.all(
      `SELECT r.key, r.session_id FROM routes r WHERE r.key IN (?, ?) OR r.session_id = ?
       ORDER BY r.key ${this.#db.dialect.forUpdate("r")}`,
      one,
      other,
      sessionId,
    );
    return new Map(rows.map((row) => [text<SessionKey>(row.key), text<SessionId>(row.session_id)]));
  }

  async #lockSessions(
    tx: Queries,
    of: readonly { readonly sessionId: SessionId }[],
  ): Promise<Map<SessionId, SessionEntry>> {
    const entries = new Map<SessionId, SessionEntry>();
    for (const id of of.map(({ sessionId }) => sessionId).sort()) {
      entries.set(id, (await readSession(tx, id, this.#db.dialect.forUpdate("sessions"))).entry);
    }
    return entries;
  }

  /** With `runs`, messages that wait are no obstacle: they go where the session goes. */
  async #isBusy(
    tx: Queries,
    key: SessionKey,
    sessionId: SessionId | null,
    now: number,
    only?: "runs",
  ): Promise<boolean> {
    if (sessionId !== null && (await hasRunningTurn(tx, sessionId))) return true;
    if (sessionId !== null && (await hasActiveHandoff(tx, sessionId))) return true;
    if (await isAwaited(tx, key)) return true;
    if (only) return false;
    const shift = this.#db.dialect.clockShift(now);
    const answered = await tx.get(
      `SELECT 1 AS answered FROM inbox i JOIN accounts a ON a.platform = i.platform AND a.account = i.account
       WHERE i.key = ? AND i.state = 'waiting' AND a.lease_until > ? + ${shift.sql} LIMIT 1`,
      key,
      now,
      ...shift.values,
    );
    return answered !== undefined;
  }

  /** What is about a lane has the key that its own source has now. Returns how much of it had another. */
  async #follow(tx: Queries, from: SessionKey, keyOf: KeyOf): Promise<number> {
    const { forUpdate } = this.#db.dialect;
    const waiting = await tx.all(
      `SELECT i.id, i.source FROM inbox i WHERE i.key = ? AND i.state = 'waiting' ORDER BY i.id ${forUpdate("i")}`,
      from,
    );
    const jobs = await tx.all(
      `SELECT j.id, j.origin_source AS source FROM jobs j WHERE j.origin_key = ? ORDER BY j.id ${forUpdate("j")}`,
      from,
    );
    let changed = 0;
    const change = async (sql: string, row: Row): Promise<void> => {
      const key = keyOf(sourceOfAnyPlatform(row.source), from);
      if (key !== null && key !== from) changed += await tx.run(sql, key, row.id ?? null);
    };
    for (const row of waiting) await change("UPDATE inbox SET key = ? WHERE id = ?", row);
    for (const row of jobs) await change("UPDATE jobs SET origin_key = ? WHERE id = ?", row);
    if (jobs.length > 0) tx.record({ kind: "jobs" });
    return changed;
  }

  async #unlessChanged<Result>(
    work: (tx: Queries) => Promise<Result | "changed">,
  ): Promise<Result | "changed"> {
    try {
      return await this.#db.transaction(work);
    } catch (error) {
      if (error instanceof Changed) return "changed";
      throw error;
    }
  }
}

/** The lane under its new key: the place, the people and the session stay the same. */
async function rekey(
  tx: Queries,
  { title: _, updatedAt: __, sessionId, ...place }: SeenLane,
  to: SessionKey,
) {
  if (!(await addRoute(tx, { ...place, key: to }, sessionId))) throw new Changed();
  await tx.run("UPDATE sessions SET key = ? WHERE id = ?", to, sessionId);
  await tx.run("UPDATE handoffs SET from_key = ? WHERE from_key = ?", to, place.key);
  await tx.run(
    `UPDATE standing_approvals SET lane = ? WHERE lane = ? AND NOT EXISTS (SELECT 1 FROM standing_approvals there
       WHERE there.lane = ? AND there.identity = standing_approvals.identity AND there.digest = standing_approvals.digest)`,
    to,
    place.key,
    to,
  );
  await tx.run("DELETE FROM standing_approvals WHERE lane = ?", place.key); // Those were allowed there, too.
  tx.record({ kind: "session", sessionId });
}

async function waitingIn(tx: Queries, key: SessionKey): Promise<number> {
  const sql =
    "SELECT count(*) AS waiting FROM inbox WHERE key = ? AND state = 'waiting' AND kind = 'message'";
  return number((await tx.get(sql, key))?.waiting);
}

/** A handoff is about to bring a session there. */
async function isAwaited(tx: Queries, key: SessionKey): Promise<boolean> {
  const sql = `SELECT 1 AS awaited FROM handoffs h JOIN moves m ON m.handoff_id = h.id
    WHERE h.state IN ('pending', 'running') AND m.destination_key = ? LIMIT 1`;
  return (await tx.get(sql, key)) !== undefined;
}

function seenLane(row: Row): SeenLane {
  return {
    ...placeIn(row),
    sessionId: text<SessionId>(row.session_id),
    title: maybe(row.title ?? null, text),
    updatedAt: number(row.updated_at),
  };
}

/** Also if its platform is registered only in the program that made it. */
function placeIn(row: Row): LanePlace {
  return {
    key: text<SessionKey>(row.key),
    owner: text(row.owner),
    chat: text(row.chat),
    origin: sourceOfAnyPlatform(row.origin),
    displayName: text(row.display_name),
  };
}

function entryGone(): never {
  throw new Changed();
}
