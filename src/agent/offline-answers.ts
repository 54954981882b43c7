/**
 * What the offline agent says, and how it reads messages: pure functions of the messages that it sees. Each quotes
 * people in one short line.
 */
import type { Message } from "../session/transcript.js";
import { withCommand } from "../util/command-words.js";
import { fenced } from "../util/markdown-fence.js";
import { cleanLine, shorten } from "../util/text.js";

export const NO_MODEL =
  "No model is set up yet, so I can only repeat what you said. To add one, run `baton setup`, start Ollama, or set " +
  "OPENAI_API_KEY or ANTHROPIC_API_KEY. Run `baton models` to see which one is used.";

export type Directive =
  | { readonly kind: "run"; readonly command: string; readonly isBackground: boolean }
  | { readonly kind: "schedule"; readonly wish: ScheduleWish }
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "slow"; readonly seconds: number }
  | { readonly kind: "fail" }
  | { readonly kind: "answer" };

/** A job, as the tool `schedule` takes it. */
interface ScheduleWish {
  readonly schedule: string;
  readonly prompt: string;
  readonly name?: string;
}

const MAX_SECONDS = 3_600;
const MAX_QUOTE = 120;
const MAX_OUTPUT = 2_000;

/** What the last message asks for: a person's, or the prompt of a scheduled job. */
export function directiveOf(history: readonly Message[]): Directive {
  const { text, isJob } = spokenBy(history).at(-1) ?? NOTHING;
  const words = isJob ? /^say\s+(\S[\s\S]*)$/i.exec(text)?.[1] : undefined;
  if (words) return { kind: "say", text: words };
  const [, verb, command] = /^(run|background)\s+(\S[\s\S]*)$/i.exec(text) ?? [];
  if (command) return { kind: "run", command, isBackground: verb?.toLowerCase() === "background" };
  const seconds = /^slow\s+(\d+(?:\.\d+)?)s?(?!\S)/i.exec(text)?.[1];
  if (seconds) return { kind: "slow", seconds: Math.min(Number(seconds), MAX_SECONDS) };
  return scheduled(text) ?? { kind: /^fail(?!\S)/i.test(text) ? "fail" : "answer" };
}

const REMINDER = /^remind me (\S.{0,200}?) to (\S[\s\S]*)$/i;
const AFTER_EACH =
  /^(every (?:(?:\d{1,9} ?(?:weeks?|days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|[wdhms])(?![a-z]) ?){1,4}|minute|hour)),? (?:to )?(\S[\s\S]*)$/i;
const BY_THE_CLOCK =
  /^(every [a-z][a-z\d ,]{1,80}? at (?:\d{1,2}(?:[:.]\d\d)?(?: ?[ap]m)?|noon|midnight)),? (?:to )?(\S[\s\S]*)$/i;

/** A reminder, or something that is done again and again; null if it is neither. */
function scheduled(text: string): Directive | null {
  if (/^remind me to\s/i.test(text)) return { kind: "say", text: WHEN_FIRST };
  const [, when, what] = REMINDER.exec(text) ?? [];
  if (when && what) return { kind: "schedule", wish: reminder(when, what) };
  const [, times, task] = AFTER_EACH.exec(text) ?? BY_THE_CLOCK.exec(text) ?? [];
  if (!times || !task) return null;
  const wish = /^(?:say|run)\s/i.test(task) ? { schedule: times, prompt: task } : reminder(times, task);
  return { kind: "schedule", wish };
}

function reminder(schedule: string, what: string): ScheduleWish {
  const name = `Reminder: ${what}`;
  return { schedule, prompt: `say ${name}`, name };
}

const WHEN_FIRST = "Say when first, such as “remind me in 10s to stretch”.";

/** Says that there is no model, and answers from the session. Questions of the gateway are in brackets. */
export function answer(history: readonly Message[], command: string): string {
  const noModel = withCommand(NO_MODEL, command);
  const about = noteAbout(history.at(-1));
  if (about !== null) return about;
  const spoken = spokenBy(history);
  const last = spoken.at(-1) ?? NOTHING;
  if (last.isJob)
    return last.text.includes(SILENT) ? SILENT : `${noModel}\n\nThe job asks ${quote(last.text)}.`;
  if (isAside(last.text)) {
    const said = spoken.findLast(({ text, isJob }) => !isJob && !isAside(text));
    return `I'm here. ${said ? `Last you said ${quote(said.text)}. ` : ""}${count(history)}`;
  }
  return `${noModel}\n\n${fromSession(history)}`;
}

/** Passes on a note of the gateway about a background process, with what that printed; null for any other message. */
function noteAbout(message: Message | undefined): string | null {
  if (message?.role !== "user" || !message.note) return null;
  const [, what] =
    /^\[note from Baton, not from a person: the background (process [^\n]*)\]\n/.exec(message.content) ?? [];
  if (what === undefined) return null;
  const lines = message.content.split("\n").filter((line) => line.startsWith("| "));
  const printed = lines.map((line) => line.slice(2)).join("\n");
  return `The ${what}${printed === "" ? "" : `\n\n${fenced(shorten(printed, MAX_OUTPUT))}`}`;
}

/** Reports the output of a command, and the messages that arrived meanwhile. */
export function report(outcome: string, meanwhile: readonly Message[]): string {
  const heard = meanwhile.map((message) => `\n\n${mention(message)}`);
  return `The terminal says:\n\n${fenced(shorten(outcome, MAX_OUTPUT))}${heard.join("")}`;
}

/** Says what the tool `schedule` answered, and the messages that arrived meanwhile. */
export function confirm(outcome: string, meanwhile: readonly Message[]): string {
  const said = outcome.startsWith("Error: ") ? `I can't schedule that: ${outcome.slice(7)}` : outcome;
  return [said, ...meanwhile.map(mention)].join("\n\n");
}

/** A message that came in while the turn ran. */
export function mention(message: Message): string {
  return `(Meanwhile you wrote ${quote(message.content)}.)`;
}

function fromSession(history: readonly Message[]): string {
  const spoken = spokenBy(history);
  const last = spoken.at(-1);
  if (!last) return "Nobody has written here yet.";
  if (/\bhow many messages\b/i.test(last.text)) return count(history);
  if (/\bwhat (?:did|have) I (?:just )?(?:say|said|write|written)\b/i.test(last.text)) {
    const before = spoken.slice(0, -1).filter(({ name, isJob }) => !isJob && name === last.name);
    const first = /\bfirst\b/i.test(last.text);
    const found = first ? before[0] : before.at(-1);
    if (!found) return "I see no message from you before this question.";
    return `${first ? "First" : "Last"} you said ${quote(found.text)}.`;
  }
  return `You said ${quote(last.text)}. ${count(history)}`;
}

function count(history: readonly Message[]): string {
  const of = (role: Message["role"]) => history.filter((message) => message.role === role).length;
  const [yours, mine] = [of("user"), of("assistant")];
  const others = history.length - yours - mine;
  const parts = [`${yours} from you`, `${mine} from me`, ...(others ? [`${others} from tools`] : [])];
  const noun = history.length === 1 ? "message" : "messages";
  return `I see ${history.length} ${noun} so far: ${parts.join(", ")}.`;
}

interface Spoken {
  readonly name: string;
  readonly text: string;
  /** True for the prompt of a scheduled job. */
  readonly isJob: boolean;
}

const NOTHING: Spoken = { name: "", text: "", isJob: false };

/** What a job says that has nothing to say. A job that offers it looks for something, which takes a model. */
const SILENT = "[SILENT]";
/** The note before the prompt of a job: one line. People's text that begins like it is escaped. */
const JOB_NOTE = "[note from Baton: this is the scheduled job ";

/** The messages of people, without the `[name] ` that a shared session puts in front, and the prompts of jobs. */
function spokenBy(history: readonly Message[]): Spoken[] {
  return history
    .filter((message) => message.role === "user")
    .map(({ content, name = "" }) => {
      if (content.startsWith(JOB_NOTE))
        return { name: "", text: content.slice(content.indexOf("\n") + 1).trim(), isJob: true };
      const shared = /^\s*\[([^\]\n]+)\] ([\s\S]*)$/.exec(content);
      return { name: shared?.[1] ?? name, text: (shared?.[2] ?? content).trim(), isJob: false };
    });
}

function isAside(text: string): boolean {
  return /^\[[^\]]*\]$/.test(text);
}

function quote(text: string): string {
  return `“${shorten(cleanLine(text), MAX_QUOTE)}”`;
}
