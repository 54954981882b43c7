/**
 * Slow hashes, one at a time: guesses and requests of strangers never keep more than one thread busy, wait in a short line
 * of their own, and come after those of people who are let in.
 */
const MOST_STRANGERS = 8;

export class HashQueue {
  #isBusy = false;
  readonly #known: (() => void)[] = [];
  readonly #strangers: (() => void)[] = [];

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#inLine(this.#known, work);
  }

  /** The same for somebody who is not let in; null if too many of them wait, and nothing was done. */
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
