/** Jobs and runs as programs get them, and the options of the command line as those of a job. Times are milliseconds. */
import { join } from "node:path";
import type { SchedulerState } from "../../gateway/jobs/desk.js";
import type { Job, JobSetting, Run } from "../../schedule/job.js";
import { formatSchedule } from "../../schedule/schedule.js";
import type { ShownRun } from "../../schedule/store.js";
import { type GivenOptions, WISH_OPTIONS } from "../../schedule/wish-options.js";
import { addressOf, formatAddress } from "../../session/source.js";

/** What commander gives for the options of a job: a text, or true. */
export type JobFlags = Readonly<Record<string, unknown>>;

export function givenOptions(flags: JobFlags): GivenOptions {
  const given = WISH_OPTIONS.flatMap(({ name }) => {
    const value = flags[name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())];
    return value === undefined ? [] : [[name, value === true ? "" : String(value)] as const];
  });
  return Object.fromEntries(given);
}

export function settingFacts(setting: JobSetting, next: readonly number[]) {
  const { name, prompt, command, timing, deliver, session, model, tools, catchUp } = setting;
  const { overlap, jitterMs, timeoutMs, repeat, dailyTokens } = setting;
  return {
    name,
    prompt,
    command,
    schedule: formatSchedule(timing.schedule, timing.timeZone),
    timeZone: timing.timeZone,
    next,
    deliver,
    session,
    model,
    tools,
    missed: catchUp.missed,
    graceMs: catchUp.graceMs,
    overlap,
    jitterMs,
    timeoutMs,
    repeat,
    dailyTokens,
  };
}

export function jobFacts(job: Job, next: readonly number[]) {
  const { id, state, pausedWhy, nextAt, wakeAt, left, failures, owner, origin, createdAt } = job;
  return {
    id,
    ...settingFacts(job, next),
    state,
    pausedWhy,
    nextAt,
    wakeAt,
    left,
    failures,
    owner,
    origin: formatAddress(addressOf(origin.source)),
    createdAt,
  };
}

export function runFacts(run: ShownRun, outputDir: string) {
  const { id, scheduledFor, state, error, sessionId, madeAt, startedAt, endedAt, tokens, results } = run;
  const output = outputFile(run, outputDir);
  return { id, scheduledFor, state, error, sessionId, madeAt, startedAt, endedAt, tokens, output, results };
}

/** The whole path of the file with the result of a run; null if there is none. */
export function outputFile({ output }: Pick<Run, "output">, outputDir: string): string | null {
  return output === null ? null : join(outputDir, output);
}

export function schedulerFacts({ lookedAt, overdue }: SchedulerState, warning: string | null) {
  return { lookedAt, overdue: overdue && { id: overdue.job.id, since: overdue.since }, warning };
}
