/**
 * What a command line means: a command, or a question to the agent. `baton "why is the sky blue"` asks it; `baton sesions`
 * is a typing mistake, and must not become a message that somebody pays for. Pure.
 */
import { nearest } from "../util/nearest.js";
import type { Verb } from "./verb.js";

/** Words that people try as commands because other programs have them. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  ...["start", "stop", "restart", "run", "init", "login", "logout", "install", "uninstall", "update"],
  ...["upgrade", "version", "info", "test"],
]);

const OWN_OPTIONS: ReadonlySet<string> = new Set(["-h", "--help", "-V", "--version"]);

export type MeantLine =
  | { readonly kind: "command"; readonly words: readonly string[] }
  /** A single word that is more likely a command than a message; `instead` is the command, if one is known. */
  | { readonly kind: "doubtful"; readonly word: string; readonly instead: string | null };

/** The words as the command table reads them: a question becomes `chat` with the words of the question. */
export function meantLine(words: readonly string[], verbs: readonly Verb[]): MeantLine {
  const [first, ...rest] = words;
  const names = verbs.map(({ name }) => name);
  const asChat: MeantLine = { kind: "command", words: ["chat", ...words] };
  const asTyped: MeantLine = { kind: "command", words };
  if (first === undefined) return asChat;
  if (OWN_OPTIONS.has(first) || first === "help" || names.includes(first)) return asTyped;
  if (/^[-/]/.test(first) || /\s/.test(first)) return asChat; // `/handoff` is a command of the chat.
  if (isMistyped(first, names)) return asTyped; // The command table says what was meant.
  if (rest.some((word) => !word.startsWith("-"))) return asChat;
  const instead = verbs.find(({ verbs: below = [] }) => below.some(({ name }) => name === first));
  if (instead) return { kind: "doubtful", word: first, instead: `${instead.name} ${first}` };
  return ELSEWHERE.has(first.toLowerCase()) ? { kind: "doubtful", word: first, instead: null } : asChat;
}

/** In short words one other letter makes another word: "what" is no mistyped "chat". */
function isMistyped(word: string, names: readonly string[]): boolean {
  const meant = nearest(word, names);
  return meant !== null && (word.length > 4 || meant[0] === word[0]?.toLowerCase());
}
