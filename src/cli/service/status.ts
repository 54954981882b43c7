/** `baton service status`: shows if the service is installed and running; so does the exit code. */
import { cleanLine } from "../../util/text.js";
import type { Cli } from "../cli.js";
import { CliError } from "../failure.js";
import { refuseOthers } from "./install.js";
import { runAll, serviceManager, typed } from "./manager.js";

export async function status({ terminal }: Cli, options: { json?: boolean }): Promise<void> {
  const manager = serviceManager();
  const installed = refuseOthers(manager) !== null;
  const active = installed && (await runAll([manager.isActive])).done;
  if (options.json) terminal.json({ installed, active, manager: manager.name, file: manager.file });
  else if (active) terminal.line(cleanLine(`The service is running. Its file is ${manager.file}.`));
  if (active) return;
  throw installed
    ? new CliError(
        "not_running",
        `The service is installed but not running. Run \`baton logs\` or \`${typed([manager.why])}\` to see why.`,
      )
    : new CliError("not_installed", "No service is installed. Run `baton service install` to install it.");
}
