import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openDb } from "../../open-sessions.js";
import type { Db } from "../db.js";
import { openSqlStore } from "../sql-store.js";
import { ReadingThread } from "./reading-thread.js";

/** Takes a second or so, a thousand times longer than what is done meanwhile. */
const LONG =
  "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500000) SELECT max(i) AS i FROM n";

let folder: string;
let path: string;
let db: Db;
let close: () => Promise<void>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "baton-reading-"));
  path = join(folder, "baton.db");
  db = await openDb(path);
  ({ close } = await openSqlStore(db, 0));
});
afterEach(async () => {
  await close();
  rmSync(folder, { recursive: true });
});

it("reads what is committed, and nothing else of the process waits for it", async () => {
  await db.run("UPDATE search_watermark SET indexed_through = 7");
  const thread = new ReadingThread(path);
  expect(await thread.all("SELECT indexed_through + ? AS n FROM search_watermark", [1])).toEqual([{ n: 8 }]);
  let isOver = false;
  const long = thread.all(LONG, []).finally(() => {
    isOver = true;
  });
  await db.run("UPDATE search_watermark SET indexed_through = 9");
  expect(await db.get("SELECT indexed_through AS n FROM search_watermark")).toEqual({ n: 9 });
  expect(isOver).toBe(false);
  expect(await long).toEqual([{ i: 1_500_000 }]);
  await thread.close();
});

it("starts again after it was closed, and says where it can't read", async () => {
  const thread = new ReadingThread(path);
  expect(await thread.all("SELECT 1 FROM nowhere", [])).toBeNull();
  await thread.close();
  expect(await thread.all("SELECT 1 AS n", [])).toEqual([{ n: 1 }]);
  await thread.close();
  const lost = new ReadingThread(join(folder, "gone", "baton.db"));
  expect(await lost.all("SELECT 1 AS n", [])).toBeNull();
  await lost.close();
});

it("changes nothing", async () => {
  const thread = new ReadingThread(path);
  expect(await thread.all("UPDATE search_watermark SET indexed_through = 5 RETURNING one", [])).toBeNull();
  await thread.close();
  expect(await db.get("SELECT indexed_through AS n FROM search_watermark")).toEqual({ n: 0 });
});

it("lets the store say what is wrong with a read aside", async () => {
  expect(await db.readAside("SELECT 1 AS n")).toEqual([{ n: 1 }]);
  await expect(db.readAside("SELECT 1 FROM nowhere")).rejects.toThrow(/nowhere/);
});
