/**
 * Brings sessions of other programs, and exports of our own, into the store. The format is told by what the files hold.
 * The source is never written to.
 */
import { realpath, stat } from "node:fs/promises";
import { InputError } from "../../session/errors.js";
import type { Sessions } from "../../session/sessions.js";
import type {
  ImportedPlatform,
  ImportedSession,
  ImportOptions,
  ImportReport,
} from "../../session/transfer.js";
import { adoptFound } from "./adopt.js";
import type { ImportContext } from "./context.js";
import type { FoundSession, ImportSource, PendingSession } from "./found-session.js";
import { Problems } from "./problems.js";

export async function importSessions(
  path: string,
  sessions: Sessions,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const { dryRun = false, scopes = {}, onProgress = () => {}, now = Date.now(), signal } = options;
  const context = { scopes, problems: new Problems(), now };
  const sources = await openSources(path, context);
  const total = sources.reduce((sum, source) => sum + source.sessions.length, 0);
  const gathering = new Gathering();
  let done = 0;
  try {
    onProgress(done, total);
    for (const pending of sources.flatMap((source) => source.sessions)) {
      if (signal?.aborted) break;
      const found = await readSession(pending, context.problems);
      try {
        if (found) gathering.add(found, await adoptFound(found, sessions, dryRun), dryRun);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        context.problems.add(pending.file, null, `The session cannot be taken: ${error.message}`);
      }
      onProgress(++done, total);
    }
  } finally {
    for (const source of sources) await source.close();
  }
  if (!dryRun) await sessions.indexAll(signal);
  const { problems } = context;
  return {
    format: sources[0]?.format ?? "metadata-jsonl",
    sources: sources.map(({ path: at, format }) => ({ path: at, format })),
    dryRun,
    sessions: gathering.sessions,
    totals: {
      ...totalsOf(gathering.sessions),
      problems: problems.count,
      bookkeeping: problems.bookkeeping,
    },
    unknownPlatforms: gathering.platforms,
    problems: problems.list,
  };
}

/** Reading touches only the source: whatever goes wrong is about this session, and the next one may be sound. */
async function readSession({ file, read }: PendingSession, problems: Problems): Promise<FoundSession | null> {
  try {
    return await read();
  } catch (error) {
    problems.add(file, null, `The session cannot be read: ${reasonOf(error)}`);
    return null;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return "It is nested too deeply, or too large.";
  return (error instanceof Error ? error.message : String(error)).replace(/\.?$/, ".");
}

/** What came in, each session once, though two parts of a source may have it. */
class Gathering {
  readonly #sessions = new Map<string, ImportedSession>();
  readonly #platforms = new Map<string, number>();

  add({ unknownPlatform, note }: FoundSession, result: ImportedSession, dryRun: boolean): void {
    const before = this.#sessions.get(result.sessionId);
    const notes = [note, result.note].filter(Boolean).join(" ");
    const noted = notes ? { ...result, note: notes } : result;
    if (!before) {
      this.#sessions.set(result.sessionId, noted);
      if (unknownPlatform !== undefined)
        this.#platforms.set(unknownPlatform, (this.#platforms.get(unknownPlatform) ?? 0) + 1);
    } else if (!dryRun && result.added > 0) {
      const messages = Math.max(before.messages, result.messages);
      this.#sessions.set(result.sessionId, { ...before, messages, added: before.added + result.added });
    }
  }

  get sessions(): ImportedSession[] {
    return [...this.#sessions.values()];
  }

  get platforms(): ImportedPlatform[] {
    const named = [...this.#platforms].map(([name, count]) => ({ name, sessions: count }));
    return named.sort((a, b) => b.sessions - a.sessions || (a.name < b.name ? -1 : 1));
  }
}

async function openSources(path: string, context: ImportContext): Promise<ImportSource[]> {
  const { sourcesInFile, sourcesInFolder } = await import("./find-sources.js"); // Few programs ever import.
  try {
    const real = await realpath(path);
    const stats = await stat(real);
    const sources = stats.isDirectory()
      ? await sourcesInFolder(real, context)
      : stats.isFile()
        ? await sourcesInFile(real, context)
        : [];
    if (sources.length > 0) return sources;
  } catch (error) {
    const { code, path: at = path } = error as NodeJS.ErrnoException;
    if (error instanceof InputError || !code) throw error;
    const why =
      code === "ENOENT"
        ? "is not there"
        : code === "EACCES"
          ? "may not be read by this user"
          : `cannot be read (${code})`;
    throw new InputError("import_unreadable", `${at} ${why}. ${LOOKED_FOR}`, { cause: error });
  }
  const [problem] = context.problems.list;
  const why = problem ? ` ${problem.file}: ${problem.reason}` : "";
  throw new InputError(
    "import_unreadable",
    `${path} holds no sessions that Baton can read.${why} ${LOOKED_FOR}`,
  );
}

const LOOKED_FOR =
  "Give the folder of Hermes (~/.hermes), nanobot (~/.nanobot or a workspace), OpenClaw (~/.openclaw) or Claude Code (~/.claude or a project in it), a folder with sessions.json and transcripts, a folder of .jsonl files that begin with a metadata line, one such file, or a SQLite database with the tables sessions and messages.";

function totalsOf(
  imported: readonly ImportedSession[],
): Omit<ImportReport["totals"], "problems" | "bookkeeping"> {
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
