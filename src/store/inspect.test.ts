/** The store as `baton doctor` sees it. What is wrong with SQLite files is in test/cli.test.ts, in whole runs. */
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Postgres, startPostgres } from "../../test/support/postgres.js";
import { filesOf, fillPage } from "../../test/support/postgres-damage.js";
import { openSessions } from "../open-sessions.js";
import { localSource } from "../session/source.js";
import { inspectPostgres } from "./inspect.js";
import { openPostgres } from "./postgres/db.js";

let server: Postgres;

beforeAll(async () => {
  server = await startPostgres();
});

afterAll(() => server.stop());

async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(sql);
  await client.end();
}

test("a PostgreSQL store that is well", async () => {
  const url = await server.createDatabase();
  await (await openSessions({ url })).close();
  const findings = await inspectPostgres(url);
  expect(findings.map((finding) => finding.status)).toEqual(["ok", "ok", "ok", "ok", "ok"]);
  const text = findings.map((finding) => finding.finding).join("\n");
  expect(text).toMatch(
    /schema \d+, up to date\nPostgreSQL \d+.* answers\nsynchronous_commit=on\nall tables can be read\nwritable/,
  );
});

test("one with a damaged page", async () => {
  const url = await server.createDatabase();
  const sessions = await openSessions({ url });
  await sessions.receive(localSource(), { role: "user", content: "hello" });
  await sessions.close();
  const db = await openPostgres(url);
  const [file = ""] = await filesOf(db, "messages", "table");
  await db.close();
  await server.whileDown(() => fillPage(file, 0xff));
  expect(await inspectPostgres(url)).toMatchObject([
    {
      status: "broken",
      finding: expect.stringContaining("damaged data"),
      fix: expect.stringContaining("tools of PostgreSQL"),
    },
  ]);
});

test("one from a newer Baton, one that may lose commits, and one that is not there", async () => {
  const newer = await server.createDatabase();
  await (await openSessions({ url: newer })).close();
  await run(newer, "INSERT INTO baton.migrations (version, applied_at) VALUES (99, 0)");
  expect(await inspectPostgres(newer)).toMatchObject([
    { status: "broken", finding: expect.stringContaining("newer Baton (schema 99") },
  ]);

  const careless = await server.createDatabase();
  await run(careless, "ALTER ROLE postgres SET synchronous_commit = off");
  expect(await inspectPostgres(careless)).toContainEqual(
    expect.objectContaining({ status: "broken", finding: "synchronous_commit=off" }),
  );

  expect(await inspectPostgres(server.url("nowhere"))).toMatchObject([
    { status: "broken", finding: expect.stringContaining("does not exist") },
  ]);
});
