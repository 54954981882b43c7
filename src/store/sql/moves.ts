/** Handoffs as the gateway carries them out: each step is fenced, and commits what belongs together. */

import type {
  Account,
  Asker,
  DeliveryState,
  Move,
  MoveSayings,
  Moves,
  NewDelivery,
  NewInboxItem,
} from "../../gateway/store.js";
import { HANDOFF_WAIT_MS, type Handoff, type HandoffStep, stepHandoff } from "../../session/handoff.js";
import { LOCAL } from "../../session/platform.js";
import type { SessionEntry } from "../../session/session.js";
import type { SessionKey } from "../../session/session-key.js";
import { parseAddress, parseSource, type SessionSource, serializeSource } from "../../session/source.js";
import type { LanePlace } from "../../session/store.js";
import { storableText } from "../../util/text.js";
import type { ClockShift, Db, Dialect, Queries, Row } from "../db.js";
import { columnsOf } from "./columns.js";
import { insertHandoff, lockHandoff, moveSession, saveHandoff } from "./handoff-steps.js";
import { inboxItem, insertItem } from "./inbox.js";
import { bindSession } from "./lanes.js";
import { insertDeliveries } from "./outbox.js";
import { handoffColumns, handoffOf, hasRunningTurn, writeOrigin } from "./rows.js";
import { readSession } from "./session-steps.js";

const movesWith = (
  shift: ClockShift,
): string => `SELECT ${handoffColumns(shift, "h")}, m.asker, m.wait_ms, m.thread_begun, m.destination,
    (SELECT count(*) FROM turns t WHERE t.session_id = h.session_id AND t.state = 'running') AS running_turns,
    (SELECT max(t.finished_at) FROM turns t WHERE t.session_id = h.session_id) AS last_turn
  FROM handoffs h LEFT JOIN moves m ON m.handoff_id = h.id`;

/** Also that of a process of the version before, which gave it only its id. */
const ANNOUNCEMENT = "(handoff_id = ? AND kind = 'announcement' OR delivery_id = ?)";

export class SqlMoves implements Moves {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  request(
    asked: {
      id: string;
      sessionId: string;
      target: string;
      asker: Asker | null;
      waitMs?: number;
      said?: readonly NewDelivery[];
    },
    now: number,
  ): Promise<Handoff | null> {
    return this.#db.transaction(async (tx) => {
      const handoff = await insertHandoff(tx, this.#db.dialect, asked, now);
      if (!handoff) return null;
      const asker = asked.asker === null ? null : writeAsker(asked.asker);
      await tx.run(
        "INSERT INTO moves (handoff_id, asker, wait_ms) VALUES (?, ?, ?)",
        asked.id,
        asker,
        asked.waitMs ?? null,
      );
      await insertDeliveries(tx, asked.said ?? [], now);
      return handoff;
    });
  }

  async open(now: number): Promise<Move[]> {
    const shift = this.#db.dialect.clockShift(now);
    const rows = await this.#db.all(
      `${movesWith(shift)} WHERE h.state IN ('pending', 'running') ORDER BY h.requested_at, h.id LIMIT 1000`,
      ...shift.values,
    );
    return rows.map(moveOf);
  }

  find(id: string, now: number): Promise<Move | null> {
    return findMove(this.#db, this.#db.dialect, id, now);
  }

  claim(
    seen: Handoff,
    lease: { owner: string; leaseMs: number; left: boolean },
    now: number,
  ): Promise<Move | null> {
    const { dialect } = this.#db;
    return this.#db.transaction(async (tx) => {
      const handoff = await lockHandoff(tx, dialect, seen.id, now);
      if (handoff?.state !== seen.state || handoff.fence !== seen.fence) return null;
      await readSession(tx, handoff.sessionId, dialect.forUpdate("sessions")); // No turn begins meanwhile.
      if (await hasRunningTurn(tx, handoff.sessionId)) return null;
      const outcome = stepHandoff(handoff, { kind: "claim", ...lease }, now);
      if (!outcome.ok) return null;
      await saveHandoff(tx, dialect, outcome.handoff, now);
      return findMove(tx, dialect, seen.id, now);
    });
  }

  renew(held: Handoff, leaseMs: number, now: number): Promise<boolean> {
    const step: HandoffStep = { kind: "renew", fence: held.fence, leaseMs };
    return this.#db.transaction(async (tx) => (await this.#step(tx, held.id, step, now)) !== null);
  }

  beginThread(held: Handoff): Promise<boolean> {
    return this.#holding(held, async (tx) => {
      await keep(tx, held.id, "thread_begun = 1");
    });
  }

  aim(held: Handoff, { origin, key }: LanePlace): Promise<boolean> {
    return this.#holding(held, async (tx) => {
      await keep(tx, held.id, "destination = ?, destination_key = ?", writeOrigin(origin), key);
    });
  }

  announce(held: Handoff, deliveries: readonly NewDelivery[], now: number): Promise<boolean> {
    return this.#holding(held, async (tx) => {
      const sql = `SELECT id FROM outbox WHERE ${ANNOUNCEMENT} LIMIT 1`;
      if (!(await tx.get(sql, ...announcement(held.id)))) await insertDeliveries(tx, deliveries, now);
    });
  }

  async announced(id: string): Promise<{ state: DeliveryState; error: string | null } | null> {
    const sql = `SELECT state, error FROM outbox WHERE ${ANNOUNCEMENT} ORDER BY id LIMIT 1`;
    const row = await this.#db.get(sql, ...announcement(id));
    return row ? { state: row.state as DeliveryState, error: row.error as string | null } : null;
  }

  complete(
    held: Handoff,
    to: {
      place: LanePlace;
      account: Account;
      owner: string;
      first: NewInboxItem | null;
      deliveries: readonly NewDelivery[];
    },
    now: number,
  ): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      const { fence, fromKey, sessionId, id } = held;
      const done = await this.#step(tx, id, { kind: "complete", fence }, now);
      if (!done) return false;
      const route = await tx.get("SELECT session_id FROM routes WHERE key = ?", fromKey);
      await moveSession(tx, this.#db.dialect, sessionId, to.place, now);
      if (to.first) await insertItem(tx, to.first, to.owner, now);
      // What waits there is this session's only if the lane has not begun another one since.
      const isThere = route?.session_id === sessionId;
      if (isThere) await moveWaiting(tx, this.#db.dialect, fromKey, to);
      await insertDeliveries(tx, to.deliveries, now);
      return true;
    });
  }

  bring(
    sessionId: string,
    to: { place: LanePlace; account: Account; owner: string },
    now: number,
  ): Promise<SessionEntry> {
    const { dialect } = this.#db;
    return this.#db.transaction(async (tx) => {
      const { entry, from } = await bindSession(tx, dialect, to.place, sessionId, now);
      if (from !== null) await moveWaiting(tx, dialect, from, to);
      return entry;
    });
  }

  fail(
    id: string,
    failure: { fence: number | null; error: string } & MoveSayings,
    now: number,
  ): Promise<Handoff | null> {
    const { fence, error, deliveries, retraction = [] } = failure;
    return this.#db.transaction(async (tx) => {
      const step: HandoffStep = fence === null ? { kind: "cancel", error } : { kind: "fail", fence, error };
      const failed = await this.#step(tx, id, step, now);
      if (!failed) return null;
      await withdraw(tx, id, "the handoff was given up");
      await insertDeliveries(tx, [...deliveries, ...(await retractions(tx, id, retraction))], now);
      return failed;
    });
  }

  async lastFrom(key: SessionKey): Promise<Handoff | null> {
    const shift = this.#db.dialect.clockShift(0); // A completed one has no lease.
    const row = await this.#db.get(
      `SELECT ${handoffColumns(shift)} FROM handoffs
       WHERE from_key = ? AND state = 'completed' ORDER BY finished_at DESC, id DESC LIMIT 1`,
      ...shift.values,
      key,
    );
    return row ? handoffOf(row) : null;
  }

  async #step(tx: Queries, id: string, step: HandoffStep, now: number): Promise<Handoff | null> {
    const { dialect } = this.#db;
    const handoff = await lockHandoff(tx, dialect, id, now);
    const outcome = handoff && stepHandoff(handoff, step, now);
    if (!outcome?.ok) return null;
    await saveHandoff(tx, dialect, outcome.handoff, now);
    return outcome.handoff;
  }

  /** Does the work if the fence is still the newest. */
  #holding({ id, fence }: Handoff, work: (tx: Queries) => Promise<void>): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      const sql = "SELECT id FROM handoffs WHERE id = ? AND state = 'running' AND fence = ?";
      if (!(await tx.get(`${sql} ${this.#db.dialect.forUpdate("handoffs")}`, id, fence))) return false;
      await work(tx);
      return true;
    });
  }
}

/** The session is on its way, or another one is on its way to this lane: no turn begins until that is over. */
export async function isMoving(
  tx: Queries,
  sessionId: string,
  key: SessionKey,
  now: number,
): Promise<boolean> {
  const row = await tx.get(
    `SELECT h.id FROM handoffs h LEFT JOIN moves m ON m.handoff_id = h.id
     WHERE (h.state = 'running' AND (h.session_id = ? OR m.destination_key = ?))
       OR (h.state = 'pending' AND h.session_id = ? AND h.target <> ?
         AND (h.requested_at + coalesce(m.wait_ms, ${HANDOFF_WAIT_MS}) > ? OR EXISTS (SELECT 1 FROM turns t
           WHERE t.session_id = h.session_id AND t.finished_at + coalesce(m.wait_ms, ${HANDOFF_WAIT_MS}) > ?)))
     LIMIT 1`,
    sessionId,
    key,
    sessionId,
    LOCAL,
    now,
    now,
  );
  return row !== undefined;
}

/**
 * The same messages, answered elsewhere; the old rows stay, so that none is accepted a second time. What only asks the
 * agent to confirm that it is here stays behind for good.
 */
async function moveWaiting(
  tx: Queries,
  dialect: Dialect,
  key: SessionKey,
  to: { readonly place: LanePlace; readonly account: Account; readonly owner: string },
): Promise<void> {
  const rows = await tx.all(
    `SELECT ${columnsOf("inbox")} FROM inbox WHERE key = ? AND state = 'waiting' AND kind = 'message' ORDER BY id
     ${dialect.forUpdate("inbox")}`,
    key,
  );
  for (const item of rows.map(inboxItem)) {
    await tx.run("UPDATE inbox SET state = 'moved' WHERE id = ?", item.id);
    if (item.made === "handoff") continue;
    const { key, origin: source } = to.place;
    const by = item.by ?? item.source;
    const there = {
      ...item,
      ...to.account,
      key,
      source,
      by,
      made: "moved" as const,
      messageId: `${item.id}`,
    };
    await insertItem(tx, there, to.owner, item.receivedAt);
  }
}

async function findMove(db: Queries, dialect: Dialect, id: string, now: number): Promise<Move | null> {
  const shift = dialect.clockShift(now);
  const row = await db.get(`${movesWith(shift)} WHERE h.id = ?`, ...shift.values, id);
  return row ? moveOf(row) : null;
}

/** A handoff that a program asked for has no row of its own yet. */
async function keep(tx: Queries, id: string, change: string, ...values: string[]): Promise<void> {
  await tx.run("INSERT INTO moves (handoff_id) VALUES (?) ON CONFLICT (handoff_id) DO NOTHING", id);
  await tx.run(`UPDATE moves SET ${change} WHERE handoff_id = ?`, ...values, id);
}

async function withdraw(tx: Queries, id: string, why: string): Promise<void> {
  const sql = `UPDATE outbox SET state = 'failed', error = ? WHERE ${ANNOUNCEMENT} AND state = 'pending'`;
  await tx.run(sql, why, ...announcement(id));
}

/** To where the announcement went, through the same account, if it did: whoever has that, now or later, sends it. */
async function retractions(tx: Queries, id: string, texts: readonly string[]): Promise<NewDelivery[]> {
  const row = await tx.get(
    `SELECT account, address FROM outbox WHERE ${ANNOUNCEMENT} AND state IN ('sending', 'sent', 'unknown') LIMIT 1`,
    ...announcement(id),
  );
  if (!row) return [];
  const to = { account: row.account as string, address: parseAddress(row.address as string), owner: "" };
  return texts.map((text, n) => ({
    ...to,
    deliveryId: `${id}.back.${n}`,
    purpose: "retraction",
    handoffId: id,
    text,
    sessionId: null,
    shown: false,
  }));
}

function announcement(handoffId: string): [handoffId: string, deliveryId: string] {
  return [handoffId, `${handoffId}.here`];
}

function moveOf(row: Row): Move {
  const handoff = handoffOf(row);
  return {
    ...handoff,
    asker: row.asker === null ? null : readAsker(row.asker as string),
    isThreadBegun: row.thread_begun === 1,
    destination: row.destination === null ? null : parseSource(JSON.parse(row.destination as string)),
    isBusy: Number(row.running_turns) > 0,
    readySince: Math.max(handoff.requestedAt, Number(row.last_turn ?? 0)),
    waitMs: Number(row.wait_ms ?? HANDOFF_WAIT_MS),
  };
}

function writeAsker({ source, account, owner }: Asker): string {
  return storableText(JSON.stringify({ source: serializeSource(source), account, owner }));
}

function readAsker(json: string): Asker {
  const { source, account, owner } = JSON.parse(json) as Asker & { source: SessionSource };
  return { source: parseSource(source), account, owner };
}
