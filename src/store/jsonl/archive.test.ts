import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "../../open-sessions.js";
import { Retention } from "../../session/retention.js";
import type { SessionEntry } from "../../session/session.js";
import { parseSource } from "../../session/source.js";
import type { Message } from "../../session/transcript.js";
import { sessionArchive } from "./archive.js";
import { importSessions } from "./import.js";

let root = "";
let folder = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "baton-archive-"));
  folder = join(root, "archive");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const NOW = Date.UTC(2026, 5, 1);
const ALL = { endedBeforeMs: 1, maxBytes: null };
const MESSAGES: readonly Message[] = [
  { role: "user", content: "Plant the beans\nin two rows, please 🌱", name: "Ann" },
  {
    role: "assistant",
    content: "",
    reasoning: "rows",
    toolCalls: [{ id: "c1", name: "terminal", arguments: '{"command":"ls \\"x\\""}' }],
  },
  { role: "tool", toolCallId: "c1", name: "terminal", content: "a\tb\n".repeat(5_000) },
  { role: "assistant", content: "Done." },
];

async function opened(name = "baton.db") {
  const { store, sessions } = await openStore({ url: join(root, name), clock: () => NOW });
  return { store, sessions, retention: new Retention(store, () => NOW + 10) };
}

async function ended(): Promise<{ entry: SessionEntry; open: Awaited<ReturnType<typeof opened>> }> {
  const open = await opened();
  const { entry } = await open.sessions.receive(
    parseSource({ platform: "telegram", chat_id: "1", user_id: "1" }),
    MESSAGES[0] as Message,
  );
  await open.sessions.appendMany(entry.sessionId, MESSAGES.slice(1));
  await open.sessions.setTitle(entry.sessionId, "Beans");
  return { entry: await open.sessions.end(entry.sessionId), open };
}

test("an import of the archive gives the same session back, ended and with the same messages", async () => {
  const { entry, open } = await ended();
  const before = await open.sessions.load(entry.sessionId);
  await open.retention.apply(ALL, { archive: sessionArchive(folder, open.sessions) });
  expect(await open.sessions.get(entry.sessionId)).toBeNull();
  expect(readdirSync(folder)).toEqual([`${entry.sessionId}.jsonl`]);
  expect(statSync(join(folder, `${entry.sessionId}.jsonl`)).mode & 0o777).toBe(0o600);
  const report = await importSessions(folder, open.sessions);
  expect(report).toMatchObject({ problems: [], totals: { new: 1, added: MESSAGES.length } });
  expect(await open.sessions.load(entry.sessionId)).toEqual(before);
  expect(await open.sessions.get(entry.sessionId)).toMatchObject({
    title: "Beans",
    endedAt: entry.endedAt,
    owner: entry.owner,
    chat: entry.chat,
  });
  // Removed once more, it is the same file.
  await open.retention.apply(ALL, { archive: sessionArchive(folder, open.sessions) });
  expect(readdirSync(folder).filter((name) => name.endsWith(".jsonl"))).toHaveLength(1);
  await open.sessions.close();
});

test("ended between the archive and the removal, the session is in both; the next one removes it", async () => {
  const { entry, open } = await ended();
  const crash = new Error("killed");
  const killed = new Retention(
    {
      reader: open.store.reader,
      routes: { ...open.store.routes, remove: () => Promise.reject(crash) } as never,
    },
    () => NOW + 10,
  );
  await expect(killed.apply(ALL, { archive: sessionArchive(folder, open.sessions) })).rejects.toBe(crash);
  expect(await open.sessions.get(entry.sessionId)).not.toBeNull();
  expect(readdirSync(folder)).toEqual([`${entry.sessionId}.jsonl`]);
  const done = await open.retention.apply(ALL, { archive: sessionArchive(folder, open.sessions) });
  expect(done.sessions).toBe(1);
  expect(readdirSync(folder)).toEqual([`${entry.sessionId}.jsonl`]);
  await open.sessions.close();
});

test("a session whose archive is not whole is not removed, and no half file is left", async () => {
  const { entry, open } = await ended();
  // One message more than the file gets: as if the disk had lost a part.
  const lying = { ...entry, messageCount: entry.messageCount + 1 };
  const archive = sessionArchive(folder, open.sessions);
  await expect(archive.keep(lying)).rejects.toMatchObject({ code: "archive_failed" });
  expect(readdirSync(folder)).toEqual([]);
  writeFileSync(join(root, "file"), "");
  const nowhere = sessionArchive(join(root, "file", "archive"), open.sessions);
  await expect(open.retention.apply(ALL, { archive: nowhere })).rejects.toThrow();
  expect(await open.sessions.get(entry.sessionId)).not.toBeNull();
  await open.sessions.close();
});

test("another file of that name stays as it is", async () => {
  const { entry, open } = await ended();
  const archive = sessionArchive(folder, open.sessions);
  const first = await archive.keep(entry);
  writeFileSync(first.file, "something else\n");
  const second = await archive.keep(entry);
  expect(second.file).toBe(join(folder, `${entry.sessionId}.2.jsonl`));
  expect((await archive.keep(entry)).file).toBe(second.file);
  expect(readFileSync(first.file, "utf8")).toBe("something else\n");
  await second.discard();
  expect(readdirSync(folder)).toEqual([`${entry.sessionId}.jsonl`]);
  await open.sessions.close();
});
