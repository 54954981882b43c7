import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, onTestFinished, test } from "vitest";
import { Sessions } from "../../session/sessions.js";
import { localSource } from "../../session/source.js";
import { openSqlStore } from "../sql-store.js";
import { openSqlite } from "./db.js";
import { scrubSqlite } from "./scrub.js";

test("what was deleted leaves the file, its log and the index; a reader of an older state is named", async () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-scrub-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "baton.db");
  const db = await openSqlite(path);
  const sessions = new Sessions(await openSqlStore(db, 1), { clock: () => 1 });
  const { sessionId } = await sessions.getOrCreate(localSource());
  for (let n = 0; n < 200; n++) {
    const content = n === 7 ? "xylophonecanary once" : `message ${n} of many`;
    await sessions.append(sessionId, { role: "user", content });
  }
  await sessions.indexAll();
  const has = () => ["", "-wal"].map((end) => readFileSync(path + end, "latin1").includes("xylophone"));
  await db.maintain("PRAGMA wal_checkpoint(TRUNCATE)");
  const reader = new DatabaseSync(path, { readOnly: true });
  reader.exec("BEGIN");
  expect(reader.prepare("SELECT count(*) AS n FROM messages").get()).toEqual({ n: 200 });
  await db.run("DELETE FROM message_terms WHERE rowid = 8");
  await db.run("DELETE FROM messages WHERE id = 8");
  expect((await scrubSqlite(db, 0)).problems).toEqual([expect.stringContaining("Stop the gateway")]);
  expect(has()).toContain(true);
  reader.exec("ROLLBACK");
  reader.close();
  expect(await scrubSqlite(db, 0)).toEqual({ problems: [] });
  expect(has()).toEqual([false, false]);
  await sessions.close();
});
