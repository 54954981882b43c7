/** How often an address may try links that are none. A link has 128 bits, so this only keeps tries from costing much. */
import type { Clock } from "../util/clock.js";

const WINDOW_MS = 60_000;
const MOST_IN_WINDOW = 30;
/** Of more addresses than that, the oldest are forgotten. */
const MOST_ADDRESSES = 10_000;

export class WrongTries {
  readonly #clock: Clock;
  readonly #tries = new Map<string, { since: number; count: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isLocked(address: string): boolean {
    return (this.#recent(address)?.count ?? 0) >= MOST_IN_WINDOW;
  }

  /** Before it is known how it ends, so that no more can be tried at the same time. */
  count(address: string): void {
    const tries = this.#recent(address) ?? { since: this.#clock(), count: 0 };
    tries.count += 1;
    this.#tries.delete(address);
    this.#tries.set(address, tries);
    const [oldest] = this.#tries.keys();
    if (this.#tries.size > MOST_ADDRESSES && oldest !== undefined) this.#tries.delete(oldest);
  }

  /** It was right. */
  forgive(address: string): void {
    const tries = this.#recent(address);
    if (tries && tries.count > 0) tries.count -= 1;
  }

  #recent(address: string): { since: number; count: number } | undefined {
    const tries = this.#tries.get(address);
    return tries && this.#clock() - tries.since < WINDOW_MS ? tries : undefined;
  }
}
