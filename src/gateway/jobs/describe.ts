/** Jobs and their runs in a few words, the same in a chat, at the command line and for the agent. */
import { defaultCatchUp } from "../../schedule/due.js";
import type { Job, JobSetting, ResultState, Run, RunResult } from "../../schedule/job.js";
import { formatSchedule, formatSpan } from "../../schedule/schedule.js";
import type { ShownRun } from "../../schedule/store.js";
import { parseTargets } from "../../schedule/targets.js";
import { cronWords, zonedTime } from "../../schedule/words.js";
import type { SessionSource } from "../../session/source.js";
import { cleanLine, shorten } from "../../util/text.js";
import { durationWords, grouped, relativeTime } from "../../util/words.js";
import { placeWords } from "../place-words.js";
import type { Made, SchedulerState } from "./desk.js";
import { jobName } from "./words.js";

/** A scheduler that works looks every minute, and writes that down every half minute. */
const UNATTENDED_MS = 180_000;
const LONGEST_COMMAND = 100;
const START = "Start `baton gateway`, or open a chat with `baton`.";

/** `every weekday at 09:00 (Europe/Berlin)`. */
export function whenWords({ timing: { schedule, timeZone } }: Pick<JobSetting, "timing">): string {
  const when =
    schedule.kind === "once"
      ? `once, ${zonedTime(schedule.at, timeZone)}`
      : schedule.kind === "cron"
        ? cronWords(schedule.expression)
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
  if (job.timing.schedule.kind === "once") return relativeTime(job.wakeAt, now); // Its time is its schedule.
  return `next ${timeWords(job.wakeAt, job, now)}`;
}

/** What the person is told who made, changed or resumed it. */
export function madeText(verb: string, { job, next }: Made, now: number): string {
  const times = job.state === "active" ? nextWords(job, next) : `It is ${stateWords(job, now)}.`;
  return [
    `${verb} the job ${jobName(job)}: ${whenWords(job)}.`,
    times,
    ...settingLines(job, job.origin.source),
  ].join("\n");
}

/** `Next: Wed 18 Nov 2026 09:00; Thu 19 Nov 2026 09:00.` */
export function nextWords({ timing }: Pick<JobSetting, "timing">, next: readonly number[]): string {
  if (next.length === 0) return "It has no more times.";
  return `Next: ${next.map((at) => zonedTime(at, timing.timeZone)).join("; ")}.`;
}

/** Where its result goes, and what is not as usual. */
export function settingLines(setting: JobSetting, origin: SessionSource): string[] {
  const unusual = optionWords(setting);
  return [
    `Its result goes to ${deliverWords(setting, origin)}.`,
    ...(unusual.length === 0 ? [] : [`Options: ${unusual.join("; ")}.`]),
  ];
}

/** `Telegram, DM with Ann` for the chat of the job; the other places as the job names them. */
export function deliverWords({ deliver }: Pick<JobSetting, "deliver">, origin: SessionSource): string {
  const words = parseTargets(deliver).map(({ kind, word }) => {
    if (kind === "origin") return placeWords(origin);
    if (kind === "place") return cleanLine(word);
    return kind === "all" ? "every home channel" : "a file";
  });
  return words.join("; ");
}

function optionWords(setting: JobSetting): string[] {
  const { prompt, command, session, model, tools, repeat, overlap, jitterMs, dailyTokens, catchUp } = setting;
  const { missed, graceMs } = catchUp;
  const usual = defaultCatchUp(setting.timing);
  const isUsual = missed === usual.missed && (missed === "skip" || graceMs === usual.graceMs);
  const grace = missed === "skip" ? "" : ` (up to ${formatSpan(graceMs) || "0m"} late)`;
  return [
    ...(prompt === null || command === null ? [] : [`only if this prints something: ${shown(command)}`]),
    ...(session === "own" ? [] : ["in the conversation where it was made"]),
    ...(repeat === null ? [] : [`runs ${repeat === 1 ? "once" : `${grouped(repeat)} times`}`]),
    ...(model === null ? [] : [`model ${cleanLine(model)}`]),
    ...(tools === null
      ? []
      : [tools.length === 0 ? "no tools" : `only the tools ${tools.map(cleanLine).join(", ")}`]),
    ...(dailyTokens === null ? [] : [`at most ${grouped(dailyTokens)} tokens a day`]),
    ...(isUsual ? [] : [`missed times: ${missed}${grace}`]),
    ...(overlap === "skip" ? [] : ["waits if the run before is not over"]),
    ...(jitterMs === 0 ? [] : [`up to ${formatSpan(jitterMs)} later`]),
  ];
}

/** What it does: its prompt, or its command. */
export function workWords({ prompt, command }: Pick<JobSetting, "prompt" | "command">): string {
  return prompt === null ? shown(command ?? "") : cleanLine(prompt);
}

function shown(command: string): string {
  return `\`${shorten(cleanLine(command), LONGEST_COMMAND)}\``;
}

/** One line about a run. */
export function runWords(run: ShownRun, job: Pick<Job, "timing">): string {
  const tokens = run.tokens === 0 ? [] : [`${grouped(run.tokens)} tokens`];
  const parts = [runState(run), ...tokens, ...run.results.map(resultWords)];
  return `${runTime(run, job)}: ${parts.join("; ")}`;
}

/** `Tue 17 Nov 2026 09:00`. */
export function runTime({ scheduledFor, madeAt }: Run, { timing }: Pick<Job, "timing">): string {
  const at = zonedTime(scheduledFor ?? madeAt, timing.timeZone);
  return scheduledFor === null ? `${at} (on request)` : at;
}

/** `done`, `failed: The model timed out.` */
export function runState({ state, error }: Pick<Run, "state" | "error">): string {
  const words = {
    due: "waits to begin",
    ended: "its result is about to be sent",
    silent: "had nothing to say",
  };
  const known: string = state in words ? words[state as keyof typeof words] : state;
  return error === null ? known : `${known}: ${cleanLine(error)}`;
}

const RESULT_WORDS: Readonly<Record<ResultState, string>> = {
  waiting: "waits to be sent",
  sent: "sent",
  unknown: "may have arrived",
  failed: "failed",
  said: "said there",
  kept: "saved as a file",
};

/** `telegram: sent`. */
export function resultWords({ target, state, error }: RunResult): string {
  const words = `${cleanLine(target)}: ${RESULT_WORDS[state]}`;
  return error === null ? words : `${words}: ${cleanLine(error)}`;
}

/** What is wrong with the scheduler, as sentences; null if it does its work, or has none. Only some may see the job. */
export function lateWords(
  { lookedAt, overdue }: SchedulerState,
  now: number,
  isShown: (job: Job) => boolean = () => true,
): string | null {
  if (overdue === null) return null;
  const { job, since } = overdue;
  const which = isShown(job) ? `the job ${jobName(job)}` : "a job";
  return `Late: ${which} has waited since ${zonedTime(since, job.timing.timeZone)}, for ${durationWords(now - since)}. ${lookedWords(lookedAt, now)}`;
}

/** The same while jobs wait for their time; null if a gateway looks after them. */
export function unattendedWords({ lookedAt }: SchedulerState, now: number): string | null {
  const isAttended = lookedAt !== null && Math.abs(now - lookedAt) < UNATTENDED_MS;
  return isAttended ? null : lookedWords(lookedAt, now);
}

/** What the operator is warned of; null if all is well. */
export function jobsWarning(jobs: readonly Job[], state: SchedulerState, now: number): string | null {
  const isAwaited = jobs.some(({ state: is, wakeAt }) => is === "active" && wakeAt !== null);
  return lateWords(state, now) ?? (isAwaited ? unattendedWords(state, now) : null);
}

function lookedWords(lookedAt: number | null, now: number): string {
  if (lookedAt === null) return `No gateway has run jobs yet. ${START}`;
  const when = relativeTime(lookedAt, now);
  return Math.abs(now - lookedAt) < UNATTENDED_MS
    ? `A gateway last looked at the jobs ${when}. Run \`baton logs\` to see why.`
    : `Nothing runs the jobs now: a gateway last looked at them ${when}. ${START}`;
}

/** `2 more jobs are done. To see them, send /cron all.` */
export function doneWords(count: number, how: string): string {
  return count === 1
    ? `1 more job is done. To see it, ${how}.`
    : `${grouped(count)} more jobs are done. To see them, ${how}.`;
}

/** `3 active, next "digest" (j_4f1c) Wed 18 Nov 2026 09:00, in 14 h`; null if none is active. */
export function activeWords(jobs: readonly Job[], now: number): string | null {
  const active = jobs.filter(({ state }) => state === "active");
  if (active.length === 0) return null;
  const [first] = active
    .filter(({ wakeAt }) => wakeAt !== null)
    .sort((one, other) => (one.wakeAt ?? 0) - (other.wakeAt ?? 0));
  const count = `${grouped(active.length)} active`;
  if (!first || first.wakeAt === null) return count;
  if (first.wakeAt <= now) return `${count}, ${jobName(first)} due ${relativeTime(first.wakeAt, now)}`;
  return `${count}, next ${jobName(first)} ${timeWords(first.wakeAt, first, now)}`;
}

/** `Wed 18 Nov 2026 09:00, in 14 h`. */
function timeWords(at: number, { timing }: Pick<Job, "timing">, now: number): string {
  return `${zonedTime(at, timing.timeZone)}, ${relativeTime(at, now)}`;
}
