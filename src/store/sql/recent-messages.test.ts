import { expect, test, vi } from "vitest";
import { historyWindow } from "../../session/history-window.js";
import { Sessions } from "../../session/sessions.js";
import { localSource } from "../../session/source.js";
import type { Message } from "../../session/transcript.js";
import { Redactor } from "../../util/redact.js";
import type { Db } from "../db.js";
import { hidingDb } from "../hiding-db.js";
import { openSqlStore } from "../sql-store.js";
import { openSqlite } from "../sqlite/db.js";

const said = (content: string): Message => ({ role: "user", content });
const many = (count: number): Message[] => Array.from({ length: count }, (_, n) => said(`${n}`));

async function opened(wrap: (db: Db) => Db = (db) => db) {
  const db = await openSqlite(":memory:");
  const all = vi.spyOn(db, "all");
  const sessions = new Sessions(await openSqlStore(wrap(db), 1));
  const { sessionId } = await sessions.getOrCreate(localSource());
  return { sessions, sessionId, all };
}

test("messages are read once, however many are new", async () => {
  const { sessions, sessionId, all } = await opened();
  await sessions.append(sessionId, said("first"));
  for (const count of [0, 1, 9, 10, 11, 300, 2]) {
    await sessions.appendMany(sessionId, many(count));
    all.mockClear();
    const read = await sessions.history(sessionId, { maxMessages: 10 });
    expect(all).toHaveBeenCalledTimes(1);
    expect(read).toEqual(historyWindow(await sessions.load(sessionId), { maxMessages: 10 }));
  }
});

test("messages are read once, also if somebody else needs fewer of them", async () => {
  const { sessions, sessionId, all } = await opened();
  await sessions.appendMany(sessionId, many(600));
  await sessions.history(sessionId, { maxMessages: 500 });
  all.mockClear();
  for (const maxMessages of [20, 500, 1, 500]) {
    await sessions.append(sessionId, said("new"));
    expect(await sessions.history(sessionId, { maxMessages })).toHaveLength(maxMessages);
  }
  expect(all).toHaveBeenCalledTimes(4);
});

test("a turn gets the same messages again, and makes no new ones", async () => {
  const { sessions, sessionId } = await opened();
  const toolCalls = ["a", "b"].map((id) => ({ id, name: "run", arguments: "{}" }));
  const results = toolCalls.map(({ id }): Message => ({ role: "tool", toolCallId: id, content: id }));
  await sessions.appendMany(sessionId, [
    said("run"),
    { role: "assistant", content: "", toolCalls },
    ...results,
    ...many(16),
  ]);
  const before = await sessions.history(sessionId);
  await sessions.append(sessionId, said("new"));
  const after = await sessions.history(sessionId);
  expect(after).toHaveLength(21);
  for (const [n, message] of before.entries()) expect(after[n]).toBe(message);
});

test("a secret that becomes known later is not in messages that were read before", async () => {
  const redactor = new Redactor();
  const { sessions, sessionId } = await opened((db) => hidingDb(db, redactor.hide));
  const call = { id: "1", name: "run", arguments: '{"key":"canary-4711-secret"}' };
  await sessions.appendMany(sessionId, [
    said("it is canary-4711-secret"),
    { role: "assistant", content: "", toolCalls: [call] },
    { role: "tool", toolCallId: "1", content: "done" },
  ]);
  expect(JSON.stringify(await sessions.history(sessionId))).toMatch(/canary.*canary/);
  redactor.know(() => ["canary-4711-secret"]);
  expect(await sessions.history(sessionId)).toEqual([
    said("it is ***"),
    { role: "assistant", content: "", toolCalls: [{ ...call, arguments: '{"key":"***"}' }] },
    { role: "tool", toolCallId: "1", content: "done" },
  ]);
});
