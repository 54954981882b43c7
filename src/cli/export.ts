/** `baton sessions export`: writes one session, or all of them, to files. */
import { existsSync, realpathSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { OWNER } from "../session/access.js";
import type { SessionEntry } from "../session/session.js";
import type { Sessions } from "../session/sessions.js";
import type { ExportFormat } from "../session/transfer.js";
import { fileReason } from "../util/file-problem.js";
import { makeFolder } from "../util/make-folder.js";
import { printableText } from "../util/text.js";
import { counted } from "../util/words.js";
import { type Cli, withSessions } from "./cli.js";
import { CliError, wrongUsage } from "./failure.js";

interface ExportOptions {
  readonly format?: ExportFormat;
  readonly output?: string;
  readonly force?: boolean;
  readonly all?: boolean;
  readonly json?: boolean;
}

const PAGE = 200;

export function exportSessions(cli: Cli, which: string | undefined, options: ExportOptions): Promise<void> {
  return options.all ? exportAll(cli, which, options) : exportOne(cli, which, options);
}

async function exportOne(cli: Cli, which: string | undefined, options: ExportOptions): Promise<void> {
  const { output } = options;
  if (which === undefined) throw wrongUsage("Say which session to export, or use --all --output <folder>.");
  if (options.json && output === undefined && options.format !== undefined && options.format !== "json") {
    throw wrongUsage(`--json prints JSON to stdout. Leave out --format ${options.format}, or add --output.`);
  }
  await withSessions(cli, "look", async (sessions, config) => {
    const { terminal } = cli;
    const entry = await sessions.find(which, OWNER);
    if (output !== undefined && isOfStore(output, config.store.reveal())) {
      throw wrongUsage(`${output} is Baton's own database. Choose another file.`);
    }
    if (output === undefined) {
      const show = (text: string) => terminal.write(terminal.isSeen ? printableText(text) : text);
      const { exportSession } = await cli.loadExport();
      return exportSession(sessions, entry, options.format ?? (options.json ? "json" : "jsonl"), show);
    }
    await writeFile(cli, sessions, entry, output, options);
    if (options.json) terminal.json({ files: [output] });
    else terminal.line(`Wrote ${counted(entry.messageCount, "message")} to ${printableText(output)}.`);
  });
}

/** True for the database file and those that SQLite writes beside it. */
function isOfStore(output: string, store: string): boolean {
  const path = store.startsWith("file:") ? fileURLToPath(store) : store.replace(/^sqlite:(\/\/(?=\/))?/, "");
  const files = [realPlace(path), ...(existsSync(path) ? [realpathSync(path)] : [])];
  const place = realPlace(output);
  return files.some((file) => ["", "-wal", "-shm", "-journal"].some((suffix) => place === file + suffix));
}

/** The path with its folder's links resolved; the file itself need not exist. */
function realPlace(path: string): string {
  const folder = dirname(resolve(path));
  return join(existsSync(folder) ? realpathSync(folder) : folder, basename(path));
}

async function exportAll(cli: Cli, which: string | undefined, options: ExportOptions): Promise<void> {
  const { output } = options;
  if (which !== undefined) throw wrongUsage("Give one session or --all, not both.");
  if (output === undefined) throw wrongUsage("--all writes one file per session. Add --output <folder>.");
  await withSessions(cli, "look", async (sessions) => {
    const { terminal } = cli;
    await orRefused(output, (async () => makeFolder(output))());
    const { exportFileName } = await cli.loadExport();
    const files: string[] = [];
    for await (const entry of everySession(sessions)) {
      const file = join(output, exportFileName(entry, options.format ?? "jsonl"));
      await writeFile(cli, sessions, entry, file, options);
      files.push(file);
      terminal.progress(`${counted(files.length, "session")} written`);
    }
    terminal.progress("");
    if (options.json) terminal.json({ files });
    else terminal.line(`Wrote ${counted(files.length, "session")} to ${printableText(output)}.`);
  });
}

async function* everySession(sessions: Sessions): AsyncGenerator<SessionEntry> {
  let cursor: string | undefined;
  do {
    const page = await sessions.list({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }) }, OWNER);
    yield* page.items;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** Private, written whole or not at all; overwrites a file only with --force. */
async function writeFile(
  cli: Cli,
  sessions: Sessions,
  entry: SessionEntry,
  path: string,
  options: ExportOptions,
): Promise<void> {
  if (!options.force && existsSync(path)) {
    throw new CliError("output_exists", `${path} already exists. Use --force to overwrite it.`);
  }
  const { exportSession } = await cli.loadExport();
  const part = `${path}.${process.pid}.part`;
  const file = await orRefused(path, open(part, "wx", 0o600));
  try {
    await exportSession(sessions, entry, options.format ?? "jsonl", (text) =>
      orRefused(path, file.appendFile(text)),
    );
    await orRefused(path, rename(part, path));
  } finally {
    await file.close();
    await rm(part, { force: true });
  }
}

async function orRefused<Result>(path: string, attempt: Promise<Result>): Promise<Result> {
  try {
    return await attempt;
  } catch (error) {
    throw new CliError("output_failed", `Can't write ${path}: ${fileReason(error)}.`);
  }
}
