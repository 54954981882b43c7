/**
 * Reads the updates of a bot, one batch after the other. Asking for what comes after an update tells Telegram that it
 * arrived; so that is asked only once it was taken, and everything before it. While one is open, Telegram gives those
 * behind it again and again, up to a hundred: each is taken once.
 */
import type { Surroundings } from "../adapter.js";
import { pause } from "../http-call.js";
import { Intake } from "../intake.js";
import { type Failure, failureOf } from "./failure.js";
import { updateId } from "./parse.js";
import { WRONG_TOKEN } from "./wrong-token.js";

export interface PollerOptions {
  /** The updates from that number on; waits that long for the first. */
  readonly ask: (from: number | undefined, waitSeconds: number, signal: AbortSignal) => Promise<unknown>;
  /** The chat of an update, and how it is taken; null if it asks for nothing. */
  readonly read: (update: unknown) => { readonly chat: string; readonly take: () => Promise<void> } | null;
  readonly tell: Surroundings["tell"];
}

const WAIT_SECONDS = 30;
/** Where another program reads too, only a wait that it does not break shows that it is gone. */
const QUIET_SECONDS = 10;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 60_000;
/** How long updates may take before Telegram is asked what came behind them. */
const LOOK_AGAIN_MS = 500;

export class Poller {
  readonly #options: PollerOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  /** Positions are the number to ask from next. */
  readonly #intake = new Intake<number>();
  /** Updates that Telegram gives again because one before them is open. */
  readonly #inHand = new Set<number>();
  #lost: Failure | null = null;
  #failures = 0;

  /** It begins at once. */
  constructor(options: PollerOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Waits for the updates that are being taken; those after them come again to whoever reads next. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#intake.stop();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const updates = await this.#ask();
      if (updates === null) await this.#pause();
      else {
        this.#take(updates);
        await this.#intake.quiet(LOOK_AGAIN_MS);
      }
    }
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Null where there was no answer. */
  async #ask(): Promise<readonly unknown[] | null> {
    const { ask, tell } = this.#options;
    try {
      const updates = await ask(this.#intake.settledUpTo, this.#waitSeconds, this.#stopping.signal);
      if (!Array.isArray(updates)) throw new Error("not a list");
      if (this.#lost && !this.#isStopped) tell("connected");
      this.#lost = null;
      this.#failures = 0;
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

  #take(updates: readonly unknown[]): void {
    const from = this.#intake.settledUpTo ?? Number.NEGATIVE_INFINITY;
    for (const id of this.#inHand) if (id < from) this.#inHand.delete(id);
    for (const update of updates) {
      const id = updateId(update);
      if (this.#isStopped || id === null || this.#inHand.has(id)) continue;
      this.#inHand.add(id);
      const read = this.#options.read(update);
      const isOld = id < from; // It comes again though it was confirmed: nothing is taken back by it.
      if (read) this.#intake.add(read.chat, read.take, isOld ? undefined : id + 1);
      else if (!isOld) this.#intake.pass(id + 1);
    }
  }

  async #pause(): Promise<void> {
    const asked = this.#lost?.kind === "refused" ? this.#lost.retryAfterMs : undefined;
    const ms = asked ?? Math.min(FIRST_PAUSE_MS * 2 ** this.#failures++, LONGEST_PAUSE_MS);
    await pause(ms, this.#stopping.signal);
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
