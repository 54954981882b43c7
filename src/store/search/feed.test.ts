import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openDb } from "../../open-sessions.js";
import { OWNER } from "../../session/access.js";
import { platforms } from "../../session/platform.js";
import { Sessions } from "../../session/sessions.js";
import type { Db } from "../db.js";
import { openSqlStore } from "../sql-store.js";
import { readMarks } from "./feed.js";

const [, HERE = ""] = platforms();
const SENT = Date.UTC(2026, 0, 10, 12);
const ann = { platform: HERE, chatId: "1", chatType: "dm", userId: "ann" } as const;

let db: Db;
let sessions: Sessions;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] }); // The background begins when a test waits for it.
  db = await openDb(":memory:");
  sessions = new Sessions(await openSqlStore(db, 0), { clock: () => SENT });
});
afterEach(async () => {
  await sessions.close();
  vi.useRealTimers();
});

/** As an older Baton left it: every message is in the index, without labels of its role, platform and time. */
async function indexWithoutLabels(): Promise<number> {
  await sessions.indexAll();
  const { indexedThrough } = await readMarks(db);
  const ids = (await db.all("SELECT id FROM messages")).map(({ id }) => Number(id));
  for (const id of ids) {
    await db.run("INSERT OR REPLACE INTO message_terms (rowid, terms) VALUES (?, 'garden')", id);
  }
  await db.run("UPDATE search_watermark SET labelled_above = indexed_through");
  return indexedThrough;
}

async function found(): Promise<number[]> {
  const options = { role: "tool", platform: HERE, after: SENT - 60_000, before: SENT + 1 } as const;
  return (await sessions.search("garden", OWNER, options)).items.map(({ seq }) => seq);
}

describe("messages that an older Baton indexed", () => {
  it("are found by their rows, beside those that have labels", async () => {
    const { entry } = await sessions.receive(ann, { role: "user", content: "garden" });
    await sessions.append(entry.sessionId, { role: "tool", toolCallId: "a", content: "garden" });
    const last = await indexWithoutLabels();
    expect(await found()).toEqual([2]);
    await sessions.append(entry.sessionId, { role: "tool", toolCallId: "b", content: "garden" });
    await sessions.indexAll();
    expect(await readMarks(db)).toEqual({ indexedThrough: last + 1, labelledAbove: last });
    expect(await found()).toEqual([3, 2]);
  });

  it("get their labels in the background, each once, and search stays complete", async () => {
    const { entry } = await sessions.receive(ann, { role: "user", content: "garden" });
    const tools = Array.from({ length: 120 }, (_, n) => ({
      role: "tool" as const,
      toolCallId: `call${n}`,
      content: "garden",
    }));
    await sessions.appendMany(entry.sessionId, tools);
    await indexWithoutLabels();
    await sessions.append(entry.sessionId, { role: "assistant", content: "wakes the feed" });
    await vi.waitFor(
      async () => {
        expect(await found()).toHaveLength(20);
        expect((await readMarks(db)).labelledAbove).toBe(0);
      },
      { timeout: 20_000 },
    );
    expect((await found())[0]).toBe(121);
    const rows = await db.all("SELECT count(*) AS n FROM message_terms_docsize");
    expect(rows).toEqual([{ n: 122 }]);
  });
});

it("indexes no words that were erased after it read them", async () => {
  await sessions.receive(ann, { role: "user", content: "garden secret" });
  const transaction = db.transaction.bind(db);
  const erased = vi.spyOn(db, "transaction").mockImplementationOnce(async (...work) => {
    await db.run("UPDATE messages SET content = 'garden'");
    return transaction(...work);
  });
  await sessions.indexAll();
  expect(erased).toHaveBeenCalled();
  const indexed = "SELECT count(*) AS n FROM message_terms WHERE message_terms MATCH 'secret'";
  expect(await db.get(indexed)).toEqual({ n: 0 });
});

it("indexes messages with very many words a few at a time", async () => {
  const { entry } = await sessions.receive(ann, { role: "user", content: "garden" });
  const long = Array.from({ length: 9_000 }, (_, n) => `w${n}`).join(" ");
  await sessions.appendMany(
    entry.sessionId,
    Array.from({ length: 5 }, () => ({ role: "user" as const, content: long })),
  );
  const transactions = vi.spyOn(db, "transaction");
  await sessions.indexAll();
  expect(transactions.mock.calls.length).toBeGreaterThanOrEqual(5);
  expect((await sessions.search("w8999", OWNER)).items).toHaveLength(5);
});
