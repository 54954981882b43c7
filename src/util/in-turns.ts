/** Long work beside other work: after some milliseconds of it, everybody else is let go first. */
import { setImmediate as nextRound } from "node:timers/promises";

const SHARE_MS = 8;

export class InTurns {
  #since = performance.now();

  /** Between two steps of the work. */
  async next(): Promise<void> {
    if (performance.now() - this.#since < SHARE_MS) return;
    await nextRound();
    this.#since = performance.now();
  }
}
