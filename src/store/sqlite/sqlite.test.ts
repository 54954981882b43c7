import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openSessions } from "../../open-sessions.js";
import { OWNER } from "../../session/access.js";
import { localSource } from "../../session/source.js";
import type { Db } from "../db.js";
import { openSqlite } from "./db.js";
import { FileWatch } from "./file-watch.js";

const code = (name: string) => expect.objectContaining({ code: name });
const hello = { role: "user", content: "hello" } as const;

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-sqlite-"));
  path = join(folder, "home", "baton.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const mode = (file: string): string => (statSync(file).mode & 0o777).toString(8);
/** Opens, uses and closes a store, so that the file is a good one. */
async function makeStore(): Promise<void> {
  const sessions = await openSessions({ url: path });
  await sessions.receive(localSource(), hello);
  await sessions.close();
}
function tamper(sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(`${sql}; PRAGMA wal_checkpoint(TRUNCATE)`);
  database.close();
}

describe("the file", () => {
  it("is private, and so are its companions and its folder", async () => {
    const sessions = await openSessions({ url: path });
    await sessions.receive(localSource(), hello);
    const files = readdirSync(join(folder, "home")).sort();
    expect(files).toEqual(["baton.db", "baton.db-shm", "baton.db-wal"]);
    expect(files.map((file) => mode(join(folder, "home", file)))).toEqual(["600", "600", "600"]);
    expect(mode(join(folder, "home"))).toBe("700");
    await sessions.close();
  });

  it("is private also behind a link that was made before it", async () => {
    symlinkSync(join(folder, "elsewhere.db"), join(folder, "link.db"));
    await (await openSessions({ url: join(folder, "link.db") })).close();
    expect(mode(join(folder, "elsewhere.db"))).toBe("600");
    expect(lstatSync(join(folder, "link.db")).isSymbolicLink()).toBe(true);
  });

  it("is opened by path, by sqlite: URL and by file: URL alike", async () => {
    await makeStore();
    for (const url of [path, `sqlite:${path}`, `sqlite://${path}`, `file://${path}`]) {
      const sessions = await openSessions({ url });
      expect((await sessions.list({}, OWNER)).items).toHaveLength(1);
      await sessions.close();
    }
  });

  it("is written with WAL and full synchronisation", async () => {
    await makeStore();
    const database = new DatabaseSync(path);
    expect(database.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
    expect(database.prepare("PRAGMA application_id").get()).toEqual({ application_id: 0x4261746e });
    database.close();
  });
});

describe("a file that cannot be the store", () => {
  const refusal = async (): Promise<{ code: string; message: string }> => {
    const before = readFileSync(path);
    const failure = await openSessions({ url: path }).then(
      () => ({ code: "opened", message: "" }),
      (error) => error,
    );
    expect(readFileSync(path).equals(before)).toBe(true); // refused means untouched
    return failure;
  };

  it("is another program's", async () => {
    await makeStore();
    rmSync(path);
    tamper("CREATE TABLE sessions (id TEXT); INSERT INTO sessions VALUES ('x')");
    expect(await refusal()).toMatchObject({
      code: "store_foreign",
      message: expect.stringContaining("import"),
    });
  });

  it("is not a database", async () => {
    await makeStore();
    writeFileSync(path, "Dear diary, ".repeat(1_000));
    expect(await refusal()).toMatchObject({ code: "store_foreign" });
  });

  it("is from a newer Baton", async () => {
    await makeStore();
    tamper("INSERT INTO migrations (version, applied_at) VALUES (999, 0)");
    expect(await refusal()).toMatchObject({
      code: "schema_too_new",
      message: expect.stringMatching(/999.*Update/),
    });
  });

  it("is damaged", async () => {
    await makeStore();
    const bytes = readFileSync(path);
    bytes.fill(0xff, 4_096, 4_096 * 3);
    writeFileSync(path, bytes);
    expect(await refusal()).toMatchObject({
      code: "store_corrupt",
      message: expect.stringMatching(/backup/),
    });
  });

  it("is damaged where it is only read later: an error, never an empty answer", async () => {
    const sessions = await openSessions({ url: path });
    for (let n = 0; n < 200; n++)
      await sessions.receive(
        { ...localSource(), chatId: `c${n}` },
        { role: "user", content: "x".repeat(500) },
      );
    await sessions.close();
    const database = new DatabaseSync(path);
    const page = database
      .prepare("SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf' LIMIT 1")
      .get() as { pageno: number };
    database.close();
    const bytes = readFileSync(path);
    bytes.fill(0xff, (page.pageno - 1) * 4_096, page.pageno * 4_096);
    writeFileSync(path, bytes);
    const damaged = await openSessions({ url: path });
    const loads = (await damaged.list({ limit: 200 }, OWNER)).items.map((entry) =>
      damaged.load(entry.sessionId),
    );
    const outcomes = await Promise.allSettled(loads);
    const failures = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(failures.length).toBeGreaterThan(0);
    for (const failure of failures) expect(failure.reason).toMatchObject({ code: "store_corrupt" });
    for (const outcome of outcomes) if (outcome.status === "fulfilled") expect(outcome.value).toHaveLength(1);
    await damaged.close();
  });

  it("is read-only", async () => {
    await makeStore();
    chmodSync(folder, 0o755);
    chmodSync(path, 0o444);
    chmodSync(join(folder, "home"), 0o555);
    const asRoot = process.geteuid?.() === 0;
    if (asRoot) process.seteuid?.(65_534); // no mode stops root
    const failure = await openSessions({ url: path }).catch((error) => error);
    if (asRoot) process.seteuid?.(0);
    chmodSync(join(folder, "home"), 0o700);
    expect(failure).toMatchObject({ code: "store_readonly", message: expect.stringContaining("write") });
  });

  it("is a folder, or of an unknown kind", async () => {
    await expect(openSessions({ url: folder })).rejects.toThrow(code("store_unreachable"));
    const file = join(folder, "file");
    writeFileSync(file, "");
    await expect(openSessions({ url: join(file, "baton.db") })).rejects.toThrow(code("store_unreachable"));
    await expect(openSessions({ url: "mysql://x/y" })).rejects.toThrow(code("invalid_config"));
    await expect(openSessions({ url: "" })).rejects.toThrow(code("invalid_config"));
  });
});

describe("bad settings", () => {
  it.each([
    ["invalid_time_zone", { timezone: "Mars/Olympus" }],
    ["invalid_reset_policy", { reset: { default: { atHour: 24 } } }],
    ["invalid_scope", { scopes: { group: "everyone" as "chat" } }],
    ["invalid_scope", { scopes: { agent: "a:b" } }],
  ])("are refused with %s, and the store is closed again", async (name, config) => {
    await expect(openSessions({ url: path, config })).rejects.toThrow(code(name));
    await makeStore();
  });
});

it("a read shares no transaction with those who write", async () => {
  const db = await openSqlite(path);
  await db.run("CREATE TABLE numbers (number INTEGER)");
  const written = db.run("INSERT INTO numbers VALUES (1)");
  // No checkpoint would be possible in the middle of it.
  const read = db.get("PRAGMA wal_checkpoint(TRUNCATE)");
  expect(await Promise.all([written, read])).toEqual([1, expect.objectContaining({ busy: 0 })]);
  await db.close();
});

describe("a full disk", () => {
  it("is a clear error; nothing is torn, and it works again once there is room", async () => {
    const sessions = await openSessions({ url: path });
    const { entry } = await sessions.receive(localSource(), hello);
    await sessions.close();
    // The limit of pages is a setting of the connection, so the store is opened anew with it through a small shim.
    const { openSqlite } = await import("./db.js");
    const { openSqlStore } = await import("../sql-store.js");
    const { Sessions } = await import("../../session/sessions.js");
    const db = await openSqlite(path);
    const full = new Sessions(await openSqlStore(db, 0));
    const pages = Number((await db.get("PRAGMA page_count"))?.page_count);
    await db.get(`PRAGMA max_page_count = ${pages + 2}`);
    let written = 0;
    const fill = async () => {
      for (;;) {
        await full.append(entry.sessionId, { role: "assistant", content: "y".repeat(3_000) });
        written += 1;
      }
    };
    await expect(fill()).rejects.toThrow(code("store_full"));
    expect(await full.load(entry.sessionId)).toHaveLength(1 + written);
    await db.get("PRAGMA max_page_count = 100000");
    expect(await full.append(entry.sessionId, hello)).toBe(written + 2);
    expect((await full.load(entry.sessionId)).map(({ seq }) => seq)).toEqual(
      Array.from({ length: written + 2 }, (_, n) => n + 1),
    );
    await full.close();
  });
});

describe("a file that is lost while it is open", () => {
  const kept = async (db: Db) => (await db.all("SELECT n FROM t ORDER BY n")).map(({ n }) => n);

  it.each([
    ["deleted", "", (path: string) => renameSync(path, `${path}.away`)],
    [
      "replaced",
      "",
      (path: string) => {
        renameSync(path, `${path}.away`);
        writeFileSync(path, "");
      },
    ],
    ["without its log", "-wal", (path: string) => renameSync(path, `${path}.away`)],
  ])("%s: nothing is committed into it, and it goes on when it is back", async (_, end, lose) => {
    const db = await openSqlite(path);
    await db.run("CREATE TABLE t (n INTEGER)");
    await db.transaction((tx) => tx.run("INSERT INTO t VALUES (1)"));
    lose(path + end);
    const gone = { code: "store_gone", message: expect.stringContaining("while Baton was running") };
    await expect(db.transaction((tx) => tx.run("INSERT INTO t VALUES (2)"))).rejects.toMatchObject(gone);
    await expect(db.run("INSERT INTO t VALUES (3)")).rejects.toMatchObject(gone);
    expect(await kept(db)).toEqual([1]);
    renameSync(`${path}${end}.away`, path + end);
    await db.run("INSERT INTO t VALUES (4)");
    expect(await kept(db)).toEqual([1, 4]);
    await db.close();
  });

  it.each([
    ["a transaction", (db: Db) => db.transaction((tx) => tx.run("INSERT INTO t VALUES (2)"))],
    ["a statement", (db: Db) => db.run("INSERT INTO t VALUES (2)")],
  ])("in the middle of %s: that is not said to be kept", async (_, write) => {
    const db = await openSqlite(path);
    await db.run("CREATE TABLE t (n INTEGER)");
    const { check } = FileWatch.prototype;
    vi.spyOn(FileWatch.prototype, "check").mockImplementationOnce(function (this: FileWatch) {
      check.call(this);
      renameSync(path, `${path}.away`); // Just before the commit.
    });
    await expect(write(db)).rejects.toMatchObject({ code: "store_gone" });
    await db.close();
    vi.restoreAllMocks();
  });
});
