/** Turns: each write holds the row by its fence, so that a holder who was replaced writes nothing. */

import { senderOf } from "../../gateway/authorize.js";
import type {
  Account,
  BeginTurn,
  Hold,
  InboxItem,
  NewDelivery,
  RunningTurn,
  StopWish,
  Turn,
  TurnEnd,
  TurnStep,
  Turns,
  TurnToStop,
} from "../../gateway/store.js";
import { STOP_WISHES } from "../../gateway/store.js";
import type { InboxId, SessionId, TurnId } from "../../session/ids.js";
import { type ModelUse, type SessionEntry, standsFor, usageOfAll } from "../../session/session.js";
import type { SessionKey } from "../../session/session-key.js";
import { addressOf, formatAddress } from "../../session/source.js";
import type { ResolveRequest } from "../../session/store.js";
import { storableText } from "../../util/text.js";
import type { ClockShift, Db, Queries, Row } from "../db.js";
import { columnsOf } from "./columns.js";
import { isHeldByHandoff } from "./handoff-rows.js";
import { holdTurn } from "./hold-turn.js";
import { inboxItem, steerIn } from "./inbox.js";
import { jobOfTurn, noteEnd, noteStep } from "./job-runs.js";
import { lentSession, lockLane } from "./lanes.js";
import { insertDeliveries } from "./outbox.js";
import type { SqlRoutes } from "./routes.js";
import { hasActiveHandoff } from "./rows.js";
import { forgetCalls } from "./tool-journal.js";
import { appendIn } from "./transcript.js";
import { noteUsageIn } from "./usage.js";
import { address, flag, maybe, number, oneOf, text } from "./values.js";

/** Turns that are running, their leases by the host's clock; the values of the shift come first. */
const running = (shift: ClockShift): string =>
  `SELECT t.id AS turn_id, t.session_id, t.key AS turn_key, t.address, t.owner AS holder,
     t.lease_until - ${shift.sql} AS lease_until, t.fence, t.attempt, t.lone_deaths, t.stop_asked, t.message_seq,
     ${columnsOf("inbox", "i")}
   FROM turns t JOIN inbox i ON i.id = t.inbox_id WHERE t.state = 'running'`;

/** An older message of the lane waits for this process or for none, as where its keeping was not heard of. */
async function isBehind(
  tx: Queries,
  { id, key, platform, account }: InboxItem,
  holder: string,
): Promise<boolean> {
  const older = `SELECT id FROM inbox WHERE key = ? AND id < ? AND state = 'waiting' AND kind = 'message'
    AND platform = ? AND account = ? AND owner IN ('', ?) LIMIT 1`;
  return (await tx.get(older, key, id, platform, account, holder)) !== undefined;
}

/** False if it is bound to another session than the lane has. */
function isFor(boundTo: SessionId | null, present: SessionEntry | undefined): boolean {
  return boundTo === null || (present !== undefined && standsFor(present).includes(boundTo));
}

export class SqlTurns implements Turns {
  readonly #db: Db;
  readonly #routes: SqlRoutes;

  constructor(db: Db, routes: SqlRoutes) {
    this.#db = db;
    this.#routes = routes;
  }

  begin(
    id: TurnId,
    item: InboxItem,
    request: ResolveRequest,
    hold: Hold,
    notices: (entry: SessionEntry, before: SessionEntry | null) => readonly NewDelivery[],
  ): Promise<BeginTurn> {
    return this.#db.transaction(async (tx): Promise<BeginTurn> => {
      const { forUpdate, clockShift } = this.#db.dialect;
      const shift = clockShift(request.now);
      const waiting = await tx.get(
        `SELECT bound_to FROM inbox WHERE id = ? AND owner = ? AND state = 'waiting' ${forUpdate("inbox")}`,
        item.id,
        hold.holder,
      );
      if (!waiting) return { kind: "gone" };
      if (await isBehind(tx, item, hold.holder)) return { kind: "behind" };
      const present = (await lockLane(tx, this.#db.dialect, item.key))?.session;
      if (!present && (await lentSession(tx, item.key))) return { kind: "lent" };
      const boundTo = maybe(waiting.bound_to ?? null, text<SessionId>); // It may have changed since it was accepted.
      if (!isFor(boundTo, present?.entry)) return { kind: "left" };
      const found =
        present &&
        (await tx.get(`${running(shift)} AND t.session_id = ?`, ...shift.values, present.entry.sessionId));
      if (found) return { kind: "busy", running: runningTurn(found) };
      const lane = { key: item.key, sessionId: present?.entry.sessionId ?? null };
      if (await isHeldByHandoff(tx, this.#db.dialect, lane, request.now)) return { kind: "moving" };

      const resolved = await this.#routes.resolveIn(tx, request);
      if (resolved.kind === "ask processes") return resolved;
      const { entry } = resolved;
      const turn: Turn = {
        id,
        inboxId: item.id,
        sessionId: entry.sessionId,
        key: entry.key,
        address: addressOf(item.source),
        fence: 1,
        attempt: 1,
        loneDeaths: 0,
        touches: !item.inBackground,
        messageSeq: resolved.seq,
      };
      await tx.run(
        `INSERT INTO turns (id, inbox_id, session_id, key, address, state, owner, lease_until, fence, attempt, started_at,
           message_seq)
         VALUES (?, ?, ?, ?, ?, 'running', ?, ? + ${shift.sql}, 1, 1, ?, ?)`,
        id,
        item.id,
        entry.sessionId,
        entry.key,
        formatAddress(turn.address),
        hold.holder,
        request.now + hold.leaseMs,
        ...shift.values,
        request.now,
        turn.messageSeq,
      );
      await tx.run("UPDATE inbox SET state = 'running' WHERE id = ?", item.id);
      await insertDeliveries(tx, notices(entry, present?.entry ?? null), request.now);
      return { kind: "begun", turn, entry };
    });
  }

  step(turn: Turn, step: TurnStep, leaseMs: number, now: number): Promise<boolean> {
    const shift = this.#db.dialect.clockShift(now);
    return this.#db.transaction(async (tx) => {
      const renewed = `lease_until = ? + ${shift.sql}`;
      if (!(await holdTurn(tx, turn, renewed, now + leaseMs, ...shift.values))) return false;
      await take(tx, turn, step, now);
      return true;
    });
  }

  finish(turn: Turn, end: TurnEnd, step: TurnStep, error: string | null, now: number): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      const reason = error === null ? null : storableText(error).slice(0, 500).toWellFormed();
      const over = "state = ?, finished_at = ?, error = ?";
      if (!(await holdTurn(tx, turn, over, end, now, reason))) return false;
      await take(tx, turn, step, now);
      await forgetCalls(tx, turn);
      await tx.run(
        "UPDATE inbox SET state = ? WHERE id = ?",
        end === "parked" ? "parked" : "done",
        turn.inboxId,
      );
      if (!turn.touches) await noteEnd(tx, turn, end, reason, now);
      if (await hasActiveHandoff(tx, turn.sessionId)) tx.record({ kind: "handoffs" }); // It waited for this end.
      return true;
    });
  }

  async renew(turn: Turn, leaseMs: number, now: number): Promise<"held" | "lost" | StopWish> {
    const shift = this.#db.dialect.clockShift(now);
    const row = await this.#db.write(
      `UPDATE turns SET lease_until = ? + ${shift.sql}
       WHERE id = ? AND fence = ? AND state = 'running' RETURNING stop_asked`,
      now + leaseMs,
      ...shift.values,
      turn.id,
      turn.fence,
    );
    return row ? (wishOf(row) ?? "held") : "lost";
  }

  askToStop(turn: Turn, wish: StopWish): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      if (!(await holdTurn(tx, turn, "stop_asked = ?", wish))) return false;
      tx.record({ kind: "stops" });
      return true;
    });
  }

  async toStop(holder: string): Promise<TurnToStop[]> {
    const rows = await this.#db.all(
      `SELECT key, inbox_id, stop_asked FROM turns
       WHERE owner = ? AND state = 'running' AND stop_asked IS NOT NULL`,
      holder,
    );
    return rows.map((row) => ({
      key: text<SessionKey>(row.key),
      inboxId: number<InboxId>(row.inbox_id),
      wish: oneOf(row.stop_asked, STOP_WISHES),
    }));
  }

  async running(account: Account, now: number): Promise<RunningTurn[]> {
    const shift = this.#db.dialect.clockShift(now);
    const rows = await this.#db.all(
      `${running(shift)} AND i.platform = ? AND i.account = ? ORDER BY i.id`,
      ...shift.values,
      account.platform,
      account.account,
    );
    return rows.map(runningTurn);
  }

  async runningIn(sessionId: SessionId, now: number): Promise<RunningTurn | null> {
    const shift = this.#db.dialect.clockShift(now);
    const row = await this.#db.get(`${running(shift)} AND t.session_id = ?`, ...shift.values, sessionId);
    return row ? runningTurn(row) : null;
  }

  async item(turnId: TurnId): Promise<InboxItem | null> {
    const sql = `SELECT ${columnsOf("inbox", "i")} FROM turns t JOIN inbox i ON i.id = t.inbox_id WHERE t.id = ?`;
    const row = await this.#db.get(sql, turnId);
    return row ? inboxItem(row) : null;
  }

  async release(turn: Turn): Promise<void> {
    await holdTurn(this.#db, turn, "owner = '', lease_until = 0, attempt = attempt - 1");
  }

  takeOver(turn: Turn, hold: Hold, now: number): Promise<Turn | null> {
    const shift = this.#db.dialect.clockShift(now);
    const change = `owner = ?, lease_until = ? + ${shift.sql}, fence = fence + 1, attempt = attempt + 1`;
    return this.#db.transaction(async (tx) => {
      await mourn(tx, turn, hold.holder);
      const values = [hold.holder, now + hold.leaseMs, ...shift.values];
      if (!(await holdTurn(tx, turn, change, ...values))) return null;
      const row = await tx.get("SELECT lone_deaths FROM turns WHERE id = ?", turn.id);
      const { fence, attempt } = turn;
      return { ...turn, fence: fence + 1, attempt: attempt + 1, loneDeaths: number(row?.lone_deaths) };
    });
  }
}

/**
 * Counts the end of the process that has this turn: once, and for all of its turns together, before any of them is
 * another's. Only where it had no other is it certain which one it was running.
 */
async function mourn(tx: Queries, turn: Turn, heir: string): Promise<void> {
  const left = await tx.get(
    "SELECT owner FROM turns WHERE id = ? AND fence = ? AND state = 'running' AND mourned <> owner",
    turn.id,
    turn.fence,
  );
  const holder = left ? text(left.owner) : "";
  if (holder === "" || holder === heir) return; // It let go by itself, or lost its store for a while: nobody ended.
  const had = await tx.get(
    "SELECT count(*) AS turns FROM turns WHERE owner = ? AND state = 'running'",
    holder,
  );
  await tx.run(
    `UPDATE turns SET lone_deaths = lone_deaths + ?, mourned = owner
     WHERE owner = ? AND state = 'running' AND mourned <> owner`,
    number(had?.turns) === 1 ? 1 : 0,
    holder,
  );
}

async function take(tx: Queries, turn: Turn, step: TurnStep, now: number): Promise<void> {
  const { messages, uses = [], deliveries, steeredIn } = step;
  if (messages.length > 0 || uses.length > 0) {
    await appendIn(tx, {
      sessionId: turn.sessionId,
      messages,
      usage: usageOfAll(uses),
      touch: turn.touches,
      now,
    });
  }
  if (messages.some(({ role }) => role === "tool")) await forgetCalls(tx, turn);
  for (const id of steeredIn) await steerIn(tx, id);
  await insertDeliveries(tx, deliveries, now);
  if (!turn.touches) await noteStep(tx, turn, step);
  await noteUses(tx, turn, uses, now); // Last: these rows are all that turns of one person share.
}

/** The calls count for the author of the message, wherever it is answered, and for the job that asked. */
async function noteUses(tx: Queries, turn: Turn, uses: readonly ModelUse[], at: number): Promise<void> {
  if (uses.length === 0) return;
  const row = await tx.get(`SELECT ${columnsOf("inbox")} FROM inbox WHERE id = ?`, turn.inboxId);
  const { source, by } = row ? inboxItem(row) : {};
  const writer = by ?? source;
  const identity = (writer && senderOf(writer)) ?? "";
  const jobId = turn.touches ? "" : ((await jobOfTurn(tx, turn)) ?? "");
  for (const use of uses) await noteUsageIn(tx, { ...use, sessionId: turn.sessionId, identity, jobId, at });
}

function runningTurn(row: Row): RunningTurn {
  const lease = { holder: text(row.holder), until: number(row.lease_until) };
  return { turn: turnOf(row), item: inboxItem(row), lease, wish: wishOf(row) };
}

function wishOf(row: Row): StopWish | null {
  return maybe(row.stop_asked, (value) => oneOf(value, STOP_WISHES));
}

function turnOf(row: Row): Turn {
  return {
    id: text<TurnId>(row.turn_id),
    inboxId: number<InboxId>(row.id),
    sessionId: text<SessionId>(row.session_id),
    key: text<SessionKey>(row.turn_key),
    address: address(row.address),
    fence: number(row.fence),
    attempt: number(row.attempt),
    loneDeaths: number(row.lone_deaths),
    touches: !flag(row.in_background),
    messageSeq: maybe(row.message_seq, number),
  };
}
