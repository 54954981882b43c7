/**
 * A part of the case `jobs`: adding one to a store that has few and many, and a look of the scheduler when nothing is due.
 * Both must take about as long with 100,000 jobs as with 100.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextRound } from "node:timers/promises";
import type { NewJob } from "../../src/schedule/job.js";
import type { JobId } from "../../src/session/ids.js";
import { buildSessionKey } from "../baton.js";
import { interleave, type Step } from "../measure.js";
import { openForSeeding } from "../raw.js";
import type { Outcome, Target } from "../report.js";
import type { Bench } from "../run.js";

const { openStore } = (await import(
  built("open-sessions.js")
)) as typeof import("../../src/open-sessions.js");
const { Scheduler } = (await import(
  built("gateway/jobs/scheduler.js")
)) as typeof import("../../src/gateway/jobs/scheduler.js");

const EPOCH = Date.UTC(2026, 0, 1);
const LATER = Date.UTC(2100, 0, 1);
const EACH = 10;
const BY = { platform: "local", chatId: "bench", chatType: "dm", userId: "bench" } as const;

export async function addsAndLooks({ folder: parent, sizes, rounds }: Bench): Promise<Outcome> {
  const folder = join(parent, "job-store");
  mkdirSync(folder, { recursive: true });
  const filled = await Promise.all(sizes.jobs.map((count) => withJobs(join(folder, `${count}.db`), count)));
  try {
    const adds = await interleave(
      filled.map(({ add }) => add),
      rounds,
      sizes.jobAdds,
    );
    const looks = await interleave(
      filled.map(({ look }) => look),
      rounds,
      sizes.jobAdds,
    );
    const [fewest = 0] = sizes.jobs;
    const lines = sizes.jobs.flatMap((count, n) => [
      { what: `add a job to ${count}`, ours: adds[n] ?? Number.NaN, raw: null, unit: "ms" as const },
      {
        what: `a look of the scheduler at ${count} jobs, none due`,
        ours: looks[n] ?? Number.NaN,
        raw: null,
        unit: "ms" as const,
      },
    ]);
    const targets = sizes.jobs.slice(1).flatMap((count, n): Target[] => [
      {
        what: `add a job to ${count}, of adding one to ${fewest}`,
        value: (adds[n + 1] ?? Number.NaN) / (adds[0] ?? Number.NaN),
        atMost: 1.5,
        unit: "×",
      },
      {
        what: `look at ${count} jobs, of a look at ${fewest}`,
        value: (looks[n + 1] ?? Number.NaN) / (looks[0] ?? Number.NaN),
        atMost: 1.5,
        unit: "×",
      },
    ]);
    return { lines, targets };
  } finally {
    for (const { close } of filled) await close();
  }
}

/** A store with this many jobs, ten of each person, all of them due in many years. */
async function withJobs(path: string, count: number) {
  const made = await openStore({ url: path });
  const { jobs: madeJobs } = made.store;
  await madeJobs.add(jobOf(0), { nextAt: LATER, wakeAt: LATER }, ["local:0"], 1, EPOCH);
  await made.sessions.close();
  const database = openForSeeding(path);
  database.exec(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count - 1})
    INSERT INTO jobs (id, owner, source, origin_key, origin_source, origin_account, setting, state, next_at, wake_at, created_at)
    SELECT printf('j_%08x', n), 'local:' || (n / ${EACH}), source, origin_key, origin_source, origin_account, setting,
      state, next_at + n, wake_at + n, created_at + n FROM jobs, numbers WHERE id = 'j_00000000'`);
  database.close();

  const { store, sessions } = await openStore({ url: path });
  let last = count;
  let onLooked = () => {};
  const { jobRuns } = store;
  const scheduler = new Scheduler({
    runs: Object.assign(Object.create(jobRuns), {
      ...Object.fromEntries(
        (["due", "ended", "waiting", "untold", "forgetDone"] as const).map((name) => [
          name,
          jobRuns[name].bind(jobRuns),
        ]),
      ),
      nextWake: () => jobRuns.nextWake().finally(() => onLooked()), // The last step of a look.
    }),
    accounts: store.accounts,
    isOurs: () => true,
    begin: async () => {},
    settle: async () => {},
    settleWithout: async () => {},
    tell: async () => {},
    tidy: async () => {},
    mostRunning: 4,
    clock: () => EPOCH,
    onProblem: console.warn,
  });
  const add: Step = async () => {
    const job = jobOf(++last);
    await store.jobs.add(job, { nextAt: LATER, wakeAt: LATER }, [job.owner], 1_000, EPOCH);
    return () => store.jobs.remove(job.id);
  };
  const look: Step = async () => {
    const looked = new Promise<void>((resolve) => {
      onLooked = resolve;
    });
    scheduler.wake();
    await looked;
    return nextRound;
  };
  const close = async () => {
    await scheduler.stop();
    await sessions.close();
  };
  return { add, look, close };
}

function jobOf(number: number): NewJob {
  return {
    id: `j_${number.toString(16).padStart(8, "0")}` as JobId,
    name: "digest",
    prompt: "say the news",
    command: null,
    session: "own",
    model: null,
    tools: null,
    timeoutMs: 60_000,
    dailyTokens: null,
    timing: { schedule: { kind: "once", at: LATER }, timeZone: "UTC", from: EPOCH },
    catchUp: { missed: "latest", graceMs: 0 },
    overlap: "skip",
    jitterMs: 0,
    repeat: null,
    deliver: "origin",
    by: BY,
    owner: `local:${Math.floor(number / EACH)}`,
    origin: { key: buildSessionKey(BY), source: BY, account: "bench" },
  };
}

function built(path: string): string {
  return new URL(`../../dist/${path}`, import.meta.url).href;
}
