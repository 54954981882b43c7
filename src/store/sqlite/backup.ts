/**
 * A backup is one private SQLite file that holds the store as it was at one moment, whoever wrote to it meanwhile: the
 * engine copies it inside one read transaction. It gets its name only after it was opened again and found whole, with
 * as many rows in each table as that moment had.
 */
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { backup, DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { InputError, StoreError } from "../../session/errors.js";
import { makeFolder } from "../../util/make-folder.js";
import type { Row } from "../db.js";
import { SCHEMA_VERSION } from "../migrations/index.js";
import { APPLICATION_ID } from "./db.js";
import { refuseOther, storeErrorOf } from "./errors.js";

const BUSY_TIMEOUT_MS = 5_000;
const PAGES_A_STEP = 1_000;

/** What a store, or a backup of one, holds. */
interface StoreFacts {
  /** 0 where nothing was kept yet. */
  readonly schema: number;
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>;
}

export interface Backup extends StoreFacts {
  readonly file: string;
  readonly bytes: number;
}

/** Told how much has been copied, from 0 to 1. */
export type BackupProgress = (done: number) => void;

/** Copies the store at `path`, which may be in use, to a file that does not exist yet. */
export async function backUpSqlite(path: string, to: string, progress: BackupProgress): Promise<Backup> {
  if (!statSync(path, { throwIfNoEntry: false })) {
    throw new StoreError("store_unreachable", `There is nothing to back up yet: ${path} is not there.`);
  }
  refuseOther(path);
  const part = `${to}.${process.pid}.part`;
  try {
    if (statSync(to, { throwIfNoEntry: false })) throw alreadyThere(to);
    const facts = await copyStore(path, part, progress, (source) => {
      if (isOurs(source)) return factsOf(source);
      throw new StoreError("store_foreign", `${path} is not a store of Baton. Check \`baton config show\`.`);
    });
    const kept = checkCopy(part, path);
    if (JSON.stringify(kept.rows) !== JSON.stringify(facts.rows)) throw notWhole(path);
    publish(part, to);
    return { ...kept, file: to };
  } catch (error) {
    throw storeErrorOf(error, path);
  } finally {
    removeDatabase(part);
  }
}

function checkCopy(part: string, path: string): Backup {
  try {
    return checkBackup(part);
  } catch (cause) {
    if (cause instanceof InputError) throw notWhole(path, cause);
    throw cause;
  }
}

function notWhole(path: string, cause?: unknown): StoreError {
  return new StoreError(
    "store_corrupt",
    `The copy of ${path} is not whole, so it was not kept. \`baton doctor\` says how the store is.`,
    { cause },
  );
}

/** A file that is ours, whole, and not newer than this Baton; else refused with what to do. Nothing is changed. */
export function checkBackup(file: string): Backup {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile()) throw new InputError("backup_unusable", `There is no backup at ${file}.`);
  const unusable = (why: string, cause?: unknown) =>
    new InputError("backup_unusable", `${file} ${why} Give another backup; nothing was changed.`, { cause });
  let facts: StoreFacts;
  try {
    const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    try {
      if (!isOurs(database)) throw unusable("is not a backup of Baton.");
      const damage = database.prepare("PRAGMA integrity_check(3)").all() as { integrity_check: string }[];
      if (damage[0]?.integrity_check !== "ok") throw unusable("is damaged or was cut off.");
      facts = factsOf(database);
    } finally {
      database.close();
    }
  } catch (error) {
    const failure = storeErrorOf(error, file);
    if (failure instanceof StoreError && failure.code === "store_corrupt") {
      throw unusable("is damaged or was cut off.", error);
    }
    if (failure instanceof StoreError && failure.code === "store_foreign") {
      throw unusable("is not a backup of Baton.", error);
    }
    throw failure;
  }
  if (facts.schema > SCHEMA_VERSION) {
    const why = `schema ${facts.schema}; this one knows up to ${SCHEMA_VERSION}`;
    throw new StoreError("schema_too_new", `${file} is of a newer Baton (${why}). Update Baton first.`);
  }
  return { ...facts, file, bytes: stat.size };
}

/** One consistent copy as one private file, whatever state the pages are in; `look` sees the same moment. */
export async function copyStore<Seen>(
  path: string,
  to: string,
  progress: BackupProgress,
  look: (source: DatabaseSyncInstance) => Seen,
): Promise<Seen> {
  createPrivately(to);
  const source = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    source.exec("BEGIN; SELECT count(*) FROM sqlite_master"); // The moment: what is committed later stays out.
    const seen = look(source);
    await copyPages(source, to, progress);
    source.exec("ROLLBACK");
    // A copy of a store in use says that there is a -wal file beside it: there is none, and need not be.
    const copy = new DatabaseSync(to, { timeout: BUSY_TIMEOUT_MS });
    copy.exec("PRAGMA journal_mode = DELETE");
    copy.close();
    return seen;
  } finally {
    source.close();
  }
}

/** Replaces the pages of a database by those of the source, in one transaction of the engine. */
export async function copyPages(
  source: DatabaseSyncInstance,
  to: string,
  progress: BackupProgress,
): Promise<void> {
  await backup(source, to, {
    rate: PAGES_A_STEP,
    progress: ({ totalPages, remainingPages }) => progress(1 - remainingPages / Math.max(1, totalPages)),
  });
}

/** How file systems say that they have no links: those of memory sticks and many shares. */
const NO_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];

/** The finished file under its name, where nothing has that name. */
export function publish(part: string, to: string, link: typeof linkSync = linkSync): void {
  try {
    link(part, to);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" || statSync(to, { throwIfNoEntry: false })) throw alreadyThere(to);
    if (!NO_LINKS.includes(code)) throw error;
    renameSync(part, to);
  }
  const folder = openSync(dirname(to), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

export function removeDatabase(path: string): void {
  for (const end of ["", "-journal", "-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
}

/** Marked as Baton's. */
export function isOurs(database: DatabaseSyncInstance): boolean {
  return oneValue(database, "PRAGMA application_id") === APPLICATION_ID;
}

function factsOf(database: DatabaseSyncInstance): StoreFacts {
  const tables = database.prepare(TABLES).all() as { name: string }[];
  const rows = tables.map(({ name }) => [name, Number(oneValue(database, `SELECT count(*) FROM "${name}"`))]);
  const hasSchema = tables.some(({ name }) => name === "migrations");
  const schema = hasSchema ? Number(oneValue(database, "SELECT max(version) FROM migrations")) : 0;
  return { schema, rows: Object.fromEntries(rows) };
}

/** Not those behind an index, which the check of the whole file looks at. */
const TABLES =
  "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name";

function oneValue(database: DatabaseSyncInstance, sql: string): unknown {
  return Object.values(database.prepare(sql).get() as Row)[0];
}

function createPrivately(path: string): void {
  makeFolder(dirname(path));
  closeSync(openSync(path, "wx", 0o600));
}

function alreadyThere(path: string): InputError {
  return new InputError(
    "backup_exists",
    `${path} is there already, and a backup replaces nothing. Give another name.`,
  );
}
