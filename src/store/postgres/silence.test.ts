/**
 * A PostgreSQL server that is cut off without a word, ends connections at the worst moment, or is blocked by a process
 * that stands still: each step has an end, and the next one goes through.
 */
import { Socket } from "node:net";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type Postgres, startPostgres } from "../../../test/support/postgres.js";
import { PostgresProxy } from "../../../test/support/postgres-proxy.js";
import type { Db } from "../db.js";
import { Connections } from "./connections.js";
import { openPostgres } from "./db.js";

/** Time-outs so short that a test waits for them. */
const SHORT = "?query_timeout=1500";

let server: Postgres;
let proxy: PostgresProxy;
let url: string;
const open: Db[] = [];
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);
afterAll(() => server.stop());
beforeEach(async () => {
  url = await server.createDatabase();
  proxy = await PostgresProxy.before(url);
});
afterEach(async () => {
  for (const db of open.splice(0)) await db.close();
  await proxy.close();
});

async function openAt(at: string): Promise<Db> {
  const db = await openPostgres(`${at}${SHORT}`);
  open.push(db);
  return db;
}

async function table(db: Db): Promise<void> {
  await db.run("CREATE TABLE things (id BIGINT PRIMARY KEY, name TEXT)");
  await db.run("INSERT INTO things VALUES (?, ?)", 1, "one");
}

const name = async (db: Db) => (await db.get("SELECT name FROM things WHERE id = ?", 1))?.name;

describe("connections that died in silence", () => {
  it("fail the step in hand in time, in a sentence, and the next one goes through", async () => {
    const db = await openAt(proxy.url);
    await table(db);
    for (const step of [
      () => name(db),
      () => db.transaction((tx) => tx.run("UPDATE things SET name = ?", "two")),
    ]) {
      expect(await name(db)).toBe("one"); // On a connection that is good.
      proxy.silence();
      await expect(step()).rejects.toMatchObject({
        code: "store_unreachable",
        message: "PostgreSQL did not answer in time. Check the server and the network.",
      });
    }
    expect(await name(db)).toBe("one");
  });

  it("are looked for: each has keep-alives, and a query ends before a lease of 15 s does", async () => {
    const keepAlive = vi.spyOn(Socket.prototype, "setKeepAlive");
    const connections = new Connections(url, "baton");
    const pooled = await connections.pool.connect();
    expect(keepAlive).toHaveBeenLastCalledWith(true, 5_000);
    pooled.release();
    keepAlive.mockClear();
    const single = connections.single();
    await single.connect();
    expect(keepAlive).toHaveBeenLastCalledWith(true, 5_000);
    await single.end();
    expect(connections.pool.options.query_timeout).toBe(10_000);
    await connections.pool.end();
  });

  it("do not keep a listener from hearing what happens, and what it missed is looked for", async () => {
    const [db, other] = [await openAt(proxy.url), await openAt(url)];
    let heard = 0;
    let onHeard = () => {};
    const next = (act: () => unknown) =>
      new Promise<void>((resolve) => {
        onHeard = resolve;
        act();
      });
    await next(() =>
      db.watch(() => {
        heard += 1;
        onHeard();
      }),
    );
    await next(() => other.run("NOTIFY baton"));
    // From here nothing is heard on this connection, and nothing says so.
    await next(() => proxy.silence());
    const before = heard;
    await next(() => other.run("NOTIFY baton"));
    expect(heard).toBe(before + 1);
  });

  it("do not keep the store from being closed", async () => {
    const db = await openAt(proxy.url);
    await table(db);
    db.watch(() => {});
    const held = db.transaction(() => new Promise(() => {}));
    held.catch(() => {}); // It never ends by itself.
    proxy.darken();
    await db.close();
    await expect(name(db)).rejects.toMatchObject({ code: "store_closed" });
  });
});

describe("a server that ends a connection", () => {
  it("right after it was ready for a query does not end the process", async () => {
    const db = await openAt(proxy.url);
    await table(db);
    const fields = "SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0";
    const goodbye = Buffer.alloc(5 + fields.length);
    goodbye.write("E");
    goodbye.writeInt32BE(4 + fields.length, 1);
    goodbye.write(fields, 5);
    proxy.cut();
    let forged = 0;
    // The first of a new connection ends its greeting: nobody has it in hand yet.
    proxy.forge((said) => {
      const isReady = said.subarray(-6).equals(Buffer.from([0x5a, 0, 0, 0, 5, 0x49]));
      if (!isReady) return said;
      forged += 1;
      return Buffer.concat([said, goodbye]);
    });
    await db.transaction((tx) => tx.get("SELECT 1")).catch(() => {});
    await name(db).catch(() => {});
    expect(forged).toBeGreaterThan(0);
    proxy.forge(undefined);
    proxy.cut();
    await expect.poll(() => name(db).catch(() => null)).toBe("one");
  });
});

describe("a process that stands still in the middle of a transaction", () => {
  it("loses it, so that whoever waits for the same rows goes on", async () => {
    const [frozen, next] = [await openAt(url), await openAt(url)];
    await table(frozen);
    let isHeld = () => {};
    const held = new Promise<void>((resolve) => {
      isHeld = resolve;
    });
    const stands = frozen.transaction(async (tx) => {
      await tx.run("UPDATE things SET name = ?", "frozen");
      isHeld();
      await new Promise(() => {});
    });
    stands.catch(() => {}); // It never goes on.
    await held;
    await next.transaction((tx) => tx.run("UPDATE things SET name = ?", "next"));
    expect(await name(next)).toBe("next");
  });

  it("keeps nobody waiting forever who has longer time-outs of their own", async () => {
    const db = await openAt(url);
    await table(db);
    const blocker = new pg.Client({ connectionString: url });
    await blocker.connect();
    await blocker.query("BEGIN; UPDATE baton.things SET name = 'blocked'");
    await expect(db.run("UPDATE things SET name = ?", "next")).rejects.toMatchObject({
      code: "store_busy",
      message: expect.stringMatching(/^Another process is changing the same rows/),
    });
    await blocker.query("ROLLBACK");
    await blocker.end();
    expect(await db.run("UPDATE things SET name = ?", "next")).toBe(1);
  });
});

describe("a schema that another version has changed", () => {
  it("is met with new plans, inside a transaction and outside", async () => {
    const [old, newer] = [await openAt(url), await openAt(url)];
    await table(old);
    const inside = () =>
      old.transaction(async (tx) => (await tx.get("SELECT name FROM things WHERE id = ?", 1))?.name);
    expect([await name(old), await inside()]).toEqual(["one", "one"]);
    await newer.run("ALTER TABLE things ALTER COLUMN name TYPE VARCHAR(40)");
    expect(await inside()).toBe("one");
    await newer.run("ALTER TABLE things ALTER COLUMN name TYPE TEXT");
    expect(await name(old)).toBe("one");
  });

  it("takes its time: no time-out ends a migration", async () => {
    const db = await openAt(url);
    await db.transaction((tx) => tx.all("SELECT pg_sleep(1.6)"), { isLong: true });
    await expect(db.transaction((tx) => tx.all("SELECT pg_sleep(1.6)"))).rejects.toMatchObject({
      code: "store_busy",
    });
  });
});
