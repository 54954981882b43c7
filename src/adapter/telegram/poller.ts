/**
 * Reads the updates of a bot, one batch after the other. Asking for what comes after an update tells Telegram that it
 * arrived; so that is asked only once it was taken, and everything before it. While one is open, Telegram gives those
 * behind it again and again, up to a hundred: each is taken once.
 */
import { Intake } from "../intake.js";
import { updateId } from "./parse.js";
import type { ReadUpdate } from "./updates.js";

export interface PollOptions {
  /** The updates from that number on; waits that long for the first. */
  readonly ask: (from: number | undefined, waitSeconds: number) => Promise<unknown>;
  /** The chat of an update, and how it is taken; null if it asks for nothing. */
  readonly read: (update: unknown) => ReadUpdate | null;
  /** How long the first answer is waited for. */
  readonly firstWaitSeconds: number;
  /** Telegram has answered for the first time. */
  readonly onAnswer: () => void;
  readonly end: AbortSignal;
}

const WAIT_SECONDS = 30;
/** How long updates may take before Telegram is asked what came behind them. */
const LOOK_AGAIN_MS = 500;

/** Until the end, or until Telegram does not answer. Waits for the updates that are being taken; the others come again. */
export async function readUpdates(options: PollOptions): Promise<void> {
  const { ask, firstWaitSeconds, onAnswer, end } = options;
  /** Positions are the number to ask from next. */
  const intake = new Intake<number>();
  const taking = new Taking(options.read, intake);
  end.addEventListener("abort", () => void intake.stop());
  try {
    for (let isFirst = true; !end.aborted; isFirst = false) {
      const updates = await ask(intake.settledUpTo, isFirst ? firstWaitSeconds : WAIT_SECONDS);
      if (!Array.isArray(updates)) throw new Error("not a list");
      if (isFirst) onAnswer();
      if (!end.aborted) taking.take(updates);
      await intake.quiet(LOOK_AGAIN_MS);
    }
  } catch (error) {
    if (!end.aborted) throw error;
  } finally {
    await intake.stop();
  }
}

class Taking {
  readonly #read: PollOptions["read"];
  readonly #intake: Intake<number>;
  /** Updates that Telegram gives again because one before them is open. */
  readonly #inHand = new Set<number>();

  constructor(read: PollOptions["read"], intake: Intake<number>) {
    this.#read = read;
    this.#intake = intake;
  }

  take(updates: readonly unknown[]): void {
    const from = this.#intake.settledUpTo ?? Number.NEGATIVE_INFINITY;
    for (const id of this.#inHand) if (id < from) this.#inHand.delete(id);
    for (const update of updates) {
      const id = updateId(update);
      if (id === null || this.#inHand.has(id)) continue;
      this.#inHand.add(id);
      const read = this.#read(update);
      const isOld = id < from; // It comes again though it was confirmed: nothing is taken back by it.
      if (read) this.#intake.add(read.chat, read.take, isOld ? undefined : id + 1);
      else if (!isOld) this.#intake.pass(id + 1);
    }
  }
}
