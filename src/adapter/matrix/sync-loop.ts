/**
 * The sync, one batch after the other. Where it stopped is remembered only once everything in a batch was taken: a
 * batch that could not be is asked for again, and so is one that a process did not finish. The SDK's own sync moves on
 * before its events are handled, and skips those that fail: that is why this one is ours.
 */

import { timerMs } from "../../util/timer-ms.js";
import type { Memory, Surroundings } from "../adapter.js";
import { type Json, string } from "./json.js";
import { reasonOf, retryAfter } from "./trouble.js";

export interface SyncLoopOptions {
  readonly memory: Memory;
  readonly tell: Surroundings["tell"];
  /** What is new since then, waiting that long for something. */
  readonly pull: (since: string | null, waitMs: number) => Promise<Json>;
  /** Takes all of it, or fails. */
  readonly take: (batch: Json, since: string | null) => Promise<void>;
}

const NEXT_BATCH = "next_batch";
const WAIT_MS = 30_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export class SyncLoop {
  readonly #options: SyncLoopOptions;
  readonly #end = new AbortController();
  #since: string | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(options: SyncLoopOptions) {
    this.#options = options;
  }

  /** Goes on where the last process stopped. At the very first time what was said before is not ours to answer. */
  async start(): Promise<void> {
    this.#since = await this.#options.memory.read(NEXT_BATCH);
    if (this.#since === null) await this.#step(0);
    this.#running = this.#run();
  }

  /** Takes no more; waits for what is being taken. */
  async stop(): Promise<void> {
    this.#end.abort();
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
    await this.#options.take(batch, this.#since);
    if (this.isOver || next === this.#since) return;
    await this.#options.memory.write(NEXT_BATCH, next);
    this.#since = next;
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
