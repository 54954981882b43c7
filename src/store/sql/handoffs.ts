/** Handoffs: each step reads the row locked, asks the state machine, and commits what belongs to it. */

import type { GatewayEffects } from "../../gateway/store.js";
import { type Handoff, type HandoffOutcome, type HandoffStep, stepHandoff } from "../../session/handoff.js";
import type { HandoffId, SessionId } from "../../session/ids.js";
import type { SessionKey } from "../../session/session-key.js";
import type { HandoffRequest, HandoffStore } from "../../session/store.js";
import type { Db, Queries } from "../db.js";
import { announcement, retractions, withdraw } from "./announcements.js";
import { findHandoff, insertHandoff, lockHandoff, readHandoffs, saveHandoff } from "./handoff-rows.js";
import { insertItem } from "./inbox.js";
import { moveJobs } from "./job-runs.js";
import { bindSession } from "./lanes.js";
import { moveWaiting } from "./move-waiting.js";
import { insertDeliveries } from "./outbox.js";

export class SqlHandoffs implements HandoffStore<GatewayEffects> {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  request(asked: HandoffRequest, now: number, effects: GatewayEffects = {}): Promise<Handoff | null> {
    return this.#db.transaction(async (tx) => {
      if (!(await insertHandoff(tx, this.#db.dialect, asked, now))) return null;
      await insertDeliveries(tx, effects.deliveries ?? [], now);
      return findHandoff(tx, this.#db.dialect, asked.id, now);
    });
  }

  open(now: number): Promise<Handoff[]> {
    const which = "h.state IN ('pending', 'running') ORDER BY h.requested_at, h.id LIMIT 1000";
    return readHandoffs(this.#db, this.#db.dialect, now, which);
  }

  find(id: HandoffId, now: number): Promise<Handoff | null> {
    return findHandoff(this.#db, this.#db.dialect, id, now);
  }

  step(
    id: HandoffId,
    step: HandoffStep,
    now: number,
    effects: GatewayEffects = {},
  ): Promise<HandoffOutcome | null> {
    const { dialect } = this.#db;
    return this.#db.transaction(async (tx) => {
      const handoff = await lockHandoff(tx, dialect, id, step.kind, now);
      if (!handoff) return null;
      const outcome = stepHandoff(handoff, step, now);
      if (!outcome.ok) return outcome;
      if (outcome.handoff !== handoff) await saveHandoff(tx, dialect, outcome.handoff, now);
      await this.#commit(tx, outcome.handoff, step, effects, now);
      return outcome;
    });
  }

  async lastFrom(key: SessionKey): Promise<Handoff | null> {
    const which = "h.from_key = ? AND h.state = 'completed' ORDER BY h.finished_at DESC, h.id DESC LIMIT 1";
    const [last] = await readHandoffs(this.#db, this.#db.dialect, 0, which, key); // It has no lease to shift.
    return last ?? null;
  }

  async lastTo(sessionId: SessionId, target: string): Promise<Handoff | null> {
    const which =
      "h.session_id = ? AND h.target = ? AND h.state = 'completed' AND m.destination IS NOT NULL ORDER BY h.finished_at DESC, h.id DESC LIMIT 1";
    const [last] = await readHandoffs(this.#db, this.#db.dialect, 0, which, sessionId, target); // It has no lease to shift.
    return last ?? null;
  }

  async #commit(
    tx: Queries,
    { id, state, sessionId }: Handoff,
    { kind }: HandoffStep,
    { place, answering, first, deliveries = [], retraction = [] }: GatewayEffects,
    now: number,
  ): Promise<void> {
    const [said] = deliveries;
    if (kind === "announce" && said && (await announcement(tx, id, said.address))) return;
    if (state === "completed" && place) {
      const { from } = await bindSession(tx, this.#db.dialect, place, sessionId, now, answering?.holder);
      if (first) await insertItem(tx, first, answering?.holder ?? "", now);
      if (from !== null && answering) {
        await moveWaiting(tx, this.#db.dialect, from, place, answering);
        await moveJobs(tx, from, place, answering.account);
      }
    }
    if (state === "failed") await withdraw(tx, id, "the handoff was given up");
    const taken = state === "failed" ? await retractions(tx, id, retraction) : [];
    await insertDeliveries(tx, [...deliveries, ...taken], now);
  }
}
