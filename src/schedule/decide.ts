/** What a look at a job decides. Pure. */
import { createHash } from "node:crypto";
import type { JobId } from "../session/ids.js";
import { type DueTime, dueNow } from "./due.js";
import type { Job, JobSetting } from "./job.js";
import { nextRun } from "./schedule.js";
import type { JobClock } from "./store.js";

export interface JobDecision extends JobClock {
  /** The times that have come, each with a run from now on. Oldest first. */
  readonly times: readonly DueTime[];
  /** How many more runs there may be; null without an end. */
  readonly left: number | null;
}

const ENOUGH = "it has run as often as it was to";
/** After so many failed runs in a row it is paused. */
export const MOST_FAILURES = 5;
/** How long it waits after the second failure, and after each one more. */
const BACK_OFF_MS = [10, 60, 360].map((minutes) => minutes * 60_000);

/** The clock of a job that was just made, changed or resumed. */
export function clockFrom(
  id: JobId,
  { timing, jitterMs }: Pick<JobSetting, "timing" | "jitterMs">,
  now: number,
): JobClock {
  return withJitter(id, jitterMs, nextRun(timing, now));
}

/** The clock of a job after the time was set back: a time that has come, and nobody has decided about, stays. */
export function clockSetBack({ id, jitterMs, timing, nextAt }: Job, now: number): JobClock {
  const isDue = nextAt !== null && nextAt <= now;
  return withJitter(id, jitterMs, isDue ? nextAt : nextRun(timing, now));
}

/** The job's next time must have been decided about by nobody. */
export function decide(job: Job, now: number): JobDecision {
  const { id, jitterMs, timing, catchUp, nextAt, left } = job;
  if (nextAt === null) return { times: [], left, nextAt: null, wakeAt: null };
  const due = dueNow(timing, catchUp, nextAt, now - jitterOf(id, jitterMs));
  let rest = left ?? Number.POSITIVE_INFINITY;
  const times = due.times.map((time) => {
    if (time.skipped !== null) return time;
    if (rest <= 0) return { ...time, skipped: ENOUGH };
    rest -= 1;
    return time;
  });
  const isOver = rest <= 0;
  return {
    times,
    left: left === null ? null : rest,
    ...(isOver ? { nextAt: null, wakeAt: null } : withJitter(id, jitterMs, due.next)),
  };
}

/** Until when a job waits whose run has failed; null if it need not wait. */
export function backOff(failures: number, now: number): number | null {
  const pauseMs = BACK_OFF_MS[Math.min(failures - 2, BACK_OFF_MS.length - 1)];
  return failures < 2 || pauseMs === undefined ? null : now + pauseMs;
}

function withJitter(id: JobId, jitterMs: number, nextAt: number | null): JobClock {
  return { nextAt, wakeAt: nextAt === null ? null : nextAt + jitterOf(id, jitterMs) };
}

/** Always the same for a job: so its times stay as far apart as its schedule says. */
function jitterOf(id: JobId, jitterMs: number): number {
  if (jitterMs === 0) return 0;
  return createHash("sha256").update(id).digest().readUInt32BE(0) % jitterMs;
}
