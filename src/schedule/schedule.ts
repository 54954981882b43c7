/**
 * When a job runs: once, at an interval, or by the clock and calendar of a zone. Pure. What holds:
 * - a daily job runs once in every civil day: if the clock skips its time, at the first instant after the gap; if the clock
 *   shows its time twice, at the first of the two;
 * - `formatSchedule` writes what `parseSchedule` reads back as the same schedule.
 */
import { Cron } from "croner";
import { Temporal } from "temporal-polyfill";
import { firstInstant } from "../util/civil-time.js";

/** Times are milliseconds UTC. */
export type Schedule =
  | { readonly kind: "once"; readonly at: number }
  | { readonly kind: "every"; readonly everyMs: number }
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  | { readonly kind: "cron"; readonly expression: string };

export interface Timing {
  readonly schedule: Schedule;
  /** IANA. */
  readonly timeZone: string;
  /** Intervals are counted from here. */
  readonly from: number;
}

/** The first time after this one; null if there is none. */
export function nextRun({ schedule, timeZone, from }: Timing, after: number): number | null {
  switch (schedule.kind) {
    case "once":
      return schedule.at > after ? schedule.at : null;
    case "every": {
      const passed = Math.max(0, Math.floor((after - from) / schedule.everyMs));
      return from + (passed + 1) * schedule.everyMs;
    }
    case "cron":
      return nextByCron(schedule.expression, timeZone, after);
    default:
      return schedule satisfies never;
  }
}

function nextByCron(expression: string, timeZone: string, after: number): number | null {
  const found = cronOf(expression, timeZone).nextRun(new Date(after))?.getTime() ?? null;
  if (found === null || !TIME_OF_DAY.test(expression)) return found;
  const [here, there] = [after, found].map((at) =>
    Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone),
  ) as [Temporal.ZonedDateTime, Temporal.ZonedDateTime];
  if (found - after <= STEADY_MS && here.offsetNanoseconds === there.offsetNanoseconds) return found;
  const cutOff = timeCutOff(expression, here);
  return cutOff !== null && cutOff > after && cutOff < found ? cutOff : found;
}

/** The only expressions whose time the library does not leave out if the clock skips it. */
const TIME_OF_DAY = /^\d+ \d+ /;
/** No clock changes twice within this time. */
const STEADY_MS = 2 * 86_400_000;

/** Where the clock skips the end of a day, as from 23:00 to midnight, the library leaves out that day's time. */
function timeCutOff(expression: string, here: Temporal.ZonedDateTime): number | null {
  const shown = here.toPlainDateTime().toZonedDateTime("UTC").epochMilliseconds;
  const next = cronOf(expression, "UTC").nextRun(new Date(shown));
  if (!next) return null;
  const wanted = Temporal.Instant.fromEpochMilliseconds(next.getTime()).toZonedDateTimeISO("UTC");
  return firstInstant(wanted.toPlainDateTime(), here.timeZoneId);
}

/** The next times, at most so many. */
export function nextRuns(timing: Timing, after: number, most: number): number[] {
  const runs: number[] = [];
  for (let at = nextRun(timing, after); at !== null && runs.length < most; at = nextRun(timing, at))
    runs.push(at);
  return runs;
}

/** So many are kept, because it takes a while to read one. */
const MOST_KEPT = 500;
const kept = new Map<string, Cron>();

/** Fails if it is no expression of five fields. */
export function checkCron(expression: string, timeZone: string): void {
  cronOf(expression, timeZone);
}

function cronOf(expression: string, timeZone: string): Cron {
  const name = `${expression} ${timeZone}`;
  const cron = kept.get(name) ?? new Cron(expression, { timezone: timeZone, mode: "5-part", paused: true });
  kept.delete(name);
  kept.set(name, cron); // The last one is the one that was used last.
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  return cron;
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;

/** `30m`, `every 1h30m`, `0 9 * * 1-5`, `2026-11-18T09:00:00+01:00`. */
export function formatSchedule(schedule: Schedule, timeZone: string): string {
  switch (schedule.kind) {
    case "once":
      return Temporal.Instant.fromEpochMilliseconds(schedule.at).toZonedDateTimeISO(timeZone).toString({
        timeZoneName: "never",
      });
    case "every":
      return `every ${formatSpan(schedule.everyMs)}`;
    case "cron":
      return schedule.expression;
    default:
      return schedule satisfies never;
  }
}

/** `1d12h`, `90m` as `1h30m`. */
export function formatSpan(ms: number): string {
  let rest = ms;
  let text = "";
  for (const [unit, unitMs] of UNITS) {
    const count = Math.floor(rest / unitMs);
    rest -= count * unitMs;
    if (count > 0) text += `${count}${unit}`;
  }
  return text;
}
