/** `baton cron add` and `edit`: they say what was understood, with the next times; with --dry-run nothing is saved. */
import {
  madeText,
  nextWords,
  settingLines,
  unattendedWords,
  whenWords,
} from "../../gateway/jobs/describe.js";
import type { Made, Understood } from "../../gateway/jobs/desk.js";
import { HEARTBEAT, heartbeatWish } from "../../schedule/heartbeat.js";
import type { Job } from "../../schedule/job.js";
import type { JobWish } from "../../schedule/wish.js";
import { wishWith } from "../../schedule/wish-options.js";
import { BatonError } from "../../session/errors.js";
import type { SessionSource } from "../../session/source.js";
import { cleanLine } from "../../util/text.js";
import { type Cli, withJobs } from "../cli.js";
import { CliError, wrongUsage } from "../failure.js";
import type { OpenJobs } from "../opened.js";
import type { JsonOption } from "../options.js";
import { givenOptions, type JobFlags, jobFacts, settingFacts } from "./facts.js";

interface MakeOptions extends JsonOption {
  readonly dryRun?: boolean;
}

const UNQUOTED = "Is the time in quotes?";

type AddOptions = MakeOptions & JobFlags & { readonly heartbeat?: boolean };
type EditOptions = MakeOptions & JobFlags & { readonly when?: string };

export function addJob(
  cli: Cli,
  when: string | undefined,
  words: readonly string[],
  options: AddOptions,
): Promise<void> {
  const wish = wanted(when, textOf(words), options);
  return withJobs(cli, options.dryRun ? "look" : "write", async (open) => {
    const { desk, origin } = open;
    if (options.heartbeat) await refuseSecond(open);
    const understood = await desk.preview(wish, null).catch((error: unknown) => {
      const isTime = error instanceof BatonError && error.code === "invalid_schedule";
      throw isTime && words.length > 1 ? new CliError(error.code, `${UNQUOTED} ${error.message}`) : error;
    });
    if (options.dryRun) return show(cli, understood, origin.source, options);
    const made = await desk.make(wish, null, origin.source, origin);
    await say(cli, open, "Made", made, options);
  });
}

export function editJob(
  cli: Cli,
  which: string,
  words: readonly string[],
  options: EditOptions,
): Promise<void> {
  return withJobs(cli, options.dryRun ? "look" : "change", async (open) => {
    const { desk } = open;
    const job = await desk.find(null, which);
    const changes = wishWith(givenOptions(options), textOf(words), job);
    const wish = options.when === undefined ? changes : { ...changes, schedule: options.when };
    if (Object.keys(wish).length === 0)
      throw wrongUsage("Say what to change: a new text, --when, or another option.");
    if (options.dryRun) return show(cli, await desk.preview(wish, null, job), job.origin.source, options);
    await say(cli, open, "Changed", await desk.change(job, wish, null), options);
  });
}

function wanted(when: string | undefined, text: string | null, options: AddOptions): JobWish {
  const given = wishWith(givenOptions(options), text);
  if (options.heartbeat) return { ...(when === undefined ? heartbeatWish() : heartbeatWish(when)), ...given };
  if (when === undefined || text === null)
    throw wrongUsage('Say when, and what: baton cron add "every weekday at 9" "send me a digest"');
  return { ...given, schedule: when };
}

async function refuseSecond({ desk, origin }: OpenJobs): Promise<void> {
  const isTheSame = ({ name, state, origin: { key } }: Job) =>
    name === HEARTBEAT && state !== "done" && key === origin.key;
  const known = (await desk.list(null)).find(isTheSame);
  if (known)
    throw new CliError(
      "job_changed",
      `There is a heartbeat already: ${known.id}. Run \`baton cron edit ${known.id} --when "every 2h"\` to change it.`,
    );
}

function show(
  { terminal }: Cli,
  { setting, next }: Understood,
  origin: SessionSource,
  { json }: JsonOption,
): void {
  if (json) {
    terminal.json({ id: null, ...settingFacts(setting, next) });
    return;
  }
  terminal.line(`"${cleanLine(setting.name)}": ${whenWords(setting)}.`);
  terminal.line(nextWords(setting, next));
  for (const line of settingLines(setting, origin)) terminal.line(line);
  terminal.line("Nothing is saved, because of --dry-run.");
}

export async function say(
  { terminal }: Cli,
  { desk }: Pick<OpenJobs, "desk">,
  verb: string,
  made: Made,
  { json }: JsonOption,
): Promise<void> {
  const now = Date.now();
  if (json) terminal.json(jobFacts(made.job, made.next));
  else terminal.line(madeText(verb, made, now));
  const unattended = unattendedWords(await desk.scheduler(), now);
  if (unattended !== null) terminal.problem(unattended);
}

function textOf(words: readonly string[]): string | null {
  return words.length === 0 ? null : words.join(" ");
}
