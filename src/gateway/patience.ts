/** How long something is waited for, from now on. */
import { timerMs } from "../util/timer-ms.js";

export class Patience {
  /** Fails once it is over. */
  readonly over: Promise<never>;
  readonly #end = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(ms: number) {
    const { signal } = this.#end;
    this.over = new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    this.over.catch(() => {}); // Nobody may be waiting any more.
    this.#timer = setTimeout(() => this.end(`it took longer than ${ms / 1_000} s to fetch`), timerMs(ms));
    this.#timer.unref();
  }

  /** For those who do the work: they stop when it is over. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  end(reason: string): void {
    clearTimeout(this.#timer);
    this.#end.abort(new Error(reason));
  }
}
