/** A time limit that starts now. */
import { timerMs } from "../util/timer-ms.js";

export class Patience {
  /** Rejects when the time is over. */
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

  /** For the code that does the work: it stops when the time is over. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  end(reason: string): void {
    clearTimeout(this.#timer);
    this.#end.abort(new Error(reason));
  }
}
