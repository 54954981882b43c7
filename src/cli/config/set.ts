/** `baton config set`: changes one key of the user's own config file. Comments and order stay. */
import type { SettingChange } from "../../config/set.js";
import { printableText } from "../../util/text.js";
import type { Cli } from "../cli.js";
import { wrongUsage } from "../failure.js";

interface SetOptions {
  readonly unset?: boolean;
  readonly json?: boolean;
}

export async function set(
  cli: Cli,
  key: string,
  value: string | undefined,
  options: SetOptions,
): Promise<void> {
  if (options.unset && value !== undefined) throw wrongUsage("Give a value or --unset, not both.");
  if (!options.unset && value === undefined) throw wrongUsage("Give a value, or --unset to remove the key.");
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
    cli.terminal.problem(`${change.variable} is set in the environment and overrides the file.`);
  }
}

function sentence(key: string, change: SettingChange | null): string {
  if (change === null) return `${key} was not set.`;
  if (change.value === undefined) return `${key} is no longer set in ${change.file}.`;
  return `${key} is now ${JSON.stringify(change.value)} in ${change.file}.`;
}
