/**
 * Looks at what is to be done, one look at a time. However often it is woken during a look, one more follows: so what
 * was written before a wake-up is always seen.
 */
export class Looks {
  readonly #look: () => Promise<void>;
  readonly #mayLook: () => boolean;
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

  /** Until no look is under way. */
  async idle(): Promise<void> {
    await this.#looking;
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
