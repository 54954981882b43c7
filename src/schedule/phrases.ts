/** Times in plain words: "every monday at 8:30" as a cron line, and "tomorrow at 9" as an instant. */
import { parse } from "chrono-node/en";
import { Temporal } from "temporal-polyfill";

const DAYS: ReadonlyMap<string, string> = new Map([
  ["day", "*"],
  ["days", "*"],
  ["weekday", "1-5"],
  ["weekdays", "1-5"],
  ["weekend", "0,6"],
  ["weekends", "0,6"],
]);
const WEEK = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

const REPEATED = /^(?:every|each|on) (.+?),? (?:at )?([\d:.]+(?: ?[ap]m)?|noon|midnight)$/i;
const DAILY = /^(daily|weekdays|weekends) (?:at )?([\d:.]+(?: ?[ap]m)?|noon|midnight)$/i;
const MONTHLY = /^(?:month on the|month on|month,? the) (\d{1,2})(?:st|nd|rd|th)?$/i;

/** A cron line; null if it is another text. */
export function repeatedPhrase(text: string): string | null {
  const [, words = "", clock = ""] = REPEATED.exec(text) ?? DAILY.exec(text) ?? [];
  const time = clockTime(clock);
  if (time === null || (/^on /i.test(text) && !/s$/i.test(words))) return null; // "on monday at 9" is once.
  const day = MONTHLY.exec(words)?.[1];
  if (day !== undefined) return `${time} ${Number(day)} * *`;
  const days = daysOf(words.toLowerCase() === "daily" ? "day" : words);
  return days === null ? null : `${time} * * ${days}`;
}

/** `30 8` for half past eight. */
function clockTime(text: string): string | null {
  if (/^noon$/i.test(text)) return "0 12";
  if (/^midnight$/i.test(text)) return "0 0";
  const [, hours, minutes = "0", half] = /^(\d{1,2})(?:[:.](\d\d))?(?: ?([ap])m)?$/i.exec(text) ?? [];
  if (hours === undefined) return null;
  const hour = Number(hours);
  if (Number(minutes) > 59 || hour > (half ? 12 : 23) || (half && hour === 0)) return null;
  if (!half) return `${Number(minutes)} ${hour}`;
  return `${Number(minutes)} ${(hour % 12) + (half.toLowerCase() === "p" ? 12 : 0)}`;
}

/** `1,4` for "monday and thursday". */
function daysOf(words: string): string | null {
  const names = words.toLowerCase().split(/,? and |, ?| /);
  const known = DAYS.get(names[0] ?? "");
  if (names.length === 1 && known) return known;
  const days = names.map((name) => WEEK.findIndex((day) => isDay(day, name)));
  return days.includes(-1) ? null : [...new Set(days)].sort().join(",");
}

/** `monday`, `mondays`, `mon`. */
function isDay(day: string, name: string): boolean {
  return name === day || name === `${day}s` || (name.length >= 3 && day.startsWith(name));
}

/** The instant of a date and time in words, in the zone; null if it is another text, or has no time. */
export function civilPhrase(
  text: string,
  { now, timeZone }: { readonly now: number; readonly timeZone: string },
): number | null {
  const here = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone);
  const reference = { instant: new Date(now), timezone: here.offsetNanoseconds / 60e9 };
  const [found, ...more] = parse(text, reference, { forwardDate: true });
  if (!found || more.length > 0 || found.end || !isWhole(text, found)) return null;
  const { start } = found;
  if (!start.isCertain("hour")) return null;
  if (start.isCertain("timezoneOffset")) return start.date().getTime();
  const civil = {
    year: start.get("year") ?? 0,
    month: start.get("month") ?? 0,
    day: start.get("day") ?? 0,
    hour: start.get("hour") ?? 0,
    minute: start.get("minute") ?? 0,
    second: start.get("second") ?? 0,
  };
  return Temporal.PlainDateTime.from(civil).toZonedDateTime(timeZone).epochMilliseconds;
}

/** Nothing but a word like "at" is left over. */
function isWhole(text: string, found: { readonly index: number; readonly text: string }): boolean {
  const before = text.slice(0, found.index).trim().toLowerCase();
  const after = text.slice(found.index + found.text.length).trim();
  return after === "" && ["", "at", "on", "once", "this"].includes(before);
}
