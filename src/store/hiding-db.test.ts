import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Sessions } from "../session/sessions.js";
import { addressOf, localSource } from "../session/source.js";
import { Redactor } from "../util/redact.js";
import type { Db } from "./db.js";
import { hidingDb } from "./hiding-db.js";
import { openSqlStore } from "./sql-store.js";
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
  const returned = await db.write("INSERT INTO t VALUES (4, ?) RETURNING text", `a ${CANARY}`);
  expect([returned, await raw.get("SELECT text FROM t WHERE id = 4")]).toEqual([
    { text: "a ***" },
    { text: "a ***" },
  ]);
  await db.run("DELETE FROM t WHERE id = 4");
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

test("no known secret gets into a store's file: titles, messages, errors of deliveries and of handoffs", async () => {
  const redactor = new Redactor();
  redactor.know(() => [CANARY]);
  const folder = mkdtempSync(join(tmpdir(), "baton-hiding-"));
  try {
    const db = await openSqlite(join(folder, "baton.db"));
    const store = await openSqlStore(hidingDb(db, redactor.hide), 1);
    const sessions = new Sessions(store, { clock: () => 1 });
    const source = localSource();
    const said = { role: "user", content: `message ${CANARY}` } as const;
    const { sessionId } = (await sessions.receive(source, said)).entry;
    await sessions.setTitle(sessionId, `title ${CANARY}`);

    const address = addressOf(source);
    const text = `delivery ${CANARY}`;
    const sent = {
      deliveryId: "d",
      account: "a",
      owner: "",
      address,
      text,
      sessionId,
      shown: false,
    } as const;
    await store.outbox.add([{ ...sent, kind: "reply" }], 1);
    const [delivery] = await store.outbox.pending({ platform: address.platform, account: "a" }, 1);
    const sending = { id: delivery?.id ?? 0, owner: "me" };
    expect(await store.outbox.sending(sending.id, sending.owner)).toBe(true);
    await store.outbox.fail(sending, `outbox ${CANARY}`);

    await store.moves.request({ id: "h", sessionId, target: "telegram:1", asker: null }, 1);
    await store.moves.fail("h", { fence: null, error: `handoff ${CANARY}`, deliveries: [] }, 1);

    const content = readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1"));
    for (const what of ["message", "title", "delivery", "outbox", "handoff"])
      expect(content.join("")).toContain(`${what} ***`);
    expect(content.join("")).not.toContain(CANARY);
    await sessions.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("what a transaction is told reaches the engine", async () => {
  const raw = await openSqlite(":memory:");
  const told: unknown[] = [];
  const engine: Db = Object.assign(Object.create(raw), {
    transaction: (...[work, options]: Parameters<Db["transaction"]>) => {
      told.push(options);
      return raw.transaction(work);
    },
  });
  await hidingDb(engine, (text) => text).transaction((tx) => tx.get("SELECT 1"), { isLong: true });
  expect(told).toEqual([{ isLong: true }]);
  await raw.close();
});
