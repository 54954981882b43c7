import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Postgres, startPostgres } from "../../../test/support/postgres.js";
import { openSessions } from "../../open-sessions.js";
import { OWNER } from "../../session/access.js";
import { localSource } from "../../session/source.js";

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

  it.each([
    ["nobody listens", () => "postgres://u:hunter2@127.0.0.1:1/x"],
    ["the database is missing", () => server.url("nope").replace("postgres@", "postgres:hunter2@")],
    ["the host is unknown", () => "postgres://u:hunter2@nowhere.invalid/x"],
  ])("is unreachable, in a sentence without the password, when %s", async (_, url) => {
    const failure = await openSessions({ url: url() }).catch((error) => error);
    expect(failure).toMatchObject({ code: "store_unreachable" });
    expect(failure.message).not.toContain("hunter2");
  });
});
