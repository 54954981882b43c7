import { expect, test } from "vitest";
import { OWNER } from "../../session/access.js";
import { Sessions } from "../../session/sessions.js";
import { parseSource } from "../../session/source.js";
import { ANN, BOB, fillErasureWorld } from "../../testing/erasure-world.js";
import type { Db } from "../db.js";
import { openSqlStore } from "../sql-store.js";
import { openSqlite } from "../sqlite/db.js";

/**
 * Each column that says whose a row is, and what takes care of it: `forgetSession` if a session goes (a prune, or an erase),
 * `erasure` if a person goes. If you add such a column, decide what becomes of its rows, write it there, and then here.
 */
const HANDLED = {
  forgetSession: `
    consolidations.session_id handoffs.session_id limit_notices.session_id messages.session_id outbox.session_id processes.session_id sessions.owner summaries.session_id
    turns.session_id web_posts.session_id`,
  erasure: `
    identities.identity inbox.key inbox.said_by inbox.source job_runs.session_id jobs.origin_key jobs.origin_source jobs.owner
    jobs.source limit_notices.identity link_codes.identity memory_notes.owner memory_owners.owner messages.author model_usage.identity
    model_usage.session_id moves.asker pairings.identity processes.source routes.key routes.origin
    routes.owner routes.session_id sessions.key sessions.lane_owner sessions.origin sessions.parent_id spending.identity
    standing_approvals.identity standing_approvals.lane tries.who turns.key web_devices.identity web_links.identity`,
  /** The process that has it, not a person. */
  holder:
    "accounts.owner consolidations.owner inbox.owner outbox.owner terminals.owner turns.owner work.owner",
  /** Of a terminal that is open: the row goes when its process ends. */
  passing: "terminals.key",
};

const WHOSE = new Set(
  `session_id identity identities owner lane_owner person person_id author asker who source said_by origin origin_source key
   origin_key lane parent_id`.split(/\s+/),
);

test("every column that says whose a row is, is taken care of when a session or a person goes", async () => {
  const db = await openSqlite(":memory:");
  const store = await openSqlStore(db, 1);
  const columns = await db.all(
    `SELECT m.name AS of_table, c.name AS of_column FROM sqlite_master m JOIN pragma_table_info(m.name) c
     WHERE m.type = 'table' AND m.name NOT LIKE 'message_terms%'`,
  );
  const whose = columns.filter(({ of_column }) => WHOSE.has(String(of_column)));
  const found = whose.map(({ of_table, of_column }) => `${of_table}.${of_column}`);
  const handled = Object.values(HANDLED).flatMap((list) => list.trim().split(/\s+/));
  expect(found.sort()).toEqual([...handled, "identities.person_id"].sort());
  await store.close();
});

test("what was erased after the index had read it does not get into the index", async () => {
  const raw = await openSqlite(":memory:");
  let onRead: (() => Promise<unknown>) | null = null;
  const db: Db = Object.assign(Object.create(raw), {
    all: async (...given: Parameters<Db["all"]>) => {
      const rows = await raw.all(...given);
      if (onRead && given[0].includes("s.owner FROM messages")) {
        const erase = onRead;
        onRead = null;
        await erase();
      }
      return rows;
    },
    get: raw.get.bind(raw),
    run: raw.run.bind(raw),
    transaction: raw.transaction.bind(raw),
    snapshot: raw.snapshot.bind(raw),
    subscribe: raw.subscribe.bind(raw),
    maintain: raw.maintain.bind(raw),
    readAside: raw.readAside.bind(raw),
    close: raw.close.bind(raw),
    dialect: raw.dialect,
  });
  const store = await openSqlStore(db, 1);
  const sessions = new Sessions(store, { clock: () => 1 });
  const group = parseSource({ platform: "telegram", chat_id: "-1", chat_type: "group", user_id: "1" });
  const author = { id: "telegram:1" };
  await sessions.receive(group, { role: "user", content: "canary", author });
  const whose = { id: null, identities: ["telegram:1"] };
  onRead = () => store.erasure.eraseShared(whose, 2, () => {});
  await sessions.indexAll();
  expect(onRead).toBeNull();
  const row = await raw.get("SELECT count(*) AS n FROM message_terms WHERE message_terms MATCH 'canary'");
  expect(row).toEqual({ n: 0 });
  expect((await sessions.search("canary", OWNER)).items).toEqual([]);
  await sessions.close();
});

test("a target of somebody else's job that could not be reached is taken out, too", async () => {
  const raw = await openSqlite(":memory:");
  const store = await openSqlStore(raw, 1);
  const { ann, jobs } = await fillErasureWorld(store);
  for (const target of [ANN, `${ANN}:7`, BOB])
    await raw.run(
      "INSERT INTO job_results (run_id, target, state, error) SELECT id, ?, 'failed', 'nobody is there' FROM job_runs WHERE job_id = ?",
      target,
      jobs[1] ?? "",
    );
  await store.erasure.eraseShared(ann, 2, () => {});
  const left = await raw.all("SELECT target FROM job_results");
  expect(left).toEqual([{ target: BOB }]);
  await store.close();
});
