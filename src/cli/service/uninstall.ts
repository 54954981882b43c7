/** `baton service uninstall`: stops the service and deletes its file. Conversations and settings stay. */
import { rmSync } from "node:fs";
import { cleanLine } from "../../util/text.js";
import type { Cli } from "../cli.js";
import { CliError } from "../failure.js";
import { refuseOthers } from "./install.js";
import { runAll, serviceManager, typed } from "./manager.js";

export async function uninstall({ terminal }: Cli, options: { json?: boolean }): Promise<void> {
  const manager = serviceManager();
  const { file, stop } = manager;
  if (refuseOthers(manager) === null)
    throw new CliError("not_installed", `No service is installed: ${file} does not exist.`);
  const outcome = await runAll(stop);
  rmSync(file);
  if (options.json)
    return terminal.json({ file, stopped: outcome.done, ...(outcome.done ? {} : { why: outcome.why }) });
  terminal.line(cleanLine(`${outcome.done ? "Stopped the service and deleted" : "Deleted"} ${file}.`));
  if (!outcome.done)
    terminal.line(
      cleanLine(`The service could not be stopped: ${outcome.why}. Stop it with: ${typed(stop)}`),
    );
}
