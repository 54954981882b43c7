/** What cannot be read is reported, and costs nothing else: indexes, files, and conversations run together. */
import { chmodSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import "../../src/adapter/platforms.js";
import type { SessionId } from "../../src/session/ids.js";
import type { Sessions } from "../../src/session/sessions.js";
import { importSessions } from "../../src/store/jsonl/import.js";
import { folder, lines, pipe, put, store } from "../support/session-files.js";
import { claudeLines, jsonl, openClawLines } from "./formats.js";

const said = (content: string) => ({ role: "user", content, timestamp: "2025-01-01T12:00:00Z" });
const head = (over: object = {}) => ({ _type: "metadata", key: "telegram:1", ...over });
const conversation = (id: string, content = id) => ({
  id,
  chat: "42",
  messages: [{ role: "user", content }] as const,
});
const TORN = "{ torn\n".repeat(25);

async function contents(sessions: Sessions, id: string): Promise<string[]> {
  return (await sessions.load(id as SessionId)).map(({ content }) => content);
}

/** Modes stop nobody who is root. */
async function asSomebodyElse<T>(work: () => Promise<T>): Promise<T> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

describe("sessions.json", () => {
  it("loses the entry with an empty key, and its transcript comes in for the owner", async () => {
    const path = folder({
      "sessions.json": { "": { session_id: "a" }, "agent:main:telegram:dm:1": { session_id: "b" } },
      "a.jsonl": [said("one")],
      "b.jsonl": [said("two")],
    });
    const sessions = await store();
    const report = await importSessions(path, sessions);
    expect(report.problems).toEqual([
      { file: "sessions.json", line: null, reason: expect.stringContaining("empty key") },
    ]);
    expect(report.sessions.map(({ sessionId, key }) => [sessionId, key])).toEqual([
      ["b", "agent:main:telegram:dm:1"],
      ["a", "agent:main:local:dm:a"],
    ]);
  });

  it("of one agent costs the others nothing if it may not be read, or is too large", async () => {
    const root = folder();
    for (const agent of ["closed", "large", "main"]) {
      const path = join(root, "agents", agent, "sessions");
      put(join(path, "sessions.json"), { [`agent:${agent}:telegram:direct:42`]: { sessionId: agent } });
      put(join(path, `${agent}.jsonl`), jsonl(openClawLines(conversation(agent))));
    }
    chmodSync(root, 0o755);
    chmodSync(join(root, "agents", "closed", "sessions", "sessions.json"), 0);
    truncateSync(join(root, "agents", "large", "sessions", "sessions.json"), 600 * 1024 * 1024);
    const sessions = await store();
    const report = await asSomebodyElse(() => importSessions(root, sessions));
    expect(report.problems.map(({ file, reason }) => [file, reason])).toEqual([
      ["agents/closed/sessions/sessions.json", expect.stringContaining("cannot be read (EACCES)")],
      ["agents/large/sessions/sessions.json", expect.stringContaining("cannot be read (EFBIG)")],
    ]);
    expect(report.sessions.map(({ sessionId }) => sessionId).sort()).toEqual(["closed", "large", "main"]);
    expect((await sessions.get("closed" as SessionId))?.owner).toBe("chat:local:cli");
  });
});

describe("files", () => {
  it("are read past any number of torn lines at their beginning", async () => {
    const path = folder({
      "projects/a/s.jsonl": TORN + jsonl(claudeLines(conversation("s", "still here"))),
      "workspace/sessions/n.jsonl": TORN + lines(head(), said("here too")),
    });
    const sessions = await store();
    const report = await importSessions(path, sessions);
    expect(await contents(sessions, "s")).toEqual(["still here"]);
    expect(report.sessions.map(({ key }) => key)).toContain("agent:main:telegram:dm:1");
    expect(report.totals.problems).toBe(50);
  });

  it("are all named if they hold nothing to import, also alone in their folder", async () => {
    const path = folder({
      "projects/empty/a.jsonl": "",
      "projects/torn/b.jsonl": TORN,
      "projects/other/c.jsonl": lines({ type: "log" }),
      "projects/rows/d.jsonl": lines(said("whose?")),
      "projects/said/e.jsonl": jsonl(claudeLines(conversation("e"))),
    });
    const report = await importSessions(path, await store());
    expect(report.sessions.map(({ sessionId }) => sessionId)).toEqual(["e"]);
    expect(report.problems.map(({ file, reason }) => [file, reason])).toEqual([
      ["projects/empty/a.jsonl", "It is empty."],
      ["projects/other/c.jsonl", "It holds neither a line of metadata nor a message."],
      ["projects/rows/d.jsonl", expect.stringContaining("import it by its own path")],
      ["projects/torn/b.jsonl", "It holds neither a line of metadata nor a message."],
    ]);
    await expect(importSessions(join(path, "projects", "empty"), await store())).rejects.toThrow(
      /can read\. a\.jsonl: It is empty\. Give the folder/,
    );
  });

  it("are named if they may not be read", async () => {
    const path = folder({
      "projects/a/closed.jsonl": jsonl(claudeLines(conversation("closed"))),
      "projects/a/open.jsonl": jsonl(claudeLines(conversation("open"))),
    });
    chmodSync(path, 0o755);
    chmodSync(join(path, "projects", "a", "closed.jsonl"), 0);
    const sessions = await store();
    const report = await asSomebodyElse(() => importSessions(path, sessions));
    expect(report.sessions.map(({ sessionId }) => sessionId)).toEqual(["open"]);
    expect(report.problems).toEqual([
      { file: "projects/a/closed.jsonl", line: null, reason: "It cannot be read (EACCES)." },
    ]);
  });

  it("are named if they are links or pipes in place of databases and of transcripts that were put away", async () => {
    const path = folder({
      "sessions/s.jsonl": lines(head(), said("here")),
      "agents/a/sessions/gone.jsonl.reset.1": jsonl(openClawLines(conversation("gone"))),
    });
    put(join(path, "elsewhere"), "x");
    for (const name of ["state.db", "openclaw-agent.sqlite", "old.jsonl.reset.2"])
      symlinkSync(join(path, "elsewhere"), join(path, name));
    pipe(join(path, "old.jsonl.reset.3"));
    const report = await importSessions(path, await store());
    expect(report.problems.map(({ file, reason }) => [file, reason.split(",")[0]])).toEqual([
      ["old.jsonl.reset.2", "It is a symbolic link"],
      ["old.jsonl.reset.3", "It is not a regular file."],
      ["openclaw-agent.sqlite", "It is a symbolic link"],
      ["state.db", "It is a symbolic link"],
    ]);
    expect(report.sessions.map(({ sessionId }) => sessionId)).toContain("gone");
  });

  it("come in whole if the line of metadata stands behind the messages", async () => {
    const path = folder({ "late.jsonl": lines(said("one"), head(), said("two")) });
    const sessions = await store();
    const report = await importSessions(path, sessions);
    expect(await contents(sessions, report.sessions[0]?.sessionId ?? "")).toEqual(["one", "two"]);
    expect(report.totals).toMatchObject({ sessions: 1, added: 2, bookkeeping: 1 });
  });

  it("give only their first session if several were written one after another", async () => {
    const path = folder({
      "all.jsonl": lines(
        head(),
        said("mine"),
        head({ updated_at: "2025-01-02" }),
        said("still mine"),
        head({ key: "telegram:2" }),
        said("theirs"),
      ),
    });
    const sessions = await store();
    const report = await importSessions(path, sessions);
    expect(await contents(sessions, report.sessions[0]?.sessionId ?? "")).toEqual(["mine", "still mine"]);
    expect(report.problems).toEqual([
      {
        file: "all.jsonl",
        line: 5,
        reason: "Another session begins here. Only the first session in a file comes in.",
      },
    ]);
    expect(report.totals).toMatchObject({ sessions: 1, added: 2, bookkeeping: 1 });
  });
});

it("brings in an entry with more results than a call can have arguments", async () => {
  const results = Array.from({ length: 150_000 }, (_, n) => ({
    type: "tool_result",
    tool_use_id: `c${n}`,
    content: "x",
  }));
  const [line] = claudeLines(conversation("s"));
  const path = folder({
    "s.jsonl": lines({ ...line, message: { role: "user", content: results } }),
  });
  const report = await importSessions(path, await store(), { dryRun: true });
  expect([report.problems, report.totals.added]).toEqual([[], 150_000]);
});

it("loses a session whose key no database can index, and no other", async () => {
  const path = folder({
    "long.jsonl": lines(head({ key: `pigeon:${"x".repeat(5_000)}` }), said("one")),
    "short.jsonl": lines(head(), said("two")),
  });
  const report = await importSessions(path, await store());
  expect(report.sessions.map(({ key }) => key)).toEqual(["agent:main:telegram:dm:1"]);
  expect(report.problems).toMatchObject([{ file: "long.jsonl", reason: expect.stringContaining("500") }]);
});

describe("metadata", () => {
  const OWN = { session_id: "20250101_120000_ab12cd34", key: "agent:main:telegram:dm:1" };
  const named = { unsaved: true, model: "no-such-model", branchOf: "x" };

  it("of another program sets nothing that Baton reads", async () => {
    const path = folder({
      "a/sessions.json": { "agent:main:telegram:dm:2": { session_id: "b", metadata: named } },
      "a/b.jsonl": [said("hi")],
      "sessions/c.jsonl": lines(head({ metadata: named }), said("hi")),
    });
    const sessions = await store();
    for (const { sessionId } of [
      ...(await importSessions(path, sessions)).sessions,
      ...(await importSessions(join(path, "a"), sessions)).sessions,
    ])
      expect(Object.entries((await sessions.get(sessionId))?.metadata ?? {})).toEqual([
        ["imported", expect.objectContaining({ metadata: named })],
      ]);
  });

  it("of our own export comes back, but no session goes because a file says so", async () => {
    const path = folder({ "a.jsonl": lines(head({ ...OWN, metadata: named }), said("hi")) });
    const sessions = await store();
    await importSessions(path, sessions);
    const { unsaved: _, ...others } = named;
    expect((await sessions.get(OWN.session_id as SessionId))?.metadata).toEqual(others);
  });

  it("is left out if it is nested too deeply to be written again", async () => {
    const path = folder({
      "a.jsonl": lines(
        `{"_type":"metadata","key":"telegram:1","metadata":{"x":${"[".repeat(5_000)}${"]".repeat(5_000)}}}`,
        said("hi"),
      ),
    });
    const report = await importSessions(path, await store());
    expect(report.totals).toMatchObject({ new: 1, problems: 1 });
    expect(report.problems[0]?.reason).toContain("too deep");
  });
});
