/** Long work beside other work: after some milliseconds it lets everything else run first. */
import { setImmediate as nextRound } from "node:timers/promises";

const SHARE_MS = 8;

export class InTurns {
  readonly #shareMs: number;
  #since = performance.now();

  constructor(shareMs = SHARE_MS) {
    this.#shareMs = shareMs;
  }

  /** Called between two steps of the work. */
  async next(): Promise<void> {
    if (performance.now() - this.#since < this.#shareMs) return;
    await nextRound();
    this.#since = performance.now();
  }
}

/** Like `map`, for a list that may be long. */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Result,
): Promise<Result[]> {
  const turns = new InTurns();
  const results: Result[] = [];
  for (const item of items) {
    await turns.next();
    results.push(work(item));
  }
  return results;
}
