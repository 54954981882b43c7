/** Backups of the store behind a URL. */
import type { Backups } from "./cli/cli.js";
import { sqliteFile } from "./open-sessions.js";
import { backUpSqlite, checkBackup } from "./store/sqlite/backup.js";
import { restoreSqlite } from "./store/sqlite/restore.js";

/** Null if the store is not a SQLite file. */
export function openBackups(url: string): Backups | null {
  const store = sqliteFile(url);
  if (store === null || store === ":memory:") return null;
  return {
    store,
    make: (to, progress) => backUpSqlite(store, to, progress),
    check: checkBackup,
    restore: (file, progress) => restoreSqlite(store, file, Date.now(), progress),
  };
}
