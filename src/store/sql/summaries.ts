/** Summaries that were made here, each with what was there before it: so they can be taken back. */
import type { SessionId } from "../../session/ids.js";
import type { Queries } from "../db.js";
import { maybe, number, text } from "./values.js";

/**
 * Goes back to before the first summary that covers this message or a later one. Returns the cursor then; null if no
 * summary that was made here covers it.
 */
export async function takeBackFrom(tx: Queries, sessionId: SessionId, seq: number): Promise<number | null> {
  const first = await tx.get(
    `SELECT id, after_seq, before_summary, before_standing FROM summaries WHERE session_id = ? AND through_seq >= ?
     ORDER BY id LIMIT 1`,
    sessionId,
    seq,
  );
  if (!first) return null;
  const after = number(first.after_seq);
  await tx.run(
    "UPDATE sessions SET summary = ?, standing = ?, consolidated_through = ? WHERE id = ?",
    maybe(first.before_summary, text),
    text(first.before_standing),
    after,
    sessionId,
  );
  await tx.run("DELETE FROM summaries WHERE session_id = ? AND id >= ?", sessionId, number(first.id));
  return after;
}

/**
 * After this message and those behind it were taken back. A summary that covers one of them goes too: the one before it
 * counts again, or none, and the model reads the messages that are left.
 */
export async function takeBackWith(tx: Queries, sessionId: SessionId, seq: number): Promise<void> {
  await takeBackFrom(tx, sessionId, seq);
  // A summary that a program or an import brought has none before it.
  await tx.run(
    "UPDATE sessions SET summary = NULL, standing = '[]', consolidated_through = 0 WHERE id = ? AND consolidated_through >= ?",
    sessionId,
    seq,
  );
}

/** After somebody else has written the summary: there is nothing to go back to. */
export async function dropSummaries(tx: Queries, sessionId: SessionId): Promise<void> {
  await tx.run("DELETE FROM summaries WHERE session_id = ?", sessionId);
}

/** Before a session is deleted. */
export async function forgetSummaries(tx: Queries, sessionId: SessionId): Promise<void> {
  await dropSummaries(tx, sessionId);
  await tx.run("DELETE FROM consolidations WHERE session_id = ?", sessionId);
}
