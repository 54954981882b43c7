import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, expect, it, vi } from "vitest";
import { fingerprint, folder, pipe, store } from "../../../test/support/session-files.js";
import { openSessions } from "../../open-sessions.js";
import { OWNER } from "../../session/access.js";
import { asSessionId } from "../../session/ids.js";
import { processNamed } from "../../util/holder.js";
import { importSessions } from "./import.js";
import { copySqlite } from "./sqlite-copy.js";

const SCHEMA = `
CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, parent_session_id TEXT,
  started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, title TEXT, input_tokens INTEGER DEFAULT 0,
  output_tokens INTEGER DEFAULT 0, cache_read_tokens INTEGER DEFAULT 0, cache_write_tokens INTEGER DEFAULT 0,
  estimated_cost_usd REAL);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT,
  tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, active INTEGER NOT NULL DEFAULT 1);`;

const START = 1_735_732_800; // 2025-01-01T12:00:00Z

function database(path: string, sql: string): InstanceType<typeof DatabaseSync> {
  const db = new DatabaseSync(path);
  db.exec(sql);
  return db;
}

/** The place of private copies, this test's own. */
function temporary(): string {
  const path = folder();
  vi.stubEnv("TMPDIR", path);
  expect(tmpdir()).toBe(path);
  return path;
}

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Run by another process that is killed, so that its -wal stays behind with everything in it. */
const DYING_WRITER = `
const { DatabaseSync } = require("@photostructure/sqlite");
const [file, schema, start] = [process.argv[1], process.argv[2], Number(process.argv[3])];
const db = new DatabaseSync(file);
db.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0");
db.exec(schema);
const session = db.prepare("INSERT INTO sessions VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)");
session.run("20250101_120000_aaaa", "telegram", "99", null, start, start + 100, "session_reset", "First", 1, 2, 3, 4, 0.25);
session.run("20250101_130000_bbbb", "cli", null, "20250101_120000_aaaa", start + 3600, null, null, null, 0, 0, 0, 0, null);
session.run("odd id!", "pigeon", "7", "20250101_130000_bbbb", start + 7200.5, null, null, null, 0, 0, 0, 0, null);
const message = db.prepare(
  "INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp, active) VALUES (?,?,?,?,?,?,?,?)");
const calls = '[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]';
const parts = JSON.stringify([{ type: "text", text: "look" }, { type: "image_url", image_url: {} }]);
message.run("20250101_120000_aaaa", "user", "hi", null, null, null, start + 1.25, 1);
message.run("20250101_120000_aaaa", "assistant", null, null, calls, null, start + 2, 1);
message.run("20250101_120000_aaaa", "user", "undone", null, null, null, start + 2, 0);
message.run("20250101_120000_aaaa", "tool", "res", "c", null, "f", start + 3, 1);
message.run("20250101_120000_aaaa", "assistant", "bye", null, "{broken", null, start + 4, 1);
message.run("20250101_130000_bbbb", "user", "\\u0001json:" + parts, null, null, null, start + 3601, 1);
message.run("gone", "user", "stray", null, null, null, start, 1);
process.kill(process.pid, "SIGKILL");
`;

it("reads sessions and messages, also those only in the write-ahead log, and touches nothing", async () => {
  const path = folder();
  const file = join(path, "state.db");
  const killed = spawnSync(process.execPath, ["-e", DYING_WRITER, file, SCHEMA, String(START)]);
  expect([killed.signal, killed.stderr.toString()]).toEqual(["SIGKILL", ""]);
  expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
  const before = fingerprint(path);
  const copies = temporary();

  const sessions = await store();
  const report = await importSessions(file, sessions);
  expect(fingerprint(path)).toEqual(before);
  expect(readdirSync(copies)).toEqual([]);

  expect(report).toMatchObject({ format: "sqlite", totals: { new: 4, added: 6 } });
  expect(report.problems.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/"gone" has messages but no row/),
    expect.stringMatching(/message 5: Its tool calls are not readable/),
  ]);
  const first = await sessions.get(asSessionId("20250101_120000_aaaa"));
  expect(first).toMatchObject({
    key: "agent:main:telegram:dm:99",
    owner: "person:telegram:99",
    title: "First",
    createdAt: START * 1000,
    updatedAt: START * 1000 + 4000,
    endedAt: START * 1000 + 100_000,
    endReason: "reset",
    inputTokens: 1,
    outputTokens: 2,
    cacheReadTokens: 3,
    cacheWriteTokens: 4,
    cost: 0.25,
    metadata: { imported: { format: "sqlite", endReason: "session_reset" } },
  });
  expect(await sessions.load(asSessionId("20250101_120000_aaaa"))).toEqual([
    { seq: 1, role: "user", content: "hi", at: START * 1000 + 1250 },
    {
      seq: 2,
      role: "assistant",
      content: "",
      toolCalls: [{ id: "c", name: "f", arguments: "{}" }],
      at: START * 1000 + 2000,
    },
    { seq: 3, role: "tool", toolCallId: "c", name: "f", content: "res", at: START * 1000 + 3000 },
    { seq: 4, role: "assistant", content: "bye", at: START * 1000 + 4000 },
  ]);
  expect(await sessions.get(asSessionId("20250101_130000_bbbb"))).toMatchObject({
    key: "agent:main:local:dm:cli",
    parentId: "20250101_120000_aaaa",
  });
  expect((await sessions.load(asSessionId("20250101_130000_bbbb")))[0]?.content).toBe("look\n[image_url]");
  const odd = report.sessions.find(({ sessionId }) => /^20250101_140000_[0-9a-f]{12}$/.test(sessionId));
  expect(odd?.key).toBe("agent:main:local:dm:pigeon%3A7");
  // None was current there, so none becomes so here.
  for (const { key } of (await sessions.list({}, OWNER)).items)
    expect(await sessions.current(key)).toBeNull();

  expect((await importSessions(file, sessions)).totals).toMatchObject({ present: 4, added: 0 });
});

it("does without columns that are missing, and with numbers beyond 2^53", async () => {
  const file = join(folder(), "small.db");
  database(
    file,
    `CREATE TABLE sessions (id TEXT, source TEXT, user_id INTEGER);
     CREATE TABLE messages (session_id TEXT, role TEXT, content TEXT);
     INSERT INTO sessions VALUES ('s', 'discord', 9223372036854775807);
     INSERT INTO messages VALUES ('s', 'user', 'a'), ('s', 'wizard', 'b'), ('s', 'assistant', 'c');`,
  ).close();
  const sessions = await store();
  const report = await importSessions(file, sessions);
  expect(report.problems).toMatchObject([{ reason: expect.stringMatching(/message 2: Unknown role/) }]);
  expect(await sessions.get(asSessionId("s"))).toMatchObject({
    owner: "person:discord:9223372036854775807",
    messageCount: 2,
  });
});

it("refuses a Baton database, also one that is in use", async () => {
  const path = folder();
  const file = join(path, "baton.db");
  const other = await openSessions({ url: file });
  try {
    await other.receive(
      { platform: "telegram", chatId: "1", chatType: "dm" },
      { role: "user", content: "x" },
    );
    await expect(importSessions(file, await store())).rejects.toMatchObject({
      code: "import_unreadable",
      message: expect.stringContaining("is a Baton database"),
    });
  } finally {
    await other.close();
  }
});

it("does not drop the locks that this process has on a database", async () => {
  const file = join(folder(), "mine.db");
  const db = database(
    file,
    `${SCHEMA} BEGIN IMMEDIATE; INSERT INTO sessions (id, source, started_at) VALUES ('x', 'cli', 1)`,
  );
  await importSessions(file, await store());
  const rival = spawnSync(process.execPath, [
    "-e",
    `const { DatabaseSync } = require("@photostructure/sqlite");
     new DatabaseSync(process.argv[1], { timeout: 0 }).exec("BEGIN IMMEDIATE");`,
    file,
  ]);
  expect(rival.stderr.toString()).toMatch(/locked|busy/i);
  db.exec("COMMIT");
  db.close();
});

it("names what a foreign database lacks", async () => {
  const file = join(folder(), "other.db");
  database(
    file,
    "CREATE TABLE sessions (id TEXT); CREATE VIEW messages AS SELECT 1 AS session_id, 2 AS role",
  ).close();
  await expect(importSessions(file, await store())).rejects.toMatchObject({
    code: "import_unreadable",
    message: expect.stringContaining("messages not found"),
  });
});

it("brings in what a damaged database still gives, and says what it does not", async () => {
  const file = join(folder(), "torn.db");
  const db = database(
    file,
    `PRAGMA page_size = 4096; ${SCHEMA} CREATE INDEX by_session ON messages (session_id)`,
  );
  const session = db.prepare("INSERT INTO sessions (id, source, started_at) VALUES (?, 'cli', ?)");
  const message = db.prepare(
    "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', ?, ?)",
  );
  for (let n = 0; n < 20; n++) {
    session.run(`s${n}`, START + n);
    for (let m = 0; m < 20; m++) message.run(`s${n}`, `${m} ${"x".repeat(900)}`, START + m);
  }
  const root = (
    db.prepare("SELECT rootpage AS page FROM sqlite_master WHERE name = 'by_session'").get() as {
      page: number;
    }
  ).page;
  db.close();
  const pages = statSync(file).size / 4096;
  const damaged = Math.max(root + 3, Math.floor(pages / 2));
  const fd = openSync(file, "r+");
  writeSync(fd, Buffer.alloc(4096, 0xee), 0, 4096, damaged * 4096);
  closeSync(fd);

  const sessions = await store();
  const report = await importSessions(file, sessions);
  expect(report.totals.new).toBe(20);
  expect(report.totals.added).toBeGreaterThan(200);
  expect(report.totals.added).toBeLessThan(400);
  expect(report.problems.some(({ reason }) => /cannot be read to its end/.test(reason))).toBe(true);
});

it("refuses a database that is damaged from the start, and leaves no copy", async () => {
  const path = folder({
    "bad.db": Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(8000, 0xee)]),
  });
  const copies = temporary();
  await expect(importSessions(join(path, "bad.db"), await store())).rejects.toMatchObject({
    code: "import_unreadable",
    message: expect.stringContaining("damaged"),
  });
  expect(readdirSync(copies)).toEqual([]);
});

it("removes the private copies that imports left which were killed, and no others", async () => {
  const source = join(folder(), "state.db");
  const place = temporary();
  const { pid: ended } = spawnSync(process.execPath, ["--version"]);
  const holders = { aaaaaa: processNamed(ended), bbbbbb: processNamed(process.pid), cccccc: "" };
  const copies = Object.entries(holders).map(([name, holder]) => {
    const copy = `baton-import-${name}`;
    mkdirSync(join(place, copy), { mode: 0o700 });
    writeFileSync(join(place, copy, "copy.db"), "x");
    if (holder !== "") writeFileSync(join(place, copy, "holder"), holder);
    return copy;
  });
  database(source, SCHEMA).close();
  await (await copySqlite(source))?.remove();
  expect(readdirSync(place)).toEqual(copies.slice(1).sort());
});

it("believes no folder that somebody else may have made, and waits for no pipe in one", async () => {
  const source = join(folder(), "state.db");
  const place = temporary();
  const { pid: ended } = spawnSync(process.execPath, ["--version"]);
  const holder = join(folder(), "holder");
  writeFileSync(holder, processNamed(ended));
  const make = (name: string, mode: number): string => {
    const copy = join(place, `baton-import-${name}`);
    mkdirSync(copy);
    chmodSync(copy, mode);
    return copy;
  };
  writeFileSync(join(make("open", 0o777), "holder"), processNamed(ended));
  writeFileSync(join(make("torn", 0o700), "holder"), "{");
  symlinkSync(holder, join(make("link", 0o700), "holder"));
  pipe(join(make("pipe", 0o700), "holder"));
  if (process.getuid?.() === 0) {
    const theirs = make("theirs", 0o700);
    writeFileSync(join(theirs, "holder"), processNamed(ended));
    chownSync(theirs, 65_534, 65_534);
  }
  const elsewhere = folder();
  writeFileSync(join(elsewhere, "holder"), processNamed(ended));
  symlinkSync(elsewhere, join(place, "baton-import-away"));
  const before = readdirSync(place).sort();
  database(source, SCHEMA).close();
  await (await copySqlite(source))?.remove();
  expect([readdirSync(place).sort(), readdirSync(elsewhere)]).toEqual([before, ["holder"]]);
});
