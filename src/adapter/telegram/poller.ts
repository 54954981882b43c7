/**
 * Reads the updates of a bot, one batch after the other. Asking for what comes after an update tells Telegram that it
 * arrived; so that is asked only once it was taken. What cannot be taken is asked for again, and nothing is read past it.
 */
import { setTimeout as pause } from "node:timers/promises";
import { timerMs } from "../../util/timer-ms.js";
import type { Surroundings } from "../adapter.js";
import { type Failure, failureOf } from "./failure.js";
import { updateId } from "./parse.js";
import { WRONG_TOKEN } from "./wrong-token.js";

export interface PollerOptions {
  /** The updates from that number on; waits that long for the first. */
  readonly ask: (from: number | undefined, waitSeconds: number, signal: AbortSignal) => Promise<unknown>;
  readonly take: (update: unknown) => Promise<void>;
  readonly tell: Surroundings["tell"];
}

const WAIT_SECONDS = 30;
/** Where another program reads too, only a wait that it does not break shows that it is gone. */
const QUIET_SECONDS = 10;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 60_000;

export class Poller {
  readonly #options: PollerOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #next: number | undefined;
  #lost: Failure | null = null;
  #failures = 0;

  /** It begins at once. */
  constructor(options: PollerOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Waits for the update that is being taken; those after it come again to whoever reads next. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const updates = await this.#ask();
      if (updates === null || !(await this.#takeAll(updates))) await this.#pause();
    }
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Null where there was no answer. */
  async #ask(): Promise<readonly unknown[] | null> {
    const { ask, tell } = this.#options;
    try {
      const updates = await ask(this.#next, this.#waitSeconds, this.#stopping.signal);
      if (!Array.isArray(updates)) throw new Error("not a list");
      if (this.#lost && !this.#isStopped) tell("connected");
      this.#lost = null;
      return updates;
    } catch (error) {
      if (this.#isStopped) return null;
      const failure = failureOf(error);
      if (this.#lost?.words !== failure.words) tell({ lost: sentence(failure) });
      this.#lost = failure;
      return null;
    }
  }

  get #waitSeconds(): number {
    if (!this.#lost) return WAIT_SECONDS;
    return isConflict(this.#lost) ? QUIET_SECONDS : 0;
  }

  /** False where one of them could not be taken. */
  async #takeAll(updates: readonly unknown[]): Promise<boolean> {
    for (const update of updates) {
      if (this.#isStopped) return true;
      try {
        await this.#options.take(update);
      } catch {
        return false; // Whoever could not take it has said why; it comes again.
      }
      const id = updateId(update);
      if (id !== null) this.#next = Math.max(this.#next ?? 0, id + 1);
      this.#failures = 0;
    }
    this.#failures = 0;
    return true;
  }

  async #pause(): Promise<void> {
    const asked = this.#lost?.kind === "refused" ? this.#lost.retryAfterMs : undefined;
    const ms = asked ?? Math.min(FIRST_PAUSE_MS * 2 ** this.#failures++, LONGEST_PAUSE_MS);
    await pause(timerMs(ms), undefined, { signal: this.#stopping.signal }).catch(() => {}); // It was told to stop.
  }
}

function isConflict(failure: Failure): boolean {
  return failure.kind === "refused" && failure.code === 409;
}

function sentence(failure: Failure): string {
  if (failure.kind !== "refused") return failure.words;
  if (failure.code === 401 || failure.code === 404) return WRONG_TOKEN;
  if (failure.code !== 409) return `Telegram answers: ${failure.words}.`;
  return /webhook/i.test(failure.words)
    ? "A webhook is set for this bot, so its messages go elsewhere: delete the webhook, or make another bot."
    : "Another program reads the messages of this bot: stop it, or make another bot.";
}
