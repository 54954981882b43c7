/** `baton service install`: the gateway as a service of this user, described, enabled and started. */
import { chmodSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname } from "node:path";
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
  if (present !== null) await runAll(manager.stop); // So that what runs is what the file says.
  write(manager.file, text);
  const outcome = await runAll(manager.start);
  if (options.json) {
    terminal.json({
      file: manager.file,
      started: outcome.done,
      ...(outcome.done ? {} : { why: outcome.why }),
    });
  } else {
    terminal.line(cleanLine(`The service is described in ${manager.file}.`));
    if (outcome.done) terminal.line("It is enabled and was started. `baton service status` says how it is.");
    else terminal.line(cleanLine(`It was not started: ${outcome.why}. To do so: ${typed(manager.start)}`));
    if (manager.hint) terminal.line(manager.hint);
  }
  if (adapters.length === 0) {
    terminal.problem(
      "No chat platform is connected yet: until one is, the service has nothing to do and ends.",
    );
  }
}

function serviceOf({ home, main, environment }: Cli): Service {
  return { node: process.execPath, main, home, userHome: homedir(), path: environment.path };
}

/** Whole or not at all: the manager may be reading it. */
function write(file: string, text: string): void {
  makeFolder(dirname(file));
  const beside = `${file}.${process.pid}.tmp`;
  writeFileSync(beside, text, { mode: 0o644 });
  chmodSync(beside, 0o644);
  renameSync(beside, file);
}

/** The text of the service's file; null where there is none. What somebody else wrote is not ours to touch. */
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
    `${file} was not written by Baton. Move it away first; it was left as it is.`,
  );
}

function refuseOpenSecrets(home: string): void {
  const file = environmentFile(home);
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o077) === 0) return;
  throw new CliError(
    "open_secrets",
    `${file} can be read by other users. Make it private first: chmod 600 ${quoted(file)}`,
  );
}
