/**
 * Looks at the store past our own code, after every call that anybody makes: the session is in one lane, which is the old
 * one until the handoff is completed and then the new one for good, and the states go one way.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import type { Handoff, HandoffOutcome } from "../../src/session/handoff.js";
import type { Reached } from "./mortal.js";

export interface HandoffRow {
  readonly id: string;
  readonly session_id: string;
  readonly from_key: string;
  readonly state: "pending" | "running" | "completed" | "failed";
  readonly fence: number;
  readonly error: string | null;
  readonly destination_key: string | null;
}

export interface DeliveryRow {
  readonly delivery_id: string;
  readonly text: string;
  readonly address: string;
  readonly state: string;
}

const OPEN = [
  "SELECT 'inbox' AS what, id, state, text AS more FROM inbox WHERE state IN ('waiting', 'running')",
  "SELECT 'turn', id, state, session_id FROM turns WHERE state = 'running'",
  "SELECT 'outbox', delivery_id, state, owner FROM outbox WHERE state IN ('pending', 'sending')",
  "SELECT 'handoff', id, state, claimed_by FROM handoffs WHERE state IN ('pending', 'running')",
].join(" UNION ALL ");

export class Witness {
  readonly #path: string;
  readonly #database: InstanceType<typeof DatabaseSync>;
  readonly #queries: Record<
    "handoffs" | "routes" | "open",
    ReturnType<InstanceType<typeof DatabaseSync>["prepare"]>
  >;
  readonly #seen = new Map<string, HandoffRow>();
  #sessionId: string | null = null;
  #failure: Error | null = null;

  constructor(path: string) {
    this.#path = path;
    this.#database = new DatabaseSync(path, { timeout: 5_000, readOnly: true });
    this.#queries = {
      handoffs: this.#database.prepare(
        `SELECT h.*, m.destination_key FROM handoffs h LEFT JOIN moves m ON m.handoff_id = h.id
         WHERE h.session_id = ? ORDER BY h.requested_at, h.id`,
      ),
      routes: this.#database.prepare("SELECT key FROM routes WHERE session_id = ?"),
      open: this.#database.prepare(OPEN),
    };
  }

  /** From now on this session is looked at. */
  follow(sessionId: string): void {
    this.#sessionId = sessionId;
  }

  /** What is wrong is told in the end: whoever is in the middle of a call would swallow it. */
  look(reached: Reached): void {
    const { step, side } = reached;
    try {
      this.#check();
      const outcome = reached.result as HandoffOutcome | null | undefined;
      if (step === "handoffs.step complete" && outcome?.ok) this.#checkFence(outcome.handoff);
    } catch (error) {
      this.#failure ??= new Error(`${(error as Error).message} (${side} ${step})`);
    }
  }

  mustBeContent(): void {
    if (this.#failure) throw this.#failure;
  }

  handoffs(): HandoffRow[] {
    return this.#queries.handoffs.all(this.#sessionId) as unknown as HandoffRow[];
  }

  open(): unknown[] {
    return this.#queries.open.all();
  }

  /** Every lease as it would be if its holder had renewed it all the while. */
  async renewAll(ms: number): Promise<void> {
    const writer = new DatabaseSync(this.#path, { timeout: 0 });
    const leases = ["handoffs", "turns", "accounts"].map(
      (table) => `UPDATE ${table} SET lease_until = lease_until + ${ms} WHERE lease_until > 0`,
    );
    try {
      for (;;) {
        try {
          return writer.exec(`BEGIN IMMEDIATE; ${leases.join("; ")}; COMMIT`);
        } catch (error) {
          if (!String(error).includes("locked")) throw error;
          await sleep(1); // Somebody else writes, in this very thread.
        }
      }
    } finally {
      writer.close();
    }
  }

  rows<Row>(sql: string, ...values: string[]): Row[] {
    return this.#database.prepare(sql).all(...values) as Row[];
  }

  close(): void {
    this.#database.close();
  }

  #check(): void {
    if (this.#sessionId === null) return;
    // In this order: what is completed between the two would look as if the lane were ahead.
    const routes = (this.#queries.routes.all(this.#sessionId) as { key: string }[]).map(({ key }) => key);
    const handoffs = this.handoffs();
    for (const handoff of handoffs) this.#checkState(handoff);
    if (routes.length !== 1)
      throw new Error(`The session is in ${routes.length} lanes: ${routes.join(", ")}.`);
    const last = handoffs.at(-1);
    const lane = last?.state === "completed" ? last.destination_key : last?.from_key;
    if (last && lane !== routes[0])
      throw new Error(`It is ${last.state}, and the session is in ${routes[0]}.`);
  }

  #checkFence({ id, fence }: Handoff): void {
    const newest = this.handoffs().find((each) => each.id === id)?.fence;
    if (newest !== fence)
      throw new Error(`It was completed with fence ${fence}, and the newest is ${newest}.`);
  }

  #checkState(now: HandoffRow): void {
    const before = this.#seen.get(now.id);
    this.#seen.set(now.id, now);
    if (!before || (before.state === now.state && before.fence === now.fence)) return;
    const isOver = before.state === "completed" || before.state === "failed";
    const isBack = now.state === "pending" || now.fence < before.fence;
    if (isOver || isBack)
      throw new Error(`It was ${before.state} (${before.fence}), and is ${now.state} (${now.fence}).`);
  }
}
