/** Handoffs: each step reads the row locked, asks the state machine, and writes what it says. */
import { type Handoff, type HandoffOutcome, type HandoffStep, stepHandoff } from "../../session/handoff.js";
import type { HandoffStore, LanePlace } from "../../session/store.js";
import type { Db } from "../db.js";
import { insertHandoff, lockHandoff, moveSession, saveHandoff } from "./handoff-steps.js";
import { handoffColumns, handoffOf } from "./rows.js";

export class SqlHandoffs implements HandoffStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  request(asked: { id: string; sessionId: string; target: string }, now: number): Promise<Handoff | null> {
    return this.#db.transaction((tx) => insertHandoff(tx, this.#db.dialect, asked, now));
  }

  claim(owner: string, leaseMs: number, now: number): Promise<Handoff | null> {
    const { dialect } = this.#db;
    const shift = dialect.clockShift(now);
    return this.#db.transaction(async (tx) => {
      for (;;) {
        const row = await tx.get(
          `SELECT ${handoffColumns(shift)} FROM handoffs
           WHERE state = 'pending' OR (state = 'running' AND lease_until <= ? + ${shift.sql})
           ORDER BY requested_at, id LIMIT 1 ${dialect.forUpdate("handoffs SKIP LOCKED")}`,
          ...shift.values,
          now,
          ...shift.values,
        );
        if (!row) return null;
        const outcome = stepHandoff(handoffOf(row), { kind: "claim", owner, leaseMs }, now);
        if (!outcome.ok) return null;
        await saveHandoff(tx, dialect, outcome.handoff, now);
        if (outcome.handoff.state === "running") return outcome.handoff;
      }
    });
  }

  step(
    id: string,
    step: HandoffStep,
    destination: LanePlace | null,
    now: number,
  ): Promise<HandoffOutcome | null> {
    const { dialect } = this.#db;
    return this.#db.transaction(async (tx) => {
      const handoff = await lockHandoff(tx, dialect, id, now);
      if (!handoff) return null;
      const outcome = stepHandoff(handoff, step, now);
      if (!outcome.ok) return outcome;
      await saveHandoff(tx, dialect, outcome.handoff, now);
      if (outcome.handoff.state === "completed" && destination)
        await moveSession(tx, dialect, handoff.sessionId, destination, now);
      return outcome;
    });
  }

  async get(id: string, now: number): Promise<Handoff | null> {
    const shift = this.#db.dialect.clockShift(now);
    const sql = `SELECT ${handoffColumns(shift)} FROM handoffs WHERE id = ?`;
    const row = await this.#db.get(sql, ...shift.values, id);
    return row ? handoffOf(row) : null;
  }

  async active(now: number): Promise<Handoff[]> {
    const shift = this.#db.dialect.clockShift(now);
    const rows = await this.#db.all(
      `SELECT ${handoffColumns(shift)} FROM handoffs
       WHERE state IN ('pending', 'running') ORDER BY requested_at, id LIMIT 1000`,
      ...shift.values,
    );
    return rows.map(handoffOf);
  }
}
