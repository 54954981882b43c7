/**
 * Reads when a job is to run, as people, agents and scripts write it. Its result depends on nothing but the text, the time and
 * the zone. A text that is not completely understood is refused: a job at the wrong time is worse than none.
 */
import { Temporal } from "temporal-polyfill";
import { InputError } from "../session/errors.js";
import { cleanLine, shorten } from "../util/text.js";
import { ACCEPTED_FORMS } from "./forms.js";
import { civilPhrase, repeatedPhrase } from "./phrases.js";
import { checkCron, nextRun, type Schedule } from "./schedule.js";
import { zonedTime } from "./words.js";

export interface Moment {
  readonly now: number;
  /** IANA. */
  readonly timeZone: string;
}

const LONGEST_TEXT = 200;
const SHORTEST_INTERVAL_MS = 60_000;
/** Ten years. */
const FURTHEST_MS = 3_653 * 86_400_000;

/** Fails with a sentence that names the accepted forms. */
export function parseSchedule(written: string, moment: Moment): Schedule {
  const text = written.trim().replace(/\s+/g, " ");
  if (text === "" || text.length > LONGEST_TEXT) throw unreadable(text, moment);
  const schedule = read(text, moment);
  if (schedule === null) throw unreadable(text, moment);
  return schedule;
}

function read(text: string, moment: Moment): Schedule | null {
  return interval(text) ?? cron(text, moment) ?? once(text, moment);
}

/** True for "tomorrow" and "every day", but not for "one day". */
function lacksTime(text: string, moment: Moment): boolean {
  if (text === "" || text.length > LONGEST_TEXT || /^(?:an?|one|the) /i.test(text)) return false;
  try {
    return read(`${text} at 23:59`, moment) !== null;
  } catch {
    return false;
  }
}

function interval(text: string): Schedule | null {
  const everyMs = spanIn(text, /^every /i);
  if (everyMs === null) return null;
  if (everyMs < SHORTEST_INTERVAL_MS) throw refused("The shortest interval is one minute.");
  if (everyMs > FURTHEST_MS) throw refused("The longest interval is ten years.");
  return { kind: "every", everyMs };
}

const NICKNAMES: ReadonlyMap<string, string> = new Map([
  ["@hourly", "0 * * * *"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@weekly", "0 0 * * 0"],
  ["@monthly", "0 0 1 * *"],
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
]);

/** Minute and hour have no names, so no sentence of five words is taken for a cron line. */
const CRON = /^[\d*,/-]+ [\d*,/-]+(?: [\da-z*,/#?-]+){3}$/i;

function cron(text: string, moment: Moment): Schedule | null {
  const expression = CRON.test(text) ? text : (NICKNAMES.get(text.toLowerCase()) ?? repeatedPhrase(text));
  if (expression === null) return null;
  const schedule = { kind: "cron", expression } as const;
  try {
    checkCron(expression, moment.timeZone);
  } catch (error) {
    const why = (error as Error).message
      .replace(/^CronPattern: /, "")
      .replace("dayOfWeek", "day of the week");
    throw refused(
      `The cron line \`${cleanLine(expression)}\` can't be used: ${why.replace(/\.?$/, ".")}`,
      error,
    );
  }
  if (nextRun({ schedule, timeZone: moment.timeZone, from: moment.now }, moment.now) === null)
    throw refused(`No date fits the cron line \`${cleanLine(expression)}\`.`);
  return schedule;
}

function once(text: string, { now, timeZone }: Moment): Schedule | null {
  const spanMs = spanIn(text, /^(?:in )?/i);
  const at =
    spanMs === null ? (isoTime(text, timeZone) ?? civilPhrase(text, { now, timeZone })) : now + spanMs;
  if (at === null) return null;
  if (at <= now)
    throw refused(`That time is in the past: it is now ${zonedTime(now, timeZone)} (${timeZone}).`);
  if (at > now + FURTHEST_MS) throw refused("That time is more than ten years from now.");
  return { kind: "once", at };
}

/** With an offset, or else in the zone: in a gap of the clock the time after it, in a fold the first one. */
function isoTime(text: string, timeZone: string): number | null {
  if (!/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/i.test(text)) return null;
  try {
    if (/(?:z|[+-]\d\d:?\d\d)$/i.test(text)) return Temporal.Instant.from(text).epochMilliseconds;
    return Temporal.PlainDateTime.from(text).toZonedDateTime(timeZone).epochMilliseconds;
  } catch {
    return null;
  }
}

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const PART =
  /(\d{1,9}) ?(w|weeks?|d|days?|h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?)(?![a-z])(?: and |,? )?/giy;

/** `30m`, `1h30m`, `2 hours and 5 minutes` in milliseconds; null if it is none of these. */
export function parseSpan(text: string): number | null {
  return spanIn(text.trim(), /^/);
}

/** `30m`, `1h30m`, `2 hours and 5 minutes`, `hour`: the whole text after the beginning; null if it is none of these. */
function spanIn(text: string, beginning: RegExp): number | null {
  const start = beginning.exec(text)?.[0].length;
  if (start === undefined) return null;
  const rest = text.slice(start);
  if (start > 0 && /^(?:minute|hour)$/i.test(rest)) return UNIT_MS[rest.charAt(0).toLowerCase()] ?? null;
  let ms = 0;
  PART.lastIndex = 0;
  while (PART.lastIndex < rest.length) {
    const found = PART.exec(rest);
    if (!found) return null;
    ms += Number(found[1]) * (UNIT_MS[(found[2] ?? "").charAt(0).toLowerCase()] ?? 0);
  }
  return rest === "" ? null : ms;
}

function unreadable(text: string, moment: Moment): InputError {
  const shown = JSON.stringify(shorten(cleanLine(text), 80));
  const why = lacksTime(text, moment)
    ? `${shown} has no time of day.`
    : `Baton can't read ${shown} as a time.`;
  return refused(`${why} ${ACCEPTED_FORMS}`);
}

function refused(sentence: string, cause?: unknown): InputError {
  return new InputError("invalid_schedule", sentence, { cause });
}
