/** Timers that a test lets pass, for what takes a `Later`. */
import type { Later } from "../../src/util/later.js";

export class PassingTime {
  #now = 0;
  #timers: { at: number; call: () => void }[] = [];

  readonly later: Later = (call, ms) => {
    const timer = { at: this.#now + ms, call };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  };

  get now(): number {
    return this.#now;
  }

  get waiting(): number {
    return this.#timers.length;
  }

  /** Calls what is due by then, in order, also what is set meanwhile. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      const [next] = this.#timers.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at);
      if (!next) break;
      this.#now = next.at;
      this.#timers = this.#timers.filter((each) => each !== next);
      next.call();
      await settled();
    }
    this.#now = end;
    await settled();
  }
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
