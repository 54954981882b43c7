/** Times, platforms, long lists of problems, and folders that hold nothing. */
import { copyFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import "../../src/adapter/platforms.js";
import type { SessionId } from "../../src/session/ids.js";
import { importSessions } from "../../src/store/jsonl/import.js";
import { folder, lines, pipe, store } from "../support/session-files.js";
import { writeHermes } from "./formats.js";

const NOW = Date.UTC(2026, 5, 1);
const NOON = Date.UTC(2025, 0, 1, 12);
const DAY = 86_400_000;

function head(over: Record<string, unknown> = {}) {
  return { _type: "metadata", key: "telegram:1", ...over };
}

async function timesOf(times: readonly unknown[], over: Record<string, unknown> = {}) {
  const messages = times.map((timestamp, n) => ({ role: "user", content: String(n), timestamp }));
  const sessions = await store();
  const path = folder({ "a.jsonl": lines(head(over), ...messages) });
  const report = await importSessions(path, sessions, { now: NOW });
  const id = report.sessions[0]?.sessionId as SessionId;
  const entry = await sessions.get(id);
  return {
    at: (await sessions.load(id)).map(({ at }) => at),
    createdAt: entry?.createdAt,
    updatedAt: entry?.updatedAt,
  };
}

describe("times", () => {
  it.each([
    ["ISO text", "2025-01-01T12:00:00Z"],
    ["ISO text with a zone", "2025-01-01T13:30:00+01:30"],
    ["seconds", NOON / 1_000],
    ["milliseconds", NOON],
    ["microseconds", NOON * 1_000],
    ["seconds as text", String(NOON / 1_000)],
    ["seconds with a fraction as text", `${NOON / 1_000}.0`],
    ["milliseconds as text", String(NOON)],
  ])("reads %s", async (_, time) => {
    expect((await timesOf([time])).at).toEqual([NOON]);
  });

  it("gives messages without a sensible time that of the one before, in order", async () => {
    const times = [undefined, NOON, 0, null, "never", 1, -5, NOW + 2 * DAY, 9e15, NOON + 5, NOW + DAY / 2];
    expect(await timesOf(times)).toEqual({
      at: [NOON, NOON, NOON, NOON, NOON, NOON, NOON, NOON, NOON, NOON + 5, NOW + DAY / 2],
      createdAt: NOON,
      updatedAt: NOW + DAY / 2,
    });
  });

  it("does not believe that a session began in 1970 or will end in 3000", async () => {
    const dates = { created_at: 0, updated_at: "3000-01-01T00:00:00Z" };
    expect(await timesOf([NOON, NOON + 1], dates)).toMatchObject({ createdAt: NOON, updatedAt: NOON + 1 });
    const { createdAt, updatedAt } = await timesOf([undefined], dates);
    // The file's own time, which is not before the test began.
    expect(createdAt).toBe(updatedAt);
    expect(createdAt).toBeGreaterThan(NOON);
  });
});

it("names platforms that it does not know, and takes their sessions for the owner", async () => {
  const path = folder({
    "a.jsonl": lines(head({ key: "pigeon:1" }), { role: "user", content: "coo" }),
    "b.jsonl": lines(head({ key: "pigeon:2" }), { role: "user", content: "coo" }),
    "c.jsonl": lines(head({ key: "smoke:1" }), { role: "user", content: "puff" }),
    "d.jsonl": lines(head(), { role: "user", content: "hi" }),
  });
  const report = await importSessions(path, await store());
  expect(report.unknownPlatforms).toEqual([
    { name: "pigeon", sessions: 2 },
    { name: "smoke", sessions: 1 },
  ]);
  expect(report.totals).toMatchObject({ new: 4, added: 4, problems: 0 });
});

it("lists a thousand problems, and counts the others", async () => {
  const path = folder({
    "a.jsonl": `${lines(head())}${"{ torn\n".repeat(5_000)}${lines({ role: "user", content: "x" })}`,
  });
  const report = await importSessions(path, await store());
  expect(report.problems).toHaveLength(1_000);
  expect(report.problems.at(-1)).toEqual({ file: "a.jsonl", line: 1_001, reason: "It is not JSON." });
  expect(report.totals).toMatchObject({ problems: 5_000, added: 1 });
});

it("says what it looked for in a folder that holds nothing known, and follows no link out of it", async () => {
  const outside = folder({ "a.jsonl": lines(head(), { role: "user", content: "secret" }) });
  const path = folder({
    "notes.txt": "hi",
    "sub/readme.md": "hi",
    "sub/data.jsonl": '{"role":"user","content":"rows"}\n',
  });
  symlinkSync(outside, join(path, "sessions"));
  const sessions = await store();
  await expect(importSessions(path, sessions)).rejects.toMatchObject({
    code: "import_unreadable",
    message: expect.stringMatching(
      /holds no sessions that Baton can read\. .*Hermes.*nanobot.*OpenClaw.*Claude Code/,
    ),
  });
});

describe("a folder with links and pipes in it", () => {
  const CONVERSATION = { id: "s1", chat: "42", messages: [{ role: "user", content: "hi" }] } as const;
  const STOLEN = { platform: "telegram", chat_id: "666", chat_type: "dm", user_id: "666" };

  it("is read without them, and they are named", async () => {
    const path = folder();
    writeHermes(path, CONVERSATION, false);
    const outside = folder({
      "sessions.json": { "agent:main:telegram:dm:666": { session_id: "s1", origin: STOLEN } },
      "a.jsonl": lines(head(), { role: "user", content: "secret" }),
    });
    const links = folder();
    copyFileSync(join(path, "state.db"), join(links, "state.db"));
    symlinkSync(outside, join(links, "sessions"));
    symlinkSync(join(outside, "a.jsonl"), join(links, "b.jsonl"));
    symlinkSync(outside, join(links, "projects"));
    pipe(join(links, "c.jsonl"));
    const report = await importSessions(links, await store());
    expect(report.problems.map(({ file, reason }) => [file, reason.split(",")[0]])).toEqual([
      ["sessions", "It is a symbolic link"],
      ["projects", "It is a symbolic link"],
      ["b.jsonl", "It is a symbolic link"],
      ["c.jsonl", "It is not a regular file."],
    ]);
    expect(report.sessions.map(({ key, added }) => [key, added])).toEqual([["agent:main:telegram:dm:42", 1]]);
  });

  it("is refused if a part of a database is a pipe, which would never end", async () => {
    const path = folder();
    writeHermes(path, CONVERSATION, false);
    pipe(join(path, "state.db-wal"));
    const refusal = { message: expect.stringContaining("beside it that is not a regular file") };
    await expect(importSessions(join(path, "state.db"), await store())).rejects.toMatchObject(refusal);
  });

  it("is named in the error if nothing else is there", async () => {
    const outside = folder({ "p/a.jsonl": lines(head(), { role: "user", content: "secret" }) });
    const path = folder();
    symlinkSync(outside, join(path, "projects"));
    await expect(importSessions(path, await store())).rejects.toThrow(
      /can read\. projects: It is a symbolic link, and Baton does not follow it\. .* Give the folder of/,
    );
  });
});

it("ends after the session it is at if it is stopped, and the next import brings in the rest", async () => {
  const names = ["a", "b", "c"];
  const path = folder(
    Object.fromEntries(
      names.map((name) => [
        `${name}.jsonl`,
        lines(head({ key: `telegram:${name}` }), { role: "user", content: name }),
      ]),
    ),
  );
  const sessions = await store();
  const stopping = new AbortController();
  const seen: string[] = [];
  const onProgress = (done: number, total: number): void => {
    seen.push(`${done}/${total}`);
    if (done === 1) stopping.abort();
  };
  const report = await importSessions(path, sessions, { onProgress, signal: stopping.signal });
  expect([report.totals.new, seen]).toEqual([1, ["0/3", "1/3"]]);
  expect((await importSessions(path, sessions)).totals).toMatchObject({ new: 2, present: 1, added: 2 });
});
