/**
 * Brings sessions of other programs, and exports of our own, into the store. The format is told by what the files hold.
 * The source is never written to.
 */
import { realpath, stat } from "node:fs/promises";
import { basename } from "node:path";
import { InputError } from "../../session/errors.js";
import type { SessionScopes } from "../../session/session-key.js";
import type { Sessions } from "../../session/sessions.js";
import type { ImportedSession, ImportOptions, ImportReport } from "../../session/transfer.js";
import { adoptFound } from "./adopt.js";
import { readFolder } from "./folder.js";
import type { ImportSource } from "./found-session.js";
import { openMetadataJsonl } from "./metadata-jsonl.js";
import { Problems } from "./problems.js";
import { INDEX, openSessionsJson } from "./sessions-json.js";

export async function importSessions(
  path: string,
  sessions: Sessions,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const { dryRun = false, scopes = {}, onProgress = () => {} } = options;
  const problems = new Problems();
  const source = await openSource(path, scopes, problems);
  const imported: ImportedSession[] = [];
  const seen = new Set<string>();
  let done = 0;
  try {
    onProgress(done, source.total);
    for await (const found of source.sessions()) {
      try {
        const result = await adoptFound(found, sessions, dryRun);
        // A dry run stores nothing, so a second file of one session would count as new again.
        const again = dryRun && seen.has(result.sessionId);
        seen.add(result.sessionId);
        imported.push(again ? { ...result, added: 0, status: "present" } : result);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        problems.add(found.file, null, `The session cannot be taken: ${error.message}`);
      }
      onProgress(++done, source.total);
    }
  } finally {
    await source.close();
  }
  if (!dryRun) await sessions.indexAll();
  return {
    format: source.format,
    dryRun,
    sessions: imported,
    totals: totalsOf(imported),
    problems: problems.list,
  };
}

async function openSource(path: string, scopes: SessionScopes, problems: Problems): Promise<ImportSource> {
  try {
    const real = await realpath(path);
    const stats = await stat(real);
    if (stats.isDirectory()) {
      const folder = await readFolder(real, problems);
      if (folder.has(INDEX)) return await openSessionsJson(folder, scopes, problems);
      const source = await openMetadataJsonl(folder.transcripts, scopes, problems);
      if (source) return source;
    } else if (stats.isFile()) {
      const { openForeignSqlite } = await import("./sqlite.js");
      const source =
        (await openForeignSqlite(real, Math.round(stats.mtimeMs), scopes, problems)) ??
        (await openMetadataJsonl([{ path: real, name: basename(real) }], scopes, problems));
      if (source) return source;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof InputError || !code) throw error;
    const why =
      code === "ENOENT"
        ? "is not there"
        : code === "EACCES"
          ? "may not be read by this user"
          : `cannot be read (${code})`;
    throw new InputError("import_unreadable", `${path} ${why}. ${LOOKED_FOR}`, { cause: error });
  }
  throw new InputError("import_unreadable", `${path} holds no sessions that Baton can read. ${LOOKED_FOR}`);
}

const LOOKED_FOR =
  "Give a folder with sessions.json and transcripts, a folder of .jsonl files that begin with a metadata line, one such file, or a SQLite database with the tables sessions and messages.";

function totalsOf(imported: readonly ImportedSession[]): ImportReport["totals"] {
  const count = (status: ImportedSession["status"]) =>
    imported.filter((each) => each.status === status).length;
  return {
    sessions: imported.length,
    new: count("new"),
    extended: count("extended"),
    present: count("present"),
    messages: imported.reduce((sum, each) => sum + each.messages, 0),
    added: imported.reduce((sum, each) => sum + each.added, 0),
  };
}
