/** Times, platforms, long lists of problems, and folders that hold nothing. */
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import "../../src/adapter/platforms.js";
import type { SessionId } from "../../src/session/ids.js";
import { importSessions } from "../../src/store/jsonl/import.js";
import { folder, lines, store } from "../support/session-files.js";

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
