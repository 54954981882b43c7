/** Calls back after a while, or sooner if that is planned already. It keeps no process alive. */
import { timerMs } from "./timer-ms.js";

export class Alarm {
  readonly #call: () => void;
  #timer: NodeJS.Timeout | undefined;
  #at = 0;
  #isOff = false;

  constructor(call: () => void) {
    this.#call = call;
  }

  /** A call that is planned for earlier stays, and is the only one. */
  after(ms: number): void {
    const at = performance.now() + timerMs(ms);
    if (this.#isOff || (this.#timer && this.#at <= at)) return;
    clearTimeout(this.#timer);
    this.#at = at;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#call();
    }, timerMs(ms));
    this.#timer.unref();
  }

  /** From now on it never calls. */
  stop(): void {
    this.#isOff = true;
    clearTimeout(this.#timer);
  }
}
