/**
 * The tool `schedule`: with it the agent makes, changes and removes scheduled jobs. It reaches only the jobs that the turn's
 * person may see here. What holds:
 * - a command runs by a schedule only if the person has approved it, with that schedule and that place for its output;
 * - only a person's request makes, changes or starts a job: so no job makes others without end.
 * An error says what to do instead.
 */
import type { Danger, Tool, ToolContext } from "../../agent/agent.js";
import { argumentLines } from "../../agent/argument-lines.js";
import { Arguments, answering, Refused } from "../../agent/tools/refused.js";
import { ACCEPTED_FORMS } from "../../schedule/forms.js";
import type { Job } from "../../schedule/job.js";
import { formatSpan } from "../../schedule/schedule.js";
import { TARGET_FORMS } from "../../schedule/targets.js";
import { BatonError, type ErrorCode } from "../../session/errors.js";
import type { Clock } from "../../util/clock.js";
import { cleanLine, printableText, shorten } from "../../util/text.js";
import { counted } from "../../util/words.js";
import type { Who } from "../authorize.js";
import type { InboxItem } from "../store.js";
import { madeText, runWords, stateWords, whenWords } from "./describe.js";
import type { JobAsker, JobDesk } from "./desk.js";
import {
  newWishIn,
  SCHEDULE_PARAMETERS,
  type ScheduleAction,
  scheduleAction,
  settingsIn,
  wishIn,
} from "./schedule-arguments.js";
import { jobName } from "./words.js";

export interface ScheduleToolSetting {
  readonly desk: JobDesk;
  readonly who: Who;
  /** The message that the turn answers. */
  readonly item: InboxItem;
  readonly clock: Clock;
}

/** A call, as it was made and as it is read. */
interface ScheduleCall {
  readonly setting: ScheduleToolSetting;
  readonly asker: JobAsker;
  readonly action: ScheduleAction;
  readonly given: unknown;
  readonly args: Arguments;
}

const MOST_LISTED = 100;
const MOST_RUNS = 5;
const MOST_SHOWN = 4_000;

export function scheduleTool(setting: ScheduleToolSetting): Tool {
  return {
    name: "schedule",
    description: DESCRIPTION,
    parameters: SCHEDULE_PARAMETERS,
    danger: (given) => dangerToAsk(setting, given),
    run: (given, context) => answering((args) => run(setting, given, args, context))(given, context),
  };
}

const DESCRIPTION = [
  "Manages scheduled jobs and reminders: things that you do, or that a command does, at a time or again and again. The result is sent to this chat or elsewhere, and people can answer it.",
  "Actions: `create` makes one and says when it runs next; `list` shows the jobs of this person, or with `id` one of them with its last runs;",
  "`update` changes what you give and leaves the rest; `pause` stops it for now and `resume` lets it go on; `run` runs it once now; `remove` deletes it.",
].join(" ");

async function run(
  setting: ScheduleToolSetting,
  given: unknown,
  args: Arguments,
  context: ToolContext,
): Promise<string> {
  try {
    return await act(callOf(setting, given, args), context);
  } catch (error) {
    if (error instanceof BatonError) throw new Refused(withForms(error));
    throw error;
  }
}

function callOf(setting: ScheduleToolSetting, given: unknown, args: Arguments): ScheduleCall {
  const { who } = setting;
  const action = scheduleAction(args);
  if (!FROM_JOBS.includes(action) && setting.item.inBackground) throw new Refused(NOBODY_ASKED);
  // Where the person is seen: for a job's own session, the chat in which the job was made.
  return { setting, asker: { who, source: who.source }, action, given, args };
}

/** What a turn may do that no person asked for just now. */
const FROM_JOBS: readonly ScheduleAction[] = ["list", "pause", "remove"];
const NOBODY_ASKED =
  "no person asked for this turn, and only a person's request can make, change or start jobs. Say in your answer what you would do.";

/** What can be written in the place of something that was refused. */
const FORMS: Partial<Record<ErrorCode, string>> = {
  invalid_schedule: ACCEPTED_FORMS,
  invalid_target: TARGET_FORMS,
};

function withForms({ code, message }: BatonError): string {
  const forms = FORMS[code] ?? "";
  return message.includes(forms) ? message : `${message} ${forms}`;
}

async function act(call: ScheduleCall, context: ToolContext): Promise<string> {
  const { setting, asker, action, args } = call;
  const { desk, clock } = setting;
  if (action === "create") return create(call, context);
  if (action === "list" && !args.has("id")) return list(await desk.list(asker), clock());
  const job = await meant(call);
  switch (action) {
    case "list":
      return shown(job, await desk.runs(job, MOST_RUNS), clock());
    case "update":
      mustBeApproved(dangerOfChange(call, job), context);
      return madeText("Changed", await desk.change(job, wishIn(args), asker), clock());
    case "pause":
      await desk.pause(job);
      return `Paused the job ${jobName(job)}. It does not run until it is resumed.`;
    case "resume":
      mustBeApproved(dangerOfResuming(job), context);
      return madeText("Resumed", await desk.resume(job), clock());
    case "run":
      mustBeApproved(dangerOfRunning(job), context);
      await desk.runNow(job);
      return `The job ${jobName(job)} runs now, beside its schedule. Its result goes to ${cleanLine(job.deliver)}, not to you.`;
    case "remove":
      await desk.remove(job);
      return `Removed the job ${jobName(job)}.`;
    default:
      return action satisfies never;
  }
}

async function create(call: ScheduleCall, context: ToolContext): Promise<string> {
  const { setting, asker, args } = call;
  const { desk, item, clock } = setting;
  const wish = newWishIn(args);
  await desk.preview(wish, asker);
  mustBeApproved(dangerOfNew(call), context);
  const { key, source, account } = item;
  return madeText("Made", await desk.make(wish, asker, item.by ?? source, { key, source, account }), clock());
}

async function meant({ setting, asker, action, args }: ScheduleCall): Promise<Job> {
  const given = args.optionalText("id", 200);
  if (given !== undefined) return setting.desk.find(asker, given);
  const ids = (await setting.desk.list(asker)).map(jobName);
  const known =
    ids.length === 0 ? "There are no jobs." : `Give one of ${ids.slice(0, MOST_LISTED).join(", ")}.`;
  throw new Refused(`\`id\` is missing, and \`${action}\` needs it. ${known}`);
}

function list(jobs: readonly Job[], now: number): string {
  if (jobs.length === 0) return "There are no jobs.";
  const lines = jobs.slice(-MOST_LISTED).map((job) => jobLine(job, now));
  const left = jobs.length - lines.length;
  const more = left > 0 ? ` (the ${left} oldest are left out)` : "";
  return [`${counted(jobs.length, "job")}, oldest first${more}:`, ...lines].join("\n");
}

function jobLine(job: Job, now: number): string {
  return `${jobName(job)}: ${whenWords(job)}; ${stateWords(job, now)}; result to ${cleanLine(job.deliver)}`;
}

function shown(job: Job, runs: Awaited<ReturnType<JobDesk["runs"]>>, now: number): string {
  const { prompt, command, model, tools, catchUp, left, dailyTokens, spent, jitterMs } = job;
  const lines: readonly (readonly [string, string | null])[] = [
    ["Prompt", prompt && shorten(printableText(prompt), MOST_SHOWN)],
    ["Command", command && shorten(printableText(command), MOST_SHOWN)],
    ["Session", job.session],
    ["Model", model && cleanLine(model)],
    ["Tools", tools && (cleanLine(tools.join(", ")) || "none")],
    ["Missed times", `${catchUp.missed}, at most ${formatSpan(catchUp.graceMs) || "0"} late`],
    ["Overlap", job.overlap],
    ["Jitter", jitterMs > 0 ? formatSpan(jitterMs) : null],
    ["Timeout", formatSpan(job.timeoutMs)],
    ["Runs left", left === null ? null : String(left)],
    ["Tokens a day", dailyTokens === null ? null : `${dailyTokens} (${spent.tokens} used on ${spent.day})`],
  ];
  const last = runs.map((one) => `- ${runWords(one, job)}`);
  return [
    jobLine(job, now),
    ...lines.flatMap(([name, words]) => (words === null ? [] : [`${name}: ${words}`])),
    ...(last.length === 0 ? ["It has not run yet."] : ["Last runs:", ...last]),
  ].join("\n");
}

/** What the person is asked before the call. A call that is refused anyway is not asked about. */
async function dangerToAsk(setting: ScheduleToolSetting, given: unknown): Promise<Danger | null> {
  try {
    const call = callOf(setting, given, new Arguments(given));
    const { asker, action, args } = call;
    if (action === "create") {
      const danger = dangerOfNew(call);
      if (danger) await setting.desk.preview(newWishIn(args), asker);
      return danger;
    }
    if (action === "update") return dangerOfChange(call, await meant(call));
    if (action === "resume") return dangerOfResuming(await meant(call));
    return action === "run" ? dangerOfRunning(await meant(call)) : null;
  } catch (error) {
    if (error instanceof BatonError || error instanceof Refused) return null;
    throw error;
  }
}

const BY_SCHEDULE = "runs a command by a schedule, without asking again";

function dangerOfNew({ given, args }: ScheduleCall): Danger | null {
  const { command } = newWishIn(args);
  return command ? { reason: BY_SCHEDULE, what: whatRuns("A new job", given, command) } : null;
}

/** If it has a command, the person has approved that with what is changed here. */
function dangerOfChange({ given, args }: ScheduleCall, job: Job): Danger | null {
  const wish = wishIn(args);
  const command = wish.command ?? job.command;
  const isBare = job.prompt !== null && wish.prompt?.trim() === ""; // Its output is sent then, and not shown to the agent.
  const isOther = isBare || wish.command !== undefined || Object.keys(settingsIn(given)).length > 0;
  if (!command || !isOther) return null;
  const now = `The job ${jobName(job)}, until now ${whenWords(job)}, result to ${cleanLine(job.deliver)}`;
  const bare = isBare ? "\nwithout its prompt: the output of the command is the result" : "";
  return { reason: BY_SCHEDULE, what: whatRuns(`${now}${bare}`, given, command) };
}

/** The person, or Baton, has stopped it. */
function dangerOfResuming(job: Job): Danger | null {
  if (job.command === null || job.state !== "paused") return null;
  const which = `The job ${jobName(job)}, paused until now: ${whenWords(job)}, result to ${cleanLine(job.deliver)}`;
  return { reason: BY_SCHEDULE, what: whatRuns(which, {}, job.command) };
}

function dangerOfRunning(job: Job): Danger | null {
  if (job.command === null) return null;
  return {
    reason: "runs the command of a scheduled job now",
    what: whatRuns(`The job ${jobName(job)}, result to ${cleanLine(job.deliver)}`, {}, job.command),
  };
}

/** The command is last, so nothing in it can look like something else. */
function whatRuns(which: string, given: unknown, command: string): string {
  return [which, ...argumentLines(settingsIn(given)), "command:", command].join("\n");
}

/** The job may have become another since the person was asked. */
function mustBeApproved(danger: Danger | null, { approved }: ToolContext): void {
  if (danger !== null && danger.what !== approved?.what)
    throw new Refused("nothing was done, because the job is another one than was approved. Try again.");
}
