/**
 * What comes in, channel by channel: in order within a channel, channels beside each other. What could not be taken is
 * tried again until it is, and nothing of its channel overtakes it. The gateway's sequence counts as read only up to the
 * first event that is still being worked on.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { timerMs } from "../../util/timer-ms.js";

const LONGEST_PAUSE_MS = 60_000;

export class Inflow {
  readonly #chains = new Map<string, Promise<void>>();
  /** The numbers of events that are being worked on, in the order they came. */
  readonly #open = new Set<number>();
  readonly #stop = new AbortController();
  #highest = 0;

  /** Everything up to this number is done with. */
  get readUpTo(): number {
    const [first] = this.#open;
    return first === undefined ? this.#highest : first - 1;
  }

  /** Another session counts anew. */
  beginAt(sequence: number): void {
    this.#open.clear();
    this.#highest = sequence;
  }

  /** An event that asks for nothing. */
  pass(sequence: number): void {
    this.#highest = Math.max(this.#highest, sequence);
  }

  add(channelId: string, work: () => Promise<void>, sequence?: number): void {
    if (this.#stop.signal.aborted) return;
    if (sequence !== undefined) {
      this.pass(sequence);
      this.#open.add(sequence);
    }
    const last = this.#chains.get(channelId) ?? Promise.resolve();
    const chain = last
      .then(() => this.#untilDone(work))
      .then((isDone) => {
        if (isDone && sequence !== undefined) this.#open.delete(sequence);
        if (this.#chains.get(channelId) === chain) this.#chains.delete(channelId);
      });
    this.#chains.set(channelId, chain);
  }

  /** Takes nothing any more; what waits is left for the next process. */
  stop(): void {
    this.#stop.abort();
  }

  /** False where it was stopped before. */
  async #untilDone(work: () => Promise<void>): Promise<boolean> {
    const { signal } = this.#stop;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      try {
        await work();
        return true;
      } catch {
        // Whoever takes messages says itself what is wrong; here it only has to come again.
        if (signal.aborted) return false;
        const ms = Math.min(1_000 * 2 ** attempt, LONGEST_PAUSE_MS);
        await sleep(timerMs(ms), undefined, { signal, ref: false }).catch(() => {}); // Stopped: the loop ends.
      }
    }
    return false;
  }
}
