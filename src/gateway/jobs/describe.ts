/** Jobs and their runs in a few words, the same in a chat, at the command line and for the agent. */
import type { Job, Run, RunResult } from "../../schedule/job.js";
import { formatSchedule } from "../../schedule/schedule.js";
import type { ShownRun } from "../../schedule/store.js";
import { zonedTime } from "../../schedule/words.js";
import { cleanLine } from "../../util/text.js";
import { durationWords, relativeTime } from "../../util/words.js";
import type { Made, SchedulerState } from "./desk.js";
import { jobName } from "./words.js";

/** `0 9 * * 1-5 (Europe/Berlin)`. */
export function whenWords({ timing: { schedule, timeZone } }: Pick<Job, "timing">): string {
  const when =
    schedule.kind === "once"
      ? `once, ${zonedTime(schedule.at, timeZone)}`
      : formatSchedule(schedule, timeZone);
  return `${when} (${timeZone})`;
}

/** When it runs next, or why it does not. */
export function stateWords(job: Job, now: number): string {
  if (job.state === "done") return "done";
  if (job.state === "paused")
    return job.pausedWhy === null ? "paused" : `paused: ${cleanLine(job.pausedWhy)}`;
  if (job.wakeAt === null) return "no more times";
  if (job.wakeAt <= now) return `due ${relativeTime(job.wakeAt, now)}`;
  return `next ${zonedTime(job.wakeAt, job.timing.timeZone)}, in ${durationWords(job.wakeAt - now)}`;
}

/** What the person is told who made, changed or resumed it. */
export function madeText(verb: string, { job, next }: Made, now: number): string {
  const { timeZone } = job.timing;
  const [first, ...more] = next.map((at) => zonedTime(at, timeZone));
  const times = first === undefined ? "It has no more times." : `Next: ${[first, ...more].join("; ")}.`;
  const state = job.state === "active" ? times : `It is ${stateWords(job, now)}.`;
  return `${verb} the job ${jobName(job)}: ${whenWords(job)}. ${state} Its result goes to ${cleanLine(job.deliver)}.`;
}

/** One line about a run. */
export function runWords(run: ShownRun, { timing }: Pick<Job, "timing">): string {
  const when =
    run.scheduledFor === null
      ? `asked for ${zonedTime(run.madeAt, timing.timeZone)}`
      : zonedTime(run.scheduledFor, timing.timeZone);
  return [`${when}: ${runState(run)}`, ...run.results.map(resultWords)].join("; ");
}

function runState({ state, error }: Run): string {
  return error === null ? state : `${state} (${cleanLine(error)})`;
}

function resultWords({ target, state, error }: RunResult): string {
  return `${cleanLine(target)} ${error === null ? state : `${state} (${cleanLine(error)})`}`;
}

/** What is wrong with the scheduler, as a sentence; null if it does its work, or has none. */
export function lateWords({ lookedAt, overdue }: SchedulerState, now: number): string | null {
  if (overdue === null) return null;
  const looked =
    lookedAt === null
      ? "No gateway has run jobs yet"
      : `Jobs were last looked at ${relativeTime(lookedAt, now)}`;
  return `Late: the job ${jobName(overdue.job)} has waited since ${zonedTime(overdue.since, overdue.job.timing.timeZone)}, for ${durationWords(now - overdue.since)}. ${looked}. Is \`baton gateway\` running?`;
}
