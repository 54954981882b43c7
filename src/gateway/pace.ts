/** How many times in the last minute, by name. In memory: a restart begins anew, and elapsed time is not moved by clocks. */
const MINUTE_MS = 60_000;
/** Names that were not heard of for a minute are forgotten when there are more than this. */
const MOST_NAMES = 1_000;

/** `first`: the first refusal since something was last let through. */
export type Paced =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly waitMs: number; readonly first: boolean };

export class Pace {
  readonly #elapsedMs: () => number;
  readonly #recent = new Map<string, { times: number[]; refused: boolean }>();

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
  }

  /** Counts one more, if fewer than `most` were counted within the last minute. */
  take(name: string, most: number): Paced {
    const now = this.#elapsedMs();
    const seen = this.#recent.get(name) ?? { times: [], refused: false };
    const times = seen.times.filter((time) => time > now - MINUTE_MS);
    const allowed = times.length < most;
    this.#recent.set(name, { times: allowed ? [...times, now] : times, refused: !allowed });
    if (this.#recent.size > MOST_NAMES) this.#forget(now);
    if (allowed) return { allowed };
    const waitMs = (times[times.length - most] ?? now) + MINUTE_MS - now;
    return { allowed, waitMs, first: !seen.refused };
  }

  /** The last one that was counted does not count: it comes again. */
  takeBack(name: string): void {
    this.#recent.get(name)?.times.pop();
  }

  #forget(now: number): void {
    for (const [name, { times }] of this.#recent)
      if ((times.at(-1) ?? 0) <= now - MINUTE_MS) this.#recent.delete(name);
  }
}
