/** Handoffs: each step reads the row locked, asks the state machine, and writes what it says. */
import { type Handoff, type HandoffOutcome, type HandoffStep, stepHandoff } from "../../session/handoff.js";
import type { HandoffStore, LanePlace } from "../../session/store.js";
import type { Db } from "../db.js";
import { insertHandoff, lockHandoff, moveSession, saveHandoff } from "./handoff-steps.js";
import { handoffOf } from "./rows.js";

export class SqlHandoffs implements HandoffStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  request(asked: { id: string; sessionId: string; target: string }, now: number): Promise<Handoff | null> {
    return this.#db.transaction((tx) => insertHandoff(tx, this.#db.dialect, asked, now));
  }

  claim(owner: string, leaseMs: number, now: number): Promise<Handoff | null> {
    return this.#db.transaction(async (tx) => {
      for (;;) {
        const row = await tx.get(
          `SELECT * FROM handoffs WHERE state = 'pending' OR (state = 'running' AND lease_until <= ?)
           ORDER BY requested_at, id LIMIT 1 ${this.#db.dialect.forUpdate("handoffs SKIP LOCKED")}`,
          now,
        );
        if (!row) return null;
        const outcome = stepHandoff(handoffOf(row), { kind: "claim", owner, leaseMs }, now);
        if (!outcome.ok) return null;
        await saveHandoff(tx, outcome.handoff);
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
      const handoff = await lockHandoff(tx, dialect, id);
      if (!handoff) return null;
      const outcome = stepHandoff(handoff, step, now);
      if (!outcome.ok) return outcome;
      await saveHandoff(tx, outcome.handoff);
      if (outcome.handoff.state === "completed" && destination)
        await moveSession(tx, dialect, handoff.sessionId, destination, now);
      return outcome;
    });
  }

  async get(id: string): Promise<Handoff | null> {
    const row = await this.#db.get("SELECT * FROM handoffs WHERE id = ?", id);
    return row ? handoffOf(row) : null;
  }

  async active(): Promise<Handoff[]> {
    const rows = await this.#db.all(
      "SELECT * FROM handoffs WHERE state IN ('pending', 'running') ORDER BY requested_at, id LIMIT 1000",
    );
    return rows.map(handoffOf);
  }
}
