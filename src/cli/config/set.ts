/** `baton config set`: changes one key of the user's own config file. Comments and order stay. */
import type { Command } from "commander";
import type { Change } from "../../config/set.js";
import { printableText } from "../../util/text.js";
import type { Cli } from "../cli.js";
import { wrongUsage } from "../failure.js";
import { examples, jsonOption } from "../options.js";

interface SetOptions {
  readonly unset?: boolean;
  readonly json?: boolean;
}

export function addConfigSet(parent: Command, cli: Cli): void {
  const command = parent
    .command("set <key> [value]")
    .description("set a key of config.yaml in the home folder; comments in the file stay")
    .option("--unset", "take the key away, so that the default holds again")
    .addHelpText(
      "after",
      examples(
        "config set timezone Europe/Berlin",
        "config set reset.default '{ mode: daily, atHour: 4 }'",
        "config set store '{ file: ~/.baton/store-url }'",
        "config set timezone --unset",
      ),
    );
  jsonOption(command).action((key: string, value: string | undefined, options: SetOptions) =>
    set(cli, key, value, options),
  );
}

async function set(cli: Cli, key: string, value: string | undefined, options: SetOptions): Promise<void> {
  if (options.unset && value !== undefined) throw wrongUsage("Give a value or --unset, not both.");
  if (!options.unset && value === undefined)
    throw wrongUsage("Give a value, or --unset to take the key away.");
  const { setKey, unsetKey } = await import("../../config/set.js");
  const change = value === undefined ? await unsetKey(cli.home, key) : await setKey(cli.home, key, value);
  if (options.json) {
    cli.terminal.json({
      key,
      changed: change !== null,
      file: change?.file ?? null,
      value: change?.value ?? null,
    });
  } else {
    cli.terminal.line(printableText(sentence(key, change)));
  }
  const { variables } = cli.environment;
  if (change?.variable && variables[change.variable] !== undefined) {
    cli.terminal.problem(`${change.variable} is set, and wins over the file.`);
  }
}

function sentence(key: string, change: Change | null): string {
  if (change === null) return `${key} was not set.`;
  if (change.value === undefined) return `${key} is no longer set in ${change.file}.`;
  return `${key} is now ${JSON.stringify(change.value)} in ${change.file}.`;
}
