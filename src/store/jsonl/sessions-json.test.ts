import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fingerprint, folder, lines, put, store } from "../../../test/support/session-files.js";
import { OWNER } from "../../session/access.js";
import { asSessionId, type SessionId } from "../../session/ids.js";
import { asSessionKey } from "../../session/session-key.js";
import { importSessions } from "./import.js";

const KEY = "agent:main:telegram:dm:99";
const ID = asSessionId("20250101_120000_ab12cd34");
const T0 = Date.UTC(2025, 0, 1, 12);

function entry(over: Record<string, unknown> = {}) {
  return {
    session_key: KEY,
    session_id: ID,
    created_at: "2025-01-01T12:00:00Z",
    updated_at: "2025-01-02T12:00:00+00:00",
    display_name: "Alice",
    platform: "telegram",
    chat_type: "dm",
    input_tokens: 10,
    output_tokens: 20,
    cache_read_tokens: 3,
    cache_write_tokens: 4,
    total_tokens: 37,
    estimated_cost_usd: 0.5,
    origin: {
      platform: "telegram",
      chat_id: "99",
      chat_type: "dm",
      user_id: "99",
      user_name: "Alice",
      thread_id: null,
    },
    ...over,
  };
}

const transcript = [
  { role: "session_meta", tools: [], model: "m" },
  { role: "user", content: "hello", timestamp: "2025-01-01T12:00:01.500Z" },
  {
    role: "assistant",
    content: null,
    reasoning: "hm",
    tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: '{"a":1}' } }],
    timestamp: 1735732802,
  },
  {
    role: "tool",
    tool_call_id: "c1",
    tool_name: "look",
    content: [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ],
  },
  { some: "bookkeeping" },
  { role: "assistant", content: "done", timestamp: 1735732803250 },
];

it("brings in entries with their transcripts, and the key goes on", async () => {
  const path = folder({ "sessions.json": { [KEY]: entry() }, [`${ID}.jsonl`]: transcript });
  const before = fingerprint(path);
  const sessions = await store();
  const progress: number[][] = [];
  const report = await importSessions(path, sessions, { onProgress: (...step) => progress.push(step) });

  expect(report).toMatchObject({
    format: "sessions-json",
    sessions: [{ sessionId: ID, key: KEY, messages: 4, added: 4, status: "new" }],
    totals: { sessions: 1, new: 1, extended: 0, present: 0, messages: 4, added: 4 },
    problems: [],
  });
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  expect(progress).toEqual([
    [0, 1],
    [1, 1],
  ]);
  expect(fingerprint(path)).toEqual(before);

  expect(await sessions.current(asSessionKey(KEY))).toMatchObject({
    sessionId: ID,
    createdAt: T0,
    updatedAt: T0 + 86_400_000,
    displayName: "Alice",
    owner: "person:telegram:99",
    endedAt: null,
    inputTokens: 10,
    outputTokens: 20,
    cacheReadTokens: 3,
    cacheWriteTokens: 4,
    totalTokens: 37,
    cost: 0.5,
    metadata: { imported: { format: "sessions-json", id: ID } },
  });
  expect(await sessions.load(ID)).toEqual([
    { seq: 1, role: "user", content: "hello", at: T0 + 1500 },
    {
      seq: 2,
      role: "assistant",
      content: "",
      reasoning: "hm",
      toolCalls: [{ id: "c1", name: "look", arguments: '{"a":1}' }],
      at: T0 + 2000,
    },
    { seq: 3, role: "tool", toolCallId: "c1", name: "look", content: "a\nb", at: T0 + 2000 },
    { seq: 4, role: "assistant", content: "done", at: T0 + 3250 },
  ]);
  const hits = await sessions.search("hello", OWNER);
  expect(hits.items).toHaveLength(1);
});

it("adds nothing the second time, and only what is new once the source has grown", async () => {
  const path = folder({ "sessions.json": { [KEY]: entry() }, [`${ID}.jsonl`]: transcript });
  const sessions = await store();
  await importSessions(path, sessions);
  const loaded = await sessions.load(ID);
  const again = await importSessions(path, sessions);
  expect(again.sessions).toMatchObject([{ status: "present", added: 0 }]);
  expect(await sessions.load(ID)).toEqual(loaded);

  put(join(path, `${ID}.jsonl`), [...transcript, { role: "user", content: "more" }]);
  put(join(path, "sessions.json"), { [KEY]: entry({ input_tokens: 15 }) });
  const dry = await importSessions(path, sessions, { dryRun: true });
  expect(dry.sessions).toMatchObject([{ status: "extended", added: 1 }]);
  expect(await sessions.load(ID)).toEqual(loaded);

  const grown = await importSessions(path, sessions);
  expect(grown.sessions).toMatchObject([{ status: "extended", added: 1, messages: 5 }]);
  expect((await sessions.load(ID)).map(({ content }) => content)).toEqual([
    "hello",
    "",
    "a\nb",
    "done",
    "more",
  ]);
  expect(await sessions.get(ID)).toMatchObject({ inputTokens: 15, outputTokens: 20, cost: 0.5 });

  await sessions.append(ID, { role: "user", content: "said here" });
  put(join(path, `${ID}.jsonl`), [
    ...transcript,
    { role: "user", content: "more" },
    { role: "user", content: "there" },
  ]);
  const parted = await importSessions(path, sessions);
  expect(parted.sessions[0]).toMatchObject({ status: "present", added: 0 });
  expect(parted.sessions[0]?.note).toMatch(/went on here/);
  expect((await sessions.load(ID)).at(-1)?.content).toBe("said here");
});

it("does not steal a key that has a session, nor add to another owner's", async () => {
  const sessions = await store();
  const present = await sessions.getOrCreate({
    platform: "telegram",
    chatId: "99",
    chatType: "dm",
    userId: "99",
  });
  const path = folder({ "sessions.json": { [KEY]: entry() }, [`${ID}.jsonl`]: transcript });
  await importSessions(path, sessions);
  expect((await sessions.current(asSessionKey(KEY)))?.sessionId).toBe(present.sessionId);

  const others = folder({
    "sessions.json": {
      "agent:main:telegram:dm:7": entry({
        origin: { platform: "telegram", chat_id: "7", chat_type: "dm", user_id: "7" },
      }),
    },
    [`${ID}.jsonl`]: [...transcript, { role: "user", content: "bob's" }],
  });
  const report = await importSessions(others, sessions);
  expect(report.sessions[0]).toMatchObject({ status: "present", added: 0 });
  expect(report.sessions[0]?.note).toMatch(/another owner/);
});

it("keeps the people of a group apart", async () => {
  const origin = {
    platform: "discord",
    chat_id: "g",
    chat_type: "group",
    user_id: "alice",
    user_name: "Alice",
  };
  const path = folder({
    "sessions.json": {
      "agent:main:discord:group:g:alice": entry({ session_id: "mine", origin }),
      "agent:main:discord:group:g": entry({ session_id: "ours", origin }),
    },
    "mine.jsonl": [{ role: "user", content: "private" }],
    "ours.jsonl": [{ role: "user", content: "public" }],
  });
  const sessions = await store();
  await importSessions(path, sessions, { scopes: { group: "chat" } });
  expect((await sessions.current(asSessionKey("agent:main:discord:group:g")))?.sessionId).toBe("ours");
  const bob = sessions.as({ kind: "chat", chat: "discord:g", identity: "discord:bob" });
  expect((await bob.list()).items.map(({ sessionId }) => sessionId)).toEqual(["ours"]);
  const alice = sessions.as({ kind: "chat", chat: "discord:g", identity: "discord:alice" });
  expect((await alice.list()).items.map(({ sessionId }) => sessionId).sort()).toEqual(["mine", "ours"]);
});

it("brings in transcripts without an entry for the gateway's owner only, unbound", async () => {
  const path = folder({
    "sessions.json": { [KEY]: entry() },
    [`${ID}.jsonl`]: transcript,
    "20240101_000000_old.jsonl": [{ role: "user", content: "long ago", timestamp: "2024-01-01T00:00:00Z" }],
    "empty.jsonl": "",
  });
  const sessions = await store();
  const report = await importSessions(path, sessions);
  expect(report.totals).toMatchObject({ new: 2 });
  const old = await sessions.get(asSessionId("20240101_000000_old"));
  expect(old).toMatchObject({ createdAt: Date.UTC(2024, 0, 1), messageCount: 1 });
  expect(await sessions.current(old?.key ?? asSessionKey(KEY))).toBeNull();
  const alice = sessions.as({ kind: "person", identities: ["telegram:99"] });
  expect((await alice.list()).items.map(({ sessionId }) => sessionId)).toEqual([ID]);
  const terminal = sessions.as({ kind: "chat", chat: "local:cli" });
  expect((await terminal.list()).items).toEqual([]);
});

it("brings in the transcripts where sessions.json is damaged", async () => {
  const path = folder({ "sessions.json": '{"agent:main', [`${ID}.jsonl`]: transcript });
  const sessions = await store();
  const report = await importSessions(path, sessions);
  expect(report.problems).toMatchObject([{ file: "sessions.json", line: null }]);
  expect(await sessions.load(ID)).toHaveLength(4);
});

it("loses a damaged line and nothing else", async () => {
  const big = "x".repeat(5 * 1024 * 1024);
  const path = folder({
    "sessions.json": { [KEY]: entry() },
    [`${ID}.jsonl`]: Buffer.concat([
      Buffer.from('\ufeff{"role":"user","content":"one"}\r\n'),
      Buffer.from([0x00, 0xff, 0xfe, 0x80, 0x0a]),
      Buffer.from(lines({ role: "user", content: big }, '{"role":"user","content":"raw \u2028 inside"}')),
      Buffer.from(lines({ role: "wizard", content: "?" }, { content: "no role" }, "[1]", "null")),
      Buffer.from(lines('{"role":"user","content":"last","__proto__":{"content":"x","polluted":true}}')),
      Buffer.from(lines(`{"role":"user","content":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}`)),
      Buffer.from('{"role":"assistant","cont'),
    ]),
  });
  const sessions = await store();
  const report = await importSessions(path, sessions);
  expect(report.problems.map(({ line }) => line)).toEqual([2, 5, 6, 7, 8, 10, 11]);
  expect(report.problems.at(-1)).toEqual({
    file: `${ID}.jsonl`,
    line: 11,
    reason: "The last line is cut off.",
  });
  expect(report.problems[1]?.reason).toMatch(/wizard/);
  const contents = (await sessions.load(ID)).map(({ content }) => content);
  expect(contents).toEqual(["one", big, "raw \u2028 inside", "last"]);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  expect((await sessions.search("inside", OWNER)).items).toHaveLength(1);
  expect((await sessions.search(big.slice(0, 500), OWNER)).items).toHaveLength(1);
});

it("finishes a torn line at the next import", async () => {
  const path = folder({
    "sessions.json": { [KEY]: entry() },
    [`${ID}.jsonl`]: '{"role":"user","content":"one"}\n{"role":"assistant","content":"tw',
  });
  const sessions = await store();
  await importSessions(path, sessions);
  put(join(path, `${ID}.jsonl`), '{"role":"user","content":"one"}\n{"role":"assistant","content":"two"}\n');
  const report = await importSessions(path, sessions);
  expect(report.sessions).toMatchObject([{ status: "extended", added: 1 }]);
  expect((await sessions.load(ID)).map(({ content }) => content)).toEqual(["one", "two"]);
});

it("reads nothing outside the folder, whatever ids and links say", async () => {
  const outside = folder({ "secret.jsonl": [{ role: "user", content: "secret" }] });
  const path = folder({
    "inner/sessions.json": {
      "agent:main:telegram:dm:1": entry({
        session_id: "../secret",
        origin: { platform: "telegram", chat_id: "1" },
      }),
      "agent:main:telegram:dm:2": entry({
        session_id: "link",
        origin: { platform: "telegram", chat_id: "2" },
      }),
      __proto__x: "not an entry",
    },
    "secret.jsonl": [{ role: "user", content: "secret" }],
  });
  symlinkSync(join(outside, "secret.jsonl"), join(path, "inner", "link.jsonl"));
  const sessions = await store();
  const report = await importSessions(join(path, "inner"), sessions);
  expect(report.totals).toMatchObject({ sessions: 2, messages: 0 });
  const derived = report.sessions.find(({ sessionId }) => sessionId !== "link")?.sessionId;
  expect(derived).toMatch(/^20250101_120000_[0-9a-f]{12}$/);
  expect((await sessions.get((derived ?? "") as SessionId))?.metadata).toMatchObject({
    imported: { id: "../secret" },
  });
  expect((await sessions.search("secret", OWNER)).items).toEqual([]);
  const reasons = report.problems.map(({ reason }) => reason).join("\n");
  expect(reasons).toMatch(/symbolic link/);
  expect(reasons).toMatch(/names no file/);
  expect(reasons).toMatch(/not an object/);
});

it("keeps what it cannot place for the owner, and says so", async () => {
  const path = folder({
    "sessions.json": {
      "agent:main:pigeon:dm:1": entry({ session_id: "a", origin: { platform: "pigeon", chat_id: "1" } }),
      "agent:main:telegram:forum:2": entry({
        session_id: "b",
        origin: { platform: "telegram", chat_id: "2", chat_type: "forum" },
      }),
      "agent:main:discord:group:other": entry({
        session_id: "c",
        origin: { platform: "discord", chat_id: "g", chat_type: "group", user_id: "u" },
      }),
    },
    "a.jsonl": [{ role: "user", content: "a" }],
    "b.jsonl": [{ role: "user", content: "b" }],
    "c.jsonl": [{ role: "user", content: "c" }],
  });
  const sessions = await store();
  const report = await importSessions(path, sessions);
  expect(report.totals).toMatchObject({ new: 3, added: 3 });
  expect(report.problems).toHaveLength(2);
  for (const id of ["a", "b", "c"]) {
    expect((await sessions.get(id as SessionId))?.chat).toMatch(/^local:agent%3A/);
  }
});

it("leaves a session that two keys lead to with the one that used it last", async () => {
  const path = folder({
    "sessions.json": {
      "agent:main:telegram:dm:1": entry({
        updated_at: "2025-01-01T13:00:00Z",
        origin: { platform: "telegram", chat_id: "1", user_id: "1" },
      }),
      [KEY]: entry({ updated_at: "2025-01-03T00:00:00Z" }),
    },
    [`${ID}.jsonl`]: transcript,
  });
  const sessions = await store();
  const report = await importSessions(path, sessions);
  expect(report.sessions).toMatchObject([{ sessionId: ID, key: KEY }]);
  expect(report.problems).toHaveLength(1);
});

it("shortens a title, replaces dates and numbers that cannot be meant, and changes nothing on a dry run", async () => {
  const path = folder({
    "sessions.json": {
      [KEY]: entry({
        title: `\u001b]0;x\u0007${"ä".repeat(150)}`,
        created_at: "yesterday",
        updated_at: 1e300,
        input_tokens: -5,
        output_tokens: 1.5,
        estimated_cost_usd: "much",
      }),
    },
    [`${ID}.jsonl`]: [{ role: "user", content: "x", timestamp: "2025-02-01T00:00:00Z" }],
  });
  const sessions = await store();
  const dry = await importSessions(path, sessions, { dryRun: true });
  expect(dry).toMatchObject({ dryRun: true, totals: { new: 1, added: 1 } });
  expect(await sessions.get(ID)).toBeNull();

  await importSessions(path, sessions);
  const imported = await sessions.get(ID);
  expect(imported).toMatchObject({
    createdAt: Date.UTC(2025, 1, 1),
    updatedAt: Date.UTC(2025, 1, 1),
    inputTokens: 0,
    outputTokens: 0,
    cost: 0,
  });
  expect(imported?.title).toBe(`${"ä".repeat(99)}…`);
});

it("says what it looked for where there is nothing to read", async () => {
  const sessions = await store();
  const nothing = folder({ "notes.txt": "hi", "junk.jsonl": "hi\n" });
  for (const path of [
    nothing,
    join(nothing, "notes.txt"),
    join(nothing, "absent"),
    join(nothing, "junk.jsonl"),
  ]) {
    await expect(importSessions(path, sessions)).rejects.toMatchObject({
      name: "InputError",
      code: "import_unreadable",
      message: expect.stringContaining("sessions.json"),
    });
  }
});
