import { setImmediate } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Postgres, startPostgres } from "../../../test/support/postgres.js";
import { openSessions, openStore } from "../../open-sessions.js";
import { OWNER } from "../../session/access.js";
import { asHandoffId } from "../../session/ids.js";
import { localSource } from "../../session/source.js";
import { openPostgres } from "./db.js";

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);
afterAll(() => server.stop());

const run = async (url: string, sql: string): Promise<pg.QueryResult> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
};

/** Another program that is in the middle of a transaction. */
const inTransaction = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("BEGIN");
  return client;
};

describe("a PostgreSQL database", () => {
  it("is shared with other programs without touching their tables", async () => {
    const url = await server.createDatabase();
    await run(url, "CREATE TABLE sessions (theirs TEXT); INSERT INTO sessions VALUES ('kept')");
    const sessions = await openSessions({ url });
    await sessions.receive(localSource(), { role: "user", content: "hello" });
    expect((await sessions.list({}, OWNER)).items).toHaveLength(1);
    await sessions.close();
    expect((await run(url, "SELECT * FROM public.sessions")).rows).toEqual([{ theirs: "kept" }]);
  });

  it("keeps to its schema where the URL has options of its own", async () => {
    const url = await server.createDatabase();
    await run(url, "CREATE TABLE sessions (theirs TEXT)");
    const sessions = await openSessions({ url: `${url}?options=-c%20statement_timeout%3D60000` });
    await sessions.receive(localSource(), { role: "user", content: "hello" });
    await sessions.close();
    expect((await run(url, "SELECT * FROM baton.sessions")).rows).toHaveLength(1);
  });

  it("from a newer Baton is refused", async () => {
    const url = await server.createDatabase();
    await (await openSessions({ url })).close();
    await run(url, "INSERT INTO baton.migrations VALUES (999, 0)");
    await expect(openSessions({ url })).rejects.toThrow(expect.objectContaining({ code: "schema_too_new" }));
  });

  it("that may only be read is refused", async () => {
    const url = await server.createDatabase();
    await (await openSessions({ url })).close();
    await run(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`);
    const sessions = await openSessions({ url }).catch((error) => error);
    expect(sessions).toMatchObject({ code: "store_readonly" });
  });

  it("keeps leases by its own clock, whatever the clocks of its hosts say", async () => {
    const { store, sessions } = await openStore({ url: await server.createDatabase() });
    const account = { platform: "telegram", account: "bot" };
    const [now, hour] = [Date.now(), 3_600_000];
    const lease = (holder: string) => ({ holder, leaseMs: 60_000 });
    expect(await store.accounts.take(account, lease("slow"), null, now - hour)).toBe(true);
    expect(await store.accounts.take(account, lease("fast"), null, now + hour)).toBe(false);
    expect(await store.accounts.take(account, lease("right"), null, now)).toBe(false);
    for (const at of [now - hour, now, now + hour]) {
      const { until = 0 } = (await store.accounts.lease(account, at)) ?? {};
      expect([until > at, until <= at + 60_000]).toEqual([true, true]); // As each of them counts.
    }
    const { sessionId } = await sessions.getOrCreate(localSource());
    await store.handoffs.request({ id: asHandoffId("h"), sessionId, target: "telegram:1" }, now - hour);
    const claim = (holder: string, fence: number, at: number) =>
      store.handoffs.step(asHandoffId("h"), { kind: "claim", fence, ...lease(holder) }, at);
    expect(await claim("slow", 0, now - hour)).toMatchObject({ ok: true });
    expect((await store.handoffs.find(asHandoffId("h"), now - hour))?.leaseUntil).toBeGreaterThan(now - hour);
    expect(await claim("fast", 1, now + hour)).toMatchObject({ ok: false });
    await sessions.close();
  });

  it("goes on after its connections were cut", async () => {
    const url = await server.createDatabase();
    const sessions = await openSessions({ url });
    await sessions.receive(localSource(), { role: "user", content: "one" });
    await run(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'baton'");
    const { seq } = await sessions
      .receive(localSource(), { role: "user", content: "two" })
      .catch(() => sessions.receive(localSource(), { role: "user", content: "two" }));
    expect(seq).toBe(2);
    await sessions.close();
  });

  it("that ends a connection in the middle of a step fails that step, not the process", async () => {
    const url = await server.createDatabase();
    const sessions = await openSessions({ url });
    const { entry } = await sessions.receive(localSource(), { role: "user", content: "one" });
    const blocker = await inTransaction(url);
    await blocker.query("SELECT * FROM baton.routes FOR UPDATE");
    const blocked = sessions.receive(localSource(), { role: "user", content: "two" }).catch((error) => error);
    const waiting = "application_name = 'baton' AND wait_event_type = 'Lock'";
    for (let ended = 0; ended === 0; ) {
      await blocker.query("SELECT pg_stat_clear_snapshot()"); // A transaction sees the others as they were at its first look.
      ended =
        (await blocker.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${waiting}`))
          .rowCount ?? 0;
    }
    expect(await blocked).toMatchObject({ code: "store_unreachable" });
    await blocker.query("ROLLBACK");
    await blocker.end();
    expect((await sessions.receive(localSource(), { role: "user", content: "two" })).seq).toBe(2);
    expect(await sessions.load(entry.sessionId)).toHaveLength(2);
    await sessions.close();
  });

  it("indexes messages of any size and script, and what comes after them", async () => {
    const url = await server.createDatabase();
    const sessions = await openSessions({ url });
    const words = Array.from({ length: 20_000 }, (_, n) => `${"длинноеслово".repeat(5)}${n}`).join(" ");
    await sessions.receive(localSource(), { role: "user", content: words });
    await sessions.receive(localSource(), { role: "user", content: "needle" });
    await sessions.indexAll();
    expect((await run(url, "SELECT count(*)::int AS n FROM baton.message_terms")).rows).toEqual([{ n: 2 }]);
    expect((await sessions.search("needle", OWNER)).items).toHaveLength(1);
    await sessions.close();
  });

  it("never locks writers out to feed the index, also not behind one that takes its time", async () => {
    const url = await server.createDatabase();
    const sessions = await openSessions({ url });
    const { entry } = await sessions.receive(localSource(), { role: "user", content: "first" });
    const slow = await inTransaction(url);
    await slow.query("UPDATE baton.messages SET note = note");
    const indexed = sessions.indexAll().then(() => "indexed");
    const modes = new Set<string>();
    for (let state = "waits"; state === "waits"; ) {
      const locks = "SELECT mode FROM pg_locks WHERE relation = 'baton.messages'::regclass";
      for (const { mode } of (await slow.query(locks)).rows) modes.add(mode);
      state = await Promise.race([indexed, setImmediate("waits")]);
    }
    expect([...modes].filter((mode) => !/^(AccessShare|RowShare|RowExclusive)Lock$/.test(mode))).toEqual([]);
    await slow.query("COMMIT");
    await slow.end();
    await sessions.append(entry.sessionId, { role: "user", content: "second" });
    await sessions.indexAll();
    expect((await run(url, "SELECT count(*)::int AS n FROM baton.message_terms")).rows).toEqual([{ n: 2 }]);
    await sessions.close();
  });

  it("does not take a message for indexed that commits after a later one", async () => {
    const url = await server.createDatabase();
    const sessions = await openSessions({ url });
    const { entry } = await sessions.receive(localSource(), { role: "user", content: "first" });
    const slow = await inTransaction(url);
    await slow.query(
      'INSERT INTO baton.sessions SELECT (jsonb_populate_record(s, \'{"id": "slow", "title": null}\')).* FROM baton.sessions s',
    );
    await slow.query(
      "INSERT INTO baton.messages (session_id, seq, role, content, at) VALUES ('slow', 1, 'user', 'tortoise', 0)",
    );
    await sessions.append(entry.sessionId, { role: "user", content: "hare" });
    await sessions.indexAll();
    expect((await sessions.search("hare", OWNER)).items).toHaveLength(1);
    await slow.query("COMMIT");
    await slow.end();
    await sessions.indexAll();
    expect((await sessions.search("tortoise", OWNER)).items).toHaveLength(1);
    await sessions.close();
  });

  it.each(["XX000", "58030"])("counts as damaged where it says %s", async (code) => {
    const db = await openPostgres(await server.createDatabase());
    const raise = `DO $$ BEGIN RAISE 'invalid memory alloc request size' USING ERRCODE = '${code}'; END $$`;
    const damage = { code: "store_corrupt", message: expect.stringContaining("restore a backup") };
    await expect(db.run(raise)).rejects.toMatchObject(damage);
    await db.close();
  });

  it.each([
    ["nobody listens", true, () => "postgres://u:hunter2@127.0.0.1:1/x"],
    ["the database is missing", false, () => server.url("nope").replace("postgres@", "postgres:hunter2@")],
    ["the host is unknown", true, () => "postgres://u:hunter2@nowhere.invalid/x"],
  ])("is unreachable, in a sentence without the password, when %s", async (_, mayPass, url) => {
    const failure = await openSessions({ url: url() }).catch((error) => error);
    expect(failure).toMatchObject({ code: "store_unreachable", mayPass });
    expect(failure.message).not.toContain("hunter2");
  });
});
