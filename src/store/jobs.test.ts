import { expect, it } from "vitest";
import { addJob, aJob } from "../../test/support/job-world.js";
import { openDb } from "../open-sessions.js";
import { decide } from "../schedule/decide.js";
import type { InboxId } from "../session/ids.js";
import type { Db, Queries } from "./db.js";
import { openSqlStore } from "./sql-store.js";

const NOW = Date.UTC(2026, 0, 1);
const AFTER = { failures: 0, notBefore: null, pausedWhy: null, spent: { day: "", tokens: 0 } };
const QUIET = { state: "silent", error: null, output: null, results: [], deliveries: [], said: [] } as const;

/** How SQLite finds the rows of each statement about jobs. */
function explaining(db: Db): { readonly plans: Map<string, string>; readonly db: Db } {
  const plans = new Map<string, string>();
  const over = <On extends Queries>(on: On): On => {
    const all = on.all.bind(on);
    const explain = async (sql: string, values: Parameters<Queries["all"]>[1][]) => {
      if (!/\b(jobs|job_runs|job_results)\b/.test(sql)) return;
      const steps = await all(`EXPLAIN QUERY PLAN ${sql}`, ...values);
      plans.set(sql.replace(/\s+/g, " ").trim(), steps.map(({ detail }) => detail).join("; "));
    };
    const explained =
      <Result>(ask: (sql: string, ...values: never[]) => Promise<Result>) =>
      async (sql: string, ...values: Parameters<Queries["all"]>[1][]): Promise<Result> => {
        await explain(sql, values);
        return ask(sql, ...(values as never[]));
      };
    return Object.assign(Object.create(on), {
      all: explained(all),
      get: explained(on.get.bind(on)),
      run: explained(on.run.bind(on)),
      write: explained(on.write.bind(on)),
    });
  };
  const transaction: Db["transaction"] = (work, options) => db.transaction((tx) => work(over(tx)), options);
  return { plans, db: Object.assign(over(db), { transaction }) };
}

it("every step of the scheduler finds its rows by an index, however many jobs there are", async () => {
  const bare = await openDb("sqlite::memory:");
  await (await openSqlStore(bare, 0)).jobs.list(null); // The tables are there.
  const { plans, db } = explaining(
    new Proxy(bare, {
      get: (on, name) => {
        const value = Reflect.get(on, name, on) as unknown;
        return typeof value === "function" ? value.bind(on) : value;
      },
    }),
  );
  const { jobs, jobRuns } = await openSqlStore(db, 0);
  const job = await addJob(jobs, aJob(NOW), NOW);
  const now = NOW + 61_000;
  const [due] = await jobRuns.due(now, 10);
  if (!due) throw new Error("It is not due.");
  await jobs.oldestDue(now);
  await jobRuns.nextWake();
  await jobRuns.decided([[due, decide(due, now)]], now);
  const [waiting] = await jobRuns.waiting(4);
  if (!waiting) throw new Error("It does not wait.");
  await jobRuns.ended(10);
  await jobRuns.untold(10);
  await jobRuns.of(1 as InboxId);
  await bare.run("UPDATE job_runs SET state = 'ended'");
  expect(await jobRuns.settle(waiting, QUIET, AFTER, now)).toBe(true);
  await jobs.ask(job.id, now);
  const [asked] = await jobRuns.waiting(4);
  if (!asked) throw new Error("It does not wait.");
  await jobRuns.halt(asked, "no", [], now);
  await jobRuns.forgetDone(now, 10);
  await jobs.oldestDue(now);
  await jobs.remove(job.id);

  expect(plans.size).toBeGreaterThan(20);
  const whole = /SCAN (?:jobs|job_runs|job_results|[or])(?:;|$)/; // A table without an index.
  const slow = [...plans].filter(([, plan]) => whole.test(plan) || plan.includes("TEMP B-TREE"));
  expect(slow).toEqual([]);
  const scans = [...plans.values()].flatMap((plan) => plan.match(/SCAN \S+ USING .*?INDEX (\S+)/g) ?? []);
  for (const scan of scans)
    expect(scan).toMatch(/jobs_by_wake|job_runs_by_item|job_results_untold|jobs_done/);
  await bare.close();
});
