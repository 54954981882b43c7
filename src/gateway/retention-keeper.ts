/**
 * Applies the retention of ended sessions once a day, in the background, by one process of all that share the store. It works
 * session by session with rests in between, so that messages come first. If the process ends, the next look goes on.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { RetentionAmount } from "../session/retention.js";
import type { Clock } from "../util/clock.js";
import type { OnProblem } from "../util/problem.js";
import { timerMs } from "../util/timer-ms.js";
import type { Account, Accounts } from "./store.js";

export interface RetentionKeeperSetting {
  readonly accounts: Pick<Accounts, "take" | "renew" | "release" | "read" | "write">;
  readonly holder: string;
  readonly clock: Clock;
  /** Does the work; `rest` is awaited after each session, and throws if another process has taken over. */
  readonly apply: (rest: () => Promise<void>, signal: AbortSignal) => Promise<RetentionAmount>;
  /** Told what was removed, if anything was. */
  readonly onDone: (removed: RetentionAmount) => void;
  readonly onProblem: OnProblem;
}

/** The process that has this account does the work. No platform is called so. */
export const RETENTION: Account = { platform: "retention", account: "daily" };
/** The name under which it stores when the work was last done. */
export const DONE = "done";

const DAY_MS = 86_400_000;
const FIRST_LOOK_MS = 60_000;
const LOOK_MS = 60 * 60_000;
const LEASE_MS = 5 * 60_000;
const REST_MS = 50;

export class RetentionKeeper {
  readonly #setting: RetentionKeeperSetting;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();

  constructor(setting: RetentionKeeperSetting) {
    this.#setting = setting;
  }

  start(): void {
    this.#after(FIRST_LOOK_MS);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#working;
  }

  #after(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#working = this.look().then(() => {
        if (!this.#stop.signal.aborted) this.#after(LOOK_MS);
      });
    }, timerMs(ms)).unref();
  }

  /** Does the work if a day has passed and no other process does it. Never rejects. */
  async look(): Promise<void> {
    const { accounts, holder, clock, onProblem } = this.#setting;
    try {
      if (!(await this.#isDue())) return;
      if (!(await accounts.take(RETENTION, { holder, leaseMs: LEASE_MS }, null, clock()))) return;
      try {
        if (await this.#isDue()) await this.#work(); // Another process may have done it just before.
      } finally {
        await accounts.release(RETENTION, holder);
      }
    } catch (cause) {
      if (this.#stop.signal.aborted) return;
      onProblem(`Can't remove ended sessions: ${(cause as Error).message}`, { cause });
    }
  }

  /** A time in the future was written by a clock that was wrong. */
  async #isDue(): Promise<boolean> {
    const { accounts, clock } = this.#setting;
    const done = Number((await accounts.read(RETENTION, DONE)) ?? Number.NaN);
    const now = clock();
    return Number.isNaN(done) || done > now || now - done >= DAY_MS;
  }

  async #work(): Promise<void> {
    const { accounts, clock, apply, onDone } = this.#setting;
    const { signal } = this.#stop;
    const removed = await apply(() => this.#rest(), signal);
    if (signal.aborted) return;
    await accounts.write(RETENTION, DONE, String(clock()));
    if (removed.sessions > 0) onDone(removed);
  }

  async #rest(): Promise<void> {
    const { accounts, holder, clock } = this.#setting;
    await sleep(timerMs(REST_MS), undefined, { signal: this.#stop.signal, ref: false }).catch(() => {});
    if (await accounts.renew(RETENTION, { holder, leaseMs: LEASE_MS }, clock())) return;
    throw new Error("Another process has taken over.");
  }
}
