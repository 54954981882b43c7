/**
 * Reads what follows `/cron add` and `/cron edit`: `every weekday at 9 --deliver ops: send me a digest`. A colon with a
 * space, or the end of a line, ends the time. Options stand before it, or after the text. Pure.
 */
import {
  type GivenOptions,
  WISH_OPTIONS,
  type WishOption,
  type WishOptionName,
} from "../../schedule/wish-options.js";
import { InputError } from "../../session/errors.js";
import { didYouMean } from "../../util/nearest.js";
import { cleanLine, shorten } from "../../util/text.js";

export interface CronWords {
  /** The words before the colon. If there is no colon, all of them. */
  readonly before: string;
  /** The text after the colon; null if there is no colon. */
  readonly after: string | null;
  readonly options: GivenOptions;
}

/** Phones turn two dashes into one long one. */
const OPTION = /^(?:--|—|–)([a-z][a-z-]*)(?=[=:\s]|$)/i;
const QUOTES: Readonly<Record<string, string>> = { '"': '"', "'": "'", "“": "”", "‘": "’", "`": "`" };

/** Fails with a sentence if an option is not known, or has no value. */
export function readCronWords(text: string): CronWords {
  const head = new Scanner(text);
  head.read();
  const before = unquoted(head.words.join(" "));
  if (!head.isSplit) return { before, after: null, options: head.options };
  const rest = text.slice(head.at).trim();
  // A command is left as it is: its options are its own.
  const { body, options } =
    head.options.command === undefined ? withoutOptions(rest) : { body: rest, options: {} };
  return { before, after: body, options: { ...head.options, ...options } };
}

/** The first word, or what is in quotes there, and the rest. */
export function firstWord(text: string): { readonly word: string; readonly rest: string } {
  const scanner = new Scanner(text);
  const word = scanner.next() ?? "";
  return { word: unquoted(word), rest: text.slice(scanner.at).trim() };
}

/** Without the quotes around all of it. */
export function unquoted(text: string): string {
  const close = QUOTES[text.charAt(0)];
  const isQuoted = close !== undefined && text.length > 1 && text.indexOf(close, 1) === text.length - 1;
  return isQuoted ? text.slice(1, -1).trim() : text;
}

function withoutOptions(text: string): { readonly body: string; readonly options: GivenOptions } {
  const starts = [...text.matchAll(/(?:^|\s)(?=(?:--|—)([a-z-]+))/g)];
  const first = starts.find(([, name]) => optionNamed(name ?? "") !== undefined);
  if (!first) return { body: text, options: {} };
  const end = new Scanner(text.slice(first.index));
  end.read();
  if (end.isSplit || end.words.length > 0)
    throw refused(
      "Write the options before the colon, or at the end of the text. Put quotes around a value of several words.",
    );
  return { body: text.slice(0, first.index).trimEnd(), options: end.options };
}

/** Goes through words and options until the colon. */
class Scanner {
  readonly #text: string;
  /** As they are written. */
  readonly words: string[] = [];
  readonly options: Partial<Record<WishOptionName, string>> = {};
  at = 0;
  /** True if it met the colon; then the text begins at `at`. */
  isSplit = false;

  constructor(text: string) {
    this.#text = text;
  }

  read(): void {
    while (!this.isSplit && this.#skipSpace()) {
      const [whole = "", name] = OPTION.exec(this.#rest) ?? [];
      if (name === undefined) {
        const word = this.next();
        if (word) this.words.push(word);
      } else {
        this.at += whole.length;
        this.#option(name.toLowerCase());
      }
    }
  }

  /** The next word or quoted text, as it is written; null at the end. */
  next(): string | null {
    if (!this.#skipSpace()) return null;
    const close = QUOTES[this.#text.charAt(this.at)];
    const end = close === undefined ? -1 : this.#text.indexOf(close, this.at + 1);
    const found = end < 0 ? (/^\S+/.exec(this.#rest)?.[0] ?? "") : this.#text.slice(this.at, end + 1);
    this.at += found.length;
    if (end < 0 && found.endsWith(":")) {
      this.isSplit = true;
      return found.slice(0, -1);
    }
    if (end >= 0 && /^:(?:\s|$)/.test(this.#rest)) {
      this.isSplit = true;
      this.at += 1;
    }
    return found;
  }

  #option(name: string): void {
    const known = optionNamed(name);
    if (!known) {
      const names = WISH_OPTIONS.map((option) => option.name);
      throw refused(
        `There is no option --${shorten(cleanLine(name), 40)}.${didYouMean(name, names)} These are known: ${names.map((each) => `--${each}`).join(", ")}.`,
      );
    }
    if (known.value === null) {
      this.options[known.name] = "";
      return;
    }
    if (this.#rest.startsWith("=")) this.at += 1;
    const value = OPTION.test(this.#rest.trimStart()) ? "" : unquoted(this.next() ?? "");
    if (value === "") throw refused(`--${known.name} needs a value: \`--${known.name} <${known.value}>\`.`);
    this.options[known.name] = value;
  }

  get #rest(): string {
    return this.#text.slice(this.at);
  }

  /** False at the end, and at the end of a line, which splits if something came before it. */
  #skipSpace(): boolean {
    const isStart = this.at === 0;
    const space = /^\s*/.exec(this.#rest)?.[0] ?? "";
    this.at += space.length;
    if (!isStart && space.includes("\n")) this.isSplit = true;
    return !this.isSplit && this.at < this.#text.length;
  }
}

function optionNamed(name: string): (WishOption & { readonly name: WishOptionName }) | undefined {
  return WISH_OPTIONS.find((option) => option.name === name);
}

function refused(why: string): InputError {
  return new InputError("invalid_job", why);
}
