/**
 * Runs a turn alone whose process has ended before: it starts when nothing else runs, and others wait until it is done.
 * Nobody waits for long: after a while they run beside each other.
 */
import { timerMs } from "../util/timer-ms.js";
export class Solitude {
  readonly #patienceMs: number;
  #running = 0;
  /** The turn that keeps others out. */
  #keeper: symbol | null = null;
  #waiting: { readonly alone: boolean; readonly begin: () => void }[] = [];

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  /** Settles when it may run, with a function to call at the end. */
  enter(alone: boolean): Promise<() => void> {
    return new Promise((resolve) => {
      const begin = (): void => {
        clearTimeout(timer);
        this.#waiting = this.#waiting.filter((each) => each !== waiting);
        resolve(this.#begin(alone));
      };
      const timer = setTimeout(begin, timerMs(this.#patienceMs)).unref();
      const waiting = { alone, begin };
      this.#waiting.push(waiting);
      this.#look();
    });
  }

  #begin(alone: boolean): () => void {
    this.#running += 1;
    const open = alone && this.#running === 1 ? this.#keepOthersOut() : () => {};
    return () => {
      this.#running -= 1;
      open();
      this.#look();
    };
  }

  /** Until the returned function is called, or for a while. */
  #keepOthersOut(): () => void {
    const keeper = Symbol("alone");
    this.#keeper = keeper;
    const open = (): void => {
      clearTimeout(timer);
      if (this.#keeper === keeper) this.#keeper = null;
      this.#look();
    };
    const timer = setTimeout(open, timerMs(this.#patienceMs)).unref();
    return open;
  }

  #look(): void {
    for (const { alone, begin } of this.#waiting) {
      if (this.#keeper === null && (!alone || this.#running === 0)) begin();
    }
  }
}
