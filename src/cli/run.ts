/** Runs one command line, and says how it ended. */
import { Command } from "commander";
import type { Cli } from "./cli.js";
import { fill } from "./command.js";
import { reportFailure } from "./failure.js";
import { baton } from "./verbs/verbs.js";

/** Gives the exit code: 0 done, 1 failed, 2 wrong usage. */
export async function run(words: readonly string[], cli: Cli): Promise<number> {
  const asked = words.length === 0 ? ["chat"] : words;
  const program = programFor(cli, asked[0] ?? "");
  try {
    await program.parseAsync(asked, { from: "user" });
    return 0;
  } catch (error) {
    const options = asked.slice(0, asked.includes("--") ? asked.indexOf("--") : asked.length);
    const help = `${meantCommand(program, asked)} --help`;
    return reportFailure(error, cli.terminal, { json: options.includes("--json"), help });
  }
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
    .configureOutput({ outputError: () => {} }); // reportFailure prints it, once.
  const verbs = baton.verbs ?? [];
  const one = verbs.filter((verb) => verb.name === name);
  fill(program, baton, cli, one.length > 0 ? one : verbs);
  return program;
}
