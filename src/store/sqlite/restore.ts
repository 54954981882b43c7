/**
 * Puts a backup in place of the store. The engine replaces the pages of the same file in one transaction, so whoever
 * waits for it finds the old content or the new one, also after a crash in the middle; what was there is copied beside
 * it before. A store that the engine cannot even open is moved aside instead.
 */
import { renameSync, statSync } from "node:fs";
import { dirname, join, parse } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { BatonError, ConflictError, InputError, StoreError } from "../../session/errors.js";
import {
  type Backup,
  type BackupProgress,
  checkBackup,
  copyPages,
  copyStore,
  isOurs,
  publish,
  removeDatabase,
} from "./backup.js";
import { refuseOther, storeErrorOf } from "./errors.js";
import { whileRestoring } from "./restoring.js";

const BUSY_TIMEOUT_MS = 1_000;

export interface Restored {
  readonly backup: Backup;
  /** Where the store is that was there before; null where there was none. */
  readonly aside: string | null;
}

export async function restoreSqlite(
  path: string,
  file: string,
  now: number,
  progress: BackupProgress,
): Promise<Restored> {
  const backup = checkBackup(file);
  if (isSameFile(path, file)) throw new InputError("backup_unusable", `${file} is the store itself.`);
  return whileRestoring(path, async () => {
    try {
      const present = takeAlone(path);
      const aside = freeAside(path, now);
      let kept = true;
      if (present === "usable") {
        await copyStore(
          path,
          aside,
          () => {},
          () => {},
        );
        await replacePages(path, file, progress);
      } else {
        kept = moveDatabase(path, aside);
        await copyInto(path, file, progress);
      }
      const restored = checkBackup(path);
      if (JSON.stringify(restored.rows) !== JSON.stringify(backup.rows)) {
        throw new StoreError("store_failed", `${path} does not hold what ${file} holds. Restore it again.`);
      }
      return { backup, aside: kept ? aside : null };
    } catch (error) {
      throw storeErrorOf(error, path);
    }
  });
}

/** Sees to it that nobody else has the store open, and that all of it is in its one file. */
function takeAlone(path: string): "usable" | "unusable" {
  if (!statSync(path, { throwIfNoEntry: false })) return "unusable";
  refuseOther(path);
  try {
    lookAt(path);
    const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    try {
      const { tables } = database.prepare("SELECT count(*) AS tables FROM sqlite_master").get() as {
        tables: number;
      };
      if (tables > 0 && !isOurs(database)) {
        throw new StoreError(
          "store_foreign",
          `${path} is a database of another program. It was left as it is.`,
        );
      }
      database.exec("PRAGMA journal_mode = DELETE"); // Refused while anybody else has it open.
      return "usable";
    } finally {
      database.close();
    }
  } catch (error) {
    if (error instanceof BatonError) throw error;
    const failure = storeErrorOf(error, path);
    const code = failure instanceof StoreError ? failure.code : "";
    if (code === "store_busy") throw inUse(path);
    if (code === "store_corrupt" || code === "store_foreign") return "unusable";
    throw failure;
  }
}

/** Fails where it is no database, before anything is written to it. */
function lookAt(path: string): void {
  const database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    database.exec("SELECT count(*) FROM sqlite_master"); // Without a statement of ours, closing it lets go of it.
  } finally {
    database.close();
  }
}

async function replacePages(path: string, file: string, progress: BackupProgress): Promise<void> {
  const source = new DatabaseSync(file, { readOnly: true });
  try {
    await copyPages(source, path, progress);
  } finally {
    source.close();
  }
}

async function copyInto(path: string, file: string, progress: BackupProgress): Promise<void> {
  const part = `${path}.${process.pid}.part`;
  try {
    await copyStore(file, part, progress, () => {});
    publish(part, path);
  } finally {
    removeDatabase(part);
  }
}

/** First what belongs to the file: left alone, it would be taken for a part of the next one. False: there was nothing. */
function moveDatabase(path: string, aside: string): boolean {
  const parts = ["-journal", "-wal", "-shm", ""].filter((end) =>
    statSync(`${path}${end}`, { throwIfNoEntry: false }),
  );
  for (const end of parts) renameSync(`${path}${end}`, `${aside}${end}`);
  return parts.length > 0;
}

/** A name that nothing has yet: what an earlier restore kept, be it of this second, stays. */
function freeAside(path: string, now: number): string {
  const { name, ext } = parse(path);
  const stamp = new Date(now).toISOString().replace(/[-:]|\.\d+/g, "");
  for (let count = 1; ; count++) {
    const number = count === 1 ? "" : `-${count}`;
    const aside = join(dirname(path), `${name}-before-restore-${stamp}${number}${ext}`);
    if (!statSync(aside, { throwIfNoEntry: false })) return aside;
  }
}

function isSameFile(path: string, other: string): boolean {
  const [one, two] = [path, other].map((name) => statSync(name, { bigint: true, throwIfNoEntry: false }));
  return one !== undefined && one.ino === two?.ino && one.dev === two.dev;
}

function inUse(path: string): ConflictError {
  return new ConflictError(
    "store_in_use",
    `${path} is in use. Stop the gateway and leave every chat, then restore again; nothing was changed.`,
  );
}
