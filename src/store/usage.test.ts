/** How usage is looked up. */
import { expect, test } from "vitest";
import { openSqlStore } from "./sql-store.js";
import { openSqlite } from "./sqlite/db.js";

test("the check before a call searches by keys, whatever there is", async () => {
  const db = await openSqlite(":memory:");
  const store = await openSqlStore(db, 1);
  const plan = async (sql: string, ...values: string[]) =>
    (await db.all(`EXPLAIN QUERY PLAN ${sql}`, ...values)).map(({ detail }) => String(detail)).join();
  const person = "SELECT sum(tokens) FROM spending WHERE day = ? AND identity IN (?, ?)";
  expect(await plan(person, "d", "a", "b")).toMatch(/^SEARCH spending .*\(day=\? AND identity=\?\)$/);
  expect(await plan("SELECT sum(tokens) FROM spending WHERE day = ?", "d")).toMatch(
    /^SEARCH spending .*\(day=\?\)$/,
  );
  await store.close();
});
