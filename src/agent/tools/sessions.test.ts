import { afterEach, beforeEach, expect, it } from "vitest";
import { openSessions } from "../../open-sessions.js";
import { viewerOf } from "../../session/access.js";
import type { SessionId } from "../../session/ids.js";
import { platforms } from "../../session/platform.js";
import type { Sessions } from "../../session/sessions.js";
import type { SessionSource } from "../../session/source.js";
import { sessionTools } from "./sessions.js";

const [, HERE = "", THERE = ""] = platforms();
const dm = (userId: string): SessionSource => ({ platform: HERE, chatId: userId, chatType: "dm", userId });
const room: SessionSource = { ...dm("ann"), chatId: "room", chatType: "group" };

let sessions: Sessions;
let annsId: SessionId;
beforeEach(async () => {
  sessions = await openSessions({ url: "sqlite::memory:", clock: () => Date.UTC(2026, 0, 10, 12) });
  const { entry } = await sessions.receive(dm("ann"), {
    role: "user",
    content: "my garden plan",
    name: "Ann",
  });
  annsId = entry.sessionId;
  await sessions.record(annsId, [
    { role: "assistant", content: "", toolCalls: [{ id: "c", name: "look", arguments: "{}" }] },
    { role: "tool", toolCallId: "c", content: "roses\u001b]0;x\u0007" },
    { role: "assistant", content: "Roses." },
  ]);
  await sessions.receive(dm("bob"), { role: "user", content: "bob's garden secret" });
  await sessions.receive(room, { role: "user", content: "the garden of all" });
});
afterEach(() => sessions.close());

function run(source: SessionSource, name: string, args: unknown): Promise<string> {
  const tool = sessionTools(sessions.as(viewerOf(source)), {
    timeZone: "Europe/Berlin",
    clock: () => Date.UTC(2026, 0, 10, 12),
  }).find((each) => each.name === name);
  const call = { id: "1", name, arguments: JSON.stringify(args) };
  return tool?.run(args, { call, signal: new AbortController().signal }) ?? Promise.reject(new Error(name));
}

it("finds what the person may see where they are, and nothing else", async () => {
  const found = await run(dm("ann"), "session_search", { query: "garden" });
  expect(found).toBe(`${annsId} #1, user, 2026-01-10 12:00: my garden plan`);
  expect(await run(dm("bob"), "session_search", { query: "garden" })).toContain("bob's garden secret");
  expect(await run(room, "session_search", { query: "garden" })).toMatch(
    /^\S+ #1, user, .*the garden of all$/,
  );
  expect(await run(dm("eve"), "session_search", { query: "garden" })).toBe(
    "No message contains all these words.",
  );
});

it("finds by role, time, platform and session, with what was said beside it", async () => {
  const found = (args: object) => run(dm("ann"), "session_search", { query: "roses", ...args });
  const hit = `${annsId} #3, tool, 2026-01-10 12:00: roses`;
  expect(await found({ role: "tool" })).toBe(hit);
  expect(await found({ role: "tool", neighbours: 1 })).toBe(
    ["  (#2 assistant: look)", hit, "  (#4 assistant: Roses.)"].join("\n"),
  );
  const all = await found({});
  for (const passed of [
    { after: "2026-01-10T13:00" },
    { after: "1h" },
    { platform: HERE },
    { session: annsId },
  ]) {
    expect(await found(passed)).toBe(all);
  }
  for (const other of [{ before: "2026-01-10T13:00" }, { platform: THERE }, { role: "user,system" }]) {
    expect(await found(other)).toBe("No message contains all these words.");
  }
  expect(await found({ role: "robot" })).toMatch(/^Error: There is no role "robot"\. Use user, assistant/);
  expect(await found({ after: "yesterday" })).toMatch(
    /^Error: "yesterday" is not a date for "after"\. Use 2026-/,
  );
  expect(await found({ platform: "nowhere" })).toMatch(/^Error: There is no platform "nowhere"\./);
  const bobs = await sessions.getOrCreate(dm("bob"));
  expect(await found({ session: bobs.sessionId })).toMatch(/^Error: .*no session/i);
});

it("reads a session in order, from a place on, in text without tricks", async () => {
  expect((await run(dm("ann"), "session_read", { session: annsId })).split("\n\n")).toEqual([
    "#1 user (Ann unverified), 2026-01-10 12:00: my garden plan",
    "#2 assistant, 2026-01-10 12:00: \n[calls look {}]",
    "#3 tool, 2026-01-10 12:00: roses",
    "#4 assistant, 2026-01-10 12:00: Roses.",
  ]);
  expect(await run(dm("ann"), "session_read", { session: annsId, from: 4, limit: 1 })).toMatch(
    /^#4 .*Roses\.$/,
  );
  expect(await run(dm("ann"), "session_read", { session: annsId, limit: 1 })).toMatch(
    /\(There are more messages, from number 2 on\.\)$/,
  );
  expect(await run(dm("ann"), "session_read", { session: annsId, from: 9 })).toContain(
    "has no message 9 or later",
  );
});

it("tells of files that came with a message", async () => {
  const attachments = [{ file: "0".repeat(32), mediaType: "image/jpeg", name: "photo.jpg" }];
  const seq = await sessions.append(annsId, { role: "user", content: "", attachments });
  expect(await run(dm("ann"), "session_read", { session: annsId, from: 5 })).toBe(
    `#${seq} user, 2026-01-10 12:00: [attached: photo.jpg (image/jpeg)]`,
  );
});

it("gives long sessions in pieces", async () => {
  const long = Array.from({ length: 40 }, (_, n) => ({
    role: "user" as const,
    content: `${n} ${"x".repeat(2_000)}`,
  }));
  await sessions.appendMany(annsId, long);
  const first = await run(dm("ann"), "session_read", { session: annsId });
  expect(first.length).toBeLessThan(21_000);
  const next = Number(/from number (\d+) on/.exec(first)?.[1]);
  expect(await run(dm("ann"), "session_read", { session: annsId, from: next })).toMatch(
    new RegExp(`^#${next} `),
  );
});

it("answers for another's session as for none", async () => {
  const others = await run(dm("bob"), "session_read", { session: annsId });
  expect(others.replace(annsId, "x")).toBe(
    (await run(dm("bob"), "session_read", { session: "20200101_000000_0123456789ab" })).replace(
      "20200101_000000_0123456789ab",
      "x",
    ),
  );
});

it("takes what is wrong with the arguments as a result", async () => {
  for (const args of [null, {}, { query: 7, session: 7 }, { query: " ", session: " " }]) {
    for (const name of ["session_search", "session_read"]) {
      expect(await run(dm("ann"), name, args)).toMatch(/^Error: `/);
    }
  }
});
