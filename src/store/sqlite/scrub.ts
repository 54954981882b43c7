/**
 * Drops from a SQLite file what was deleted: the search index is merged until nothing of a deleted message is in its
 * segments, the file is written anew, and the log beside it is emptied. Others may use the file meanwhile; only writing waits.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Scrubbed } from "../../gateway/erasure.js";
import { timerMs } from "../../util/timer-ms.js";
import type { Db, Scrubber } from "../db.js";

/** How many pages of the index one step merges: between two of them others can write. */
const PAGES = 500;
/** How long to wait for a process that reads an older state of the log. */
const PATIENCE_MS = 20_000;
const PAUSE_MS = 200;

export const sqliteScrubber: Scrubber = {
  /** From now on this connection overwrites with zeros what it deletes. */
  prepare: async (db) => {
    await db.maintain("PRAGMA secure_delete = ON");
  },
  scrub: (db) => scrubSqlite(db),
};

export async function scrubSqlite(db: Db, patienceMs = PATIENCE_MS): Promise<Scrubbed> {
  await mergeIndex(db);
  await db.maintain("VACUUM");
  if (await emptyLog(db, patienceMs)) return { problems: [] };
  return {
    problems: [
      "Another process reads an older state of the store, so the file that ends with -wal can't be emptied. Stop the gateway and every other program that has the store open, then run this command again.",
    ],
  };
}

/** A negative number begins a merge of all there is, a positive one goes on with it. It is done when nothing changes. */
async function mergeIndex(db: Db): Promise<void> {
  const changes = async (): Promise<number> => Number((await db.get("SELECT total_changes() AS n"))?.n);
  for (let pages = -PAGES; ; pages = PAGES) {
    const before = await changes();
    await db.run("INSERT INTO message_terms (message_terms, rank) VALUES ('merge', ?)", pages);
    if ((await changes()) - before < 2) return;
  }
}

/** False if somebody kept it from being emptied all that time. */
async function emptyLog(db: Db, patienceMs: number): Promise<boolean> {
  for (const until = performance.now() + patienceMs; ; await sleep(timerMs(PAUSE_MS))) {
    const [row] = await db.maintain("PRAGMA wal_checkpoint(TRUNCATE)");
    if (row?.busy === 0) return true;
    if (performance.now() > until) return false;
  }
}
