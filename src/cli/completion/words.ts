/** What can be typed after each command, from the command table. */
import { Option } from "commander";
import type { Verb } from "../verb.js";

export interface CompletionPoint {
  /** `baton sessions list` */
  readonly path: string;
  readonly commands: readonly CompletionName[];
  readonly options: readonly OptionName[];
  /** The values its first argument can have, if these are few. */
  readonly choices: readonly string[];
}

export interface CompletionName {
  readonly name: string;
  readonly description: string;
}

export interface OptionName extends CompletionName {
  /** `-f`, if it also has a longer name. */
  readonly short: string | null;
  readonly takesValue: boolean;
  /** The values it can have, if these are few. */
  readonly choices: readonly string[];
}

/** The command and all below it. */
export function wordsOf({ name, verbs = [], options = [], args = [] }: Verb, above = ""): CompletionPoint[] {
  const path = `${above}${name}`;
  const all = [
    ...(above === "" ? [{ flags: "-V, --version", description: "print the version", choices: [] }] : []),
    ...options,
    { flags: "-h, --help", description: "print help", choices: [] },
  ];
  const place: CompletionPoint = {
    path,
    commands: verbs,
    options: all.map(({ flags, description, choices = [] }) => {
      const { long, short, required } = new Option(flags);
      return {
        name: long ?? short ?? "",
        short: long ? (short ?? null) : null,
        description,
        takesValue: required,
        choices,
      };
    }),
    choices: args[0]?.choices ?? [],
  };
  return [place, ...verbs.flatMap((verb) => wordsOf(verb, `${path} `))];
}

/** Both ways to write it. */
export function namesOf({ name, short }: OptionName): string[] {
  return short ? [name, short] : [name];
}

/** The options that take a value, as `<path> <name>`: the word after one is no verb. */
export function valueNames(places: readonly CompletionPoint[]): string[] {
  return places.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .flatMap((option) => namesOf(option).map((name) => `${path} ${name}`)),
  );
}

/** Text between single quotes, for bash and zsh. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
