/**
 * Colours in code: comments, strings, numbers and keywords. It goes over each line once, from left to right, and knows
 * only what a line leaves open for the next one; so a line that was printed never changes. Code in a language that is not
 * known has one colour.
 */
import { type Brackets, type CodeLanguage, codeLanguage } from "./code-languages.js";
import { type ScreenSpan, type ScreenStyle, span } from "./style.js";

/** A longer line is no code that somebody reads: it stays plain. */
const LONGEST_LINE = 4_000;

const PLAIN: ScreenStyle = {};
const UNKNOWN: ScreenStyle = { color: "cyan" };
const COMMENT: ScreenStyle = { dim: true };
const STRING: ScreenStyle = { color: "green" };
const NUMBER: ScreenStyle = { color: "yellow" };
const KEYWORD: ScreenStyle = { color: "magenta" };
const DIFF: Readonly<Record<string, ScreenStyle>> = {
  "+": { color: "green" },
  "-": { color: "red" },
  "@": { color: "cyan" },
};
const DIFFS: readonly string[] = ["diff", "patch"];

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const DIGITS = /\d[\w.]*/y;
const GAP = /\s+/y;

/** What a line leaves open: it goes on in this style until `close`. */
interface OpenPart {
  readonly close: string;
  readonly style: ScreenStyle;
}

/** The code of one fence, line by line. */
export class HighlightedCode {
  readonly #language: CodeLanguage | null;
  readonly #isDiff: boolean;
  #open: OpenPart | null = null;

  /** `label`: the word behind the fence. */
  constructor(label: string) {
    this.#language = codeLanguage(label);
    this.#isDiff = DIFFS.includes(label.toLowerCase());
  }

  /** The next line, whole. */
  line(text: string): readonly ScreenSpan[] {
    const { spans, open } = this.#look(text);
    this.#open = open;
    return spans;
  }

  /** The next line, as far as it has come. */
  beginning(text: string): readonly ScreenSpan[] {
    return this.#look(text).spans;
  }

  #look(text: string): { readonly spans: readonly ScreenSpan[]; readonly open: OpenPart | null } {
    if (this.#isDiff) return { spans: [span(text, DIFF[text[0] ?? ""] ?? PLAIN)], open: null };
    if (!this.#language) return { spans: [span(text, UNKNOWN)], open: null };
    if (text.length > LONGEST_LINE) return { spans: [span(text)], open: this.#open };
    const line = new CodeLine(text, this.#language);
    return { spans: line.spans, open: line.read(this.#open) };
  }
}

class CodeLine {
  readonly spans: ScreenSpan[] = [];
  readonly #text: string;
  readonly #language: CodeLanguage;
  #at = 0;

  constructor(text: string, language: CodeLanguage) {
    this.#text = text;
    this.#language = language;
  }

  /** Reads the whole line, and returns what it leaves open. */
  read(before: OpenPart | null): OpenPart | null {
    let open = before ? this.#goOn(before, 0) : null;
    while (this.#at < this.#text.length && !open) open = this.#step();
    return open;
  }

  #step(): OpenPart | null {
    const { blockComments, lineComments, longStrings, quotes } = this.#language;
    const block = this.#bracketsHere(blockComments);
    if (block) return this.#goOn({ close: block[1], style: COMMENT }, block[0].length);
    if (lineComments.some((mark) => this.#isComment(mark))) return this.#give(this.#text.length, COMMENT);
    const long = this.#bracketsHere(longStrings);
    if (long) return this.#goOn({ close: long[1], style: STRING }, long[0].length);
    const first = this.#text[this.#at] ?? "";
    if (quotes.includes(first)) return this.#give(this.#endOf(first, this.#at + 1), STRING);
    return this.#word();
  }

  #word(): null {
    const word = this.#match(WORD);
    const { keywords, ignoresCase } = this.#language;
    if (word !== "") {
      const isKeyword = keywords.has(ignoresCase ? word.toLowerCase() : word);
      return this.#give(this.#at + word.length, isKeyword ? KEYWORD : PLAIN);
    }
    const digits = this.#match(DIGITS);
    if (digits !== "") return this.#give(this.#at + digits.length, NUMBER);
    return this.#give(this.#at + (this.#match(GAP).length || 1), PLAIN);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0] ?? "";
  }

  #bracketsHere(all: readonly Brackets[]): Brackets | undefined {
    return all.find(([open]) => this.#text.startsWith(open, this.#at));
  }

  /** A mark of punctuation that other things use as well is one only at the beginning of a word: `$#`, `a;b`. */
  #isComment(mark: string): boolean {
    if (!this.#text.startsWith(mark, this.#at)) return false;
    return mark.length > 1 || this.#at === 0 || /\s/.test(this.#text[this.#at - 1] ?? "");
  }

  /** From here to where it is closed; what is open at the end of the line is returned. */
  #goOn(part: OpenPart, opening: number): OpenPart | null {
    const end = this.#closing(part.close, this.#at + opening);
    this.#give(end ?? this.#text.length, part.style);
    return end === null ? part : null;
  }

  /** Behind the mark that closes; the end of the line if there is none. */
  #endOf(close: string, from: number): number {
    return this.#closing(close, from) ?? this.#text.length;
  }

  #closing(close: string, from: number): number | null {
    for (let at = from; at < this.#text.length; at++) {
      if (this.#text[at] === "\\") at++;
      else if (this.#text.startsWith(close, at)) return at + close.length;
    }
    return null;
  }

  /** Gives out the text up to there. Neighbours of one style are one span. */
  #give(end: number, style: ScreenStyle): null {
    const text = this.#text.slice(this.#at, end);
    const last = this.spans.at(-1);
    if (last?.style === style) this.spans[this.spans.length - 1] = span(last.text + text, style);
    else if (text !== "") this.spans.push(span(text, style));
    this.#at = end;
    return null;
  }
}
