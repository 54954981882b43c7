/** How the rules about danger read the words of a command: options, operands, places. */
import { whySensitive } from "./sensitive-places.js";
import { UNKNOWN } from "./shell-text.js";
import type { Word } from "./shell-words.js";

/** What a rule may ask about the rest of the command line. */
export interface Look {
  /** The shell has changed to another folder, where relative paths matter. */
  readonly isElsewhere: boolean;
  /** The command's input text, as far as it is known. */
  readonly input: string;
  /** True if its input is what somebody types while it runs. */
  readonly getsInput: boolean;
  /** True if it prints on a terminal into which somebody types while it runs. */
  readonly onTerminal: boolean;
  /** True if a path is outside the folders in which the agent works; never if those are unknown. */
  readonly isOutside: (path: string) => boolean;
  /** The danger of a command line. */
  readonly script: (text: string) => string | null;
  /** The danger of a command given as words, which may run in another folder. */
  readonly words: (words: readonly Word[], goesElsewhere?: boolean) => string | null;
}

export type Rule = (args: readonly Word[], look: Look) => string | null;

export function has(args: readonly Word[], pattern: RegExp): boolean {
  return args.some(({ text }) => pattern.test(text));
}

export function joined(args: readonly Word[]): string {
  return args.map(({ text }) => text).join(" ");
}

export function first(args: readonly Word[], reason: (word: Word) => string | null): string | null {
  for (const word of args) {
    const found = reason(word);
    if (found) return found;
  }
  return null;
}

export function isUnknown(word: Word): boolean {
  return word.isFed || word.text.includes(UNKNOWN);
}

/** The words that are not options; everything after `--`. */
export function operands(args: readonly Word[]): readonly Word[] {
  const end = args.findIndex(({ text }) => text === "--");
  const before = (end < 0 ? args : args.slice(0, end)).filter(({ text }) => !/^-./.test(text));
  return end < 0 ? before : [...before, ...args.slice(end + 1)];
}

export function isRecursive(args: readonly Word[]): boolean {
  return has(args, /^-[a-zA-Z]*[rR]|^--r|^--no-preserve-root$/);
}

export function sensitiveTarget(args: readonly Word[]): string | null {
  return first(args, ({ text }) => whySensitive(text));
}

/** True if a word, or the value in `name=value`, is a place where a write matters. */
export function sensitiveValue(args: readonly Word[]): string | null {
  return first(args, ({ text }) => whySensitive(text.replace(/^-{0,2}[\w-]*=/, "")));
}

/** `/`, a home folder or its parts, upwards, everything here: more than a part of the working folder. */
export function isBroad({ text, isPattern }: Word, look: Look): boolean {
  const path = text
    .replace(/\/{2,}/g, "/")
    .replace(/(?:\/\.)+(?=\/|$)/g, "")
    .replace(/^(?:\.\/)+(?=.)/, "");
  if (path.includes(UNKNOWN) || /(?:^|\/)\.\.(?:\/|$)/.test(path)) return true;
  if (path.startsWith("/")) return !/^\/(?:var\/)?tmp\/[^/*?[]/.test(path);
  if (path.startsWith("~") || look.isElsewhere) return true;
  if (/(?:^|\/)\.git\/?$/.test(path)) return true;
  if (isPattern && /[!@?+*]\(/.test(path)) return true;
  const shape = isPattern ? path.replace(/\[[^\]]*\]/g, "*").replace(/[*?]/g, "") : path;
  return /^[./]*$/.test(shape);
}
