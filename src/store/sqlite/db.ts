/**
 * SQLite behind the `Db` port. The driver is synchronous and has one connection: transactions of this process queue
 * up, those of other processes are waited for. Nothing here opens the database file with `fs`: closing any descriptor
 * of it would drop SQLite's locks.
 */
import { closeSync, existsSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import type { Fact, Subscriber } from "../../gateway/facts.js";
import { StoreError } from "../../session/errors.js";
import { makeFolder } from "../../util/make-folder.js";
import { timerMs } from "../../util/timer-ms.js";
import { type Db, type Dialect, type Queries, type Row, type SqlValue, withoutNul } from "../db.js";
import { Recorded, Subscribers } from "../facts.js";
import { CommitQueue } from "./commit-queue.js";
import { isBusy, linkTarget, refuseOther, storeErrorOf } from "./errors.js";
import { FileWatch } from "./file-watch.js";
import { ReadingThread } from "./reading-thread.js";
import { refuseWhileRestoring } from "./restoring.js";
import { Statement } from "./statement.js";

/** "Batn": marks the file as ours. */
export const APPLICATION_ID = 0x4261746e;

/** Below this, a bug in WAL resets could corrupt a database that several processes share. */
const OLDEST_SQLITE = [3, 51, 3];

/**
 * How long SQLite itself waits for another's commit. Short, since it blocks this thread, on which that commit may be
 * waiting (another connection of this process); after it the wait goes on beside the event loop.
 */
const BUSY_TIMEOUT_MS = 10;
const GIVE_UP_MS = 30_000;

/**
 * For how long statements may follow one another before the event loop has its turn: promises alone never give it one,
 * so a long queue of transactions would keep everything else of the process waiting.
 */
const SLICE_MS = 5;

/** How often the engine is asked whether another process has committed: a few microseconds each time. */
const WATCH_MS = 40;

const dialect: Dialect = {
  name: "sqlite",
  int: "INTEGER",
  real: "REAL",
  text: "TEXT",
  autoId: "INTEGER PRIMARY KEY AUTOINCREMENT",
  tableEnd: "STRICT",
  forUpdate: () => "",
  lockMigrations: null,
  lockName: null,
  clockShift: () => ({ sql: "0", values: [] }),
  findTable: "SELECT name FROM sqlite_master WHERE type = 'table' AND name = ?",
  storeBytes:
    "SELECT c.page_count * s.page_size AS bytes FROM pragma_page_count() AS c, pragma_page_size() AS s",
  textColumns: `SELECT m.name AS of_table, c.name AS of_column FROM sqlite_master m JOIN pragma_table_info(m.name) c
    WHERE m.type = 'table' AND c.type = 'TEXT' ORDER BY m.name, c.cid`,
  rowPlace: { sql: "rowid", order: "rowid", isAfter: "rowid > ?", first: 0 },
};

export interface SqliteOptions {
  /** There was a store here before, as this file says: one that is gone or empty is refused, not begun anew. */
  readonly rememberedIn?: string;
  /** Neither creates nor changes anything. */
  readonly readOnly?: boolean;
}

export async function openSqlite(path: string, options: SqliteOptions = {}): Promise<Db> {
  const { rememberedIn, readOnly = false } = options;
  const inMemory = path === ":memory:";
  try {
    if (rememberedIn !== undefined && !existsSync(path)) throw missing(path, "gone", rememberedIn);
    if (!inMemory) refuseOther(path);
    if (!inMemory && !readOnly) createPrivately(path);
    const database = new DatabaseSync(path, {
      timeout: BUSY_TIMEOUT_MS,
      enableForeignKeyConstraints: true,
      readOnly,
    });
    try {
      await waitWhileBusy(() => prepareDatabase(database, path, options));
      if (!inMemory) refuseWhileRestoring(path);
      return new SqliteDb(database, path, readOnly);
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    const failure = storeErrorOf(error, path);
    const present = existsSync(path) && statSync(path).isFile();
    if (present && failure instanceof StoreError && failure.code === "store_unreachable") {
      throw new StoreError(
        "store_readonly",
        `${path} is there but cannot be opened for writing. Give the user that runs Baton write access to it and its folder.`,
        { cause: error },
      );
    }
    throw failure;
  }
}

/** 0600 in a 0700 folder before SQLite sees it; -wal and -shm take the file's mode. An existing file is not opened. */
function createPrivately(path: string): void {
  makeFolder(dirname(path));
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const target = existsSync(path) ? null : linkTarget(path);
    if (target !== null) createPrivately(target); // SQLite would create it for everybody to read.
  }
}

function missing(path: string, how: "gone" | "empty", rememberedIn: string): StoreError {
  return new StoreError(
    "store_missing",
    `The store ${path} is ${how}, though Baton has used it before. Put the file back, or restore a backup with \`baton restore\`. To begin with an empty store instead, delete ${rememberedIn}.`,
  );
}

function prepareDatabase(
  database: DatabaseSyncInstance,
  path: string,
  { rememberedIn, readOnly }: SqliteOptions,
): void {
  const inMemory = path === ":memory:";
  const pragma = (name: string): SqlValue =>
    Object.values(database.prepare(`PRAGMA ${name}`).get() as Row)[0] ?? null;
  const version = (database.prepare("SELECT sqlite_version() AS v").get() as { v: string }).v;
  if (isOlder(version.split(".").map(Number), OLDEST_SQLITE)) {
    throw new StoreError(
      "store_unsupported",
      `SQLite ${version} can corrupt a shared database; ${OLDEST_SQLITE.join(".")} or later is needed. Run npm install again.`,
    );
  }
  const tables = (database.prepare("SELECT count(*) AS n FROM sqlite_master").get() as { n: number }).n;
  if (pragma("application_id") !== APPLICATION_ID && tables > 0) {
    throw new StoreError(
      "store_foreign",
      `${path} is a database of another program. Give another path, or bring its sessions in with \`baton sessions import\`.`,
    );
  }
  if (rememberedIn !== undefined && tables === 0) throw missing(path, "empty", rememberedIn);
  if (readOnly) return;
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864");
  const asserted: [string, SqlValue][] = [
    ["journal_mode", inMemory ? "memory" : "wal"],
    ["synchronous", 2],
    ["foreign_keys", 1],
    ["busy_timeout", BUSY_TIMEOUT_MS],
  ];
  for (const [name, wanted] of asserted) {
    const got = pragma(name);
    if (got !== wanted) {
      throw new StoreError(
        "store_unsupported",
        `SQLite refused ${name}=${wanted} for ${path} (it says ${got}). Is it on a network share?`,
      );
    }
  }
  if (tables === 0) database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
}

function isOlder(version: number[], than: number[]): boolean {
  const differs = version.findIndex((part, index) => part !== than[index]);
  return differs >= 0 && (version[differs] ?? 0) < (than[differs] ?? 0);
}

async function waitWhileBusy<Result>(attempt: () => Result): Promise<Result> {
  const deadline = performance.now() + GIVE_UP_MS;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      await sleep(timerMs(pauseMs));
    }
  }
}

class SqliteDb implements Db {
  readonly dialect = dialect;
  readonly #database: DatabaseSyncInstance;
  readonly #path: string;
  readonly #readOnly: boolean;
  readonly #file: FileWatch;
  readonly #statements = new Map<string, Statement>();
  readonly #inside: Omit<Queries, "record">;
  readonly #subscribers = new Subscribers();
  readonly #queue: CommitQueue;
  /** Null if this connection is the only one, or the process does nothing else meanwhile. */
  readonly #aside: ReadingThread | null;
  #closed = false;
  readonly #watches = new Set<NodeJS.Timeout>();
  /** When the first statement of this turn of the event loop began. */
  #sliceBegan: number | undefined;

  constructor(database: DatabaseSyncInstance, path: string, readOnly: boolean) {
    this.#database = database;
    this.#path = path;
    this.#readOnly = readOnly;
    this.#file = new FileWatch(path);
    this.#aside = path === ":memory:" || readOnly ? null : new ReadingThread(path);
    const get: Queries["get"] = async (sql, ...params) => this.#statement(sql).get(params);
    this.#inside = {
      get,
      write: get,
      all: async (sql, ...params) => this.#statement(sql).all(params),
      run: async (sql, ...params) => this.#statement(sql).run(params),
    };
    this.#queue = new CommitQueue(this.#connection());
  }

  #connection(): ConstructorParameters<typeof CommitQueue>[0] {
    const database = this.#database;
    const execute = (sql: string) => (): void => void this.#statement(sql).run();
    return {
      begin: () => waitWhileBusy(execute("BEGIN IMMEDIATE")),
      commit: () => {
        this.#file.check(); // Nothing is committed into a file that nobody finds.
        this.#statement("COMMIT").run();
        this.#file.check(); // Nor was it lost just then: nobody is told of it.
      },
      rollback: () => database.exec("ROLLBACK"),
      savepoint: execute("SAVEPOINT work"),
      release: execute("RELEASE work"),
      rollbackToSavepoint: execute("ROLLBACK TO work"),
      get isInTransaction() {
        return database.isTransaction;
      },
    };
  }

  get(sql: string, ...params: SqlValue[]): Promise<Row | undefined> {
    return this.#read(() => this.#statement(sql).get(params));
  }

  all(sql: string, ...params: SqlValue[]): Promise<Row[]> {
    return this.#read(() => this.#statement(sql).all(params));
  }

  run(sql: string, ...params: SqlValue[]): Promise<number> {
    return this.#enqueue("statement", () => this.#inside.run(sql, ...params));
  }

  write(sql: string, ...params: SqlValue[]): Promise<Row | undefined> {
    return this.#enqueue("statement", () => this.#inside.get(sql, ...params));
  }

  transaction<Result>(work: (tx: Queries) => Promise<Result>): Promise<Result> {
    let recorded = new Recorded();
    const recording = (): Promise<Result> => {
      recorded = new Recorded();
      return work({ ...this.#inside, record: recorded.record });
    };
    return this.#enqueue("transaction", recording, () => this.#subscribers.tell(recorded.facts));
  }

  async readAside(sql: string, ...params: SqlValue[]): Promise<Row[]> {
    const rows = this.#closed ? null : await this.#aside?.all(sql, withoutNul(params));
    return rows ?? this.all(sql, ...params); // If something is wrong with the store, this says what.
  }

  record(fact: Fact): void {
    this.#subscribers.tell([fact]);
  }

  subscribe(subscriber: Subscriber): () => void {
    return this.#subscribers.add(subscriber);
  }

  snapshot<Result>(work: (tx: Queries) => Promise<Result>): Promise<Result> {
    return this.#enqueue("alone", async () => {
      await waitWhileBusy(() => this.#beginSnapshot());
      try {
        return await work({ ...this.#inside, record: () => {} }); // Nothing is written.
      } finally {
        if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      }
    });
  }

  maintain(sql: string): Promise<Row[]> {
    return this.#enqueue("alone", () => waitWhileBusy(() => new Statement(this.#database, sql).all()));
  }

  watch(subscriber: Subscriber): () => void {
    let seen = this.#version();
    const timer = setInterval(() => {
      const version = this.#version();
      if (version === seen) return;
      seen = version;
      subscriber({ kind: "unknown" });
    }, WATCH_MS);
    timer.unref();
    this.#watches.add(timer);
    return () => {
      clearInterval(timer);
      this.#watches.delete(timer);
    };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const timer of this.#watches) clearInterval(timer);
    await this.#aside?.close();
    await this.#queue.idle();
    this.#statements.clear();
    try {
      // The driver frees statements only with the garbage, so closing alone would leave the rows in the -wal file.
      if (!this.#readOnly) this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // Whatever keeps it from being tidied up: the rows are safe in the -wal file, and the next opening reads it.
    } finally {
      this.#database.close();
    }
  }

  /** Another one after each commit of another connection. Null where it cannot be read now. */
  #version(): SqlValue {
    try {
      return this.#statement("PRAGMA data_version").get()?.data_version ?? null;
    } catch {
      return null;
    }
  }

  #statement(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = new Statement(this.#database, sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** A read waits for those before it, whose uncommitted rows it would otherwise see. */
  async #read<Result>(statement: () => Result): Promise<Result> {
    // In a transaction of ours nobody else is in the way, and it ends only after this.
    const waiting = async (): Promise<Result> =>
      this.#database.isTransaction ? statement() : waitWhileBusy(statement);
    if (this.#closed || !this.#queue.isIdle || this.#isSliceOver()) return this.#enqueue("read", waiting);
    try {
      return statement();
    } catch (error) {
      if (isBusy(error)) return this.#enqueue("read", waiting);
      throw storeErrorOf(error, this.#path);
    }
  }

  async #enqueue<Result>(
    kind: Parameters<CommitQueue["add"]>[0],
    work: () => Promise<Result>,
    onCommitted?: () => void,
  ): Promise<Result> {
    if (this.#closed) throw new StoreError("store_closed", "The store is closed.");
    try {
      return await this.#queue.add(kind, work, onCommitted);
    } catch (error) {
      throw storeErrorOf(error, this.#path);
    }
  }

  #isSliceOver(): boolean {
    const now = performance.now();
    if (this.#sliceBegan === undefined) {
      this.#sliceBegan = now;
      setImmediate(() => {
        this.#sliceBegan = undefined;
      });
    }
    return now - this.#sliceBegan > SLICE_MS;
  }

  /** The snapshot is taken by the first read: here, where a busy database can be waited for. */
  #beginSnapshot(): void {
    this.#statement("BEGIN").run();
    try {
      this.#statement("SELECT 1 FROM migrations LIMIT 1").get();
    } catch (error) {
      this.#database.exec("ROLLBACK");
      throw error;
    }
  }
}
