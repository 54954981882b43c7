/** A handoff is a row of `handoffs` and one of `moves`, which an older version of Baton may have left out. */
import { ConflictError } from "../../session/errors.js";
import {
  type Asker,
  HANDOFF_STATES,
  HANDOFF_WAIT_MS,
  type Handoff,
  type HandoffStep,
  holdsTurns,
} from "../../session/handoff.js";
import { type HandoffId, newHandoffId, type SessionId } from "../../session/ids.js";
import { LOCAL } from "../../session/platform.js";
import type { SessionEntry } from "../../session/session.js";
import type { SessionKey } from "../../session/session-key.js";
import { addressOf, formatAddress, serializeSource } from "../../session/source.js";
import type { HandoffRequest } from "../../session/store.js";
import { storableText } from "../../util/text.js";
import type { Dialect, Queries, Row, SqlValue } from "../db.js";
import { hasActiveHandoff, writeOrigin } from "./rows.js";
import { readSession } from "./session-steps.js";
import { flag, json, maybe, number, oneOf, sourceOfAnyPlatform, text } from "./values.js";

/** Leases are by the host's clock, which shows `now`. */
export async function readHandoffs(
  db: Queries,
  dialect: Dialect,
  now: number,
  which: string,
  ...values: SqlValue[]
): Promise<Handoff[]> {
  const shift = dialect.clockShift(now);
  const rows = await db.all(
    `SELECT h.id, h.session_id, h.from_key, h.target, h.state, h.requested_at, h.claimed_by,
       h.lease_until - ${shift.sql} AS lease_until, h.fence, h.claims, h.finished_at, h.error,
       m.asker, m.wait_ms, m.thread_begun, m.destination, m.destination_key,
       (SELECT count(*) FROM turns t WHERE t.session_id = h.session_id AND t.state = 'running') AS running_turns,
       (SELECT max(t.finished_at) FROM turns t WHERE t.session_id = h.session_id) AS last_turn
     FROM handoffs h LEFT JOIN moves m ON m.handoff_id = h.id WHERE ${which}`,
    ...shift.values,
    ...values,
  );
  return rows.map(handoffOf);
}

export async function findHandoff(
  db: Queries,
  dialect: Dialect,
  id: HandoffId,
  now: number,
): Promise<Handoff | null> {
  return (await readHandoffs(db, dialect, now, "h.id = ?", id))[0] ?? null;
}

/** The handoff, held until the transaction ends. If it is to be claimed, no turn of its session begins meanwhile. */
export async function lockHandoff(
  tx: Queries,
  dialect: Dialect,
  id: HandoffId,
  kind: HandoffStep["kind"],
  now: number,
): Promise<Handoff | null> {
  const sql = `SELECT session_id FROM handoffs WHERE id = ? ${dialect.forUpdate("handoffs")}`;
  const row = await tx.get(sql, id);
  if (!row) return null;
  if (kind === "claim") await readSession(tx, text<SessionId>(row.session_id), dialect.forUpdate("sessions"));
  return findHandoff(tx, dialect, id, now);
}

/** True if a turn in this lane must wait for a handoff. */
export async function isHeldByHandoff(
  tx: Queries,
  dialect: Dialect,
  lane: { readonly key: SessionKey; readonly sessionId: SessionId | null },
  now: number,
): Promise<boolean> {
  const which = "h.state IN ('pending', 'running') AND (h.session_id = ? OR m.destination_key = ?)";
  const near = await readHandoffs(tx, dialect, now, which, lane.sessionId, lane.key);
  return near.some((handoff) => holdsTurns(handoff, lane, now));
}

/** False if the session already has a handoff. */
export async function insertHandoff(
  tx: Queries,
  dialect: Dialect,
  { id, sessionId, target, asker, waitMs }: HandoffRequest,
  now: number,
): Promise<boolean> {
  const { entry } = await readSession(tx, sessionId, dialect.forUpdate("sessions"));
  if (entry.endedAt !== null) {
    throw new ConflictError("handoff_refused", "This session has ended; resume it first, then hand it off.");
  }
  if (await hasActiveHandoff(tx, sessionId)) return false;
  await tx.run(
    "INSERT INTO handoffs (id, session_id, from_key, target, state, requested_at) VALUES (?, ?, ?, ?, 'pending', ?)",
    id,
    sessionId,
    entry.key,
    target,
    now,
  );
  await tx.run(
    "INSERT INTO moves (handoff_id, asker, wait_ms) VALUES (?, ?, ?)",
    id,
    asker ? writeAsker(asker) : null,
    waitMs ?? null,
  );
  tx.record({ kind: "handoffs" });
  return true;
}

/** Notes that somebody took a session out of a lane without a handoff: for that lane's way back it was one. */
export async function noteLeft(
  tx: Queries,
  from: SessionKey,
  { sessionId, origin }: Pick<SessionEntry, "sessionId" | "origin">,
  now: number,
): Promise<void> {
  await tx.run(
    `INSERT INTO handoffs (id, session_id, from_key, target, state, requested_at, finished_at)
     VALUES (?, ?, ?, ?, 'completed', ?, ?)`,
    newHandoffId(),
    sessionId,
    from,
    origin.platform === LOCAL ? LOCAL : formatAddress(addressOf(origin)),
    now,
    now,
  );
}

/** Writes what steps change. */
export async function saveHandoff(
  tx: Queries,
  dialect: Dialect,
  handoff: Handoff,
  now: number,
): Promise<void> {
  const shift = dialect.clockShift(now);
  await tx.run(
    `UPDATE handoffs SET state = ?, claimed_by = ?, lease_until = ? + ${shift.sql}, fence = ?, claims = ?,
       finished_at = ?, error = ? WHERE id = ?`,
    handoff.state,
    handoff.claimedBy,
    handoff.leaseUntil,
    ...shift.values,
    handoff.fence,
    handoff.claims,
    handoff.finishedAt,
    handoff.error,
    handoff.id,
  );
  await tx.run(
    `INSERT INTO moves (handoff_id, thread_begun, destination, destination_key) VALUES (?, ?, ?, ?)
     ON CONFLICT (handoff_id) DO UPDATE SET thread_begun = excluded.thread_begun,
       destination = excluded.destination, destination_key = excluded.destination_key`,
    handoff.id,
    handoff.isThreadBegun ? 1 : 0,
    handoff.destination && writeOrigin(handoff.destination),
    handoff.destinationKey,
  );
  tx.record({ kind: "handoffs" });
}

function handoffOf(row: Row): Handoff {
  const requestedAt = number(row.requested_at);
  return {
    id: text<HandoffId>(row.id),
    sessionId: text<SessionId>(row.session_id),
    fromKey: text<SessionKey>(row.from_key),
    target: text(row.target),
    state: oneOf(row.state, HANDOFF_STATES),
    requestedAt,
    claimedBy: maybe(row.claimed_by, text),
    leaseUntil: maybe(row.lease_until, number),
    fence: number(row.fence),
    claims: number(row.claims),
    finishedAt: maybe(row.finished_at, number),
    error: maybe(row.error, text),
    asker: maybe(row.asker, readAsker),
    isThreadBegun: maybe(row.thread_begun, flag) ?? false,
    destination: maybe(row.destination, sourceOfAnyPlatform),
    destinationKey: maybe(row.destination_key, text<SessionKey>),
    isBusy: number(row.running_turns) > 0,
    readySince: Math.max(requestedAt, maybe(row.last_turn, number) ?? 0),
    waitMs: maybe(row.wait_ms, number) ?? HANDOFF_WAIT_MS,
  };
}

/** In the stored JSON the holder is called `owner`, as in the columns. */
function writeAsker({ source, account, holder }: Asker): string {
  return storableText(JSON.stringify({ source: serializeSource(source), account, owner: holder }));
}

function readAsker(value: SqlValue | undefined): Asker {
  const { source: from, account, owner } = json<{ source: unknown; account: string; owner: string }>(value);
  return { source: sourceOfAnyPlatform(JSON.stringify(from)), account, holder: owner };
}
