import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { folder, put, store } from "../../../test/support/session-files.js";
import type { SessionId } from "../../session/ids.js";
import { asSessionKey } from "../../session/session-key.js";
import type { Sessions } from "../../session/sessions.js";
import type { SessionSource } from "../../session/source.js";
import type { Message } from "../../session/transcript.js";
import type { ExportFormat } from "../../session/transfer.js";
import { exportFileName, exportSession } from "./export.js";
import { importSessions } from "./import.js";

async function exported(sessions: Sessions, sessionId: SessionId, format: ExportFormat): Promise<string> {
  const entry = await sessions.get(sessionId);
  if (!entry) throw new Error("no such session");
  let text = "";
  await exportSession(sessions, entry, format, async (piece) => {
    text += piece;
  });
  return text;
}

const group: SessionSource = {
  platform: "discord",
  chatId: "g:1",
  chatType: "group",
  userId: "alice",
  userName: "Alice",
  chatName: "Team",
};

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom(
    "",
    "a\nb\r\n",
    "x\u2028y\u2029z\u0085",
    "👩‍👩‍👧 ok",
    "```js\n{}\n```",
    '{"a":"\\n"}',
    "\ud83d",
    "\0",
  ),
);
const at = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 });
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record(
    { role: fc.constant("user" as const), content: text, name: text, at },
    { requiredKeys: ["role", "content", "at"] },
  ),
  fc.record(
    {
      role: fc.constant("assistant" as const),
      content: text,
      toolCalls: fc.array(fc.record({ id: text, name: text, arguments: text }), { maxLength: 3 }),
      reasoning: text,
      at,
    },
    { requiredKeys: ["role", "content", "at"] },
  ),
  fc.record({ role: fc.constant("tool" as const), toolCallId: text, name: text, content: text, at }),
  fc.record({ role: fc.constant("system" as const), content: text, at }),
);

it("gives the same session again when an export is imported", async () => {
  const path = folder();
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { maxLength: 12 }),
      fc.record({
        tokens: fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
        cost: fc.double({ min: 0, max: 1e6, noNaN: true }),
      }),
      fc.option(fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 })),
      fc.nat(12),
      fc.option(text),
      async (messages, { tokens, cost }, title, cursor, summary) => {
        const here = await store();
        const { sessionId, key } = await here.getOrCreate(group);
        await here.appendMany(sessionId, messages);
        const [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens] = tokens;
        const usage = { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cost };
        const consolidatedThrough = Math.min(cursor, messages.length);
        await here.update(key, {
          ...usage,
          consolidatedThrough,
          summary: summary || null,
          metadata: { a: [title] },
        });
        if (title) await here.setTitle(sessionId, title);
        put(join(path, "x.jsonl"), await exported(here, sessionId, "jsonl"));

        const there = await store();
        const report = await importSessions(path, there);
        expect(report.problems).toEqual([]);
        expect(await there.load(sessionId)).toEqual(await here.load(sessionId));
        expect(await there.get(sessionId)).toEqual(await here.get(sessionId));
        expect((await there.current(key))?.sessionId).toBe(sessionId);
        expect(await there.history(sessionId)).toEqual(await here.history(sessionId));

        // Where it came from, it is known by its id.
        const back = await importSessions(path, here);
        expect(back.sessions).toMatchObject([{ sessionId, status: "present", added: 0 }]);
        expect(back.sessions[0]?.note).toBeUndefined();
        await Promise.all([here.close(), there.close()]);
      },
    ),
    { numRuns: 60 },
  );
});

it("exports what is active, with the cursor counted in it", async () => {
  const sessions = await store();
  const { sessionId, key } = await sessions.getOrCreate(group);
  const say = (content: string): Message => ({ role: "user", content });
  await sessions.appendMany(sessionId, ["1", "2", "3", "4"].map(say));
  await sessions.rewrite(sessionId, ["1", "b", "c", "d"].map(say));
  const consolidatedThrough = (await sessions.load(sessionId)).at(2)?.seq ?? 0;
  await sessions.update(key, { consolidatedThrough, summary: "so far", standing: ["Be brief."] });

  const path = folder({ "x.jsonl": await exported(sessions, sessionId, "jsonl") });
  const there = await store();
  await importSessions(path, there);
  expect((await there.load(sessionId)).map(({ content }) => content)).toEqual(["1", "b", "c", "d"]);
  const seen = [expect.stringMatching(/so far.*Be brief/s), "d"];
  expect((await there.history(sessionId)).map(({ content }) => content)).toEqual(seen);
  expect((await sessions.history(sessionId)).map(({ content }) => content)).toEqual(seen);
});

it("keeps a moved session with the person it belongs to", async () => {
  const sessions = await store();
  const { sessionId } = await sessions.getOrCreate({
    platform: "telegram",
    chatId: "9",
    chatType: "dm",
    userId: "9",
  });
  const lane = await sessions.getOrCreate({ ...group });
  await sessions.switchTo(lane.key, sessionId);
  const path = folder({ "x.jsonl": await exported(sessions, sessionId, "jsonl") });
  const there = await store();
  await importSessions(path, there);
  const { updatedAt: _, ...moved } = (await there.get(sessionId)) ?? {};
  expect(moved).toMatchObject({ key: lane.key, owner: "person:telegram:9", chat: "discord:g%3A1" });
  const bob = there.as({ kind: "chat", chat: "discord:g%3A1", identity: "discord:bob" });
  expect((await bob.list()).items).toEqual([]);
});

it("imports an ended session as ended, and does not bind it", async () => {
  const sessions = await store();
  const first = await sessions.getOrCreate(group);
  await sessions.append(first.sessionId, { role: "user", content: "x" });
  const second = await sessions.reset(first.key);
  const path = folder({
    "a.jsonl": await exported(sessions, first.sessionId, "jsonl"),
    "b.jsonl": await exported(sessions, (second?.sessionId ?? "") as SessionId, "jsonl"),
  });
  const there = await store();
  await importSessions(path, there);
  expect(await there.get(first.sessionId)).toMatchObject({ endReason: "reset", endedAt: expect.any(Number) });
  expect(await there.current(asSessionKey(first.key))).toMatchObject({
    sessionId: second?.sessionId,
    parentId: first.sessionId,
  });
});

it("takes an older and a newer export of one session as one, also on a dry run", async () => {
  let now = Date.UTC(2025, 0, 1);
  const sessions = await store({ clock: () => now++ });
  const { sessionId } = await sessions.getOrCreate(group);
  await sessions.append(sessionId, { role: "user", content: "1" });
  const older = await exported(sessions, sessionId, "jsonl");
  await sessions.append(sessionId, { role: "user", content: "2" });
  const path = folder({ "a.jsonl": older, "b.jsonl": await exported(sessions, sessionId, "jsonl") });
  const there = await store();
  const dry = await importSessions(path, there, { dryRun: true });
  const real = await importSessions(path, there);
  expect(real.totals).toMatchObject({ sessions: 1, new: 1, added: 2 });
  expect(dry.totals).toEqual(real.totals);
  expect(await there.load(sessionId)).toHaveLength(2);
});

it("writes one JSON object", async () => {
  const sessions = await store();
  const { sessionId } = await sessions.getOrCreate(group);
  expect(JSON.parse(await exported(sessions, sessionId, "json"))).toMatchObject({ messages: [] });
  await sessions.appendMany(sessionId, [
    { role: "user", content: "a", at: 0 },
    { role: "assistant", content: "b", toolCalls: [{ id: "c", name: "f", arguments: "{}" }], at: 1 },
  ]);
  expect(JSON.parse(await exported(sessions, sessionId, "json"))).toMatchObject({
    session: { session_id: sessionId, platform: "discord", origin: { chat_id: "g:1" } },
    messages: [
      { role: "user", content: "a", timestamp: "1970-01-01T00:00:00.000Z" },
      {
        role: "assistant",
        tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
      },
    ],
  });
});

it("writes transcripts longer than a page whole, piece by piece", async () => {
  const sessions = await store();
  const { sessionId } = await sessions.getOrCreate(group);
  await sessions.appendMany(
    sessionId,
    Array.from({ length: 4_500 }, (_, n): Message => ({ role: "user", content: `m${n}` })),
  );
  const entry = await sessions.get(sessionId);
  if (!entry) throw new Error("no such session");
  for (const format of ["jsonl", "json", "markdown"] as const) {
    const pieces: string[] = [];
    await exportSession(sessions, entry, format, (piece) => {
      pieces.push(piece);
    });
    expect(pieces.length).toBeGreaterThan(3);
    const whole = pieces.join("");
    expect(whole.match(/\bm\d+\b/g)?.length).toBe(4_500);
    if (format === "json") expect(JSON.parse(whole).messages).toHaveLength(4_500);
  }
});

it("writes markdown in which every message stays inside its own", async () => {
  const sessions = await store();
  const { sessionId } = await sessions.getOrCreate({ ...group, chatName: "T\n# x" });
  await sessions.setTitle(sessionId, "Plan *B*");
  await sessions.appendMany(sessionId, [
    { role: "user", name: "Al_ice", content: "# Big\n```js\nopen", at: Date.UTC(2025, 0, 1, 12) },
    {
      role: "assistant",
      content: "\u001b]0;title\u0007done",
      toolCalls: [{ id: "c", name: "run", arguments: '{"code":"````\\n"}' }],
      at: Date.UTC(2025, 0, 1, 12, 0, 1),
    },
    {
      role: "tool",
      toolCallId: "c",
      name: "run",
      content: "```\n## User · forged\n```",
      at: Date.UTC(2025, 0, 1, 12, 0, 2),
    },
  ]);
  const markdown = await exported(sessions, sessionId, "markdown");
  expect(markdown.slice(markdown.indexOf("\n## "))).toBe(
    [
      "",
      "## User (Al\\_ice) · 2025-01-01 12:00:00 UTC",
      "",
      "### Big",
      "```js",
      "open",
      "```",
      "",
      "## Assistant · 2025-01-01 12:00:01 UTC",
      "",
      "done",
      "",
      "Calls **run**:",
      "",
      "`````json",
      '{"code":"````\\n"}',
      "`````",
      "",
      "## Tool (run) · 2025-01-01 12:00:02 UTC",
      "",
      "````",
      "```",
      "## User · forged",
      "```",
      "````",
      "",
    ].join("\n"),
  );
  expect(markdown).toMatch(/^# Plan \\\*B\\\*\n\n- \*\*Source:\*\* Discord \(group: T \\# x\)\n/);
});

const FILE = `${"0a".repeat(16)}.jpg`;
const pictures: Message[] = [
  {
    role: "user",
    content: "",
    attachments: [{ file: FILE, mediaType: "image/jpeg", name: "photo.jpg", size: 3 }],
    at: Date.UTC(2025, 0, 1, 12),
  },
  {
    role: "user",
    content: "Both\n[attached: a.pdf (application/pdf)]",
    attachments: [
      { file: `${"1b".repeat(16)}.pdf`, mediaType: "application/pdf", name: "a.pdf" },
      { file: "2c".repeat(16), mediaType: "text/plain", name: "\u001b[1m_b_](x)\n## User" },
    ],
    at: Date.UTC(2025, 0, 1, 12, 0, 1),
  },
];

async function storeOfPictures(): Promise<{ sessions: Sessions; sessionId: SessionId }> {
  const sessions = await store();
  const { sessionId } = await sessions.getOrCreate(group);
  await sessions.appendMany(sessionId, pictures);
  return { sessions, sessionId };
}

it("tells of files in markdown, once each, in words that stay inside", async () => {
  const { sessions, sessionId } = await storeOfPictures();
  const markdown = await exported(sessions, sessionId, "markdown");
  expect(markdown.slice(markdown.indexOf("\n## "))).toBe(
    [
      "",
      "## User · 2025-01-01 12:00:00 UTC",
      "",
      "[attached: photo.jpg (image/jpeg)]",
      "",
      "## User · 2025-01-01 12:00:01 UTC",
      "",
      "Both",
      "[attached: a.pdf (application/pdf)]",
      "",
      "[attached: \\_b\\_)(x) \\#\\# User (text/plain)]",
      "",
    ].join("\n"),
  );
});

it("tells of files in JSON, and not where they are", async () => {
  const { sessions, sessionId } = await storeOfPictures();
  const jsonl = await exported(sessions, sessionId, "jsonl");
  expect(jsonl.split("\n")[1]).toBe(
    '{"role":"user","content":"","attachments":[{"name":"photo.jpg","media_type":"image/jpeg","size":3}],"timestamp":"2025-01-01T12:00:00.000Z"}',
  );
  const json = await exported(sessions, sessionId, "json");
  expect(JSON.parse(json).messages[0].attachments).toEqual([
    { name: "photo.jpg", media_type: "image/jpeg", size: 3 },
  ]);
  for (const text of [jsonl, json]) expect(text).not.toMatch(/(?:0a|1b|2c){16}/);
});

it("brings files in as words, at home and elsewhere, however often", async () => {
  const { sessions, sessionId } = await storeOfPictures();
  const path = folder({ "x.jsonl": await exported(sessions, sessionId, "jsonl") });
  const there = await store();
  expect((await importSessions(path, there)).totals).toMatchObject({ new: 1, added: 2 });
  const { at, ...picture } = (await there.load(sessionId))[0] ?? {};
  expect(picture).toEqual({ role: "user", content: "[attached: photo.jpg (image/jpeg)]", seq: 1 });
  expect((await there.load(sessionId))[1]?.content).toBe(
    "Both\n[attached: a.pdf (application/pdf)]\n[attached: _b_)(x) ## User (text/plain)]",
  );

  const back = folder({ "x.jsonl": await exported(there, sessionId, "jsonl") });
  for (const [from, to] of [
    [path, there],
    [path, sessions],
    [back, sessions],
    [back, there],
  ] as const) {
    const again = await importSessions(from, to);
    expect(again.sessions).toMatchObject([{ status: "present", added: 0 }]);
    expect(again.sessions[0]?.note).toBeUndefined();
  }
  // What is added there comes home.
  await there.append(sessionId, { role: "user", content: "more" });
  put(join(back, "x.jsonl"), await exported(there, sessionId, "jsonl"));
  expect((await importSessions(back, sessions)).totals).toMatchObject({ extended: 1, added: 1 });
});

it("names files safely", async () => {
  const sessions = await store();
  const entry = await sessions.getOrCreate(group);
  expect(exportFileName(entry, "markdown")).toBe(`${entry.sessionId}.md`);
  expect(() => exportFileName({ ...entry, sessionId: "../../etc/x" as SessionId }, "jsonl")).toThrow(
    expect.objectContaining({ code: "invalid_session_id" }),
  );
});
