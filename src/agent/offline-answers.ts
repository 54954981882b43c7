/**
 * What the offline agent says, and how it reads messages: pure functions of the messages that it sees. Each quotes
 * people in one short line.
 */
import type { Message } from "../session/transcript.js";
import { fenced } from "../util/markdown-fence.js";
import { cleanLine, shorten } from "../util/text.js";

export const NO_MODEL =
  "No model is set up yet, so I can only repeat what you said. To add one, start Ollama, set OPENAI_API_KEY, " +
  "ANTHROPIC_API_KEY or OLLAMA_HOST, or set `agent.provider` in config.yaml. Run `baton models` to see which one is used.";

export type Directive =
  | { readonly kind: "run"; readonly command: string; readonly isBackground: boolean }
  | { readonly kind: "slow"; readonly seconds: number }
  | { readonly kind: "fail" }
  | { readonly kind: "answer" };

const MAX_SECONDS = 3_600;
const MAX_QUOTE = 120;
const MAX_OUTPUT = 2_000;

/** What the last message of a person asks for. */
export function directiveOf(history: readonly Message[]): Directive {
  const text = spokenBy(history).at(-1)?.text ?? "";
  const [, verb, command] = /^(run|background)\s+(\S[\s\S]*)$/i.exec(text) ?? [];
  if (command) return { kind: "run", command, isBackground: verb?.toLowerCase() === "background" };
  const seconds = /^slow\s+(\d+(?:\.\d+)?)s?(?!\S)/i.exec(text)?.[1];
  if (seconds) return { kind: "slow", seconds: Math.min(Number(seconds), MAX_SECONDS) };
  return { kind: /^fail(?!\S)/i.test(text) ? "fail" : "answer" };
}

/** Says that there is no model, and answers from the session. Questions of the gateway are in brackets. */
export function answer(history: readonly Message[]): string {
  const about = noteAbout(history.at(-1));
  if (about !== null) return about;
  const spoken = spokenBy(history);
  if (isAside(spoken.at(-1)?.text)) {
    const said = spoken.findLast(({ text }) => !isAside(text));
    return `I'm here. ${said ? `Last you said ${quote(said.text)}. ` : ""}${count(history)}`;
  }
  return `${NO_MODEL}\n\n${fromSession(history)}`;
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
    const before = spoken.slice(0, -1).filter(({ name }) => name === last.name);
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

/** The messages of people, without the `[name] ` that a shared session puts in front. */
function spokenBy(history: readonly Message[]): { name: string; text: string }[] {
  return history
    .filter((message) => message.role === "user")
    .map(({ content, name = "" }) => {
      const shared = /^\s*\[([^\]\n]+)\] ([\s\S]*)$/.exec(content);
      return { name: shared?.[1] ?? name, text: (shared?.[2] ?? content).trim() };
    });
}

function isAside(text: string | undefined): boolean {
  return text !== undefined && /^\[[^\]]*\]$/.test(text);
}

function quote(text: string): string {
  return `“${shorten(cleanLine(text), MAX_QUOTE)}”`;
}
