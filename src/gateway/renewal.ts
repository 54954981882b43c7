/**
 * The renewals of something that this process holds by a lease, in time that passes whatever the clock says. A store that
 * does not answer may still answer others, who take what was not renewed: so nobody acts on a lease that has run out. A
 * store that nobody can write to gives it to nobody.
 */
import { BatonError } from "../session/errors.js";

const WRITTEN_BY_NOBODY: readonly string[] = ["store_full", "store_readonly", "store_corrupt"];

export class Renewal {
  readonly #leaseMs: number;
  readonly #elapsed: () => number;
  #at: number;

  /** It is taken now. */
  constructor(leaseMs: number, elapsed: () => number) {
    this.#leaseMs = leaseMs;
    this.#elapsed = elapsed;
    this.#at = elapsed();
  }

  /** Another may have it by now. */
  get isOver(): boolean {
    return this.#elapsed() - this.#at >= this.#leaseMs;
  }

  /** What the store says; the failure, where it says nothing. */
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
