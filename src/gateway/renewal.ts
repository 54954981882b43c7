/**
 * Renews a lease of this process, in time that does not depend on the clock. A store that does not answer us may answer
 * others, who take what was not renewed: so nobody acts on a lease that has run out. If nobody can write to the store,
 * nobody can take it.
 */
import { BatonError } from "../session/errors.js";

const WRITTEN_BY_NOBODY: readonly string[] = ["store_full", "store_readonly", "store_corrupt"];

export class Renewal {
  readonly #leaseMs: number;
  readonly #elapsed: () => number;
  #at: number;

  /** The lease starts now. */
  constructor(leaseMs: number, elapsed: () => number) {
    this.#leaseMs = leaseMs;
    this.#elapsed = elapsed;
    this.#at = elapsed();
  }

  /** Another process may have it now. */
  get isOver(): boolean {
    return this.#elapsed() - this.#at >= this.#leaseMs;
  }

  /** The store's answer, or the error if it does not answer. */
  async ask<Answer>(renew: () => Promise<Answer>): Promise<Answer | Error> {
    const asked = this.#elapsed(); // The lease runs at least from here.
    try {
      const answer = await renew();
      this.#at = asked;
      return answer;
    } catch (error) {
      if (error instanceof BatonError && WRITTEN_BY_NOBODY.includes(error.code)) this.#at = asked;
      return error instanceof Error ? error : new Error(String(error));
    }
  }
}
