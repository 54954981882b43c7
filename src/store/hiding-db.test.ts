import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { asHandoffId, deliveryIdOf, newProcessId } from "../session/ids.js";
import { buildSessionKey } from "../session/session-key.js";
import { Sessions } from "../session/sessions.js";
import { addressOf, localSource } from "../session/source.js";
import { Redactor } from "../util/redact.js";
import type { Db } from "./db.js";
import { hidingDb, WORDS } from "./hiding-db.js";
import { openSqlStore } from "./sql-store.js";
import { openSqlite } from "./sqlite/db.js";

const CANARY = "canary-4711-secret";

test("no known secret gets into a database, nor out of it where it was written before it was known", async () => {
  const redactor = new Redactor();
  const raw = await openSqlite(":memory:");
  const db = hidingDb(raw, redactor.hide);
  await db.run("CREATE TABLE t (id INTEGER, text TEXT)");
  await db.run("CREATE TABLE migrations (version INTEGER)"); // A snapshot begins with a look at it.
  await db.run("INSERT INTO t (id, text) VALUES (1, ?)", CANARY);
  redactor.know(() => [CANARY]);
  await db.run("INSERT INTO t (id, text) VALUES (2, ?)", `it is ${CANARY}.`);
  await db.transaction((tx) =>
    tx.run("INSERT INTO t (id, text) VALUES (3, ?)", JSON.stringify({ a: CANARY })),
  );
  const returned = await db.write("INSERT INTO t (id, text) VALUES (4, ?) RETURNING text", `a ${CANARY}`);
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

test("a message that this process has read before is cleaned of a secret that became known since", async () => {
  const redactor = new Redactor();
  const sessions = new Sessions(
    await openSqlStore(hidingDb(await openSqlite(":memory:"), redactor.hide), 1),
    {},
  );
  const said = { role: "user", content: `it is ${CANARY}` } as const;
  const { sessionId } = (await sessions.receive(localSource(), said)).entry;
  expect(await sessions.history(sessionId)).toEqual([said]);
  redactor.know(() => [CANARY]);
  expect(await sessions.history(sessionId)).toEqual([{ ...said, content: "it is ***" }]);
  await sessions.close();
});

test("no known secret gets into a store's file: titles, messages, processes, errors of deliveries and of handoffs", async () => {
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
      deliveryId: deliveryIdOf("d"),
      account: "a",
      holder: "",
      address,
      text,
      sessionId,
      shown: false,
    } as const;
    await store.outbox.add([{ ...sent, purpose: "reply" }], 1);
    const [delivery] = await store.outbox.pending({ platform: address.platform, account: "a" }, 1);
    const sending = { id: delivery?.id ?? 0, holder: "me" };
    expect(await store.outbox.sending(sending.id, sending.holder)).toBe(true);
    await store.outbox.fail(sending, `outbox ${CANARY}`, false, 0);

    await store.handoffs.request({ id: asHandoffId("h"), sessionId, target: "telegram:1" }, 1);
    await store.handoffs.step(asHandoffId("h"), { kind: "cancel", error: `handoff ${CANARY}` }, 1);

    await store.processes.add(
      {
        ...{ id: newProcessId(), home: "h", sessionId, by: source, environment: "local", pty: false },
        command: `command ${CANARY}`,
        workdir: `workdir ${CANARY}`,
        walled: false,
        watch: { checkIntervalMs: null, notifyOnComplete: false, patterns: [`pattern ${CANARY}`] },
      },
      { perSession: 1, inAll: 1 },
      1,
    );
    for (const { id } of await store.processes.list({ sessionId }))
      await store.processes.ended(id, { kind: "lost", why: `process ${CANARY}` }, 1);

    const content = readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1"));
    const kinds = ["message", "title", "delivery", "outbox", "handoff"];
    for (const what of [...kinds, "command", "workdir", "pattern", "process"])
      expect(content.join("")).toContain(`${what} ***`);
    expect(content.join("")).not.toContain(CANARY);
    await sessions.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** What says what something is, where it belongs, or how to find it. */
const IDENTIFYING = `
  id key owner lane_owner chat platform chat_type origin parent_id session_id end_reason reset_reason
  role tool_call_id author from_key target state claimed_by account message_id kind source said_by
  made_by made_of address stop_asked mourned delivery_id reply_to turn_id call_id process salt identity
  person_id code_hash who value handoff_id asker destination destination_key day lane digest
  home environment completion exit_signal ended_by word job_id origin_account origin_key origin_source output
  spent_day model limit_name bound_to back_to
  thread purpose token_hash unit alias
`
  .trim()
  .split(/\s+/);

test("every column of text is known as words or as what identifies", async () => {
  const db = await openSqlite(":memory:");
  const store = await openSqlStore(db, 1);
  const rows = await db.all(
    `SELECT DISTINCT c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
     WHERE m.type = 'table' AND c.type = 'TEXT'`,
  );
  expect(rows.map(({ name }) => String(name)).sort()).toEqual([...IDENTIFYING, ...WORDS].sort());
  await store.close();
});

test("ids, keys and addresses stay as they are, though a secret is the same", async () => {
  const id = "5f0c2a1e-7b1d-4f0e-9a57-0c1d2e3f4a5b";
  const redactor = new Redactor();
  redactor.know(() => [id]);
  const store = await openSqlStore(hidingDb(await openSqlite(":memory:"), redactor.hide), 1);
  const source = { platform: "signal", chatType: "dm", chatId: id, userId: id } as const;
  const item = {
    platform: "signal",
    account: id,
    kind: "message",
    key: buildSessionKey(source),
    source,
    messageId: id,
    text: `it is ${id}`,
  } as const;
  expect(await store.inbox.accept(item, id, 1)).not.toBeNull();
  expect(await store.inbox.waiting({ platform: "signal", account: id })).toMatchObject([
    { holder: id, item: { ...item, text: "it is ***" } },
  ]);
  const delivery = {
    deliveryId: deliveryIdOf(id),
    account: id,
    holder: "",
    address: addressOf(source),
    sessionId: null,
  } as const;
  await store.outbox.add([{ ...delivery, purpose: "reply", text: `to ${id}`, shown: false }], 1);
  expect(await store.outbox.pending({ platform: "signal", account: id }, 1)).toMatchObject([
    { ...delivery, text: "to ***" },
  ]);
  await store.people.join(`signal:${id}`, "telegram:1", id, 1);
  expect(await store.people.find(`signal:${id}`)).toMatchObject({ id });
  await store.close();
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
