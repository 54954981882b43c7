/** When the next line to a platform is tried: the one rule for all of them. */
import { backoff, type Pauses } from "../util/backoff.js";

/** How the last line ended. */
export interface LineEnd {
  /** How long it could be used; 0 if it never could. */
  readonly lastedMs: number;
  /** What the platform asked to wait; 0 if it asked for another line at once. */
  readonly retryAfterMs: number | undefined;
}

const PAUSES: Pauses = { firstMs: 100, longestMs: 60_000 };
/** A line that lasted so long was a good one: the next failure counts as the first. */
const LASTED_MS = 30_000;
/** A platform that asks again and again for another line at once is not well. */
const MOST_AT_ONCE = 3;
/** Up to this part of a pause is left out, so that many gateways do not come back in the same moment. */
const JITTER = 0.2;

/** How many lines in a row did not last, this one included. */
export function failuresAfter(before: number, { lastedMs }: LineEnd): number {
  return lastedMs >= LASTED_MS ? 1 : before + 1;
}

/** `random`: from 0 to 1. */
export function pauseAfter(failures: number, { retryAfterMs }: LineEnd, random: number): number {
  if (retryAfterMs !== undefined && (retryAfterMs > 0 || failures <= MOST_AT_ONCE)) return retryAfterMs;
  return backoff(failures, PAUSES) * (1 - JITTER * random);
}
