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

/** The search index is fed meanwhile, whenever there is time. */
function isOfFeed(sql: string): boolean {
  return sql.includes("search_watermark") || sql.includes("FROM messages m JOIN sessions");
}

/** The statements that are asked outside a transaction. */
function counting(db: Db): { db: Db; sql: string[] } {
  const sql: string[] = [];
  const noted =
    <Args extends [string, ...never[]], Result>(ask: (...args: Args) => Result) =>
    (...args: Args): Result => {
      if (!isOfFeed(args[0])) sql.push(args[0]);
      return ask(...args);
    };
  const counted: Db = {
    dialect: db.dialect,
    get: noted(db.get.bind(db)),
    all: noted(db.all.bind(db)),
    run: noted(db.run.bind(db)),
    write: noted(db.write.bind(db)),
    transaction: (work, options) => db.transaction(work, options),
    snapshot: (work) => db.snapshot(work),
    maintain: (sql) => db.maintain(sql),
    readAside: noted(db.readAside.bind(db)),
    record: (fact) => db.record(fact),
    subscribe: (subscriber) => db.subscribe(subscriber),
    watch: (subscriber) => db.watch(subscriber),
    close: () => db.close(),
  };
  return { db: counted, sql };
}

async function opened(count: number) {
  const { db, sql } = counting(await openDb(":memory:"));
  const store = await openSqlStore(db, Date.now());
  const sessions = new Sessions(store, {});
  for (let n = 0; n < count; n++) await sessions.getOrCreate(localSource(), { forceNew: true });
  const lines: string[] = [];
  const terminal = {
    line: (text = "") => lines.push(text),
    columns: 200,
    paint: Object.fromEntries(["bold", "dim", "cyan"].map((name) => [name, (text: string) => text])),
  };
  const cli = {
    terminal,
    loadConfig: async () => ({}),
    openSessions: async () => ({ as: sessions.as.bind(sessions), close: async () => {} }),
  } as unknown as Cli;
  return { db, sql, cli, lines, sessions };
}

test("a page of 200 sessions takes as few statements as a page of one", async () => {
  const { sql, cli, lines, sessions } = await opened(200);
  sql.length = 0;
  await list(cli, { limit: 200 });
  expect(lines.filter((line) => /^\d{8}_/.test(line))).toHaveLength(200);
  expect(sql).toHaveLength(2);
  await sessions.close();
});

test("a platform's page comes from an index of its own", async () => {
  const { db, sql, sessions, cli } = await opened(3);
  sql.length = 0;
  await list(cli, { platform: "telegram", limit: 50 });
  const [page = ""] = sql;
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
