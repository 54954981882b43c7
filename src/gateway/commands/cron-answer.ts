/** What `/cron` answers. It loads what reads and writes times, so it is loaded with the first use. */

import { ACCEPTED_FORMS } from "../../schedule/forms.js";
import { HEARTBEAT, heartbeatWish } from "../../schedule/heartbeat.js";
import type { Job } from "../../schedule/job.js";
import type { JobWish } from "../../schedule/wish.js";
import { wishWith } from "../../schedule/wish-options.js";
import { ConflictError } from "../../session/errors.js";
import { didYouMean } from "../../util/nearest.js";
import { cleanLine, shorten } from "../../util/text.js";
import {
  activeWords,
  doneWords,
  lateWords,
  madeText,
  runWords,
  stateWords,
  unattendedWords,
  whenWords,
  workWords,
} from "../jobs/describe.js";
import type { JobAsker, JobDesk } from "../jobs/desk.js";
import { jobName } from "../jobs/words.js";
import type { CommandCall } from "./commands.js";
import { firstWord, readCronWords, unquoted } from "./cron-words.js";

const NONE =
  "You have no scheduled jobs here. To make one, send `/cron add every weekday at 9: send me a digest`.";
const USAGE = [
  "- `/cron` lists your jobs, and `/cron all` also those that are done",
  "- `/cron add <when>: <what>` makes a job",
  "- `/cron edit <job> <when>: <what>` changes it",
  "- `/cron pause <job>` and `/cron resume <job>` pause it and go on with it",
  "- `/cron run <job>` runs it now, and `/cron runs <job>` shows its last runs",
  "- `/cron remove <job>` removes it",
  "- `/cron heartbeat` makes a job that looks around every hour",
  "",
  "`<job>` is its id, the start of its id, or its name. Send `/help cron` for times and options.",
].join("\n");
const HOW_TO_ADD = `Write when, a colon, and what: \`/cron add every weekday at 9: send me a digest\`. ${ACCEPTED_FORMS}`;
const SHOWN_RUNS = 10;

/** One use of the command: the desk, the person who asks, and the time. */
interface Desk {
  readonly desk: JobDesk;
  readonly asker: JobAsker;
  readonly call: CommandCall;
  readonly now: number;
}

export async function cronAnswer(desk: JobDesk, call: CommandCall, now: number): Promise<string> {
  const [, word = "", rest = ""] = /^(\S*)\s*(.*)$/s.exec(call.words) ?? [];
  const verb = Object.hasOwn(VERBS, word.toLowerCase()) ? VERBS[word.toLowerCase()] : undefined;
  if (!verb) return `${unknownVerb(word)}${USAGE}`;
  return verb({ desk, asker: askerOf(call), call, now }, rest.trim());
}

const VERBS: Readonly<Record<string, (desk: Desk, rest: string) => Promise<string>>> = {
  "": (desk) => list(desk, ({ state }) => state !== "done"),
  list: (desk) => list(desk, ({ state }) => state !== "done"),
  all: (desk) => list(desk, () => true),
  add,
  edit,
  pause: withJob(async ({ desk }, job) => {
    await desk.pause(job);
    return `Paused the job ${jobName(job)}. To go on with it, send \`/cron resume ${job.id}\`.`;
  }),
  resume: withJob(async ({ desk, now }, job) => madeText("Resumed", await desk.resume(job), now)),
  run: withJob(async ({ desk, now }, job) => {
    await desk.runNow(job);
    const unattended = unattendedWords(await desk.scheduler(), now);
    if (unattended === null) return `The job ${jobName(job)} runs now.`;
    return `The job ${jobName(job)} runs as soon as a gateway or a chat is open. ${unattended}`;
  }),
  remove: withJob(async ({ desk }, job) => {
    await desk.remove(job);
    return `Removed the job ${jobName(job)}.`;
  }),
  runs: withJob(runs),
  heartbeat,
};

function unknownVerb(word: string): string {
  if (word.toLowerCase() === "help") return "";
  const hint = didYouMean(word.toLowerCase(), Object.keys(VERBS));
  return `There is no \`/cron ${shorten(cleanLine(word), 40)}\`.${hint}\n\n`;
}

/** Lines for `/status`: none if the person has no jobs here, and nothing is late that concerns them. */
export async function statusLines(desk: JobDesk, call: CommandCall, now: number): Promise<string[]> {
  const jobs = await desk.list(askerOf(call));
  const active = activeWords(jobs, now);
  if (active === null && call.who.role !== "owner") return [];
  const late = await lateLine({ desk, now }, jobs);
  return [...(active === null ? [] : [`Jobs: ${active} (see /cron).`]), ...late];
}

async function list({ desk, asker, now }: Desk, isWanted: (job: Job) => boolean): Promise<string> {
  const jobs = await desk.list(asker);
  const wanted = jobs.filter(isWanted);
  const hidden = jobs.length - wanted.length;
  const done = hidden === 0 ? [] : [doneWords(hidden, "send `/cron all`")];
  if (wanted.length === 0) return [NONE, ...done].join("\n");
  const lines = wanted.map((job) => `- ${jobName(job)}: ${whenWords(job)}; ${stateWords(job, now)}`);
  const rest = [...done, ...(await lateLine({ desk, now }, jobs))];
  return [...lines, ...(rest.length === 0 ? [] : ["", ...rest])].join("\n");
}

/** Nobody learns of the jobs of others. */
async function lateLine({ desk, now }: Pick<Desk, "desk" | "now">, shown: readonly Job[]): Promise<string[]> {
  const late = lateWords(await desk.scheduler(), now, ({ id }) => shown.some((job) => job.id === id));
  return late === null ? [] : [late];
}

async function add({ call, ...desk }: Desk, rest: string): Promise<string> {
  const { before, after, options } = readCronWords(rest);
  if (before === "" || after === null || after === "") return HOW_TO_ADD;
  return make({ call, ...desk }, { ...wishWith(options, after), schedule: before });
}

async function heartbeat(desk: Desk, schedule: string): Promise<string> {
  const jobs = await desk.desk.list(desk.asker);
  const known = jobs.find(({ name, state }) => name === HEARTBEAT && state !== "done");
  if (known)
    throw new ConflictError(
      "job_changed",
      `You have the job ${jobName(known)} already: ${whenWords(known)}. To change it, send \`/cron edit ${known.id} every 2h:\`. To end it, send \`/cron remove ${known.id}\`.`,
    );
  return make(desk, schedule === "" ? heartbeatWish() : heartbeatWish(schedule));
}

async function make({ desk, asker, call: { item }, now }: Desk, wish: JobWish): Promise<string> {
  const { key, source, account } = item;
  const made = await desk.make(wish, asker, item.by ?? source, { key, source, account });
  const unattended = unattendedWords(await desk.scheduler(), now);
  return [madeText("Made", made, now), ...(unattended === null ? [] : [unattended])].join("\n");
}

async function edit({ desk, asker, now }: Desk, rest: string): Promise<string> {
  const { word, rest: changes } = firstWord(rest);
  if (word === "") return USAGE;
  const job = await desk.find(asker, word);
  const { before, after, options } = readCronWords(changes);
  const text = (after === null ? before : after) || null;
  const wish = wishWith(options, text, job);
  const schedule = after === null ? "" : before;
  if (schedule === "" && Object.keys(wish).length === 0)
    return `Say what to change: \`/cron edit ${job.id} every day at 8:\` for another time, \`/cron edit ${job.id} another text\`, or an option such as \`--deliver\`.`;
  const changed = await desk.change(job, schedule === "" ? wish : { ...wish, schedule }, asker);
  return madeText("Changed", changed, now);
}

async function runs({ desk, now }: Desk, job: Job): Promise<string> {
  const found = await desk.runs(job, SHOWN_RUNS);
  const lines = found.map((run) => `- ${runWords(run, job)}`);
  return [
    `${jobName(job)}: ${whenWords(job)}; ${stateWords(job, now)}.`,
    `What it does: ${workWords(job)}`,
    ...(lines.length === 0 ? ["It has not run yet."] : ["The last runs:", ...lines]),
  ].join("\n");
}

function withJob(
  act: (desk: Desk, job: Job) => Promise<string>,
): (desk: Desk, rest: string) => Promise<string> {
  return async (desk, rest) => {
    const which = unquoted(rest);
    if (which === "") return `Say which job: its id or its name. Send /cron to list them.`;
    return act(desk, await desk.desk.find(desk.asker, cleanLine(which)));
  };
}

function askerOf({ who, item }: CommandCall): JobAsker {
  return { who, source: item.source };
}
