/** A moment as people write it: a day, a time of a day, or how long ago. */
import { firstInstant } from "./civil-time.js";

/** What people can write, for the end of a sentence. */
export const MOMENT_FORMS = "2026-01-31, 2026-01-31T10:00, or how long ago: 30m, 2h, 7d, 4w";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const UNITS: Readonly<Record<string, number>> = {
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
};

/** `30m`, `2h`, `7d`, `4w` in milliseconds; null for anything else. */
export function parseDuration(text: string): number | null {
  const [, count, unit = ""] = /^(\d{1,6})([mhdw])$/.exec(text.trim().toLowerCase()) ?? [];
  const ms = Number(count) * (UNITS[unit] ?? Number.NaN);
  return ms > 0 ? ms : null;
}

export function isMoment(text: string): boolean {
  return parseDuration(text) !== null || civilOf(text) !== null;
}

/** In milliseconds; a day begins when it does in that zone. Null for anything else. */
export async function momentIn(text: string, timeZone: string, now: number): Promise<number | null> {
  const ago = parseDuration(text);
  if (ago !== null) return now - ago;
  const civil = civilOf(text);
  if (civil === null) return null;
  const { Temporal } = await import("temporal-polyfill");
  const wanted = Temporal.PlainDateTime.from(civil);
  // A day that the zone skipped begins with the next.
  return firstInstant(wanted, timeZone) ?? wanted.toZonedDateTime(timeZone).epochMilliseconds;
}

/** `2026-01-31T10:00`, if there is such a time in the calendar. */
function civilOf(text: string): string | null {
  const [, day, time = "00:00"] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d))?$/.exec(text.trim()) ?? [];
  const civil = `${day}T${time}`;
  const at = new Date(`${civil}:00Z`);
  return Number.isNaN(at.getTime()) || !at.toISOString().startsWith(civil) ? null : civil;
}
