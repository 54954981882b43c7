import { AsyncLocalStorage } from "node:async_hooks";
import { expect, test } from "vitest";
import { openDb } from "../open-sessions.js";
import { jobSource } from "../schedule/job-source.js";
import type { JobId } from "../session/ids.js";
import { Sessions } from "../session/sessions.js";
import { localSource } from "../session/source.js";
import type { Db } from "../store/db.js";
import { openSqlStore } from "../store/sql-store.js";
import type { Cli } from "./cli.js";
import { list } from "./list.js";

/** The statements of some work that are outside a transaction; the search index, which is fed meanwhile, does not count. */
function counting(real: Db): { db: Db; during: (work: () => Promise<void>) => Promise<string[]> } {
  const counted = new AsyncLocalStorage<string[]>();
  const noted =
    <Args extends [string, ...never[]], Result>(ask: (...args: Args) => Result) =>
    (...args: Args): Result => {
      counted.getStore()?.push(args[0]);
      return ask(...args);
    };
  const db: Db = {
    dialect: real.dialect,
    get: noted(real.get.bind(real)),
    all: noted(real.all.bind(real)),
    run: noted(real.run.bind(real)),
    write: noted(real.write.bind(real)),
    transaction: (work, options) => real.transaction(work, options),
    snapshot: (work) => real.snapshot(work),
    maintain: (sql) => real.maintain(sql),
    readAside: noted(real.readAside.bind(real)),
    record: (fact) => real.record(fact),
    subscribe: (subscriber) => real.subscribe(subscriber),
    watch: (subscriber) => real.watch(subscriber),
    close: () => real.close(),
  };
  const during = async (work: () => Promise<void>): Promise<string[]> => {
    const sql: string[] = [];
    await counted.run(sql, work);
    return sql;
  };
  return { db, during };
}

async function opened(count: number) {
  const { db, during } = counting(await openDb(":memory:"));
  const store = await openSqlStore(db, Date.now());
  const sessions = new Sessions(store, {});
  for (let n = 0; n < count; n++) await sessions.getOrCreate(localSource(), { forceNew: true });
  const lines: string[] = [];
  const terminal = {
    line: (text = "") => lines.push(text),
    row: (text: string) => lines.push(text),
    columns: 200,
    paint: Object.fromEntries(["bold", "dim", "cyan"].map((name) => [name, (text: string) => text])),
  };
  const cli = {
    terminal,
    loadConfig: async () => ({}),
    openSessions: async () => ({ as: sessions.as.bind(sessions), close: async () => {} }),
  } as unknown as Cli;
  return { db, during, cli, lines, sessions };
}

test("a page of 200 sessions takes as few statements as a page of one", async () => {
  const { during, cli, lines, sessions } = await opened(200);
  const sql = await during(() => list(cli, { limit: 200 }));
  expect(lines.filter((line) => /^\d{8}_/.test(line))).toHaveLength(200);
  expect(sql).toHaveLength(2);
  await sessions.close();
});

test("a platform's page comes from an index of its own", async () => {
  const { db, during, sessions, cli } = await opened(3);
  const [page = ""] = await during(() => list(cli, { platform: "telegram", limit: 50 }));
  const plan = await db.all(`EXPLAIN QUERY PLAN ${page}`, "telegram", 51, 51);
  expect(plan.map(({ detail }) => detail).join("\n")).toContain("sessions_by_platform (platform=?)");
  await sessions.close();
});

test("the session of a job is not shown as a chat", async () => {
  const { sessions, cli, lines } = await opened(0);
  await sessions.getOrCreate(jobSource({ id: "j_1" as JobId, name: "digest" }));
  await list(cli, { limit: 50 });
  expect(lines.at(-1)).toMatch(/ digest +Scheduled job +0 /);
  await sessions.close();
});
