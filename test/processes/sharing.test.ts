import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { OWNER, openSessions, type SessionSource } from "../../src/index.js";
import { openDb } from "../../src/open-sessions.js";
import type { SessionId } from "../../src/session/ids.js";
import { inspect } from "../crash/inspect.js";
import { type Postgres, startPostgres } from "../support/postgres.js";
import { SessionsProcess } from "../support/sessions-process.js";

const SOURCE: SessionSource = { platform: "telegram", chatId: "99", chatType: "dm", userId: "ann" };

let folder: string;
let postgres: Postgres;
let stores = 0;
const processes: SessionsProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "baton-processes-"));
  postgres = await startPostgres();
});
afterEach(async () => {
  await Promise.all(processes.splice(0).map((process) => process.stop()));
});
afterAll(async () => {
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

function start(count: number): SessionsProcess[] {
  const started = Array.from({ length: count }, () => new SessionsProcess());
  processes.push(...started);
  return started;
}

async function startOn(url: string, count: number): Promise<SessionsProcess[]> {
  const started = start(count);
  await Promise.all(started.map((process) => process.open(url)));
  return started;
}

const sqlite = async () => join(folder, `${++stores}.db`);

describe.each([
  { engine: "SQLite", emptyStore: sqlite },
  { engine: "PostgreSQL", emptyStore: () => postgres.createDatabase() },
])("processes that share a store on $engine", ({ emptyStore }) => {
  test("start at once on an empty store and migrate it once", async () => {
    for (let time = 0; time < 3; time++) {
      const url = await emptyStore();
      await startOn(url, 2);
      const db = await openDb(url);
      expect(await db.all("SELECT count(*) AS n FROM migrations WHERE version = 1")).toEqual([{ n: 1 }]);
      await db.close();
    }
  });

  test("50 parallel getOrCreate of one key in two processes give one session", async () => {
    const started = await startOn(await emptyStore(), 2);
    const entries = (
      await Promise.all(started.map((process) => process.atOnce(25, "getOrCreate", SOURCE)))
    ).flat();
    expect(entries).toHaveLength(50);
    expect(new Set(entries.map((entry) => entry.sessionId)).size).toBe(1);
    const page = await started[0]?.call("list", {}, OWNER);
    expect(page?.items).toHaveLength(1);
  });

  test("four write at once: no error, nothing lost, seq without gaps", async () => {
    const url = await emptyStore();
    const started = await startOn(url, 4);
    const shared = ["a", "b", "c"];
    const written = (
      await Promise.all(
        started.map((process, index) => process.turns(60, `p${index}`, [...shared, `own${index}`])),
      )
    ).flat();

    const sessions = await openSessions({ url });
    const ids = new Set(written.map(({ sessionId }) => sessionId));
    expect(ids.size).toBe(shared.length + 4);
    const kept = new Set<string>();
    for (const sessionId of ids) {
      const messages = await sessions.load(sessionId as SessionId);
      expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1));
      for (const { seq, content } of messages) kept.add(`${sessionId} ${seq} ${content}`);
      expect((await sessions.get(sessionId as SessionId))?.inputTokens).toBe(messages.length / 2);
    }
    expect(kept).toEqual(
      new Set(written.map(({ sessionId, seq, content }) => `${sessionId} ${seq} ${content}`)),
    );

    for (const { content } of written.slice(-3)) {
      expect((await sessions.search(content, OWNER)).items).toHaveLength(1);
    }
    await sessions.close();
  });

  test("two claim handoffs at once: each is won by exactly one", async () => {
    const [one, two] = (await startOn(await emptyStore(), 2)) as [SessionsProcess, SessionsProcess];
    const asked: string[] = [];
    for (let chat = 0; chat < 10; chat++) {
      const { sessionId } = await one.call("getOrCreate", { ...SOURCE, chatId: `chat${chat}` });
      asked.push((await one.call("requestHandoff", sessionId, "telegram")).id);
    }
    const claims = await Promise.all([
      one.atOnce(10, "claimHandoff", { holder: "one" }),
      two.atOnce(10, "claimHandoff", { holder: "two" }),
    ]);
    const won = claims.flat().filter((claim) => claim !== null);
    expect(won.map(({ id }) => id).sort()).toEqual(asked.sort());
    expect(won.every(({ fence }) => fence === 1)).toBe(true);
  });
});

test("a stopped process that holds SQLite's write lock loses nobody's messages", async () => {
  const path = await sqlite();
  const [holder, writer] = (await startOn(path, 2)) as [SessionsProcess, SessionsProcess];
  await holder.holdLock(path, 100);
  holder.signal("SIGSTOP");

  const before = await writer.ticks();
  let finished = false;
  const turns = writer.turns(20, "late", ["99"]).finally(() => {
    finished = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 2_000)); // The time for which it is stopped.
  expect(finished).toBe(false);
  // It waits beside its event loop, on which everything else of a gateway goes on.
  expect((await writer.ticks()) - before).toBeGreaterThan(20);

  holder.signal("SIGCONT");
  const written = await turns;
  const found = Object.values(inspect(path).sessions).flatMap(({ messages }) => messages);
  expect(found.map(({ text }) => JSON.parse(text)[1])).toEqual(written.map(({ content }) => content));
});
