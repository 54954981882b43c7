import { expect, test } from "vitest";
import { Redactor } from "../util/redact.js";
import { hidingDb } from "./hiding-db.js";
import { openSqlite } from "./sqlite/db.js";

const CANARY = "canary-4711-secret";

test("no known secret gets into a database, nor out of it where it was written before it was known", async () => {
  const redactor = new Redactor();
  const raw = await openSqlite(":memory:");
  const db = hidingDb(raw, redactor.hide);
  await db.run("CREATE TABLE t (id INTEGER, text TEXT)");
  await db.run("CREATE TABLE migrations (version INTEGER)"); // A snapshot begins with a look at it.
  await db.run("INSERT INTO t VALUES (1, ?)", CANARY);
  redactor.know(() => [CANARY]);
  await db.run("INSERT INTO t VALUES (2, ?)", `it is ${CANARY}.`);
  await db.transaction((tx) => tx.run("INSERT INTO t VALUES (3, ?)", JSON.stringify({ a: CANARY })));
  expect(await raw.all("SELECT text FROM t WHERE id > 1 ORDER BY id")).toEqual([
    { text: "it is ***." },
    { text: '{"a":"***"}' },
  ]);
  expect(await db.get("SELECT * FROM t WHERE id = ?", 1)).toEqual({ id: 1, text: "***" });
  expect(await db.all("SELECT text FROM t WHERE id = 1")).toEqual([{ text: "***" }]);
  expect(await db.snapshot((tx) => tx.get("SELECT text FROM t WHERE id = 1"))).toEqual({ text: "***" });
  expect(await db.get("SELECT id FROM t WHERE text = ?", `it is ${CANARY}.`)).toEqual({ id: 2 });
  await db.close();
});
