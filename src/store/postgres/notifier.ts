/**
 * Tells other processes what this one committed: after the commit, and once for all commits of a moment. A NOTIFY within
 * the transaction would make commits wait for one another, at several times the cost.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Fact } from "../../gateway/facts.js";
import { Recorded } from "../facts.js";

/** The first fact goes at once; those of the next moment go together. */
const GAP_MS = 20;
/** PostgreSQL takes less than 8,000 bytes. */
const MOST_BYTES = 7_000;

export class Notifier {
  readonly #id = randomUUID();
  readonly #send: (payload: string) => Promise<unknown>;
  readonly #closing = new AbortController();
  #waiting = new Recorded();
  #sending: Promise<void> | undefined;

  constructor(send: (payload: string) => Promise<unknown>) {
    this.#send = send;
  }

  tell(facts: readonly Fact[]): void {
    for (const fact of facts) {
      if (fact.kind === "session") this.#waiting.record({ kind: "elsewhere", sessionId: fact.sessionId });
      else if (isForOthers(fact)) this.#waiting.record(fact);
    }
    if (this.#waiting.isEmpty) return;
    this.#sending ??= this.#sendAll();
  }

  /** The facts in a notification; none in one of our own. */
  read(payload: string): readonly Fact[] {
    try {
      const { from, facts } = JSON.parse(payload) as { from: string; facts: readonly Fact[] };
      return from === this.#id ? [] : facts;
    } catch {
      return [{ kind: "unknown" }]; // Of another version.
    }
  }

  /** Sends what waits, without a gap. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#sending;
  }

  /** Never rejects. */
  async #sendAll(): Promise<void> {
    await null; // It is known that somebody sends before the sending can end.
    while (!this.#waiting.isEmpty) {
      const { facts } = this.#waiting;
      this.#waiting = new Recorded();
      await this.#send(this.#payload(facts)).catch(() => {}); // The others look from time to time in any case.
      await sleep(GAP_MS, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {}); // Closing: no gap.
    }
    this.#sending = undefined;
  }

  #payload(facts: readonly Fact[]): string {
    const payload = JSON.stringify({ from: this.#id, facts });
    if (Buffer.byteLength(payload) <= MOST_BYTES) return payload;
    // Too many for now: a terminal that shows one of these sessions catches up with its next change.
    const others = facts.filter(({ kind }) => kind !== "elsewhere");
    if (others.length < facts.length) return this.#payload(others);
    return JSON.stringify({ from: this.#id, facts: [{ kind: "unknown" }] });
  }
}

const FOR_OTHERS: readonly Fact["kind"][] = ["outbox", "handoffs", "stops", "processes", "devices", "work"];

/** A process answers its own inbox, and sessions and messages are watched by those who change them, and by terminals. */
function isForOthers({ kind }: Fact): boolean {
  return FOR_OTHERS.includes(kind);
}
