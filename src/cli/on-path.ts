/** For somebody who has started Baton without installing it: how to get the command onto the PATH. */
import { dirname } from "node:path";
import { USUAL_COMMAND } from "../util/command-words.js";
import type { Cli } from "./cli.js";
import { quoted } from "./options.js";

/** The command that installs it; null if it is on the PATH. */
export function installCommand({ terminal, main }: Cli): string | null {
  if (terminal.command === USUAL_COMMAND) return null;
  return `npm install -g ${quoted(dirname(dirname(main)))}`;
}

/** The same as a sentence, in Markdown. */
export function installHint(cli: Cli): string | null {
  const install = installCommand(cli);
  return install && `To call it just "baton", in any folder, install it once: \`${install}\``;
}
