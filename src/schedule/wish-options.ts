/** The options of a job as people write them, the same in a chat and at the command line. */
import { InputError } from "../session/errors.js";
import type { Missed } from "./due.js";
import type { JobSession, Overlap } from "./job.js";
import type { JobWish } from "./wish.js";

export interface WishOption {
  /** Without its dashes. */
  readonly name: string;
  /** What its value is called in the help; null if it takes none. */
  readonly value: string | null;
  readonly choices?: readonly string[];
  readonly description: string;
}

export const WISH_OPTIONS = [
  {
    name: "deliver",
    value: "places",
    description:
      "where the result goes: origin (the chat of the job), local (only a file), all (every home channel), a platform, the name of a home channel, an address, or several of these with commas",
  },
  { name: "name", value: "name", description: "what to call the job" },
  { name: "zone", value: "zone", description: "its time zone, such as Europe/Berlin" },
  {
    name: "session",
    value: "session",
    choices: ["own", "origin"] satisfies readonly JobSession[],
    description: "run it in a session of its own, or in the conversation where it was made",
  },
  { name: "command", value: null, description: "the text is a shell command, and its output is the result" },
  {
    name: "if",
    value: "command",
    description: "wake the agent only if this shell command prints something; off to always wake it",
  },
  {
    name: "missed",
    value: "what",
    choices: ["latest", "skip", "all"] satisfies readonly Missed[],
    description: "what to do with times at which no gateway ran: run the latest one, skip them, or run all",
  },
  { name: "grace", value: "time", description: "how late a missed time may still run, such as 12h" },
  {
    name: "overlap",
    value: "what",
    choices: ["skip", "queue"] satisfies readonly Overlap[],
    description: "if the run before is not over: skip this time, or queue it",
  },
  {
    name: "jitter",
    value: "time",
    description: "run each time later by up to this, so that many jobs do not start at once",
  },
  { name: "timeout", value: "time", description: "stop a run that takes longer, such as 30m" },
  { name: "repeat", value: "count", description: "how many times it runs by its schedule; off for no end" },
  { name: "model", value: "model", description: "the model that answers; default for the usual one" },
  { name: "tools", value: "names", description: "the only tools that it may use, with commas; all for all" },
  {
    name: "daily-tokens",
    value: "count",
    description: "how many tokens its runs may use in a day; off for no limit",
  },
] as const satisfies readonly WishOption[];

export type WishOptionName = (typeof WISH_OPTIONS)[number]["name"];

/** A value for each option that was given; an option without a value has "". */
export type GivenOptions = Readonly<Partial<Record<WishOptionName, string>>>;

/**
 * The options as a wish, without its times. `text` is what the job does: a prompt, or a command if `--command` says so, or
 * if the job has only a command so far.
 */
export function wishWith(
  options: GivenOptions,
  text: string | null,
  before?: { readonly prompt: string | null; readonly command: string | null },
): JobWish {
  if (options.command !== undefined && options.if !== undefined)
    throw refused("`--command` and `--if` can't be used together: with `--if` the text is for the agent.");
  if (options.command !== undefined && text === null) throw refused("Say which command the job runs.");
  const hasOnlyCommand = before !== undefined && before.prompt === null;
  const isCommand = options.command !== undefined || (hasOnlyCommand && options.if === undefined);
  const { name, deliver, zone, session, missed, grace, overlap, jitter, timeout } = options;
  return {
    ...present({ name, deliver, timeZone: zone, session, missed, grace, overlap, jitter, timeout }),
    ...present({
      command: map(options.if, (value) => unless("off", value)),
      model: map(options.model, (value) => unless("default", value)),
      tools: map(options.tools, listed),
      repeat: map(options.repeat, (value) => count("repeat", value)),
      dailyTokens: map(options["daily-tokens"], (value) => count("daily-tokens", value)),
    }),
    ...(text === null ? {} : isCommand ? { command: text, prompt: null } : { prompt: text }),
  };
}

type GivenOnly<Given> = { [Key in keyof Given]?: Exclude<Given[Key], undefined> };

/** Without what was not given. */
function present<Given extends object>(given: Given): GivenOnly<Given> {
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as GivenOnly<Given>;
}

function map<Value>(given: string | undefined, read: (value: string) => Value): Value | undefined {
  return given === undefined ? undefined : read(given);
}

function unless(word: string, value: string): string | null {
  return value.toLowerCase() === word ? null : value;
}

function listed(value: string): string[] | null {
  if (value.toLowerCase() === "all") return null;
  return value
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function count(name: WishOptionName, value: string): number | null {
  if (value.toLowerCase() === "off") return null;
  if (/^\d{1,12}$/.test(value) && Number(value) > 0) return Number(value);
  throw refused(`\`--${name}\` takes a whole number of at least 1, or \`off\`.`);
}

function refused(why: string): InputError {
  return new InputError("invalid_job", why);
}
