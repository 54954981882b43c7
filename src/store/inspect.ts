/**
 * A store looked at from outside, for `baton doctor`: it says what is wrong where opening would only fail. Looks
 * read-only first; a database that is damaged, another program's or newer than this Baton is left as it is. Files
 * are only asked for their modes, never opened with `fs` (see sqlite/db.ts).
 */
import { accessSync, constants, type Stats, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import type { Undelivered } from "../gateway/store.js";
import { BatonError, type ErrorCode } from "../session/errors.js";
import type { Finding } from "../util/finding.js";
import { cleanLine } from "../util/text.js";
import { counted } from "../util/words.js";
import type { Db, Dialect, Row } from "./db.js";
import { SCHEMA_VERSION, schemaVersion } from "./migrations/index.js";
import { SqlOutbox } from "./sql/outbox.js";
import { APPLICATION_ID, openSqlite, type SqliteOptions } from "./sqlite/db.js";
import { refuseOther, storeErrorOf } from "./sqlite/errors.js";

const CHECK = "store";
const BUSY_TIMEOUT_MS = 1_000;
const ROOM_WARNING_BYTES = 500 * 2 ** 20;
const DOUBT_MS = 7 * 86_400_000;
const ROOM_BROKEN_BYTES = 20 * 2 ** 20;

/** A SQLite file: its modes, the room around it, and what SQLite says about it. */
export async function inspectSqlite(path: string, options: SqliteOptions = {}): Promise<Finding[]> {
  const findings: Finding[] = [engineFinding()];
  try {
    findings.push(await roomFinding(path));
    refuseOther(path);
    if (!statOf(path)) {
      if (options.rememberedIn !== undefined) await openSqlite(path, options); // It says what is wrong.
      return [...findings, ok(`${path} does not exist yet; Baton creates it with the first session`)];
    }
    const probed = await probeSqlite(path, options);
    // The modes last: opening makes -wal and -shm with the mode of the file.
    return [...findings, modeFinding(path), ...probed];
  } catch (error) {
    return [...findings, failureFinding(storeErrorOf(error, path), "sqlite")];
  }
}

/** A PostgreSQL database, opened without creating anything in it. */
export async function inspectPostgres(url: string): Promise<Finding[]> {
  try {
    const { openPostgres } = await import("./postgres/db.js");
    const db = await openPostgres(url, { readOnly: true });
    return await openedFindings(db, postgresSettings);
  } catch (error) {
    return [failureFinding(error, "postgres")];
  }
}

/** What to do about a damaged store. */
const RESTORE: Readonly<Record<Dialect["name"], string>> = {
  sqlite: "stop Baton, then run `baton restore <backup>`; it saves the damaged store in another file",
  postgres: "stop Baton, and restore a backup of the database with the tools of PostgreSQL",
};

/** What to do about a store that can't be opened at all. */
const OUT_OF_REACH: Readonly<Record<Dialect["name"], string>> = {
  sqlite: "correct that, or set `store` in config.yaml to another path",
  postgres: "check `store` in `baton config show`, and that the server runs and can be reached",
};

/** What to do about an error of a store, by its code. */
const FIXES: Partial<Record<ErrorCode, string>> = {
  store_foreign: "set `store` to another path, or import its sessions with `baton sessions import`",
  store_missing: "put the file back, or run `baton restore <backup>`",
  store_readonly: "give the user that runs Baton write access to the file and its folder",
  store_full: "free some space",
  store_busy: "end the process that holds it, or wait for it, then run `baton doctor` again",
  store_unsupported: "run npm install again, and keep the store on a disk of this machine",
  schema_too_new: "update Baton",
};

function engineFinding(): Finding {
  const database = new DatabaseSync(":memory:");
  const { version } = database.prepare("SELECT sqlite_version() AS version").get() as { version: string };
  database.close();
  return { check: "SQLite", status: "ok", finding: version };
}

/** Looks read-only, then opens it as Baton does. */
async function probeSqlite(path: string, options: SqliteOptions): Promise<Finding[]> {
  const folder = dirname(path);
  if (!isWritable(path) || !isWritable(folder)) {
    const fix = `give the user that runs Baton write access to the file and its folder: chmod u+rw '${path}'; chmod u+rwx '${folder}'`;
    return [broken(`${path} can't be written`, fix)];
  }
  try {
    const content = contentFinding(path);
    if (content.status === "broken") return [content];
    return [content, ...(await openedFindings(await openSqlite(path, options), sqliteSettings))];
  } catch (error) {
    const failure = storeErrorOf(error, path);
    const damaged = failure instanceof BatonError && failure.code === "store_corrupt";
    return [damaged ? broken(`${path} is damaged`, RESTORE.sqlite) : failureFinding(failure, "sqlite")];
  }
}

/** Ours, and whole? Asked without changing anything. */
function contentFinding(path: string): Finding {
  const database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    const value = (sql: string) => Object.values(database.prepare(sql).get() as Row)[0];
    const tables = value("SELECT count(*) FROM sqlite_master");
    if (tables !== 0 && value("PRAGMA application_id") !== APPLICATION_ID) {
      return broken(
        `${path} is a database of another program`,
        "set `store` to another path, or import its sessions with `baton sessions import`",
      );
    }
    const damage = database.prepare("PRAGMA quick_check(5)").all() as { quick_check: string }[];
    if (damage[0]?.quick_check === "ok") return ok(`${path} is intact (quick_check)`);
    return broken(`${path} is damaged: ${damage.map((row) => row.quick_check).join("; ")}`, RESTORE.sqlite);
  } finally {
    database.close();
  }
}

async function openedFindings(db: Db, settings: (db: Db) => Promise<Finding[]>): Promise<Finding[]> {
  try {
    const version = await schemaVersion(db);
    const schema =
      version === SCHEMA_VERSION
        ? ok(`schema ${version}, up to date`)
        : ok(`schema ${version}; the next start brings it to ${SCHEMA_VERSION}`);
    if (version > 0) await tryToWrite(db);
    return [schema, ...(await settings(db)), ok("writable"), ...(await doubtFindings(db, version))];
  } catch (error) {
    return [failureFinding(error, db.dialect.name)];
  } finally {
    await db.close();
  }
}

/** Writes the same value once more: nothing changes, and yet a disk that is full or read-only shows. */
async function tryToWrite(db: Db): Promise<void> {
  await db.transaction(async (tx) => {
    if (db.dialect.name === "postgres") await tx.run("SET TRANSACTION READ WRITE");
    await tx.run("UPDATE migrations SET version = version");
  });
}

/** Messages that failed, or of which nobody knows whether they arrived; spoken of for a week. */
async function doubtFindings(db: Db, version: number): Promise<Finding[]> {
  if (version < SCHEMA_VERSION) return []; // Opened by this Baton, it will be told.
  const since = Date.now() - DOUBT_MS;
  const failed = await new SqlOutbox(db).undelivered(since, null);
  const row = await db.get(
    "SELECT count(*) AS count FROM outbox WHERE state = 'unknown' AND created_at >= ?",
    since,
  );
  return [...unknownFindings(Number(row?.count)), ...failedFindings(failed)];
}

function failedFindings({ count, last }: Undelivered): Finding[] {
  if (!last) return [];
  const where = `the last to ${cleanLine(last.to)} at ${new Date(last.at).toISOString()}`;
  const finding = `${counted(count, "message")} of the last 7 days could not be delivered, ${where}: ${cleanLine(last.error)}`;
  const fix = "see `baton logs` for the others; each chat hears of it with its next message";
  return [{ check: "delivery", status: "hint", finding, fix }];
}

function unknownFindings(count: number): Finding[] {
  if (count === 0) return [];
  const finding = `${counted(count, "message")} of the last 7 days may not have arrived (unknown)`;
  const fix = "see `baton logs` for which and why; Baton has said so in the chats";
  return [{ check: "delivery", status: "hint", finding, fix }];
}

async function sqliteSettings(db: Db): Promise<Finding[]> {
  const pragma = async (name: string) => Object.values((await db.get(`PRAGMA ${name}`)) ?? {})[0];
  const journal = await pragma("journal_mode");
  const synchronous = await pragma("synchronous");
  const safe = journal === "wal" && synchronous === 2;
  const levels = ["OFF", "NORMAL", "FULL", "EXTRA"];
  const finding = `journal_mode=${journal}, synchronous=${levels[Number(synchronous)] ?? synchronous}`;
  return [safe ? ok(finding) : broken(finding, "wal and FULL are needed; is the file on a network share?")];
}

async function postgresSettings(db: Db): Promise<Finding[]> {
  const show = async (name: string) => String(Object.values((await db.get(`SHOW ${name}`)) ?? {})[0]);
  const commit = await show("synchronous_commit");
  return [
    ok(`PostgreSQL ${await show("server_version")} answers`),
    commit === "off"
      ? broken("synchronous_commit=off", "turn it on: a crash of the server could lose what was acknowledged")
      : ok(`synchronous_commit=${commit}`),
    await readFinding(db),
  ];
}

/** Reads every row of every table, as a backup would. Its indexes are not looked at. */
async function readFinding(db: Db): Promise<Finding> {
  const tables = await db.all("SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()");
  await db.transaction(
    async (tx) => {
      for (const { name } of tables) await tx.get(`SELECT count("${name}") AS rows FROM "${name}"`);
    },
    { isLong: true },
  );
  return ok("all tables can be read");
}

/** Conversations are private: nobody else may read the files. */
function modeFinding(path: string): Finding {
  const files = [path, `${path}-wal`, `${path}-shm`];
  const readable = files.filter((name) => ((statOf(name)?.mode ?? 0) & 0o077) !== 0);
  if (readable.length === 0) return ok(`${path} is private (${modeOf(path)})`);
  return warning(
    `other users can read ${readable.join(", ")} (${modeOf(readable[0] ?? path)})`,
    `chmod 600 '${path}'*`, // The files beside it come and go.
  );
}

async function roomFinding(path: string): Promise<Finding> {
  let folder = dirname(path);
  while (!statOf(folder) && dirname(folder) !== folder) folder = dirname(folder);
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const finding = `${size(free)} free at ${folder}`;
  const fix = "free some space; a full disk stops new messages from being stored";
  if (free >= ROOM_WARNING_BYTES) return { check: "disk", status: "ok", finding };
  return { check: "disk", status: free < ROOM_BROKEN_BYTES ? "broken" : "warning", finding, fix };
}

function size(bytes: number): string {
  return bytes < 2 ** 30 ? `${Math.round(bytes / 2 ** 20)} MB` : `${(bytes / 2 ** 30).toFixed(1)} GB`;
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false; // The reason is the answer.
  }
}

function modeOf(path: string): string {
  return ((statOf(path)?.mode ?? 0) & 0o777).toString(8).padStart(4, "0");
}

function failureFinding(error: unknown, engine: Dialect["name"]): Finding {
  if (!(error instanceof BatonError)) throw error;
  return broken(error.message, fixFor(error.code, engine));
}

function fixFor(code: ErrorCode, engine: Dialect["name"]): string {
  if (code === "store_corrupt") return RESTORE[engine];
  if (code === "store_unreachable") return OUT_OF_REACH[engine];
  return FIXES[code] ?? "fix that, then run `baton doctor` again";
}

function ok(finding: string): Finding {
  return { check: CHECK, status: "ok", finding };
}

function warning(finding: string, fix: string): Finding {
  return { check: CHECK, status: "warning", finding, fix };
}

function broken(finding: string, fix: string): Finding {
  return { check: CHECK, status: "broken", finding, fix };
}
