/**
 * What a shell command would run, as far as its text says so: the simple commands in it, wherever they are (after `;`,
 * `&&` and `|`, in brackets, loops, functions, `$(…)`, backquotes, here-documents), with quotes removed and variables
 * filled in that were set once to plain text. `UNKNOWN` stands for what is known only when it runs. `unbash` parses the
 * text; if it can't, or the nesting is too deep, the script is unclear.
 */
import {
  type Assignment,
  type Command,
  forEachChild,
  type ParsedScript,
  type Pipeline,
  parse,
  type Redirection,
  type SyntaxNode,
  type Word as WordNode,
} from "unbash";
import { MARKS, UNKNOWN } from "./shell-text.js";
import { asWord, type Word, wordsOf } from "./shell-words.js";

export interface SimpleCommand {
  readonly words: readonly Word[];
  readonly assignments: readonly { readonly name: string; readonly value: string }[];
  readonly redirects: readonly { readonly operator: string; readonly target: string }[];
  /** The text of a here-document or here-string. */
  readonly input: string | null;
  /** The command whose output is its input: the one before it in a pipe, or the one that feeds its brackets. */
  readonly feeder: SimpleCommand | null;
  readonly inBackground: boolean;
  /** Contains `$(…)`, backquotes or `<(…)`. */
  readonly substitutes: boolean;
}

export interface Script {
  readonly commands: readonly SimpleCommand[];
  /** Names of functions that it defines. */
  readonly functions: ReadonlySet<string>;
  /** Not everything was understood. */
  readonly isUnclear: boolean;
  /** Not even all commands in it were found, because there was too much to read. */
  readonly isUnread: boolean;
}

export function parseShell(text: string): Script {
  if (MARKS.test(text) || MOST.some(([what, most]) => (text.match(what)?.length ?? 0) > most)) return UNCLEAR;
  try {
    const tree = parse(text);
    const first = new ShellReader(null);
    first.script(tree);
    if (first.assigned.size === 0) return first.state;
    const second = new ShellReader(steadyOf(first.assigned));
    second.script(tree);
    return second.state;
  } catch (error) {
    if (error instanceof RangeError) return UNCLEAR; // Too deep for the stack.
    throw error;
  }
}

/**
 * The variables that are set once: if one is set twice, its value is known only when it runs. `IFS` decides how values
 * are split into words: a script that sets it can make anything of any value.
 */
function steadyOf(assigned: ReadonlyMap<string, number>): ReadonlySet<string> {
  const once = [...assigned].filter(([, times]) => times === 1).map(([name]) => name);
  return new Set(assigned.has("IFS") ? [] : once);
}

const DEEPEST = 60;
/** What may make the parser scan the rest of the text each time, and how often it may occur. */
const MOST: readonly (readonly [RegExp, number])[] = [
  [/\$\[/g, 20],
  [/\$[({]|[<>(]\(|`|\[/g, 200],
  [/\{/g, 300],
  [/[;&|\n]/g, 1_000],
];
const UNCLEAR: Script = { commands: [], functions: new Set(), isUnclear: true, isUnread: true };
const NOBODY: SimpleCommand = {
  words: [],
  assignments: [],
  redirects: [],
  input: null,
  feeder: null,
  inBackground: false,
  substitutes: false,
};

/** These set the variables that they are given by name. */
const SETTERS = /^(?:read|mapfile|readarray|getopts|printf|unset|let|declare|typeset|local|export|readonly)$/;
/** After these, any variable may have any value. */
const CHANGES_ALL = /^(?:eval|source|\.)$/;

/** Where a command is: its input if it names no other. */
interface CommandPosition {
  readonly feeder: SimpleCommand | null;
  readonly input: string | null;
  readonly redirects: SimpleCommand["redirects"];
  readonly inBackground: boolean;
  readonly depth: number;
}

class ShellReader {
  readonly state = {
    commands: [] as SimpleCommand[],
    functions: new Set<string>(),
    isUnclear: false,
    isUnread: false,
  };
  /** How often each variable is set. */
  readonly assigned = new Map<string, number>();
  /** The variables whose value is known; null while that is not known yet. */
  readonly #steady: ReadonlySet<string> | null;
  readonly #values = new Map<string, string>();

  constructor(steady: ReadonlySet<string> | null) {
    this.#steady = steady;
  }

  script(tree: ParsedScript): void {
    this.#walk(tree, { feeder: null, input: null, redirects: [], inBackground: false, depth: 0 });
  }

  #walk(node: SyntaxNode, place: CommandPosition): void {
    const inner = { ...place, depth: place.depth + 1 };
    if (place.depth > DEEPEST) {
      this.state.isUnclear = true;
      this.state.isUnread = true;
      return;
    }
    switch (node.type) {
      case "Command":
        this.#command(node, inner);
        return;
      case "Pipeline":
        this.#pipeline(node, inner);
        return;
      case "Statement":
        this.#walk(node.command, { ...inner, inBackground: node.background === true });
        return;
      case "Redirected": {
        for (const redirect of node.redirects) this.#walk(redirect, inner);
        const { redirects, input } = this.#redirects(node.redirects);
        this.state.commands.push({ ...NOBODY, redirects, feeder: place.feeder });
        const reads = redirects.filter(({ operator }) => operator.startsWith("<"));
        const feeder = input === null && reads.length === 0 ? place.feeder : null;
        this.#walk(node.command, { ...inner, feeder, input, redirects: reads });
        return;
      }
      case "Function":
        this.state.functions.add(this.#text(node.name));
        // Its caller may feed it.
        this.#walk(node.body, { ...inner, feeder: NOBODY });
        return;
      case "ProcessSubstitution":
        this.#substitution(node.script, { ...inner, feeder: node.operator === ">" ? NOBODY : place.feeder });
        return;
      case "CommandExpansion":
      case "ArithmeticCommandExpansion":
        this.#substitution(node.script, inner);
        return;
      case "For":
      case "Select":
        this.#set(node.name.value, UNKNOWN);
        break;
      case "ParameterExpansion":
        // `${x@P}` runs the content of x.
        if (node.operation?.type === "Transform") this.state.isUnclear = true;
        break;
      case "Assignment":
        this.#assign(node);
        break;
      case "Script":
        if (node.errors && node.errors.length > 0) this.state.isUnclear = true;
    }
    forEachChild(node, (child) => this.#walk(child, inner));
  }

  #substitution(script: ParsedScript | undefined, place: CommandPosition): void {
    if (script) this.#walk(script, { ...place, inBackground: false });
    else this.state.isUnclear = true;
  }

  #pipeline({ commands }: Pipeline, place: CommandPosition): void {
    let feeder = place.feeder;
    for (const command of commands) {
      const before = this.state.commands.length;
      this.#walk(command, { ...place, feeder });
      feeder = this.state.commands.slice(before).at(-1) ?? NOBODY;
    }
  }

  #command(node: Command, place: CommandPosition): void {
    const before = this.state.commands.length;
    forEachChild(node, (child) => this.#walk(child, { ...place, inBackground: false }));
    const substitutes = this.state.commands.length > before;
    const { redirects, input } = this.#redirects(node.redirects);
    const words = [node.name, ...node.args].flatMap((word): readonly Word[] => {
      if (!word) return [];
      return word.type === "Word" ? this.#words(word) : [asWord(`${word.name}=${this.#valueOf(word)}`)];
    });
    const assignments = node.prefix
      .filter((each) => each.type === "Assignment")
      .map((each) => ({ name: each.name, value: this.#valueOf(each) }));
    this.#learn(words);
    const takesOther = input !== null || redirects.some(({ operator }) => operator.startsWith("<"));
    this.state.commands.push({
      words,
      assignments,
      redirects: [...redirects, ...(takesOther ? [] : place.redirects)],
      input: input ?? (takesOther ? null : place.input),
      feeder: place.feeder,
      inBackground: place.inBackground,
      substitutes,
    });
  }

  #redirects(all: readonly Redirection[]): Pick<SimpleCommand, "redirects" | "input"> {
    const redirects: { operator: string; target: string }[] = [];
    let input: string | null = null;
    for (const redirect of all) {
      if (redirect.type === "HereDoc") {
        input = redirect.body.text;
      } else if (redirect.target) {
        const target = this.#text(redirect.target);
        if (redirect.type === "HereString") input = target;
        else redirects.push({ operator: redirect.operator, target });
      }
    }
    return { redirects, input };
  }

  /** What a command does to variables that it names. */
  #learn(words: readonly Word[]): void {
    const name = words[0]?.text ?? "";
    if (CHANGES_ALL.test(name)) this.#set("IFS", UNKNOWN);
    if (!SETTERS.test(name)) return;
    for (const { text } of words.slice(1)) if (/^\w+$/.test(text)) this.#set(text, UNKNOWN);
  }

  #assign(node: Assignment): void {
    const value = this.#valueOf(node);
    // Arithmetic evaluates the text of variables again.
    if (/\$\(|`/.test(value)) this.state.isUnclear = true;
    this.#set(node.name, value);
  }

  #set(name: string, value: string): void {
    this.assigned.set(name, (this.assigned.get(name) ?? 0) + 1);
    this.#values.set(name, value);
  }

  #valueOf({ value, append, index }: Assignment): string {
    return value.type === "ArrayValue" || append || index ? UNKNOWN : this.#text(value);
  }

  #text(word: WordNode): string {
    const [only, ...more] = this.#words(word);
    return only && more.length === 0 ? only.text : only ? UNKNOWN : "";
  }

  #words(word: WordNode): Word[] {
    return wordsOf(word, (name) => this.#variable(name));
  }

  #variable(name: string): string {
    if (this.#steady?.has(name)) return this.#values.get(name) ?? UNKNOWN;
    const known = { HOME: "~", PWD: ".", PPID: "PPID" }[name];
    return this.assigned.has(name) ? UNKNOWN : (known ?? UNKNOWN);
  }
}
