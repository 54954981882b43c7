/** What can be typed, verb by verb, as the table of commands has it: so completion never differs from the commands. */
import type { Command } from "commander";

export interface Verb {
  /** `baton sessions list` */
  readonly path: string;
  readonly commands: readonly Named[];
  readonly options: readonly OptionName[];
  /** What its argument can be, where that is one of a few words. */
  readonly choices: readonly string[];
}

export interface Named {
  readonly name: string;
  readonly description: string;
}

export interface OptionName extends Named {
  /** `-f`, where its name is a longer one. */
  readonly short: string | null;
  readonly takesValue: boolean;
  /** What its value can be, where that is one of a few words. */
  readonly choices: readonly string[];
}

/** The command and all below it. */
export function verbsOf(command: Command, above = ""): Verb[] {
  const path = `${above}${command.name()}`;
  const help = command.createHelp();
  const commands = help.visibleCommands(command).filter((child) => child.name() !== "help");
  const verb: Verb = {
    path,
    commands: commands.map((child) => ({ name: child.name(), description: child.description() })),
    options: help.visibleOptions(command).map((option) => ({
      name: option.long ?? option.short ?? "",
      short: option.long ? (option.short ?? null) : null,
      description: option.description,
      takesValue: option.required || option.optional,
      choices: option.argChoices ?? [],
    })),
    choices: command.registeredArguments[0]?.argChoices ?? [],
  };
  return [verb, ...commands.flatMap((child) => verbsOf(child, `${path} `))];
}

/** Both ways to write it. */
export function namesOf({ name, short }: OptionName): string[] {
  return short ? [name, short] : [name];
}

/** The options that take a value, as `<path> <name>`: the word after one is no verb. */
export function valueNames(verbs: readonly Verb[]): string[] {
  return verbs.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .flatMap((option) => namesOf(option).map((name) => `${path} ${name}`)),
  );
}

/** Text between single quotes, for bash and zsh. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
