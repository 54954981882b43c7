/**
 * Slow hashes, one at a time: guesses and requests of strangers never use more than one thread, wait in their own short
 * queue, and come after those of people who have access.
 */
const MOST_STRANGERS = 8;

export class HashQueue {
  #isBusy = false;
  readonly #known: (() => void)[] = [];
  readonly #strangers: (() => void)[] = [];

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#inLine(this.#known, work);
  }

  /** The same for a stranger; null if too many of them wait, and then nothing was done. */
  async runForStranger<Result>(work: () => Promise<Result>): Promise<Result | null> {
    if (this.#strangers.length >= MOST_STRANGERS) return null;
    return this.#inLine(this.#strangers, work);
  }

  async #inLine<Result>(line: (() => void)[], work: () => Promise<Result>): Promise<Result> {
    if (this.#isBusy) await new Promise<void>((resolve) => line.push(resolve));
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      const next = this.#known.shift() ?? this.#strangers.shift();
      if (next) next();
      else this.#isBusy = false;
    }
  }
}
