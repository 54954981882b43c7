/** Times and durations as people write and read them. */

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

/** `2026-11-15 05:13` in that time zone. */
export function timeIn(timeZone: string, at: number): string {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(at);
  const part = (type: string) => parts.find((found) => found.type === type)?.value ?? "";
  return `${part("year")}-${part("month")}-${part("day")} ${part("hour")}:${part("minute")}`;
}
