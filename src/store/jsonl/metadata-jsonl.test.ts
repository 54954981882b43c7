import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fingerprint, folder, lines, put, store } from "../../../test/support/session-files.js";
import { OWNER } from "../../session/access.js";
import { asSessionId, type SessionId } from "../../session/ids.js";
import { asSessionKey } from "../../session/session-key.js";
import { importSessions } from "./import.js";

const T0 = Date.UTC(2025, 0, 1);

function head(over: Record<string, unknown> = {}) {
  return {
    _type: "metadata",
    key: "telegram:12345",
    created_at: "2025-01-01T00:00:00Z",
    updated_at: "2025-01-02T00:00:00Z",
    metadata: { mood: "good" },
    last_consolidated: 2,
    ...over,
  };
}

const said = (content: string, role = "user") => ({ role, content, timestamp: "2025-01-01T01:00:00Z" });

it("brings in a folder of transcripts, each bound to its key", async () => {
  const path = folder({
    "telegram_12345.jsonl": [head(), said("1"), said("2", "assistant"), said("3")],
    "cli_direct.jsonl": [head({ key: "cli:direct", last_consolidated: 0 }), said("terminal")],
    "pigeon_x.jsonl": [head({ key: "pigeon:x" }), said("coo")],
  });
  const before = fingerprint(path);
  const sessions = await store();
  const report = await importSessions(path, sessions);
  expect(report).toMatchObject({ format: "metadata-jsonl", totals: { new: 3, added: 5 }, problems: [] });
  expect(fingerprint(path)).toEqual(before);

  const telegram = await sessions.current(asSessionKey("agent:main:telegram:dm:12345"));
  expect(telegram).toMatchObject({
    createdAt: T0,
    updatedAt: T0 + 86_400_000,
    consolidatedThrough: 0,
    metadata: {
      imported: { format: "metadata-jsonl", id: "telegram:12345", messages: 3, metadata: { mood: "good" } },
    },
  });
  expect(telegram?.sessionId).toMatch(/^20250101_000000_[0-9a-f]{12}$/);
  expect(await sessions.current(asSessionKey("agent:main:local:dm:cli"))).toMatchObject({ messageCount: 1 });
  expect(await sessions.current(asSessionKey("agent:main:local:dm:pigeon%3Ax"))).toMatchObject({
    messageCount: 1,
  });
  // The person of that chat goes on in it, and finds it.
  const source = { platform: "telegram", chatId: "12345", chatType: "dm", userId: "12345" } as const;
  expect((await sessions.getOrCreate(source)).sessionId).toBe(telegram?.sessionId);
  expect((await sessions.as({ kind: "person", identities: ["telegram:12345"] }).list()).items).toHaveLength(
    1,
  );

  const again = await importSessions(path, sessions);
  expect(again.totals).toMatchObject({ new: 0, extended: 0, present: 3, added: 0 });
});

it("reads one file as well as a folder", async () => {
  const path = folder({ "any name.txt": [head(), said("1")] });
  const sessions = await store();
  expect((await importSessions(join(path, "any name.txt"), sessions)).totals.added).toBe(1);
});

it("counts the cursor in the source's messages, also over those it lost, if a summary takes their place", async () => {
  const messages = [said("1"), "garbage", { note: 1 }, said("3"), said("4")];
  const path = folder({
    "a.jsonl": lines(head({ last_consolidated: 3, key: "telegram:1", summary: "so far" }), ...messages),
    "b.jsonl": lines(head({ last_consolidated: 3, key: "telegram:2" }), ...messages),
    "c.jsonl": lines(
      head({ key: "telegram:3", last_consolidated: 0, metadata: { _last_summary: { text: "long ago" } } }),
      said("5"),
    ),
  });
  const sessions = await store();
  const report = await importSessions(path, sessions);
  expect(report.problems).toEqual([
    { file: "a.jsonl", line: 3, reason: "It is not JSON." },
    { file: "b.jsonl", line: 3, reason: "It is not JSON." },
  ]);
  expect(report.totals).toMatchObject({ problems: 2, bookkeeping: 2 });
  const seen = async (chat: string) => {
    const entry = await sessions.current(asSessionKey(`agent:main:telegram:dm:${chat}`));
    const history = await sessions.history(entry?.sessionId as SessionId);
    return [entry?.consolidatedThrough, ...history.map(({ content }) => content)];
  };
  expect(await seen("1")).toEqual([2, expect.stringContaining("so far"), "4"]);
  // No summary takes their place: nothing is hidden, now or when the next summary is made.
  expect(await seen("2")).toEqual([0, "1", "3", "4"]);
  expect(await seen("3")).toEqual([0, expect.stringContaining("long ago"), "5"]);
});

it("keeps two sessions of one key, and binds the newer", async () => {
  const path = folder({
    "a.jsonl": [head({ updated_at: "2025-01-05T00:00:00Z" }), said("older")],
    "b.jsonl": [head({ updated_at: "2025-01-09T00:00:00Z" }), said("newer")],
  });
  const sessions = await store();
  const report = await importSessions(path, sessions);
  expect(report.totals).toMatchObject({ new: 2, added: 2 });
  const bound = await sessions.current(asSessionKey("agent:main:telegram:dm:12345"));
  expect((await sessions.load((bound?.sessionId ?? "") as SessionId))[0]?.content).toBe("newer");
  expect((await importSessions(path, sessions)).totals).toMatchObject({ new: 0, present: 2, added: 0 });
});

it.each([
  ["that the metadata tells", {}],
  ["of their first messages", { created_at: undefined }],
])("knows two sessions of one key and one time %s again, whichever went on last", async (_, over) => {
  const path = folder({
    "a.jsonl": [head({ ...over, updated_at: "2025-01-05T00:00:00Z" }), said("a")],
    "b.jsonl": [head({ ...over, updated_at: "2025-01-09T00:00:00Z" }), said("b")],
  });
  const sessions = await store();
  const first = await importSessions(path, sessions);
  put(join(path, "a.jsonl"), [
    head({ ...over, updated_at: "2025-01-10T00:00:00Z" }),
    said("a"),
    said("goes on"),
  ]);
  const second = await importSessions(path, sessions);
  expect(second.totals).toMatchObject({ new: 0, extended: 1, present: 1, added: 1 });
  const ids = ({ sessions: found }: typeof first) => found.map(({ sessionId }) => sessionId).sort();
  expect(ids(second)).toEqual(ids(first));
});

it("gives a session without dates the same id, wherever the files are copied", async () => {
  const lines = [
    { _type: "metadata", key: "telegram:1" },
    { role: "user", content: "x" },
  ];
  const sessions = await store();
  const first = await importSessions(folder({ "a.jsonl": lines }), sessions);
  const later = folder({ "a.jsonl": [...lines, { role: "user", content: "y" }] });
  const second = await importSessions(later, sessions);
  expect(second.sessions).toMatchObject([
    { sessionId: first.sessions[0]?.sessionId, status: "extended", added: 1 },
  ]);
  // The file's time stands in for the session's, not the beginning of time.
  expect((await sessions.get((first.sessions[0]?.sessionId ?? "") as SessionId))?.createdAt).toBeGreaterThan(
    T0,
  );
});

describe("hostile files", () => {
  it("keeps the messages where the metadata line is torn, for the owner", async () => {
    const path = folder({
      "good.jsonl": [head(), said("1")],
      "bad.jsonl": `{"_type":"meta\n${lines(said("kept"))}`,
    });
    const sessions = await store();
    const report = await importSessions(path, sessions);
    expect(report.problems.map(({ file, line }) => [file, line])).toEqual([
      ["bad.jsonl", 1],
      ["bad.jsonl", 1],
    ]);
    expect(await sessions.get(asSessionId("bad"))).toMatchObject({
      owner: "chat:local:cli",
      chat: "local:bad",
      messageCount: 1,
    });
    expect(await sessions.current(asSessionKey("agent:main:local:dm:bad"))).toBeNull();
  });

  it("names empty and strange files, and takes the others", async () => {
    const path = folder({
      "a.jsonl": [head(), said("1")],
      "empty.jsonl": "",
      "strange.jsonl": Buffer.alloc(4096, 7),
    });
    const report = await importSessions(path, await store());
    expect(report.totals.new).toBe(1);
    expect(report.problems.map(({ file }) => file)).toEqual(["empty.jsonl", "strange.jsonl"]);
  });

  it("takes neither paths for ids nor prototypes for metadata", async () => {
    const path = folder({
      "a.jsonl": lines(
        '{"_type":"metadata","key":"telegram:1","session_id":"../../etc/x","parent_id":"../y","created_at":"2025-01-01T00:00:00Z","metadata":{"__proto__":{"polluted":1},"a":1}}',
        said("1"),
      ),
    });
    const sessions = await store();
    const report = await importSessions(path, sessions);
    const entry = await sessions.get((report.sessions[0]?.sessionId ?? "") as SessionId);
    expect(entry?.sessionId).toMatch(/^20250101_000000_[0-9a-f]{12}$/);
    expect(entry?.parentId).toBeNull();
    expect(entry?.metadata.imported).toMatchObject({ metadata: { a: 1 } });
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it("leaves out metadata that is too large, and says so", async () => {
    const path = folder({ "a.jsonl": [head({ metadata: { x: "y".repeat(20_000) } }), said("1")] });
    const sessions = await store();
    const report = await importSessions(path, sessions);
    expect(report.problems).toMatchObject([{ file: "a.jsonl", reason: expect.stringMatching(/too large/) }]);
    expect((await sessions.get((report.sessions[0]?.sessionId ?? "") as SessionId))?.metadata).toEqual({
      imported: { format: "metadata-jsonl", id: "telegram:12345", messages: 1 },
    });
  });

  it("takes no file of this store for theirs, whatever they say", async () => {
    const file = `${"0a".repeat(16)}.png`;
    const attachments = [
      { file, mediaType: "image/png", media_type: "image/png", name: "x.png" },
      { filename: "\u001b[2Jy.pdf\n", mime_type: "application/pdf", path: "/etc/passwd", url: "file:///" },
      "z.txt",
      null,
    ];
    const path = folder({
      "a.jsonl": [
        head(),
        { ...said("see"), attachments },
        { ...said("", "assistant"), attachments: JSON.stringify([{ name: "chart.svg" }]) },
        { ...said("no list"), attachments: { file } },
      ],
    });
    const sessions = await store();
    const report = await importSessions(path, sessions);
    expect(report.problems).toEqual([]);
    const messages = await sessions.load((report.sessions[0]?.sessionId ?? "") as SessionId);
    expect(messages.map(({ content }) => content)).toEqual([
      "see\n[attached: x.png (image/png)]\n[attached: y.pdf (application/pdf)]\n[attached: z.txt]\n[attached: file]",
      "[attached: chart.svg]",
      "no list",
    ]);
    expect(JSON.stringify(messages)).not.toContain(file);
    expect((await importSessions(path, sessions)).totals).toMatchObject({ present: 1, added: 0 });
  });

  it("does not believe a broken owner", async () => {
    const own = {
      key: "agent:main:discord:group:g",
      session_id: "s1",
      origin: { platform: "discord", chat_id: "g", chat_type: "group" },
      owner: "everyone",
      chat: "discord:g",
    };
    const sessions = await store();
    await importSessions(folder({ "a.jsonl": [head(own), said("1")] }), sessions);
    expect((await sessions.get(asSessionId("s1")))?.owner).toBe("chat:discord:g");
  });
});

it("finishes what it can when a title is taken", async () => {
  const sessions = await store();
  const path = folder({
    "a.jsonl": [head({ title: "Trip" }), said("1")],
    "b.jsonl": [head({ title: "Trip", created_at: "2024-01-01T00:00:00Z" }), said("2")],
  });
  const report = await importSessions(path, sessions);
  expect(report.sessions.map(({ title }) => title)).toEqual(["Trip", "Trip (2)"]);
  put(join(path, "a.jsonl"), [head({ title: "Trip" }), said("1"), said("2")]);
  expect((await importSessions(path, sessions)).totals).toMatchObject({ extended: 1, present: 1 });
  expect((await sessions.list({}, OWNER)).items).toHaveLength(2);
});
