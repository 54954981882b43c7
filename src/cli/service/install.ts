/** `baton service install`: installs and starts the gateway as a service of this user. */
import { chmodSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { userFolder } from "../../config/paths.js";
import { makeFolder } from "../../util/make-folder.js";
import { cleanLine } from "../../util/text.js";
import type { Cli } from "../cli.js";
import { CliError } from "../failure.js";
import { quoted } from "../options.js";
import { environmentFile, type Service, WRITTEN_BY } from "./description.js";
import { runAll, type ServiceManager, serviceManager, typed } from "./manager.js";

export interface InstallOptions {
  readonly print?: boolean;
  readonly json?: boolean;
}

export async function install(cli: Cli, options: InstallOptions): Promise<void> {
  const { terminal } = cli;
  const manager = serviceManager();
  const text = manager.describe(serviceOf(cli));
  if (options.print) return options.json ? terminal.json({ file: manager.file, text }) : terminal.write(text);
  const { adapters } = await cli.openPlatforms(await cli.loadConfig());
  const present = refuseOthers(manager);
  refuseOpenSecrets(cli.home);
  if (present !== null) await runAll(manager.stop); // So that the new file takes effect.
  write(manager.file, text);
  const outcome = await runAll(manager.start);
  if (options.json) {
    terminal.json({
      file: manager.file,
      started: outcome.done,
      ...(outcome.done ? {} : { why: outcome.why }),
    });
  } else {
    terminal.line(cleanLine(`Wrote ${manager.file}.`));
    if (outcome.done)
      terminal.line("The service is installed and started. Run `baton service status` to check it.");
    else
      terminal.line(
        cleanLine(`The service could not be started: ${outcome.why}. Start it with: ${typed(manager.start)}`),
      );
    if (manager.hint) terminal.line(manager.hint);
  }
  if (adapters.length === 0) {
    terminal.problem(
      "No chat platform is set up yet, so the service has nothing to do and exits. Run `baton setup <platform>` first.",
    );
  }
}

function serviceOf({ home, main, environment }: Cli): Service {
  return { node: process.execPath, main, home, userHome: userFolder(), path: environment.path };
}

/** Written whole or not at all: the manager may be reading it. */
function write(file: string, text: string): void {
  makeFolder(dirname(file));
  const beside = `${file}.${process.pid}.tmp`;
  writeFileSync(beside, text, { mode: 0o644 });
  chmodSync(beside, 0o644);
  renameSync(beside, file);
}

/** The text of the service file; null if there is none. Refuses a file that Baton did not write. */
export function refuseOthers({ file }: ServiceManager): string | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  if (text.includes(WRITTEN_BY)) return text;
  throw new CliError(
    "not_ours",
    `Baton did not write ${file}, so it leaves the file alone. Move it away first.`,
  );
}

function refuseOpenSecrets(home: string): void {
  const file = environmentFile(home);
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o077) === 0) return;
  throw new CliError(
    "open_secrets",
    `Other users can read ${file}. Make it private first: chmod 600 ${quoted(file)}`,
  );
}
