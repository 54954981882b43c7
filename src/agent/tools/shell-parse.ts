/**
 * What a shell command would run, as far as its text says so: the simple commands in it, wherever they stand (after `;`,
 * `&&` and `|`, in brackets, loops, functions, `$(…)`, backquotes, here-documents), with quotes taken off and variables
 * filled in that were set to plain text. What is known only when it runs is `UNKNOWN`. Not a shell: it need not be right
 * about every text, only not be led to overlook a command.
 */

import { CLOSE, COMMA, decodedText, expandBraces, MARKS, OPEN, UNKNOWN } from "./shell-text.js";

export interface Word {
  readonly text: string;
  /** Has a `*`, `?` or `[` that the shell takes for a pattern. */
  readonly isPattern: boolean;
  /** Holds `<(…)` or `>(…)`. */
  readonly isFed: boolean;
}

export interface SimpleCommand {
  readonly words: Word[];
  readonly assignments: { readonly name: string; readonly value: string }[];
  readonly redirects: { readonly operator: string; readonly target: string }[];
  /** The text of a here-document or here-string. */
  input: string | null;
  /** What its input comes from, in a pipe. */
  feeder: SimpleCommand | null;
  inBackground: boolean;
}

export interface Script {
  readonly commands: readonly SimpleCommand[];
  /** Names of functions that it defines. */
  readonly functions: ReadonlySet<string>;
  /** A quote or bracket is not closed, or they are too many: not all was understood. */
  readonly isUnclear: boolean;
}

export function parseShell(text: string): Script {
  const state: State = {
    commands: [],
    functions: new Set(),
    variables: new Map(),
    isUnclear: MARKS.test(text),
  };
  new Parser(text, state, 0).list(null, null);
  return state;
}

interface State {
  readonly commands: SimpleCommand[];
  readonly functions: Set<string>;
  readonly variables: Map<string, string>;
  isUnclear: boolean;
}

const DEEPEST = 20;
/** Words before a command that are the shell's own. */
const BEFORE_COMMAND = new Set("if then else elif fi do done while until { } ! esac".split(" "));
const OPERATOR = /^(?:<<<|<<-|<<|<>|<&|<|>>|>\||>&|>|&>>|&>)/;

class Parser {
  readonly #text: string;
  readonly #state: State;
  readonly #depth: number;
  #at = 0;
  /** How many `case` are open: in them a closing bracket ends a pattern. */
  #cases = 0;
  #waiting: { command: SimpleCommand; end: string; isQuoted: boolean; tabs: boolean }[] = [];

  constructor(text: string, state: State, depth: number) {
    this.#text = text;
    this.#state = state;
    this.#depth = depth;
    if (depth > DEEPEST) {
      state.isUnclear = true;
      this.#at = text.length;
    }
  }

  /** Commands up to a closing bracket or the end; the first takes its input from `feeder`. */
  list(end: ")" | null, feeder: SimpleCommand | null): void {
    let current = newCommand(feeder);
    const next = (from: SimpleCommand | null) => {
      this.#keep(current);
      current = newCommand(from);
    };
    for (;;) {
      this.#skipBlanks();
      const rest = this.#text.slice(this.#at, this.#at + 3);
      const char = rest[0];
      if (char === undefined) {
        if (end) this.#state.isUnclear = true;
        break;
      }
      if (char === "\n") {
        this.#at++;
        next(null);
        this.#takeHereDocuments();
      } else if (char === "#") {
        this.#at = indexOrEnd(this.#text, "\n", this.#at);
      } else if (OPERATOR.test(rest) && !/^[<>]\(/.test(rest)) {
        this.#redirect(current);
      } else if (char === "|" && rest[1] !== "|") {
        this.#at += rest[1] === "&" ? 2 : 1;
        next(current);
      } else if (char === ";" || char === "&" || char === "|") {
        current.inBackground = char === "&" && rest[1] !== "&";
        this.#at += rest[1] === char ? 2 : 1;
        next(null);
      } else if (char === "(") {
        this.#bracket(current, next);
      } else if (char === ")") {
        this.#at++;
        if (this.#cases === 0 && end) break;
        if (this.#cases === 0) this.#state.isUnclear = true;
        current = newCommand(null); // A pattern of `case`.
      } else {
        this.#command(current);
      }
    }
    this.#keep(current);
  }

  #keep(command: SimpleCommand): void {
    const { words, assignments, redirects, feeder } = command;
    if (words.length === 0) for (const { name, value } of assignments) this.#assign(name, value);
    if (/^(?:export|local|declare|typeset|readonly)$/.test(words[0]?.text ?? "")) {
      for (const { text } of words.slice(1)) {
        const [, name, value] = /^(\w+)=([\s\S]*)$/.exec(text) ?? [];
        if (name !== undefined && value !== undefined) this.#assign(name, value);
      }
    }
    if (words.length + assignments.length + redirects.length > 0 || feeder)
      this.#state.commands.push(command);
  }

  /** A variable that is set twice has no value that we could know. */
  #assign(name: string, value: string): void {
    const { variables } = this.#state;
    const before = variables.get(name);
    variables.set(name, before === undefined || before === value ? value : UNKNOWN);
  }

  /** `(…)`, `((…))`, or the `()` of a function. */
  #bracket(current: SimpleCommand, next: (from: SimpleCommand | null) => void): void {
    const isFunction = /^\(\s*\)/.exec(this.#text.slice(this.#at, this.#at + 20));
    if (isFunction && current.words.length === 1) {
      this.#at += isFunction[0].length;
      this.#state.functions.add(current.words.pop()?.text ?? "");
      return;
    }
    if (this.#text.startsWith("((", this.#at) && current.words.length === 0) {
      const body = this.#arithmetic(this.#at + 2);
      if (body !== null) return;
    }
    this.#at++;
    const inner = new Parser(this.#text.slice(this.#at), this.#state, this.#depth + 1);
    inner.list(")", current.feeder);
    this.#at += inner.#at;
    if (current.words.length > 0) next(null);
    else current.feeder = null;
  }

  #command(current: SimpleCommand): void {
    const words = this.#word();
    const [first] = words;
    if (!first) return;
    if (current.words.length === 0 && words.length === 1) {
      if (first.text === "case") this.#cases++;
      if (first.text === "esac") this.#cases = Math.max(0, this.#cases - 1);
      if (BEFORE_COMMAND.has(first.text)) return;
      if (first.text === "function") {
        this.#skipBlanks();
        for (const { text } of this.#word()) this.#state.functions.add(text);
        return;
      }
      if (first.text === "[[") {
        this.#condition();
        return;
      }
      const [, name, value] = /^(\w+)(?:\[[^\]]*\])?\+?=([\s\S]*)$/.exec(first.text) ?? [];
      if (name !== undefined && value !== undefined) {
        current.assignments.push({ name, value });
        return;
      }
    }
    // A number before a redirect is that of a descriptor.
    if (words.length === 1 && /^\d+$/.test(first.text) && /[<>]/.test(this.#text[this.#at] ?? "")) return;
    current.words.push(...words);
  }

  /** Up to `]]`: only what stands in `$(…)` is run. */
  #condition(): void {
    while (this.#at < this.#text.length) {
      if (/[\s&|<>()!;]/.test(this.#text[this.#at] ?? "")) this.#at++;
      else if (this.#word().some(({ text }) => text === "]]")) return;
    }
    this.#state.isUnclear = true;
  }

  #redirect(current: SimpleCommand): void {
    const [operator = ""] = OPERATOR.exec(this.#text.slice(this.#at, this.#at + 3)) ?? [];
    this.#at += operator.length;
    this.#skipBlanks();
    const from = this.#at;
    const [target] = this.#word();
    const text = target?.text ?? "";
    if (operator === "<<" || operator === "<<-") {
      const isQuoted = /["'\\]/.test(this.#text.slice(from, this.#at));
      this.#waiting.push({ command: current, end: text, isQuoted, tabs: operator === "<<-" });
    } else if (operator === "<<<") {
      current.input = text;
    } else {
      current.redirects.push({ operator, target: text });
    }
  }

  #takeHereDocuments(): void {
    for (const { command, end, isQuoted, tabs } of this.#waiting) {
      const lines: string[] = [];
      for (;;) {
        if (this.#at >= this.#text.length) break;
        const stop = indexOrEnd(this.#text, "\n", this.#at);
        const line = this.#text.slice(this.#at, stop);
        this.#at = stop + 1;
        if ((tabs ? line.replace(/^\t+/, "") : line) === end) break;
        lines.push(line);
      }
      command.input = lines.join("\n");
      if (!isQuoted) new Parser(command.input, this.#state, this.#depth + 1).#expansions();
    }
    this.#waiting = [];
  }

  /** Runs through text in which only `$` and backquotes mean something. */
  #expansions(): void {
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at];
      if (char === "\\") this.#at += 2;
      else if (char === "$" || char === "`") this.#expansion();
      else this.#at++;
    }
  }

  #skipBlanks(): void {
    const blanks = /(?:[ \t]|\\\r?\n)*/y;
    blanks.lastIndex = this.#at;
    this.#at += blanks.exec(this.#text)?.[0].length ?? 0;
  }

  /** One word, or several where it has `{a,b}` in it. */
  #word(): Word[] {
    let text = "";
    let isPattern = false;
    let isFed = false;
    let isQuoted = false;
    const start = this.#at;
    for (;;) {
      const char = this.#text[this.#at];
      const two = this.#text.slice(this.#at, this.#at + 2);
      if (two === "<(" || two === ">(") {
        this.#at += 2;
        this.#nested(two === ">(" ? newCommand(null) : null);
        text += UNKNOWN;
        isFed = true;
      } else if (char === undefined || /[\s;&|<>()]/.test(char)) {
        break;
      } else if (char === "\\") {
        if (two !== "\\\n") text += this.#text[this.#at + 1] ?? "";
        this.#at += 2;
        isQuoted = true;
      } else if (char === "'" || two === "$'") {
        text += this.#single(char === "$");
        isQuoted = true;
      } else if (char === '"' || two === '$"') {
        this.#at += char === "$" ? 2 : 1;
        text += this.#double();
        isQuoted = true;
      } else if (char === "$" || char === "`") {
        const value = this.#expansion();
        text += /\s/.test(value) ? UNKNOWN : value; // It would become several words.
      } else {
        if (/[*?[]/.test(char)) isPattern = true;
        text += { "{": OPEN, ",": COMMA, "}": CLOSE }[char] ?? char;
        this.#at++;
      }
    }
    if (this.#at === start) this.#at++; // Never stands still, whatever comes.
    if (text === "" && !isQuoted) return [];
    return expandBraces(text).map((one) => ({ text: one, isPattern, isFed }));
  }

  #single(isCoded: boolean): string {
    const from = this.#at + (isCoded ? 2 : 1);
    const pattern = isCoded ? /(?:[^'\\]|\\[\s\S])*/y : /[^']*/y;
    pattern.lastIndex = from;
    const content = pattern.exec(this.#text)?.[0] ?? "";
    this.#at = from + content.length + 1;
    if (this.#at > this.#text.length) this.#state.isUnclear = true;
    return isCoded ? decodedText(content) : content;
  }

  #double(): string {
    let text = "";
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined) {
        this.#state.isUnclear = true;
        return text;
      }
      if (char === '"') {
        this.#at++;
        return text;
      }
      if (char === "\\") {
        const escaped = this.#text[this.#at + 1] ?? "";
        text += escaped === "\n" ? "" : /["$`\\]/.test(escaped) ? escaped : `\\${escaped}`;
        this.#at += 2;
      } else if (char === "$" || char === "`") {
        text += this.#expansion();
      } else {
        text += char;
        this.#at++;
      }
    }
  }

  /** `$…` or a backquoted command: its value where that is known. */
  #expansion(): string {
    const rest = this.#text.slice(this.#at);
    if (rest.startsWith("`")) return this.#backquoted();
    if (rest.startsWith("$((") && this.#arithmetic(this.#at + 3) !== null) return UNKNOWN;
    if (rest.startsWith("$(")) {
      this.#at += 2;
      this.#nested(null);
      return UNKNOWN;
    }
    if (rest.startsWith("${")) return this.#braced();
    const [whole, name = ""] = /^\$(\w+|[@*#?$!-])/.exec(rest) ?? ["$"];
    this.#at += whole.length;
    return whole === "$" ? "$" : this.#valueOf(name);
  }

  #valueOf(name: string): string {
    if (name === "HOME") return "~";
    if (name === "PWD") return ".";
    return this.#state.variables.get(name) ?? UNKNOWN;
  }

  #nested(feeder: SimpleCommand | null): void {
    const inner = new Parser(this.#text.slice(this.#at), this.#state, this.#depth + 1);
    inner.list(")", feeder);
    this.#at += inner.#at;
  }

  #backquoted(): string {
    const [whole = "", content = ""] = /^`((?:[^`\\]|\\[\s\S])*)`/.exec(this.#text.slice(this.#at)) ?? [];
    if (whole === "") {
      this.#state.isUnclear = true;
      this.#at = this.#text.length;
      return UNKNOWN;
    }
    this.#at += whole.length;
    new Parser(content.replace(/\\([`\\$])/g, "$1"), this.#state, this.#depth + 1).list(null, null);
    return UNKNOWN;
  }

  #braced(): string {
    let open = 0;
    for (let at = this.#at; at < this.#text.length; at++) {
      if (this.#text[at] === "\\") at++;
      else if (this.#text[at] === "{") open++;
      else if (this.#text[at] === "}" && --open === 0) {
        const content = this.#text.slice(this.#at + 2, at);
        this.#at = at + 1;
        if (/^\w+$/.test(content)) return this.#valueOf(content);
        new Parser(content, this.#state, this.#depth + 1).#expansions();
        return UNKNOWN;
      }
    }
    this.#state.isUnclear = true;
    this.#at = this.#text.length;
    return UNKNOWN;
  }

  /** Goes behind `))`; null, and stays, where it is not arithmetic but brackets in brackets. */
  #arithmetic(from: number): string | null {
    let open = 0;
    for (let at = from; at < this.#text.length; at++) {
      if (this.#text[at] === "(") open++;
      else if (this.#text[at] === ")" && open > 0) open--;
      else if (this.#text[at] === ")") {
        if (this.#text[at + 1] !== ")") return null;
        const body = this.#text.slice(from, at);
        this.#at = at + 2;
        new Parser(body, this.#state, this.#depth + 1).#expansions();
        return body;
      }
    }
    return null;
  }
}

function newCommand(feeder: SimpleCommand | null): SimpleCommand {
  return { words: [], assignments: [], redirects: [], input: null, feeder, inBackground: false };
}

function indexOrEnd(text: string, what: string, from: number): number {
  const at = text.indexOf(what, from);
  return at < 0 ? text.length : at;
}
