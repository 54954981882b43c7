/** A row of the command table as a command of commander. */
import { Argument, type Command, Option } from "commander";
import type { Cli } from "./cli.js";
import { wrongUsage } from "./failure.js";
import { exampleLine, type Verb } from "./verb.js";

/** `only`: leave out the other verbs, which a run does not need. */
export function fill(command: Command, verb: Verb, cli: Cli, only: readonly Verb[] = verb.verbs ?? []): void {
  const { args = [], options = [], run } = verb;
  command.description(verb.description).helpOption("-h, --help", "print help");
  if (verb.usage) command.usage(verb.usage.join(`\n       ${verb.name} `));
  for (const { name, description, choices, parse } of args) {
    const argument = new Argument(name, description);
    if (choices) argument.choices(choices);
    if (parse) argument.argParser(parse);
    command.addArgument(argument);
  }
  for (const { flags, description, choices, parse, default: preset, required } of options) {
    const option = new Option(flags, description).makeOptionMandatory(required ?? false);
    if (choices) option.choices(choices);
    if (parse) option.argParser(parse);
    if (preset !== undefined) option.default(preset);
    command.addOption(option);
  }
  refuseBoth(command);
  if (verb.notes !== undefined) addNotes(command, verb.notes);
  const shown = examplesOf(verb);
  if (shown) command.addHelpText("after", `\n${shown}`);
  for (const below of only) fill(command.command(below.name), below, cli);
  if (!run) return;
  command.action(async (...given: unknown[]) => {
    const act = await run();
    // An option of `baton handoff` may stand before or after `list`.
    await act(cli, ...(given.slice(0, args.length) as never[]), command.optsWithGlobals() as never);
  });
}

/** An option and its opposite, such as --session and --no-session: commander would let the last one win. */
function refuseBoth(command: Command): void {
  for (const opposite of command.options.filter(({ negate }) => negate)) {
    const option = command.options.find(
      (each) => !each.negate && each.attributeName() === opposite.attributeName(),
    );
    const seen = new Set<Option>();
    for (const each of option ? [option, opposite] : [])
      command.on(`option:${each.name()}`, () => {
        if (seen.add(each).size > 1)
          throw wrongUsage(`Give only one of ${option?.long} and ${opposite.long}.`);
      });
  }
}

/** After the help, in lines as wide as the rest of it. Lines that are aligned in columns stay as they are. */
export function addNotes(command: Command, notes: string): void {
  command.addHelpText("after", () => {
    const { getOutHelpWidth } = command.configureOutput();
    const width = getOutHelpWidth?.() ?? USUAL_WIDTH;
    const help = command.createHelp();
    const lines = notes.split("\n").map((line) => (/\S {2}/.test(line) ? line : help.boxWrap(line, width)));
    return `\n${lines.join("\n")}`;
  });
}

const USUAL_WIDTH = 80;

/** Never wrapped: they are copied. */
function examplesOf({ examples = [] }: Verb): string {
  const title = examples.length === 1 ? "Example" : "Examples";
  const lines = examples.map((example) => `  $ ${exampleLine(example)}`);
  return lines.length === 0 ? "" : `${title}:\n${lines.join("\n")}`;
}
