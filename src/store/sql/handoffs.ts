/** Handoffs: each step reads the row locked, asks the state machine, and writes what it says. */
import { ConflictError } from "../../session/errors.js";
import { type Handoff, type HandoffOutcome, type HandoffStep, stepHandoff } from "../../session/handoff.js";
import type { HandoffStore, LanePlace } from "../../session/store.js";
import type { Db, Queries } from "../db.js";
import { lockMove, moveInto } from "./lanes.js";
import { handoffOf, hasActiveHandoff } from "./rows.js";
import { readSession } from "./session-steps.js";

export class SqlHandoffs implements HandoffStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  request(asked: { id: string; sessionId: string; target: string }, now: number): Promise<Handoff | null> {
    return this.#db.transaction(async (tx) => {
      const { entry } = await readSession(tx, asked.sessionId, this.#db.dialect.forUpdate("sessions"));
      if (entry.endedAt !== null) {
        throw new ConflictError(
          "handoff_refused",
          "This session has ended; resume it first, then hand it off.",
        );
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
      return this.#locked(tx, asked.id);
    });
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
        await save(tx, outcome.handoff);
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
    return this.#db.transaction(async (tx) => {
      const handoff = await this.#locked(tx, id);
      if (!handoff) return null;
      const outcome = stepHandoff(handoff, step, now);
      if (!outcome.ok) return outcome;
      await save(tx, outcome.handoff);
      if (outcome.handoff.state === "completed" && destination)
        await this.#move(tx, handoff.sessionId, destination, now);
      return outcome;
    });
  }

  async get(id: string): Promise<Handoff | null> {
    const row = await this.#db.get("SELECT * FROM handoffs WHERE id = ?", id);
    return row ? handoffOf(row) : null;
  }

  async active(sessionId?: string): Promise<Handoff[]> {
    const active = "SELECT * FROM handoffs WHERE state IN ('pending', 'running')";
    const rows =
      sessionId === undefined
        ? await this.#db.all(`${active} ORDER BY requested_at, id LIMIT 1000`)
        : await this.#db.all(`${active} AND session_id = ?`, sessionId);
    return rows.map(handoffOf);
  }

  async #move(tx: Queries, sessionId: string, destination: LanePlace, now: number): Promise<void> {
    const { lane, target } = await lockMove(tx, this.#db.dialect, destination.key, sessionId);
    const present = lane?.session.entry ?? null;
    if (present?.sessionId !== sessionId) await moveInto(tx, destination, target, present, now);
  }

  async #locked(tx: Queries, id: string): Promise<Handoff | null> {
    const row = await tx.get(
      `SELECT * FROM handoffs WHERE id = ? ${this.#db.dialect.forUpdate("handoffs")}`,
      id,
    );
    return row ? handoffOf(row) : null;
  }
}

async function save(tx: Queries, handoff: Handoff): Promise<void> {
  await tx.run(
    "UPDATE handoffs SET state = ?, claimed_by = ?, lease_until = ?, fence = ?, claims = ?, finished_at = ?, error = ? WHERE id = ?",
    handoff.state,
    handoff.claimedBy,
    handoff.leaseUntil,
    handoff.fence,
    handoff.claims,
    handoff.finishedAt,
    handoff.error,
    handoff.id,
  );
}
