/** Forgetting usage, for those who erase a person or a session in a transaction of their own. */
import { expect, test } from "vitest";
import { asSessionId } from "../session/ids.js";
import { forgetUsageIn, noteUsageIn } from "./sql/usage.js";
import { openSqlStore } from "./sql-store.js";
import { openSqlite } from "./sqlite/db.js";

test("forgets all that a person used, and all that was used in a session, and nothing else", async () => {
  const db = await openSqlite(":memory:");
  const store = await openSqlStore(db, 1);
  const at = Date.UTC(2026, 0, 10);
  const day = "2026-01-10";
  const uses = [
    ["a:1", "s1", 1],
    ["a:2", "s1", 20],
    ["a:2", "s2", 300],
    ["a:3", "s3", 4_000],
  ] as const;
  await db.transaction(async (tx) => {
    for (const [identity, session, inputTokens] of uses)
      await noteUsageIn(tx, { identity, sessionId: asSessionId(session), usage: { inputTokens }, at });
  });
  for (const [identity, sessionId] of uses) {
    const told = { identities: [identity], limit: "tokensPerDay" };
    await store.usage.tell({ ...told, of: { day } }, [], at);
    await store.usage.tell({ ...told, of: { sessionId: asSessionId(sessionId) } }, [], at);
  }
  await db.transaction((tx) => forgetUsageIn(tx, ["a:1"], [asSessionId("s2")]));
  const left = await store.usage.sums({ kind: "owner" }, "identity", { fromDay: "" });
  expect(left.map(({ key, totalTokens }) => [key, totalTokens])).toEqual([
    ["a:3", 4_000],
    ["a:2", 20],
  ]);
  expect((await store.spending.of(day)).map(({ identity }) => identity)).toEqual(["a:2", "a:3"]);
  const notices = await db.all(
    "SELECT identity, session_id FROM limit_notices ORDER BY identity, session_id",
  );
  expect(notices.map((row) => `${row.identity} ${row.session_id}`)).toEqual([
    "a:2 ",
    "a:2 s1",
    "a:3 ",
    "a:3 s3",
  ]);
  await store.close();
});

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
