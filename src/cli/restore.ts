/** `baton restore`: replaces the store with a backup. The old store is saved in another file; nothing may be using it. */
import { resolve } from "node:path";
import { cleanLine } from "../util/text.js";
import { backupsOf, contents, withProgress } from "./backup.js";
import type { Cli } from "./cli.js";
import { CliError, wrongUsage } from "./failure.js";

interface RestoreOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
}

export async function restore(cli: Cli, file: string, options: RestoreOptions): Promise<void> {
  const { terminal } = cli;
  if (!options.yes && (!terminal.canAsk || options.json)) {
    throw wrongUsage("A restore replaces every conversation. Add --yes to confirm.");
  }
  const config = await cli.loadConfig();
  const backups = await backupsOf(
    cli,
    config,
    (url) => `pg_restore --clean --if-exists --single-transaction --dbname=${url} baton.dump`,
  );
  const path = resolve(cli.workingFolder, file);
  const facts = backups.check(path);
  await refuseWhileServed(cli);
  const question = cleanLine(
    `Replace the store with ${contents(facts)} from ${path}? The old store is saved in another file.`,
  );
  if (!options.yes && !(await terminal.confirm(question))) return terminal.line("Nothing was changed.");
  const { aside } = await withProgress(cli, "restored", (progress) => backups.restore(path, progress));
  if (options.json) return terminal.json({ ...facts, aside });
  terminal.line(cleanLine(`Restored ${contents(facts)} from ${path}.`));
  if (aside !== null) terminal.line(cleanLine(`The old store is in ${aside}.`));
}

async function refuseWhileServed({ home }: Cli): Promise<void> {
  const { homeHolder } = await import("../gateway/home-lock.js");
  const holder = homeHolder(home, Date.now());
  if (!holder) return;
  throw new CliError(
    "gateway_running",
    `A gateway is running for ${home} (process ${holder.pid} on ${holder.host}). Stop it first. Nothing was changed.`,
  );
}
