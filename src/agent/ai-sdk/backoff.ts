/** How long to wait before a request is made again. Pure: time and randomness are passed in. */

/** How often a model is asked before Baton gives up. */
export const MAX_ATTEMPTS = 4;
/** Nobody in a chat waits longer than this. */
export const MAX_WAIT_MS = 60_000;

const FIRST_MS = 500;
const LONGEST_MS = 8_000;

/**
 * The wait after this many attempts. Half of it is random, so that requests that failed together do not return
 * together.
 */
export function backoffMs(attempts: number, chance: number): number {
  const full = Math.min(FIRST_MS * 2 ** (attempts - 1), LONGEST_MS);
  return Math.round(full * (0.5 + chance / 2));
}

/** What the server asks for: seconds, a date, or milliseconds in its own header. Null if it asks for nothing. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | null {
  const ms = Number(headers["retry-after-ms"] || Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return Math.ceil(ms);
  const written = headers["retry-after"]?.trim();
  if (!written) return null;
  if (/^\d+(?:\.\d+)?$/.test(written)) return Math.ceil(Number(written) * 1_000);
  const date = Date.parse(written);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
