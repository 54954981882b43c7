/**
 * Which times of a job have come, and which of them run. Pure: it costs the same after ten years as after a minute, because
 * only the last few missed times get a row each; those before share one.
 */
import { nextRun, type Timing } from "./schedule.js";

/** What becomes of times at which nobody could run the job. */
export const MISSED = ["latest", "skip", "all"] as const;
export type Missed = (typeof MISSED)[number];

export interface CatchUp {
  readonly missed: Missed;
  /** How late a missed time may still run. */
  readonly graceMs: number;
}

/** A time that has come. `skipped`: why it does not run. */
export interface DueTime {
  readonly at: number;
  readonly skipped: string | null;
}

export interface Due {
  /** Oldest first. */
  readonly times: readonly DueTime[];
  /** The first time that has not come; null if there is none. */
  readonly next: number | null;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A gateway that is busy or just restarting is not late. */
const ON_TIME_MS = 2 * MINUTE_MS;
/** So many missed times have a row each. */
const MOST_ROWS = 20;

/** Rare jobs make up for the last time, frequent ones wait for the next. */
export function defaultCatchUp(timing: Timing): CatchUp {
  const period = periodOf(timing);
  if (period === null || period >= 20 * HOUR_MS) return { missed: "latest", graceMs: 12 * HOUR_MS };
  if (period < HOUR_MS) return { missed: "skip", graceMs: 0 };
  return { missed: "latest", graceMs: Math.min(period / 2, 2 * HOUR_MS) };
}

/** The time between its next two runs; null if it runs once. */
function periodOf(timing: Timing): number | null {
  const first = nextRun(timing, timing.from);
  const second = first === null ? null : nextRun(timing, first);
  return first === null || second === null ? null : second - first;
}

/** `since` is the first time that nobody has decided about. */
export function dueNow(timing: Timing, catchUp: CatchUp, since: number, now: number): Due {
  const next = nextRun(timing, now);
  if (since > now) return { times: [], next: since };
  const last = lastTimes(timing, since, now);
  const times = last.map((at, index) => ({
    at,
    skipped: whySkipped(at, index === last.length - 1, catchUp, now),
  }));
  const [first] = last;
  if (first === undefined || first <= since) return { times, next };
  return { times: [{ at: since, skipped: "missed, like all times until the next one" }, ...times], next };
}

function whySkipped(at: number, isLatest: boolean, { missed, graceMs }: CatchUp, now: number): string | null {
  if (missed !== "all" && !isLatest) return "missed; only the latest time runs";
  const lateMs = now - at;
  if (lateMs <= ON_TIME_MS) return null;
  if (missed === "skip") return "missed";
  return lateMs <= graceMs ? null : "missed for too long";
}

/** The last times from `since` to `now`, oldest first. */
function lastTimes(timing: Timing, since: number, now: number): number[] {
  for (let spanMs = HOUR_MS; ; spanMs *= 4) {
    const from = Math.max(since, now - spanMs);
    const times = timesBetween(timing, from, now);
    if (from === since || times.length >= MOST_ROWS) return times.slice(-MOST_ROWS);
  }
}

function timesBetween(timing: Timing, from: number, to: number): number[] {
  const times: number[] = [];
  for (let at = nextRun(timing, from - 1); at !== null && at <= to; at = nextRun(timing, at)) times.push(at);
  return times;
}
