import {
  appendFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { fingerprint, folder, store } from "../../../test/support/session-files.js";
import { asSessionId } from "../../session/ids.js";
import type { Sessions } from "../../session/sessions.js";
import type { SessionSource } from "../../session/source.js";
import type { Message } from "../../session/transcript.js";
import { importSessions } from "./import.js";
import { JsonlMirror } from "./mirror.js";

const alice: SessionSource = {
  platform: "telegram",
  chatId: "9",
  chatType: "dm",
  userId: "9",
  userName: "Alice",
};
const say = (content: string): Message => ({ role: "user", content });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Lets the mirror's moment pass, and waits until it has written what is pending. */
async function settled(path: string, expected: (contents: string[]) => boolean): Promise<void> {
  vi.advanceTimersByTime(200);
  await vi.waitFor(() => expect(expected(contentsOf(path))).toBe(true), { timeout: 5_000, interval: 5 });
}

function contentsOf(path: string): string[] {
  const [, ...messages] = readFileSync(path, "utf8").trimEnd().split("\n");
  return messages.map((line) => (JSON.parse(line) as { content: string }).content);
}

function headOf(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(path, "utf8").split("\n")[0] ?? "") as Record<string, unknown>;
}

async function mirrored(): Promise<{ sessions: Sessions; path: string; problems: string[] }> {
  const path = join(folder(), "mirror");
  const problems: string[] = [];
  const sessions = await store({ mirror: { folder: path, onProblem: (problem) => problems.push(problem) } });
  return { sessions, path, problems };
}

it("keeps a private file for each session that changes", async () => {
  const { sessions, path, problems } = await mirrored();
  const { entry } = await sessions.receive(alice, say("one"));
  const file = join(path, `${entry.sessionId}.jsonl`);
  expect(() => statSync(path)).toThrow();
  await settled(file, (contents) => contents.length === 1);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8").indexOf("\n")).toBe(1023);
  expect(headOf(file)).toMatchObject({
    _type: "metadata",
    key: entry.key,
    session_id: entry.sessionId,
    current: true,
  });
  expect(readdirSync(path)).toEqual([`${entry.sessionId}.jsonl`]);
  expect(problems).toEqual([]);
});

it("adds new messages and changes the first line in place", async () => {
  const { sessions, path } = await mirrored();
  const { entry } = await sessions.receive(alice, say("one"));
  const file = join(path, `${entry.sessionId}.jsonl`);
  await settled(file, (contents) => contents.length === 1);
  const { ino } = statSync(file);
  await sessions.record(entry.sessionId, [say("two"), say("three")], { inputTokens: 5 });
  await sessions.setTitle(entry.sessionId, "A title");
  await settled(file, (contents) => contents.length === 3 && headOf(file).title === "A title");
  expect(contentsOf(file)).toEqual(["one", "two", "three"]);
  expect(headOf(file)).toMatchObject({ title: "A title", input_tokens: 5 });
  expect(statSync(file).ino).toBe(ino);
});

it("writes the file anew where the transcript was rewritten", async () => {
  const { sessions, path } = await mirrored();
  const { entry } = await sessions.receive(alice, say("one"));
  const file = join(path, `${entry.sessionId}.jsonl`);
  await settled(file, (contents) => contents.length === 1);
  const { ino } = statSync(file);
  // As many messages as before: only their number among the superseded tells.
  await sessions.rewrite(entry.sessionId, [say("uno")]);
  await settled(file, ([content]) => content === "uno");
  expect(contentsOf(file)).toEqual(["uno"]);
  expect(statSync(file).ino).not.toBe(ino);
});

it("writes the file anew where the first line does not fit any more", async () => {
  const { sessions, path } = await mirrored();
  const { entry } = await sessions.receive(alice, say("one"));
  const file = join(path, `${entry.sessionId}.jsonl`);
  await settled(file, (contents) => contents.length === 1);
  await sessions.update(entry.key, { metadata: { note: "é".repeat(600) } });
  await settled(file, () => readFileSync(file).indexOf("\n") === 2047);
  expect(headOf(file).metadata).toEqual({ note: "é".repeat(600) });
  expect(contentsOf(file)).toEqual(["one"]);
});

it.each([
  ["was added to", (file: string) => appendFileSync(file, "stranger\n")],
  ["was removed", (file: string) => rmSync(file)],
  [
    "is a link to elsewhere",
    (file: string) => {
      writeFileSync(`${file}.elsewhere`, readFileSync(file));
      rmSync(file);
      symlinkSync(`${file}.elsewhere`, file);
    },
  ],
])("writes the file anew where it %s", async (_, meddle) => {
  const { sessions, path } = await mirrored();
  const { entry } = await sessions.receive(alice, say("one"));
  const file = join(path, `${entry.sessionId}.jsonl`);
  await settled(file, (contents) => contents.length === 1);
  meddle(file);
  await sessions.append(entry.sessionId, say("two"));
  vi.advanceTimersByTime(200);
  await sessions.close();
  expect(contentsOf(file)).toEqual(["one", "two"]);
  expect(readdirSync(path).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  const elsewhere = readdirSync(path).find((name) => name.endsWith(".elsewhere"));
  if (elsewhere) expect(contentsOf(join(path, elsewhere))).toEqual(["one"]);
});

it("begins anew in a new process, and follows the session that a reset ended", async () => {
  const root = folder();
  const url = `sqlite:${join(root, "baton.db")}`;
  const path = join(root, "mirror");
  const first = await store({ url, mirror: { folder: path } });
  const { entry } = await first.receive(alice, say("one"));
  await first.close();
  const file = join(path, `${entry.sessionId}.jsonl`);
  expect(headOf(file)).toMatchObject({ current: true });

  const second = await store({ url, mirror: { folder: path } });
  const next = await second.reset(entry.key);
  await second.close();
  expect(headOf(file)).toMatchObject({ current: false, end_reason: "reset" });
  expect(headOf(join(path, `${next?.sessionId}.jsonl`))).toMatchObject({ current: true });

  // The mirror is a backup, too.
  const before = fingerprint(path);
  const restored = await store();
  const report = await importSessions(path, restored);
  expect(report).toMatchObject({ totals: { new: 2, added: 1 }, problems: [] });
  expect((await restored.current(entry.key))?.sessionId).toBe(next?.sessionId);
  expect(fingerprint(path)).toEqual(before);
});

it("writes what is pending when it closes, and keeps the caller's onChange", async () => {
  const path = join(folder(), "mirror");
  const seen: string[] = [];
  const sessions = await store({ mirror: { folder: path }, onChange: (id) => seen.push(id) });
  const { entry } = await sessions.receive(alice, say("one"));
  await sessions.close();
  expect(contentsOf(join(path, `${entry.sessionId}.jsonl`))).toEqual(["one"]);
  expect(seen).toEqual([entry.sessionId]);
});

it("removes the file of a session that was pruned", async () => {
  const { sessions, path } = await mirrored();
  const { entry } = await sessions.receive(alice, say("forget me"));
  const { entry: kept } = await sessions.receive(alice, say("keep me"), { forceNew: true });
  await vi.waitFor(() => {
    vi.advanceTimersByTime(200);
    expect(readdirSync(path)).toHaveLength(2);
  }, 20_000);
  expect(await sessions.prune({ endedBeforeMs: 0 })).toEqual({ sessions: 1, messages: 1 });
  expect(await sessions.get(entry.sessionId)).toBeNull();
  await sessions.close();
  expect(readdirSync(path)).toEqual([`${kept.sessionId}.jsonl`]);
});

it("reports a folder that cannot be written once, and fails nothing", async () => {
  const root = folder();
  const url = `sqlite:${join(root, "baton.db")}`;
  const path = join(root, "mirror");
  writeFileSync(path, "a file where the folder should be");
  const problems: string[] = [];
  const sessions = await store({
    url,
    mirror: { folder: path, onProblem: (problem) => problems.push(problem) },
  });
  const first = await sessions.receive(alice, say("one"));
  const second = await sessions.receive({ ...alice, chatId: "8", userId: "8" }, say("two"));
  await sessions.close();
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(path);
  const again = await store({ url });
  for (const { entry } of [first, second]) expect(await again.load(entry.sessionId)).toHaveLength(1);
});

it("catches up when the folder can be written again", async () => {
  const { sessions, path, problems } = await mirrored();
  writeFileSync(path, "a file where the folder should be");
  const { entry } = await sessions.receive(alice, say("one"));
  vi.advanceTimersByTime(200);
  await vi.waitFor(() => expect(problems).toHaveLength(1), { timeout: 20_000 });
  rmSync(path);
  const bob = await sessions.receive({ ...alice, chatId: "8", userId: "8" }, say("two"));
  await sessions.close();
  expect(contentsOf(join(path, `${entry.sessionId}.jsonl`))).toEqual(["one"]);
  expect(contentsOf(join(path, `${bob.entry.sessionId}.jsonl`))).toEqual(["two"]);
  expect(problems).toHaveLength(1);
});

it("counts the cursor as an export does", async () => {
  const { sessions, path } = await mirrored();
  const { entry } = await sessions.receive(alice, say("one"));
  const file = join(path, `${entry.sessionId}.jsonl`);
  await sessions.rewrite(entry.sessionId, [say("uno"), say("due"), say("tre")]);
  await settled(file, (contents) => contents.length === 3);
  const loaded = await sessions.load(entry.sessionId);
  await sessions.update(entry.key, { consolidatedThrough: loaded[1]?.seq ?? 0 });
  await settled(file, () => headOf(file).last_consolidated === 2);
  await sessions.append(entry.sessionId, say("quattro"));
  await settled(file, (contents) => contents.length === 4);
  expect(headOf(file).last_consolidated).toBe(2);
});

it("writes nothing without sessions to watch, nor once it is closed", async () => {
  const path = folder();
  const mirror = new JsonlMirror({ folder: path, onProblem: () => {} });
  mirror.changed(asSessionId("x"));
  await mirror.close();
  mirror.changed(asSessionId("y"));
  expect(vi.getTimerCount()).toBe(0);
  expect(readdirSync(path)).toEqual([]);
});
