/** Looking at a store changes nothing in it, on both engines. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Postgres, startPostgres } from "../../test/support/postgres.js";
import { openDb, openSessions } from "../open-sessions.js";
import { OWNER } from "../session/access.js";
import type { SessionId } from "../session/ids.js";
import { localSource } from "../session/source.js";
import { SCHEMA_VERSION, schemaVersion } from "./migrations/index.js";

let server: Postgres;
const folder = mkdtempSync(join(tmpdir(), "baton-look-"));
let files = 0;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server.stop();
});

describe.each([
  ["SQLite", async () => join(folder, `${++files}.db`)],
  ["PostgreSQL", () => server.createDatabase()],
])("a store in %s, opened to look", (_, newUrl) => {
  async function filled(): Promise<string> {
    const url = await newUrl();
    const sessions = await openSessions({ url });
    await sessions.receive(localSource(), { role: "user", content: "hello garden" });
    await sessions.close();
    return url;
  }

  async function change(url: string, sql: string): Promise<void> {
    const db = await openDb(url);
    await db.run(sql);
    await db.close();
  }

  it("shows its sessions, and refuses every write", async () => {
    const url = await filled();
    const sessions = await openSessions({ url, readOnly: true });
    const { items } = await sessions.list({}, OWNER);
    expect(items).toHaveLength(1);
    expect((await sessions.search("garden", OWNER)).items).toHaveLength(1);
    await expect(sessions.setTitle((items[0]?.sessionId ?? "") as SessionId, "Garden")).rejects.toMatchObject(
      {
        code: "store_readonly",
      },
    );
    await sessions.close();
  });

  it("is not brought up to date if an older Baton wrote it", async () => {
    const url = await filled();
    await change(url, `DELETE FROM migrations WHERE version = ${SCHEMA_VERSION}`);
    const refused = openSessions({ url, readOnly: true });
    await expect(refused).rejects.toMatchObject({
      code: "schema_too_old",
      message: expect.stringContaining("`baton gateway` to update the store"),
    });
    const db = await openDb(url, { readOnly: true });
    expect(await schemaVersion(db)).toBe(SCHEMA_VERSION - 1);
    await db.close();
  });
});

it("leaves the file of SQLite as it was, byte by byte", async () => {
  const url = join(folder, "bytes.db");
  await (await openSessions({ url })).close();
  const before = readFileSync(url);
  const sessions = await openSessions({ url, readOnly: true });
  await sessions.list({}, OWNER);
  await sessions.search("garden", OWNER);
  await sessions.close();
  expect(readFileSync(url).equals(before)).toBe(true);
});

it("creates no schema in PostgreSQL: what is empty stays empty, and shows no sessions", async () => {
  const url = await server.createDatabase();
  const sessions = await openSessions({ url, readOnly: true });
  expect((await sessions.list({}, OWNER)).items).toEqual([]);
  await sessions.close();
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query("SELECT 1 FROM pg_namespace WHERE nspname = 'baton'");
  await client.end();
  expect(rows).toEqual([]);
});
