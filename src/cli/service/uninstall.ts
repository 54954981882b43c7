/** `baton service uninstall`: stops the service and takes its file away. Conversations and settings stay. */
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
    throw new CliError("not_installed", `No service is installed: ${file} is not there.`);
  const outcome = await runAll(stop);
  rmSync(file);
  if (options.json)
    return terminal.json({ file, stopped: outcome.done, ...(outcome.done ? {} : { why: outcome.why }) });
  terminal.line(cleanLine(`${file} is gone${outcome.done ? ", and the service was stopped" : ""}.`));
  if (!outcome.done) terminal.line(cleanLine(`It was not stopped: ${outcome.why}. To do so: ${typed(stop)}`));
}
