/** What a row of the command table says. The commands, the completions and docs/cli.md are all made from it. */
import type { Cli } from "./cli.js";

export interface Verb {
  readonly name: string;
  /** A clause without a full stop, such as `list sessions, latest activity first`. */
  readonly description: string;
  /** How it is called, if its arguments do not say all; without the leading `baton`. */
  readonly usage?: readonly string[];
  readonly args?: readonly Argument[];
  readonly options?: readonly Flag[];
  /** More to know, in whole sentences. */
  readonly notes?: string;
  /** More to know that depends on this machine, for `--help` only. What fails is left out. */
  readonly liveNotes?: () => Promise<(cli: Cli) => Promise<string>>;
  /** Without the leading `baton`, unless something is piped into it. */
  readonly examples?: readonly string[];
  readonly verbs?: readonly Verb[];
  /** Loads what the verb does, so that a command loads only its own code. */
  readonly run?: () => Promise<Action>;
}

/** Takes the arguments in order, then the options. */
type Action = (cli: Cli, ...given: never[]) => void | Promise<void>;

interface VerbValue {
  readonly description: string;
  readonly choices?: readonly string[];
  readonly parse?: (text: string) => unknown;
}

export interface Argument extends VerbValue {
  /** `<needed>`, `[optional]` or `[several...]`. */
  readonly name: string;
}

export interface Flag extends VerbValue {
  /** As commander takes them: `-n, --lines <number>`. */
  readonly flags: string;
  readonly default?: unknown;
  readonly required?: true;
}

export const JSON_FLAG: Flag = { flags: "--json", description: "print JSON, for programs" };
export const YES_FLAG: Flag = { flags: "--yes", description: "do not ask for confirmation" };

export const SESSION: Argument = {
  name: "<session>",
  description: "its id, the start of its id, or its title or a part of it",
};

/** An example as a whole line. */
export function exampleLine(example: string): string {
  return example.includes("| baton ") ? example : `baton ${example}`;
}
