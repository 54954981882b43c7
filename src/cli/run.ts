/** Runs one command line, and says how it ended. */
import { Command } from "commander";
import { helpWithCommand } from "../util/command-words.js";
import { printableText } from "../util/text.js";
import type { Cli } from "./cli.js";
import { addNotes, fill } from "./command.js";
import { reportFailure, wrongUsage } from "./failure.js";
import { type MeantLine, meantLine } from "./first-word.js";
import { quoted } from "./options.js";
import type { Verb } from "./verb.js";
import { baton } from "./verbs/verbs.js";

/** Gives the exit code: 0 done, 1 failed, 2 wrong usage. */
export async function run(words: readonly string[], cli: Cli): Promise<number> {
  const meant = meantLine(words, baton.verbs ?? []);
  const asked = meant.kind === "command" ? meant.words : words;
  const program = programFor(cli, asked[0] ?? "");
  try {
    if (meant.kind === "doubtful") throw unknownCommand(meant);
    if (asked.some((word) => word === "--help" || word === "-h")) await addLiveNotes(program, asked, cli);
    await program.parseAsync(asked, { from: "user" });
    return 0;
  } catch (error) {
    const options = asked.slice(0, asked.includes("--") ? asked.indexOf("--") : asked.length);
    const help = `${meantCommand(program, asked)} --help`;
    return reportFailure(error, cli.terminal, { json: options.includes("--json"), help });
  }
}

function unknownCommand({ word, instead }: Extract<MeantLine, { kind: "doubtful" }>): Error {
  const hint = instead === null ? "See `baton --help`." : `Did you mean \`baton ${instead}\`?`;
  return wrongUsage(
    `Unknown command '${word}'. ${hint} To send it as a message, run \`baton chat ${quoted(word)}\`.`,
  );
}

/** What the help of the command says about this machine. */
async function addLiveNotes(program: Command, words: readonly string[], cli: Cli): Promise<void> {
  let [verb, command]: [Verb, Command] = [baton, program];
  for (const word of words) {
    const below = verb.verbs?.find(({ name }) => name === word);
    const found = command.commands.find((each) => each.name() === word);
    if (!below || !found) break;
    [verb, command] = [below, found];
  }
  const notes = await verb.liveNotes?.();
  const said = await notes?.(cli).catch(() => ""); // Help is shown whatever is wrong here.
  if (said) addNotes(command, printableText(said));
}

/** The command that the words lead to, as far as they do. */
function meantCommand(program: Command, words: readonly string[]): string {
  const [word, ...rest] = words;
  const found = program.commands.find((command) => command.name() === word);
  return found ? `${program.name()} ${meantCommand(found, rest)}` : program.name();
}

/** With this verb; with all of them if there is no such verb, as for `--help`. */
function programFor(cli: Cli, name: string): Command {
  const program = new Command(baton.name)
    .version(cli.version, "-V, --version", "print the version")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => cli.streams.stdout.write(helpWithCommand(text, cli.terminal.command)),
      outputError: () => {}, // reportFailure prints it, once.
    });
  const verbs = baton.verbs ?? [];
  const one = verbs.filter((verb) => verb.name === name);
  fill(program, baton, cli, one.length > 0 ? one : verbs);
  return program;
}
