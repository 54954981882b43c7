/** The arguments of the tool `schedule`: what the model is told about them, and the job that they mean. */
import { type Arguments, Refused } from "../../agent/tools/refused.js";
import { MISSED } from "../../schedule/due.js";
import { ACCEPTED_FORMS } from "../../schedule/forms.js";
import { heartbeatWish } from "../../schedule/heartbeat.js";
import { JOB_SESSIONS, OVERLAPS } from "../../schedule/job.js";
import { TARGET_FORMS } from "../../schedule/targets.js";
import type { JobWish } from "../../schedule/wish.js";

const SCHEDULE_ACTIONS = ["create", "list", "update", "pause", "resume", "run", "remove"] as const;
export type ScheduleAction = (typeof SCHEDULE_ACTIONS)[number];

const TEMPLATES = ["heartbeat"] as const;
/** All tools, in the place of a list. */
const ALL = "*";
const LONGEST_PROMPT = 20_000;
const LONGEST_LINE = 1_000;
const MOST_TOOLS = 100;

const text = (description: string) => ({ type: "string", description });
const oneOf = (words: readonly string[], description: string) => ({
  type: "string",
  enum: words,
  description,
});
const count = (description: string) => ({ type: "integer", minimum: 0, description });

/** What decides when a job runs, how often, with what, and where its result goes. */
const SETTINGS = {
  schedule: text(`When it runs. ${ACCEPTED_FORMS} Required to create a job.`),
  timeZone: text("The IANA time zone of the schedule, such as `Europe/Berlin`. By default the gateway's."),
  deliver: text(`Where the result goes; \`origin\` by default. ${TARGET_FORMS}`),
  session: oneOf(
    JOB_SESSIONS,
    "`own` (default): the runs have a conversation of their own. `origin`: they are turns of this conversation.",
  ),
  tools: {
    type: "array",
    items: { type: "string" },
    description: `The tools that its runs may use, by name; \`["${ALL}"]\` (default) for all that the person may use.`,
  },
  missed: oneOf(
    MISSED,
    "What happens to times that passed while no gateway ran: run the `latest`, `skip` them, or run `all`.",
  ),
  grace: text("How late a missed time may still run, such as `12h`."),
  overlap: oneOf(
    OVERLAPS,
    "What a time does that comes while the run before goes on: `skip` (default) or `queue`.",
  ),
  jitter: text("Delays each run by a part of this, such as `5m`; `0` by default."),
  timeout: text("How long a run may take, such as `10m`."),
  repeat: count("How many times it runs by its schedule; 0 (default) for without an end."),
  dailyTokens: count("How many tokens its runs may use in a day; 0 (default) for no limit of its own."),
} as const;

const ALL_PARAMETERS = {
  action: { type: "string", enum: SCHEDULE_ACTIONS },
  id: text(
    "The job, by its id, the beginning of it, or its name. For all actions but `create`; `list` with it shows everything about one job.",
  ),
  name: text("A short name for people. By default the beginning of the prompt."),
  prompt: text(
    "What you are asked in each run. Nobody is there then to answer questions, and you don't see this conversation: write everything that is needed. An empty text removes it.",
  ),
  command: text(
    "A shell command that runs first. Without a prompt, its output is the result. With a prompt, you are asked only if it prints something. The person has to approve it. An empty text removes it.",
  ),
  model: text("Another model for its runs. An empty text removes it."),
  template: oneOf(
    TEMPLATES,
    "For `create`: `heartbeat` looks around every hour, and speaks only if something is worth it.",
  ),
  ...SETTINGS,
} as const;

export const SCHEDULE_PARAMETERS = {
  type: "object",
  properties: ALL_PARAMETERS,
  required: ["action"],
  additionalProperties: false,
} as const;

export function scheduleAction(args: Arguments): ScheduleAction {
  const given = args.text("action", LONGEST_LINE);
  const action = SCHEDULE_ACTIONS.find((name) => name === given);
  if (!action)
    throw new Refused(`there is no action ${JSON.stringify(given)}. Use ${SCHEDULE_ACTIONS.join(", ")}.`);
  return action;
}

/** The arguments of a call that decide when its command runs, how often, with what, and where its output goes. */
export function settingsIn(args: unknown): Readonly<Record<string, unknown>> {
  const isSetting = ([name, value]: [string, unknown]): boolean =>
    Object.hasOwn(SETTINGS, name) && value !== null;
  return Object.fromEntries(Object.entries(args ?? {}).filter(isSetting));
}

export function wishIn(args: Arguments): JobWish {
  const line = (name: string): string | undefined => args.optionalText(name, LONGEST_LINE);
  const given = {
    name: line("name"),
    prompt: args.optionalText("prompt", LONGEST_PROMPT),
    command: args.optionalText("command", LONGEST_PROMPT),
    schedule: line("schedule"),
    timeZone: line("timeZone"),
    deliver: line("deliver"),
    session: line("session"),
    model: removable(line("model")?.trim(), ""),
    tools: args.has("tools") ? toolsIn(args) : undefined,
    missed: line("missed"),
    grace: line("grace"),
    overlap: line("overlap"),
    jitter: line("jitter"),
    timeout: line("timeout"),
    repeat: removable(args.optionalInteger("repeat"), 0),
    dailyTokens: removable(args.optionalInteger("dailyTokens"), 0),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** A new job: by a template, if one is named, and otherwise as the arguments say. */
export function newWishIn(args: Arguments): JobWish {
  const wish = wishIn(args);
  const template = args.optionalText("template", LONGEST_LINE);
  if (template !== undefined && !TEMPLATES.some((name) => name === template))
    throw new Refused(`there is no template ${JSON.stringify(template)}. Use ${TEMPLATES.join(", ")}.`);
  if (template !== undefined) return { ...heartbeatWish(), ...wish };
  if (wish.schedule === undefined)
    throw new Refused(`\`schedule\` is missing, and \`create\` needs it. ${ACCEPTED_FORMS}`);
  return wish;
}

function removable<Value>(given: Value | undefined, removes: Value): Value | null | undefined {
  return given === removes ? null : given;
}

function toolsIn(args: Arguments): readonly string[] | null {
  const tools = args.texts("tools", MOST_TOOLS, LONGEST_LINE);
  return tools.includes(ALL) ? null : tools;
}
