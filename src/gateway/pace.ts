/**
 * Counts events of the last minute, by name. In memory: a restart starts again, and changes of the clock do not matter.
 */
const MINUTE_MS = 60_000;
/** If there are more names than this, those that were not used for a minute are dropped. */
const MOST_NAMES = 1_000;

/** `first`: the first refusal since an event was last allowed. */
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

  /** The last event does not count: it comes again. */
  takeBack(name: string): void {
    this.#recent.get(name)?.times.pop();
  }

  #forget(now: number): void {
    for (const [name, { times }] of this.#recent)
      if ((times.at(-1) ?? 0) <= now - MINUTE_MS) this.#recent.delete(name);
  }
}
