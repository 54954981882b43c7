import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { mediaPath } from "../../gateway/media.js";
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

function archiveOf({ sessions }: Pick<Awaited<ReturnType<typeof opened>>, "sessions">, into = folder) {
  return sessionArchive(into, sessions, (file) => mediaPath(join(root, "media"), file));
}

/** A session that ended, in which the second message has these files. */
async function withFiles(contents: readonly string[]) {
  const open = await opened();
  const names = contents.map((_, n) => `${String(n).repeat(32)}.png`);
  mkdirSync(join(root, "media"));
  for (const [n, name] of names.entries()) writeFileSync(join(root, "media", name), contents[n] ?? "");
  const source = parseSource({ platform: "telegram", chat_id: "1", user_id: "1" });
  const { entry } = await open.sessions.receive(source, MESSAGES[0] as Message);
  const attachments = names.map((file) => ({ file, mediaType: "image/png", name: "../../x.png" }));
  await open.sessions.append(entry.sessionId, { role: "user", content: "look", attachments });
  return { open, entry: await open.sessions.end(entry.sessionId), names };
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
  await open.retention.apply(ALL, { archive: archiveOf(open) });
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
  await open.retention.apply(ALL, { archive: archiveOf(open) });
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
  await expect(killed.apply(ALL, { archive: archiveOf(open) })).rejects.toBe(crash);
  expect(await open.sessions.get(entry.sessionId)).not.toBeNull();
  expect(readdirSync(folder)).toEqual([`${entry.sessionId}.jsonl`]);
  const done = await open.retention.apply(ALL, { archive: archiveOf(open) });
  expect(done.sessions).toBe(1);
  expect(readdirSync(folder)).toEqual([`${entry.sessionId}.jsonl`]);
  await open.sessions.close();
});

test("a session whose archive is not whole is not removed, and no half file is left", async () => {
  const { entry, open } = await ended();
  // One message more than the file gets: as if the disk had lost a part.
  const lying = { ...entry, messageCount: entry.messageCount + 1 };
  const archive = archiveOf(open);
  await expect(archive.keep(lying)).rejects.toMatchObject({ code: "archive_failed" });
  expect(readdirSync(folder)).toEqual([]);
  writeFileSync(join(root, "file"), "");
  const nowhere = archiveOf(open, join(root, "file", "archive"));
  await expect(open.retention.apply(ALL, { archive: nowhere })).rejects.toThrow();
  expect(await open.sessions.get(entry.sessionId)).not.toBeNull();
  await open.sessions.close();
});

test("another file of that name stays as it is", async () => {
  const { entry, open } = await ended();
  const archive = archiveOf(open);
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

test("the files of its messages are in the archive, private, under names of ours", async () => {
  const { open, entry } = await withFiles(["first picture", "second picture"]);
  await open.retention.apply(ALL, { archive: archiveOf(open) });
  expect(await open.sessions.get(entry.sessionId)).toBeNull();
  const files = join(folder, `${entry.sessionId}.files`);
  expect(readdirSync(folder).sort()).toEqual([`${entry.sessionId}.files`, `${entry.sessionId}.jsonl`]);
  expect(readdirSync(files).sort()).toEqual(["2-1.png", "2-2.png"]);
  expect(readFileSync(join(files, "2-2.png"), "utf8")).toBe("second picture");
  expect(statSync(files).mode & 0o777).toBe(0o700);
  expect(statSync(join(files, "2-1.png")).mode & 0o777).toBe(0o600);
  expect(await importSessions(folder, open.sessions)).toMatchObject({ problems: [], totals: { new: 1 } });
  await open.sessions.close();
});

test("a session whose file can't be copied stays, and nothing half is left", async () => {
  const { open, entry, names } = await withFiles(["a", "b"]);
  const unreadable = sessionArchive(folder, open.sessions, (file) =>
    file === names[1] ? join(root, "baton.db", file) : mediaPath(join(root, "media"), file),
  );
  await expect(open.retention.apply(ALL, { archive: unreadable })).rejects.toThrow("ENOTDIR");
  expect(await open.sessions.get(entry.sessionId)).not.toBeNull();
  expect(readdirSync(folder)).toEqual([]);
  await open.sessions.close();
});

test("a file that is not in the media folder any more does not keep the session", async () => {
  const { open, entry, names } = await withFiles(["a", "b"]);
  rmSync(join(root, "media", names[0] ?? ""));
  await open.retention.apply(ALL, { archive: archiveOf(open) });
  expect(await open.sessions.get(entry.sessionId)).toBeNull();
  expect(readdirSync(join(folder, `${entry.sessionId}.files`))).toEqual(["2-2.png"]);
  await open.sessions.close();
});

test("cut off between the two, the next one uses what is there; other files of that name stay", async () => {
  const { open, entry } = await withFiles(["a"]);
  const archive = archiveOf(open);
  const first = await archive.keep(entry);
  const files = join(folder, `${entry.sessionId}.files`);
  rmSync(first.file); // As if it had ended before this file had its name.
  expect((await archive.keep(entry)).file).toBe(first.file);
  rmSync(files, { recursive: true }); // As an older Baton wrote it.
  await archive.keep(entry);
  expect(readdirSync(folder).sort()).toEqual([`${entry.sessionId}.files`, `${entry.sessionId}.jsonl`]);
  writeFileSync(join(files, "2-1.png"), "another");
  const second = await archive.keep(entry);
  expect(readdirSync(folder).sort()).toEqual(
    ["", "2."].flatMap((n) => [`${entry.sessionId}.${n}files`, `${entry.sessionId}.${n}jsonl`]).sort(),
  );
  expect(readFileSync(join(files, "2-1.png"), "utf8")).toBe("another");
  await second.discard();
  expect(readdirSync(folder).sort()).toEqual([`${entry.sessionId}.files`, `${entry.sessionId}.jsonl`]);
  await open.sessions.close();
});
