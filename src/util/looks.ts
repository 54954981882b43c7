/**
 * Looks at what is to be done, one look at a time. However often it is woken during a look, one more follows: so what
 * was written before a wake-up is always seen.
 */
import { Alarm } from "./alarm.js";

/** After a look that nobody waits for and that failed. */
const RETRY_MS = 1_000;

export class Looks {
  readonly #look: () => Promise<void>;
  readonly #mayLook: () => boolean;
  readonly #alarm = new Alarm(() => {
    this.wake().catch(() => this.wakeAfter(RETRY_MS));
  });
  #looking: Promise<void> | undefined;
  #isWanted = false;

  /** While it may not look, it stays awake: the next wake-up after that looks. */
  constructor(look: () => Promise<void>, mayLook: () => boolean) {
    this.#look = look;
    this.#mayLook = mayLook;
  }

  /** Rejects if a look does. */
  wake(): Promise<void> {
    this.#isWanted = true;
    this.#looking ??= this.#lookUntilSeen();
    return this.#looking;
  }

  /** Wakes it after a while, or sooner if that is planned already. */
  wakeAfter(ms: number): void {
    this.#alarm.after(ms);
  }

  /** Waits for a look that is under way. */
  async rest(): Promise<void> {
    await this.#looking?.catch(() => {}); // Its waker hears of that.
  }

  /** No longer wakes it by itself, and waits for a look that is under way. */
  async stop(): Promise<void> {
    this.#alarm.stop();
    await this.rest();
  }

  async #lookUntilSeen(): Promise<void> {
    await null; // The caller must store this promise before it can settle.
    try {
      while (this.#isWanted && this.#mayLook()) {
        this.#isWanted = false;
        await this.#look();
      }
    } finally {
      this.#looking = undefined;
    }
  }
}
