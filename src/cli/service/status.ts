/** `baton service status`: whether the service is installed and runs; the exit code says so too. */
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
  else if (active) terminal.line(cleanLine(`The service runs; it is described in ${manager.file}.`));
  if (active) return;
  throw installed
    ? new CliError(
        "not_running",
        `The service is installed but does not run. \`baton logs\` or \`${typed([manager.why])}\` says why.`,
      )
    : new CliError("not_installed", "No service is installed. `baton service install` does it.");
}
