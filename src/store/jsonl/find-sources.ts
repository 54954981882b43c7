/**
 * Finds the sessions in a folder that somebody points at: the folder of the sessions itself, or the home of the program that
 * keeps them further inside. What it is, is told by what the files hold.
 */
import { readdir, stat } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { InputError } from "../../session/errors.js";
import { openClaudeCode } from "./claude-code.js";
import type { ImportContext } from "./context.js";
import { DATABASES, type Folder, NOT_FOLLOWED, PUT_AWAY, readFolder } from "./folder.js";
import type { ImportSource } from "./found-session.js";
import { openMetadataJsonl, type PeekedFile } from "./metadata-jsonl.js";
import { openOpenClaw } from "./openclaw.js";
import { Problems } from "./problems.js";
import { INDEX, type IndexEntry, readIndex } from "./session-index.js";
import { openSessionsJson } from "./sessions-json.js";
import type { SqliteSource } from "./sqlite.js";
import { type Peeked, peek, type TranscriptFile } from "./transcript-file.js";

/** Where programs keep sessions within their folders; `*` is any folder. */
const INSIDE: readonly (readonly string[])[] = [
  [],
  ["sessions"],
  ["workspace", "sessions"],
  ["agent"],
  ["agents", "*", "agent"],
  ["agents", "*", "sessions"],
  ["*", "agent"],
  ["*", "sessions"],
  ["profiles", "*"],
  ["profiles", "*", "sessions"],
  ["projects", "*"],
  ["*"],
];

export async function sourcesInFolder(root: string, context: ImportContext): Promise<ImportSource[]> {
  const sources: ImportSource[] = [];
  /** The sessions of which a database has the messages, by the program's own ids. */
  const elsewhere = new Set<string>();
  let refusal: InputError | undefined;
  try {
    for (const path of await foldersIn(root, context.problems)) {
      const folder = await openedFolder(path, root, context);
      if (!folder) continue;
      const routes = await routesBeside(folder);
      for (const name of DATABASES.filter((each) => folder.names.has(each))) {
        try {
          const source = await openDatabase(join(path, name), folder.called(name), context, routes);
          for (const id of source?.ids ?? []) elsewhere.add(id);
          if (source) sources.push(source);
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          refusal ??= error;
          context.problems.add(folder.called(name), null, error.message);
        }
      }
      sources.push(...(await transcriptsIn(folder, context, elsewhere, path === root)));
    }
  } catch (error) {
    for (const source of sources) await source.close();
    throw error;
  }
  if (sources.length === 0 && refusal) throw refusal;
  return sources;
}

/** A folder inside that may not be read costs what is in it; the given one is an error. */
async function openedFolder(path: string, root: string, { problems }: ImportContext): Promise<Folder | null> {
  const within = relative(root, path);
  try {
    return await readFolder(path, within, problems);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!code || path === root) throw error;
    problems.add(within, null, `The folder cannot be read (${code}).`);
    return null;
  }
}

export async function sourcesInFile(path: string, context: ImportContext): Promise<ImportSource[]> {
  const name = basename(path);
  const database = await openDatabase(path, name, context, []);
  if (database) return [database];
  const peeked = await peek(path);
  const file = { path, name };
  switch (peeked.kind) {
    case "claude-code":
      return [openClaudeCode(path, [file], context)];
    case "openclaw": {
      const only = { path, called: (each: string) => each, transcripts: [file], names: new Set<string>() };
      return [openOpenClaw(only, [], context)];
    }
    case "metadata":
      return [await openMetadataJsonl(path, [{ file, header: peeked.header }], context)];
    case "messages":
      return [await openMetadataJsonl(path, [{ file, header: null }], context)];
    case "none":
      context.problems.add(name, null, peeked.reason);
      return [];
  }
}

/** Each folder once, and a folder before those in it: a database comes before the index that leads to it. */
async function foldersIn(root: string, problems: Problems): Promise<string[]> {
  const found = new Set<string>();
  const links = new Set<string>();
  for (const words of INSIDE) {
    let paths = [root];
    for (const [depth, word] of words.entries()) {
      const next = await Promise.all(paths.map((path) => childrenOf(path, word)));
      paths = next.flatMap(({ folders }) => folders);
      // Of all that is in the given folder itself, only links where sessions are expected.
      if (depth > 0 || word !== "*")
        for (const { links: not } of next) for (const link of not) links.add(link);
    }
    for (const path of paths) found.add(path);
  }
  for (const link of links) problems.add(relative(root, link), null, NOT_FOLLOWED);
  return [...found].sort();
}

/** The folders of that name, and the links to folders; what this user may not read has nothing to offer. */
async function childrenOf(path: string, word: string): Promise<{ folders: string[]; links: string[] }> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  const named = entries.filter(({ name }) => word === "*" || name === word);
  const links = named.filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(path, name));
  const leadOn = await Promise.all(links.map((link) => stat(link).catch(() => null)));
  return {
    folders: named.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name)),
    links: links.filter((_, index) => leadOn[index]?.isDirectory()),
  };
}

/** The chats of a database are in the index of the folder beside it. */
async function routesBeside(folder: Folder): Promise<IndexEntry[]> {
  if (!DATABASES.some((name) => folder.names.has(name))) return [];
  const [path] = (await childrenOf(folder.path, "sessions")).folders;
  if (path === undefined) return [];
  // What is wrong with it is reported when its own folder is read.
  const problems = new Problems();
  const beside = await readFolder(path, folder.called("sessions"), problems).catch(() => null);
  return beside?.names.has(INDEX) ? readIndex(beside, problems) : [];
}

async function openDatabase(
  path: string,
  called: string,
  context: ImportContext,
  routes: readonly IndexEntry[],
): Promise<SqliteSource | null> {
  const { ForeignDatabase, damaged } = await import("./foreign-database.js"); // Only for a database: it loads the driver.
  const database = await ForeignDatabase.open(path, called, context.problems);
  if (!database) return null;
  try {
    const modifiedAt = Math.round((await stat(path)).mtimeMs);
    const { hasTranscriptEvents, openTranscriptEvents } = await import("./openclaw-sqlite.js");
    if (hasTranscriptEvents(database)) return openTranscriptEvents(database, path, modifiedAt, context);
    const { hasSessionTables, openSessionTables } = await import("./sqlite.js");
    if (hasSessionTables(database)) return openSessionTables(database, path, modifiedAt, context, routes);
  } catch (error) {
    await database.close();
    throw error instanceof InputError ? error : damaged(path, error);
  }
  const missing = ["sessions", "messages"].filter((table) => database.columnsOf(table).size === 0);
  await database.close();
  throw new InputError(
    "import_unreadable",
    `${path} is a SQLite database without the tables sessions (with id) and messages (with session_id and role)${missing.length > 0 ? `: ${missing.join(" and ")} not found` : ""}.`,
  );
}

async function transcriptsIn(
  folder: Folder,
  context: ImportContext,
  elsewhere: ReadonlySet<string>,
  isRoot: boolean,
): Promise<ImportSource[]> {
  const { problems } = context;
  const peeked: (PeekedFile & { readonly peeked: Peeked })[] = [];
  for (const file of folder.transcripts) {
    const found = await peek(file.path);
    peeked.push({ file, header: found.kind === "metadata" ? found.header : null, peeked: found });
  }
  const of = (kind: Peeked["kind"]) => peeked.filter((each) => each.peeked.kind === kind);
  const filesOf = (kind: Peeked["kind"]): TranscriptFile[] => of(kind).map(({ file }) => file);
  if (folder.names.has(INDEX)) {
    const entries = await readIndex(folder, problems);
    const isOpenClaw =
      entries.some(({ fields }) => typeof fields.sessionId === "string") ||
      (entries.length === 0 && of("openclaw").length > 0);
    return [(isOpenClaw ? openOpenClaw : openSessionsJson)(folder, entries, context, elsewhere)];
  }
  const sources: ImportSource[] = [];
  const [claude, openClaw] = [filesOf("claude-code"), filesOf("openclaw")];
  if (claude.length > 0) sources.push(openClaudeCode(folder.path, claude, context));
  if (openClaw.length > 0 || [...folder.names].some((name) => name.includes(PUT_AWAY)))
    sources.push(openOpenClaw({ ...folder, transcripts: openClaw }, [], context, elsewhere));
  // Plain messages name no program: only in the folder that was given, or beside files that do.
  const plain = isRoot || of("metadata").length > 0 || basename(folder.path) === "sessions";
  const flat = peeked.filter(({ peeked: { kind } }) => kind === "metadata" || (plain && kind === "messages"));
  if (flat.length > 0) sources.push(await openMetadataJsonl(folder.path, flat, context));
  if (!plain) for (const { name } of filesOf("messages")) problems.add(name, null, NAMELESS);
  for (const { file, peeked: found } of peeked)
    if (found.kind === "none") problems.add(file.name, null, found.reason);
  return sources;
}

const NAMELESS =
  "It does not say which program it is from, so it was left out. If it is a conversation, import it by its own path.";
