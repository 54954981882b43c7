/** Summing up: who works on a session, what came of it, and the summaries that can be taken back. */
import { isDeepStrictEqual } from "node:util";
import type {
  ConsolidatedRange,
  ConsolidationClaim,
  ConsolidationState,
  Consolidations,
  FailedTries,
  FailedTry,
  RememberedRange,
} from "../../memory/consolidations.js";
import type { SessionId } from "../../session/ids.js";
import type { SessionEntry } from "../../session/session.js";
import type { Summary } from "../../session/summary.js";
import { storableText } from "../../util/text.js";
import type { Db, Queries } from "../db.js";
import { columnsOf } from "./columns.js";
import { addNotesIn } from "./notes.js";
import { sessionRow } from "./rows.js";
import { readSession } from "./session-steps.js";
import { addSpent } from "./spent.js";
import { takeBackFrom } from "./summaries.js";
import { maybe, number, text } from "./values.js";

export class SqlConsolidations implements Consolidations {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async state(sessionId: SessionId): Promise<ConsolidationState> {
    const row = await this.#db.get(
      `SELECT s.summary, s.consolidated_through, c.ratio, c.fence, c.failures, c.next_try_at, c.memory_failures, c.memory_try_at,
         c.refused_after, c.refused_least, c.refused_most
       FROM sessions s LEFT JOIN consolidations c ON c.session_id = s.id WHERE s.id = ?`,
      sessionId,
    );
    if (!row) return { ...UNKNOWN, after: 0 };
    const after = cursorOf({
      summary: maybe(row.summary, text),
      consolidatedThrough: number(row.consolidated_through),
    });
    if (row.failures === null) return { ...UNKNOWN, after }; // Nothing was tried yet.
    const isOfThis = maybe(row.refused_after, number) === after;
    return {
      ratio: maybe(row.ratio, number),
      after,
      fence: number(row.fence),
      summary: { failures: number(row.failures), nextTryAt: number(row.next_try_at) },
      memory: { failures: number(row.memory_failures), nextTryAt: number(row.memory_try_at) },
      refused: isOfThis ? { least: number(row.refused_least), most: number(row.refused_most) } : null,
    };
  }

  async learn(sessionId: SessionId, ratio: number): Promise<void> {
    await this.#db.transaction(async (tx) => {
      // The session may be gone by now.
      if (!(await tx.get("SELECT id FROM sessions WHERE id = ?", sessionId))) return;
      await tx.run(
        `INSERT INTO consolidations (session_id, ratio) VALUES (?, ?)
         ON CONFLICT (session_id) DO UPDATE SET ratio = excluded.ratio`,
        sessionId,
        ratio,
      );
    });
  }

  claim(
    sessionId: SessionId,
    { holder, leaseMs }: { readonly holder: string; readonly leaseMs: number },
    now: number,
  ): Promise<ConsolidationClaim | null> {
    const shift = this.#db.dialect.clockShift(now);
    return this.#db.transaction(async (tx) => {
      if (!(await tx.get("SELECT id FROM sessions WHERE id = ?", sessionId))) return null;
      const row = await tx.get(
        `INSERT INTO consolidations (session_id, owner, lease_until, fence) VALUES (?, ?, ? + ${shift.sql}, 1)
         ON CONFLICT (session_id) DO UPDATE SET owner = excluded.owner, lease_until = excluded.lease_until,
           fence = consolidations.fence + 1 WHERE consolidations.lease_until <= ? + ${shift.sql}
         RETURNING fence, remembered_through`,
        sessionId,
        holder,
        now + leaseMs,
        ...shift.values,
        now,
        ...shift.values,
      );
      if (!row) return null;
      const { entry } = await readSession(tx, sessionId);
      const [after, before] = [cursorOf(entry), summaryOf(entry)];
      const flushed = await tx.get("SELECT flushed_at FROM sessions WHERE id = ?", sessionId);
      const isRemembered = maybe(flushed?.flushed_at ?? null, number) !== null;
      const [fence, rememberedThrough] = [number(row.fence), number(row.remembered_through)];
      return { sessionId, fence, after, before, updatedAt: entry.updatedAt, isRemembered, rememberedThrough };
    });
  }

  async renew({ sessionId, fence }: ConsolidationClaim, leaseMs: number, now: number): Promise<boolean> {
    const shift = this.#db.dialect.clockShift(now);
    const row = await this.#db.write(
      `UPDATE consolidations SET lease_until = ? + ${shift.sql} WHERE session_id = ? AND fence = ? AND lease_until > 0
       RETURNING fence`,
      now + leaseMs,
      ...shift.values,
      sessionId,
      fence,
    );
    return row !== undefined;
  }

  record(claim: ConsolidationClaim, range: ConsolidatedRange, now: number): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      if (!(await endClaim(tx, claim))) return false;
      return recordIn(tx, this.#db.dialect.forUpdate("sessions"), claim, range, now);
    });
  }

  async fail(
    claim: ConsolidationClaim,
    { of, nextTryAt, refused, spent }: FailedTry,
    now: number,
  ): Promise<void> {
    const change = refused ? REFUSED : FAILED[of];
    const values = refused ? [claim.after, refused.least, refused.most] : [];
    await this.#db.transaction(async (tx) => {
      const { sessionId } = claim;
      if (!(await endClaim(tx, claim))) return;
      await addSpent(tx, sessionId, spent, now);
      const { entry } = await readSession(tx, sessionId);
      // If a summary was taken back meanwhile, this says nothing about what is next, and the pause goes on.
      if (of === "summary" && cursorOf(entry) !== claim.after) return;
      await tx.run(
        `UPDATE consolidations SET ${change} WHERE session_id = ?`,
        nextTryAt,
        ...values,
        sessionId,
      );
    });
  }

  remember(
    claim: ConsolidationClaim,
    { through, facts, spent }: RememberedRange,
    now: number,
  ): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      if (!(await endClaim(tx, claim))) return false;
      const { sessionId, updatedAt } = claim;
      await tx.run(
        "UPDATE consolidations SET memory_failures = 0, memory_try_at = 0 WHERE session_id = ?",
        sessionId,
      );
      await addSpent(tx, sessionId, spent, now);
      const marked = await tx.run(
        "UPDATE sessions SET flushed_at = ? WHERE id = ? AND updated_at = ? AND flushed_at IS NULL",
        now,
        sessionId,
        updatedAt,
      );
      if (marked === 0) return false;
      await tx.run(
        "UPDATE consolidations SET remembered_through = ? WHERE session_id = ?",
        through,
        sessionId,
      );
      if (facts) await addNotesIn(tx, facts.owner, facts.texts, "flush", facts.most, now);
      return true;
    });
  }

  async unremembered(now: number, limit: number): Promise<SessionEntry[]> {
    const rows = await this.#db.all(
      `SELECT ${columnsOf("sessions", "s")} FROM sessions s LEFT JOIN consolidations c ON c.session_id = s.id
       WHERE s.flushed_at IS NULL AND s.end_reason IN ('idle', 'daily') AND coalesce(c.memory_try_at, 0) <= ?
       ORDER BY s.ended_at LIMIT ?`,
      now,
      limit,
    );
    return rows.map((row) => sessionRow(row).entry);
  }

  async release(claim: ConsolidationClaim): Promise<void> {
    await endClaim(this.#db, claim);
  }

  undo(
    sessionId: SessionId,
    pauseUntil: number,
  ): Promise<{ readonly after: number; readonly through: number } | null> {
    return this.#db.transaction(async (tx) => {
      const { entry } = await readSession(tx, sessionId, this.#db.dialect.forUpdate("sessions"));
      const through = entry.consolidatedThrough;
      const after = await takeBackFrom(tx, sessionId, through);
      if (after === null) return null;
      await tx.run(
        "UPDATE consolidations SET next_try_at = ?, refused_after = NULL WHERE session_id = ?",
        pauseUntil,
        sessionId,
      );
      tx.record({ kind: "session", sessionId });
      return { after, through };
    });
  }
}

const FAILED = {
  summary: "failures = failures + 1, next_try_at = ?",
  memory: "memory_failures = memory_failures + 1, memory_try_at = ?",
} as const;
/** No failure: the model answered, so the next record may be as long. */
const REFUSED = "failures = 0, next_try_at = ?, refused_after = ?, refused_least = ?, refused_most = ?";

const UNTRIED: FailedTries = { failures: 0, nextTryAt: 0 };
const UNKNOWN = { ratio: null, fence: 0, summary: UNTRIED, memory: UNTRIED, refused: null };

/** Without a summary nothing is hidden, so all is to be summed up. */
function cursorOf({
  summary,
  consolidatedThrough,
}: Pick<SessionEntry, "summary" | "consolidatedThrough">): number {
  return summary ? consolidatedThrough : 0;
}

function summaryOf({ summary, standing }: Pick<SessionEntry, "summary" | "standing">): Summary | null {
  return summary ? { text: summary, standing } : null;
}

/** False if another process has the claim by now, or it is over. */
async function endClaim(on: Queries, { sessionId, fence }: ConsolidationClaim): Promise<boolean> {
  const ended = await on.run(
    "UPDATE consolidations SET owner = '', lease_until = 0 WHERE session_id = ? AND fence = ? AND lease_until > 0",
    sessionId,
    fence,
  );
  return ended === 1;
}

async function recordIn(
  tx: Queries,
  forUpdate: string,
  { sessionId, after, before }: ConsolidationClaim,
  { through, count, summary, facts, spent }: ConsolidatedRange,
  now: number,
): Promise<boolean> {
  const { entry } = await readSession(tx, sessionId, forUpdate);
  const isAsBefore = cursorOf(entry) === after && isDeepStrictEqual(summaryOf(entry), before);
  const row = await tx.get(
    "SELECT count(*) AS n FROM messages WHERE session_id = ? AND seq > ? AND seq <= ? AND superseded_at IS NULL",
    sessionId,
    after,
    through,
  );
  await addSpent(tx, sessionId, spent, now);
  if (!isAsBefore || number(row?.n) !== count) return false;
  await tx.run(
    `INSERT INTO summaries (session_id, after_seq, through_seq, before_summary, before_standing, made_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    sessionId,
    after,
    through,
    entry.summary,
    JSON.stringify(entry.standing),
    now,
  );
  await tx.run(
    "UPDATE sessions SET summary = ?, standing = ?, consolidated_through = ? WHERE id = ?",
    storableText(summary.text),
    storableText(JSON.stringify(summary.standing)),
    through,
    sessionId,
  );
  await tx.run("UPDATE consolidations SET failures = 0, next_try_at = 0 WHERE session_id = ?", sessionId);
  if (facts) await addNotesIn(tx, facts.owner, facts.texts, "flush", facts.most, now);
  tx.record({ kind: "session", sessionId });
  return true;
}
