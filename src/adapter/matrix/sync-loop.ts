/**
 * The sync, one batch after the other. It reads on while events of a batch are still being received, so that one slow
 * room holds up no other; what the account remembers is how far everything was received, so a batch that a process did
 * not finish comes again to the next. The SDK's own sync moves on before its events are handled, and skips those that
 * fail: that is why this one is ours.
 */
import { timerMs } from "../../util/timer-ms.js";
import type { Surroundings } from "../adapter.js";
import type { Intake } from "../intake.js";
import { type Json, string } from "./json.js";
import { reasonOf, retryAfter } from "./trouble.js";

export interface SyncLoopOptions {
  /** Where the last process stopped; null at the very first time. */
  readonly since: string | null;
  readonly tell: Surroundings["tell"];
  /** What is being received; positions are the tokens of batches. */
  readonly intake: Intake<string>;
  /** What is new since then, waiting that long for something. */
  readonly pull: (since: string | null, waitMs: number) => Promise<Json>;
  /** Gives its events to the intake, or fails; `next` is the token that comes after the batch. */
  readonly take: (batch: Json, since: string | null, next: string) => Promise<void>;
}

const WAIT_MS = 30_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** How long events may take before what came behind them is asked for, and how many may be open then. */
const READ_ON_MS = 500;
const MOST_OPEN = 500;

export class SyncLoop {
  readonly #options: SyncLoopOptions;
  readonly #end = new AbortController();
  #since: string | null;
  #running: Promise<void> = Promise.resolve();

  constructor(options: SyncLoopOptions) {
    this.#options = options;
    this.#since = options.since;
    if (options.since !== null) options.intake.beginAt(options.since);
  }

  /** Goes on where the last process stopped. At the very first time what was said before is not ours to answer. */
  async start(): Promise<void> {
    if (this.#since === null) await this.#step(0);
    this.#running = this.#run();
  }

  /** Takes no more; waits for what is being taken. */
  async stop(): Promise<void> {
    this.#end.abort();
    await this.#options.intake.stop();
    await this.#running;
  }

  get isOver(): boolean {
    return this.#end.signal.aborted;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.isOver) {
      try {
        await this.#step(failures > 0 ? 0 : WAIT_MS);
        if (failures > 0) this.#options.tell("connected");
        failures = 0;
      } catch (error) {
        if (this.isOver) return;
        if (failures === 0) this.#options.tell({ lost: reasonOf(error) });
        const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
        failures += 1;
        await this.#pause(retryAfter(error) ?? pauseMs);
      }
    }
  }

  async #step(waitMs: number): Promise<void> {
    const batch = await this.#options.pull(this.#since, waitMs);
    const next = string(batch.next_batch);
    if (next === undefined) throw new Error("its answer has no next_batch");
    if (this.isOver) return;
    const { intake, take } = this.#options;
    await take(batch, this.#since, next);
    this.#since = next;
    intake.pass(next);
    await intake.quiet(READ_ON_MS);
    await intake.fewerThan(MOST_OPEN);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timerMs(ms)).unref();
      const { signal } = this.#end;
      signal.addEventListener(
        "abort",
        () => {
          clearTimeout(timer);
          resolve();
        },
        { once: true },
      );
    });
  }
}
