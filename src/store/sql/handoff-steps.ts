/** The steps on a handoff's row that larger ones are made of. All run inside a transaction. */
import { ConflictError } from "../../session/errors.js";
import type { Handoff } from "../../session/handoff.js";
import type { LanePlace } from "../../session/store.js";
import type { Dialect, Queries } from "../db.js";
import { lockMove, moveInto } from "./lanes.js";
import { handoffColumns, handoffOf, hasActiveHandoff } from "./rows.js";
import { readSession } from "./session-steps.js";

/** Null where the session has a handoff already. */
export async function insertHandoff(
  tx: Queries,
  dialect: Dialect,
  asked: { readonly id: string; readonly sessionId: string; readonly target: string },
  now: number,
): Promise<Handoff | null> {
  const { entry } = await readSession(tx, asked.sessionId, dialect.forUpdate("sessions"));
  if (entry.endedAt !== null) {
    throw new ConflictError("handoff_refused", "This session has ended; resume it first, then hand it off.");
  }
  if (await hasActiveHandoff(tx, asked.sessionId)) return null;
  await tx.run(
    "INSERT INTO handoffs (id, session_id, from_key, target, state, requested_at) VALUES (?, ?, ?, ?, 'pending', ?)",
    asked.id,
    asked.sessionId,
    entry.key,
    asked.target,
    now,
  );
  tx.record({ kind: "handoffs" });
  return lockHandoff(tx, dialect, asked.id, now);
}

export async function lockHandoff(
  tx: Queries,
  dialect: Dialect,
  id: string,
  now: number,
): Promise<Handoff | null> {
  const shift = dialect.clockShift(now);
  const row = await tx.get(
    `SELECT ${handoffColumns(shift)} FROM handoffs WHERE id = ? ${dialect.forUpdate("handoffs")}`,
    ...shift.values,
    id,
  );
  return row ? handoffOf(row) : null;
}

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
  tx.record({ kind: "handoffs" });
}

/** The destination's lane has the session from now on. */
export async function moveSession(
  tx: Queries,
  dialect: Dialect,
  sessionId: string,
  destination: LanePlace,
  now: number,
): Promise<void> {
  const { lane, target } = await lockMove(tx, dialect, destination.key, sessionId);
  const present = lane?.session.entry ?? null;
  if (present?.sessionId !== sessionId) await moveInto(tx, destination, target, present, now);
}
