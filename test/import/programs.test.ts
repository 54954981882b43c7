/** What is particular to each program: where it keeps sessions, whose they are, summaries, branches and databases. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, it } from "vitest";
import "../../src/adapter/platforms.js";
import { asSessionId, type SessionId } from "../../src/session/ids.js";
import { asSessionKey } from "../../src/session/session-key.js";
import type { Sessions } from "../../src/session/sessions.js";
import { importSessions } from "../../src/store/jsonl/import.js";
import { folder, store } from "../support/session-files.js";
import { claudeLines, jsonl, openClawLines, START, write } from "./formats.js";

const said = (content: string, role = "user") => ({ role, content, timestamp: "2025-01-01T12:00:00Z" });

async function contents(sessions: Sessions, id: string): Promise<string[]> {
  return (await sessions.load(id as SessionId)).map(({ content }) => content);
}

async function bound(sessions: Sessions, key: string): Promise<string | undefined> {
  return (await sessions.current(asSessionKey(key)))?.sessionId;
}

describe("Hermes", () => {
  const ORIGIN = { platform: "telegram", chat_id: "-1001", chat_type: "group", thread_id: "7", user_id: "9" };

  function database(path: string, encoding = "UTF-8"): InstanceType<typeof DatabaseSync> {
    mkdirSync(join(path, "sessions"), { recursive: true });
    const db = new DatabaseSync(join(path, "state.db"));
    db.exec(`PRAGMA encoding = '${encoding}';
      CREATE TABLE sessions (id TEXT, source TEXT, user_id TEXT, session_key TEXT, chat_id TEXT, chat_type TEXT, thread_id TEXT,
        started_at REAL, ended_at REAL, end_reason TEXT);
      CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, timestamp REAL, active INTEGER);`);
    return db;
  }

  it("takes topics, groups and people from the database, the index and the files together", async () => {
    const root = folder();
    const db = database(root);
    db.exec(`
      INSERT INTO sessions VALUES ('topic', 'telegram', '9', 'agent:main:telegram:group:-1001:7', '-1001', 'group', '7', 1735732800, NULL, NULL);
      INSERT INTO sessions VALUES ('older', 'telegram', '9', 'agent:main:telegram:group:-1001:7', '-1001', 'group', '7', 1735700000, 1735732700, 'session_reset');
      INSERT INTO sessions VALUES ('mine', 'telegram', '9', 'agent:main:telegram:group:-1001:9', '-1001', 'group', NULL, 1735732800, NULL, NULL);
      INSERT INTO sessions VALUES ('keyless', 'telegram', '9', NULL, '-1001', 'group', NULL, 1735732800, NULL, NULL);
      INSERT INTO sessions VALUES ('old row', 'telegram', '9', NULL, NULL, NULL, NULL, 1735732800, NULL, NULL);
      INSERT INTO sessions VALUES ('sms', 'sms', '+1', 'agent:main:sms:dm:+1', '+1', 'dm', NULL, 1735732800, NULL, NULL);
      INSERT INTO messages VALUES (1, 'topic', 'user', 'in the topic', 1735732801, 1), (2, 'topic', 'user', 'undone', 1735732802, 0);
      INSERT INTO messages VALUES (3, 'older', 'user', 'before', 1735700001, 1), (4, 'mine', 'user', 'mine', 1735732801, 1);
      INSERT INTO messages VALUES (5, 'sms', 'user', 'sms', 1735732801, 1);`);
    db.close();
    write(
      join(root, "sessions", "sessions.json"),
      JSON.stringify({
        "agent:main:telegram:group:-1001:7": {
          session_id: "topic",
          origin: ORIGIN,
          updated_at: "2025-01-02T00:00:00",
        },
        "agent:main:discord:group:50": {
          session_id: "file",
          origin: { platform: "discord", chat_id: "50", chat_type: "group" },
        },
      }),
    );
    write(join(root, "sessions", "file.jsonl"), jsonl([said("only in a file")]));
    write(join(root, "profiles", "work", "sessions", "sessions.json"), "{}");
    write(join(root, "profiles", "work", "sessions", "other.jsonl"), jsonl([said("of a profile")]));
    const sessions = await store();
    const report = await importSessions(root, sessions);
    expect(report.problems).toEqual([]);
    expect(report.unknownPlatforms).toEqual([{ name: "sms", sessions: 1 }]);
    expect(report.sources.map(({ format }) => format)).toEqual(["sqlite", "sessions-json", "sessions-json"]);
    expect(await bound(sessions, "agent:main:telegram:thread:-1001:7")).toBe("topic");
    expect(await bound(sessions, "agent:main:discord:group:50")).toBe("file");
    expect(await sessions.get(asSessionId("older"))).toMatchObject({
      key: "agent:main:telegram:thread:-1001:7",
      endReason: "reset",
    });
    expect(await sessions.get(asSessionId("mine"))).toMatchObject({
      chatType: "group",
      owner: "person:telegram:9",
      chat: "telegram:-1001",
    });
    expect((await sessions.get(asSessionId("keyless")))?.owner).toBe("person:telegram:9");
    expect(await contents(sessions, "topic")).toEqual(["in the topic"]);
    const topic = report.sessions.find(({ sessionId }) => sessionId === "topic");
    expect(topic?.note).toMatch(/1 message .*undone/);
    expect(await contents(sessions, "other")).toEqual(["of a profile"]);
    expect((await importSessions(root, sessions)).totals).toMatchObject({ new: 0, extended: 0, added: 0 });
  });

  it.each(["UTF-8", "UTF-16le", "UTF-16be"])(
    "reads text with NUL characters from a database in %s",
    async (encoding) => {
      const root = folder();
      const db = database(root, encoding);
      const text = (value: string) => {
        const bytes = Buffer.from(value, encoding === "UTF-8" ? "utf8" : "utf16le");
        return encoding === "UTF-16be" ? bytes.swap16() : bytes;
      };
      const insert = db.prepare(
        "INSERT INTO messages VALUES (?, CAST(? AS TEXT), 'user', CAST(? AS TEXT), 1735732801, 1)",
      );
      db.prepare(
        "INSERT INTO sessions (id, source, started_at) VALUES (CAST(? AS TEXT), 'cli', 1735732800)",
      ).run(text("s\0t"));
      insert.run(1, text("s\0t"), text('\0json:[{"type":"text","text":"ä \\u0000 ö"}]'));
      insert.run(2, text("s\0t"), text("one\0two 🌱"));
      insert.run(3, text("s\0t"), text("\0json:[torn"));
      db.close();
      const sessions = await store();
      const report = await importSessions(join(root, "state.db"), sessions);
      expect(report.problems).toMatchObject([
        { reason: expect.stringMatching(/message 3: .*marked as JSON/) },
      ]);
      const [only] = report.sessions;
      expect(await contents(sessions, only?.sessionId ?? "")).toEqual([
        "ä \ufffd ö",
        "one\ufffdtwo 🌱",
        "\ufffdjson:[torn",
      ]);
    },
  );

  it("says which database is damaged if nothing else is there, and goes on if something is", async () => {
    const root = folder();
    write(
      join(root, "state.db"),
      Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(8000, 0xee)]),
    );
    const sessions = await store();
    await expect(importSessions(root, sessions)).rejects.toMatchObject({
      code: "import_unreadable",
      message: expect.stringContaining("damaged"),
    });
    write(join(root, "sessions", "sessions.json"), "{}");
    write(join(root, "sessions", "left.jsonl"), jsonl([said("left")]));
    const report = await importSessions(root, sessions);
    expect([report.totals.new, report.problems[0]?.file]).toEqual([1, "state.db"]);
  });
});

describe("OpenClaw", () => {
  const conversation = (id: string, ...texts: string[]) => ({
    id,
    chat: "42",
    messages: texts.map((content) => ({ role: "user", content }) as const),
  });

  it("finds the sessions of all agents: topics, sessions of before, and what only the program did", async () => {
    const root = folder();
    const main = join(root, "agents", "main", "sessions");
    write(
      join(main, "sessions.json"),
      JSON.stringify({
        "agent:main:telegram:group:-1001:topic:7": {
          sessionId: "t1",
          sessionFile: "/elsewhere/t1-topic-7.jsonl",
          updatedAt: START,
          subject: "Garden",
          label: "Beans",
        },
        "agent:main:cron:daily": { sessionId: "c1", updatedAt: START },
        "agent:main:imessage:direct:+1": { sessionId: "i1", updatedAt: START },
        "agent:main:discord:channel:50": { sessionId: "gone", updatedAt: START },
      }),
    );
    write(join(main, "t1-topic-7.jsonl"), jsonl(openClawLines(conversation("t1", "in a topic"))));
    write(join(main, "c1.jsonl"), jsonl(openClawLines(conversation("c1", "scheduled"))));
    write(join(main, "i1.jsonl"), jsonl(openClawLines(conversation("i1", "blue"))));
    write(
      join(main, "was.jsonl.reset.2025-01-01T00-00-00Z"),
      jsonl(openClawLines(conversation("was", "before"))),
    );
    write(join(main, "t1.trajectory.jsonl"), jsonl([{ type: "trace" }]));
    write(
      join(root, "agents", "work", "sessions", "w1.jsonl"),
      jsonl(openClawLines(conversation("w1", "another agent"))),
    );
    write(join(root, "agents", "work", "sessions", "none.jsonl"), "");
    const sessions = await store();
    const report = await importSessions(root, sessions);
    expect(await bound(sessions, "agent:main:telegram:thread:-1001:7")).toBe("t1");
    expect(await sessions.get(asSessionId("t1"))).toMatchObject({ title: "Beans", displayName: "Garden" });
    for (const id of ["c1", "i1", "was", "w1"]) {
      expect((await sessions.get(asSessionId(id)))?.owner).toMatch(/^chat:local:/);
    }
    expect(await contents(sessions, "was")).toEqual(["before"]);
    expect(report.unknownPlatforms).toEqual([{ name: "imessage", sessions: 1 }]);
    expect(report.problems.map(({ file }) => file)).toEqual([
      "agents/work/sessions/none.jsonl",
      "agents/main/sessions/sessions.json",
    ]);
    for (const inside of [join(root, "agents"), join(root, "agents", "main"), main]) {
      expect((await importSessions(inside, sessions)).totals).toMatchObject({ new: 0, added: 0 });
    }
  });

  it("lets the summary take the place of what it stands for, and takes the branch that was used last", async () => {
    const root = folder();
    const lines = openClawLines(conversation("s", "1", "2", "3", "4")) as Record<string, unknown>[];
    const message = (id: string, parentId: string, text: string) => ({
      type: "message",
      id,
      parentId,
      timestamp: "2025-01-01T13:00:00Z",
      message: {
        role: "user",
        content: [
          { type: "text", text },
          { type: "image", data: "AAAA", mimeType: "image/png" },
        ],
      },
    });
    const compaction = {
      type: "compaction",
      id: "k",
      parentId: "e3",
      summary: "1 and 2",
      firstKeptEntryId: "e2",
    };
    write(
      join(root, "s.jsonl"),
      jsonl([
        ...lines,
        message("x1", "e3", "went back on"),
        compaction,
        message("x2", "k", "5"),
        { type: "model_change", id: "m", parentId: "x2" },
      ]),
    );
    const sessions = await store();
    const report = await importSessions(join(root, "s.jsonl"), sessions);
    expect(await contents(sessions, "s")).toEqual(["1", "2", "3", "4", "5\n[image]"]);
    expect((await sessions.history(asSessionId("s"))).map(({ content }) => content)).toEqual([
      expect.stringContaining("1 and 2"),
      "3",
      "4",
      "5\n[image]",
    ]);
    expect(report.sessions[0]?.note).toBe("Left out: 1 message on other branches.");
    expect(report.totals).toMatchObject({ problems: 0, bookkeeping: 3 });
  });

  it("reads the database of newer versions, and the files of before once", async () => {
    const root = folder();
    const path = join(root, "agents", "main", "agent");
    mkdirSync(path, { recursive: true });
    const db = new DatabaseSync(join(path, "openclaw-agent.sqlite"));
    db.exec(`CREATE TABLE session_entries (session_key TEXT, session_id TEXT, entry_json TEXT, updated_at INTEGER);
      CREATE TABLE session_windows (session_id TEXT, session_key TEXT);
      CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER);
      INSERT INTO session_entries VALUES ('agent:main:telegram:group:-1001', 'd2', '{"sessionId":"d2","subject":"Team"}', 1);
      INSERT INTO session_windows VALUES ('d1', 'agent:main:telegram:group:-1001'), ('d2', 'agent:main:telegram:group:-1001')`);
    const event = db.prepare("INSERT INTO transcript_events VALUES (?, ?, ?, 1)");
    for (const id of ["d1", "d2"]) {
      const events = openClawLines(conversation(id, `${id} first`, `${id} second`));
      for (const [seq, line] of [...events.entries()].reverse()) event.run(id, seq, JSON.stringify(line));
    }
    event.run("d2", 9, "{torn");
    db.close();
    const old = join(root, "agents", "main", "sessions");
    write(
      join(old, "sessions.json"),
      JSON.stringify({ "agent:main:telegram:group:-1001": { sessionId: "d2" } }),
    );
    write(join(old, "d2.jsonl"), jsonl(openClawLines(conversation("d2", "d2 first"))));
    const sessions = await store();
    const report = await importSessions(root, sessions);
    expect(report.totals).toMatchObject({ sessions: 2, new: 2, added: 4 });
    expect(report.problems).toMatchObject([
      { file: expect.stringContaining("event 9"), reason: "It is not JSON." },
    ]);
    expect(await contents(sessions, "d1")).toEqual(["d1 first", "d1 second"]);
    expect(await bound(sessions, "agent:main:telegram:group:-1001")).toBe("d2");
  });
});

describe("Claude Code", () => {
  const user = (content: string) => ({ role: "user", content }) as const;

  it("takes each project's conversations to the terminal, with titles and without subagents", async () => {
    const root = folder();
    const lines = claudeLines({
      id: "s1",
      chat: "",
      messages: [user("plant beans"), { role: "assistant", content: "Done." }],
    });
    const aside = { ...lines[1], uuid: "side", isSidechain: true };
    const queued = {
      type: "attachment",
      uuid: "q",
      parentUuid: "u1",
      timestamp: "2025-01-01T12:00:05Z",
      sessionId: "s1",
      attachment: { type: "queued_command", commandMode: "prompt", prompt: "and peas" },
    };
    const project = join(root, "projects", "-home-ann-garden");
    write(
      join(project, "s1.jsonl"),
      jsonl([
        { type: "summary", summary: "Beans", leafUuid: "u1" },
        ...lines,
        aside,
        queued,
        { type: "custom-title", customTitle: "My beans", sessionId: "s1" },
        { type: "ai-title", aiTitle: "Planting", sessionId: "s1" },
      ]),
    );
    write(join(project, "agent-1.jsonl"), jsonl(lines.map((line) => ({ ...line, isSidechain: true }))));
    write(
      join(root, "projects", "-home-ann-bees", "s2.jsonl"),
      jsonl(claudeLines({ id: "s2", chat: "", messages: [user("bees")] })),
    );
    const sessions = await store();
    const report = await importSessions(root, sessions);
    expect(await contents(sessions, "s1")).toEqual(["plant beans", "Done.", "and peas"]);
    expect(await sessions.get(asSessionId("s1"))).toMatchObject({
      key: "agent:main:local:dm:cli",
      title: "My beans",
      displayName: "garden",
      inputTokens: 10,
      outputTokens: 2,
      metadata: { imported: { metadata: { folder: "/home/ann/garden" } } },
    });
    expect(await bound(sessions, "agent:main:local:dm:cli")).toBeUndefined();
    expect(report.problems).toMatchObject([
      { file: "projects/-home-ann-garden/agent-1.jsonl", reason: expect.stringContaining("subagent") },
    ]);
    expect(report.sessions.find(({ sessionId }) => sessionId === "s1")?.note).toBe(
      "Left out: 1 message of subagents.",
    );
    for (const inside of [join(root, "projects"), project]) {
      expect((await importSessions(inside, sessions)).totals).toMatchObject({ new: 0, added: 0 });
    }
  });

  it("keeps both results of two calls at once, leaves out what was gone back on, and hides what was summed up", async () => {
    const line = (uuid: string, parentUuid: string | null, fields: object) => ({
      uuid,
      parentUuid,
      sessionId: "s",
      timestamp: "2025-01-01T12:00:00Z",
      ...fields,
    });
    const call = (id: string) => ({
      type: "assistant",
      message: { id: "m", role: "assistant", content: [{ type: "tool_use", id, name: "look", input: {} }] },
    });
    const result = (id: string) => ({
      type: "user",
      message: {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: id, content: [{ type: "text", text: id }] }],
      },
    });
    const text = (content: string) => ({ type: "user", message: { role: "user", content } });
    const root = folder();
    write(
      join(root, "s.jsonl"),
      jsonl([
        line("a", null, text("look twice")),
        line("b", "a", call("c1")),
        line("c", "b", call("c2")),
        line("d", "b", result("c1")),
        line("e", "c", result("c2")),
        line("f", "e", text("a mistake")),
        line("g", "e", text("instead")),
        line("h", null, { type: "system", subtype: "compact_boundary", logicalParentUuid: "g" }),
        line("i", "h", { ...text("what was said so far"), isCompactSummary: true }),
        line("j", "i", { ...text("Caveat"), isMeta: true }),
        line("k", "j", text("go on")),
        line("l", "lost in a torn line", text("still here")),
      ]),
    );
    const sessions = await store();
    const report = await importSessions(root, sessions);
    expect(await contents(sessions, "s")).toEqual([
      "look twice",
      "",
      "c1",
      "c2",
      "instead",
      "go on",
      "still here",
    ]);
    expect((await sessions.load(asSessionId("s")))[1]).toMatchObject({
      toolCalls: [{ id: "c1" }, { id: "c2" }],
    });
    expect((await sessions.history(asSessionId("s"))).map(({ content }) => content)).toEqual([
      expect.stringContaining("what was said so far"),
      "go on",
      "still here",
    ]);
    expect(report.sessions[0]?.note).toBe("Left out: 1 message on other branches.");
  });
});
