/** `baton backup`: copies the store into one private file and checks it, while the gateway and chats keep running. */
import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Config } from "../config/config.js";
import { cleanLine } from "../util/text.js";
import { counted } from "../util/words.js";
import type { BackupFacts, Backups, Cli } from "./cli.js";
import { CliError } from "./failure.js";
import { quoted } from "./options.js";

export async function backUp(cli: Cli, file: string | undefined, options: { json?: boolean }): Promise<void> {
  const { terminal } = cli;
  const config = await cli.loadConfig();
  const backups = await backupsOf(
    cli,
    config,
    (url) => `pg_dump --format=custom --schema=baton --file=baton.dump ${url}`,
  );
  const { whileTold } = await import("../gateway/told-work.js");
  const made = await whileTold(
    cli.openWork(config, { what: "Backup", unit: "percent", total: 100 }),
    (told) =>
      withProgress(cli, "copied", (progress) =>
        backups.make(target(cli, file, Date.now()), (done) => {
          told.tell(Math.round(done * 100));
          progress(done);
        }),
      ),
    (facts) => `saved ${contents(facts)}`,
  );
  if (options.json) return terminal.json(made);
  terminal.line(cleanLine(`Saved ${contents(made)} in ${made.file}, and checked the file.`));
}

export function backupFolder(home: string): string {
  return join(home, "backups");
}

/** The file as given; in a folder, or if nothing was given, a name made from the time. */
function target({ home, workingFolder }: Cli, file: string | undefined, now: number): string {
  const name = `baton-${new Date(now).toISOString().replace(/[-:]|\.\d+/g, "")}.db`;
  if (file === undefined) return join(backupFolder(home), name);
  const path = resolve(workingFolder, file);
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, name) : path;
}

/** `12 sessions with 340 messages (1.2 MB)` */
export function contents({ rows, bytes }: BackupFacts): string {
  const { sessions = 0, messages = 0 } = rows;
  const size = `${(bytes / 2 ** 20).toFixed(1)} MB`;
  return `${counted(sessions, "session")} with ${counted(messages, "message")} (${size})`;
}

/** If there are none, the error says which command to use instead; its URL has no password. */
export async function backupsOf(
  cli: Cli,
  config: Config,
  commandFor: (url: string) => string,
): Promise<Backups> {
  const store = config.store.reveal();
  const backups = await cli.backups(store);
  if (backups) return backups;
  if (store.endsWith(":memory:")) {
    throw new CliError(
      "not_sqlite",
      "The store is only in memory and ends with its process, so it can't be backed up or restored.",
    );
  }
  const place = config.places.get("store");
  const [, file] = /^\{ file: (.*) \}$/.exec(config.store.shown) ?? [];
  const written = file === undefined ? quoted(config.store.shown) : `"$(cat ${quoted(file)})"`;
  const url = place && "variable" in place ? `"$${place.variable}"` : written;
  throw new CliError("not_sqlite", `The store is in PostgreSQL. Use its own tool: ${commandFor(url)}`);
}

export async function withProgress<Result>(
  { terminal }: Cli,
  verb: string,
  work: (progress: (done: number) => void) => Promise<Result>,
): Promise<Result> {
  try {
    return await work((done) => terminal.progress(`${Math.round(done * 100)} % ${verb}`));
  } finally {
    terminal.progress("");
  }
}
