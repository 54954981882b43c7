/** Many jobs that are due at the same time, on two gateways over one SQLite file; and many that are not due. */
import { tmpdir } from "node:os";
import { expect, test, vi } from "vitest";
import { JobLoad } from "../support/job-load.js";
import type { Figures } from "../support/jobs-process.js";

/** The whole with BATON_TEST_FULL=1. What it costs is measured by `npm run bench -- --only jobs`. */
const JOBS = process.env.BATON_TEST_FULL === "1" ? 10_000 : 300;
const PATIENCE = { interval: 50, timeout: 1_000_000 };
/** Much less than what is held for each run would be, if that were held. */
const HEAP_GROWTH = 32 * 2 ** 20;

/** What a look reads if nothing is due. */
const LOOK = ["due", "ended", "waiting", "untold", "nextWake", "forgetDone"].map((step) => `jobRuns.${step}`);

async function withLoad(
  given: { dueInMs: number; leaseMs: number },
  work: (load: JobLoad) => Promise<void>,
): Promise<void> {
  const { dueInMs, leaseMs } = given;
  const load = await JobLoad.open(tmpdir(), { jobs: JOBS, dueAt: Date.now() + dueInMs, leaseMs });
  try {
    await work(load);
  } finally {
    await load.close();
  }
}

const until = (isSo: () => Promise<boolean>) => vi.waitUntil(isSo, PATIENCE);

test(
  "each job that is due runs once, in one of the gateways, and memory stays flat",
  () =>
    withLoad({ dueInMs: -1_000, leaseMs: 15_000 }, async (load) => {
      const began = performance.now();
      const [first, second] = [await load.start(), await load.start()];
      await until(async () => (await load.arrived()) >= JOBS / 2);
      const middle = [await first.figures(), await second.figures()];
      await until(async () => (await load.arrived()) === JOBS);
      const end = [await first.figures(), await second.figures()];
      console.log(
        `${JOBS} jobs in ${Math.round(performance.now() - began)} ms:`,
        middle.map(shown),
        end.map(shown),
      );

      expect(await load.runs()).toEqual({ "done, sent": JOBS });
      expect(load.seen).toMatchObject({ all: JOBS, most: 1 });
      expect(end.map(({ isScheduler }) => isScheduler)).toEqual([true, false]);
      expect(second.problems.concat(first.problems)).toEqual([]);
      expect(end[0]?.heapUsed).toBeLessThan((middle[0]?.heapUsed ?? 0) + HEAP_GROWTH);
      expect(end[0]?.calls).toHaveProperty(["jobRuns.due"]);
      expect(end[1]?.calls).not.toHaveProperty(["jobRuns.due"]); // The one that stands by does not look.
    }),
  1_200_000,
);

test(
  "each job that is due runs once, although the gateway that runs them is killed in the middle",
  () =>
    withLoad({ dueInMs: -1_000, leaseMs: 1_000 }, async (load) => {
      const [first, second] = [await load.start(), await load.start()];
      await until(async () => (await load.arrived()) >= JOBS / 3);
      await first.kill();
      await until(async () => (await load.arrived()) === JOBS);

      const { "done, sent": sent = 0, "done, unknown": unknown = 0, ...others } = await load.runs();
      expect(others).toEqual({});
      expect(sent + unknown).toBe(JOBS);
      expect(sent).toBeGreaterThan(JOBS - 10); // Only what was on its way then can be in doubt.
      expect(load.seen.most).toBe(1);
      expect(load.seen.all).toBeGreaterThanOrEqual(sent);
      expect((await second.figures()).isScheduler).toBe(true);
    }),
  1_200_000,
);

test("a scheduler with jobs that are not due looks by the clock, and reads no more the more there are", () =>
  withLoad({ dueInMs: 86_400_000, leaseMs: 100 }, async (load) => {
    const gateway = await load.start();
    await gateway.figures();
    const began = performance.now();
    let looks = 0;
    const queries: Record<string, number> = {};
    while (looks < 10) {
      const { calls } = await gateway.figures();
      looks += calls["jobRuns.due"] ?? 0;
      for (const [step, count] of Object.entries(calls)) queries[step] = (queries[step] ?? 0) + count;
    }
    const mostLooks = (performance.now() - began) / 100 + 2; // As often as it looks whether it still has the account.
    const ofJobs = Object.entries(queries).filter(([step]) => step.startsWith("jobRuns."));
    expect(LOOK).toEqual(expect.arrayContaining(ofJobs.map(([step]) => step)));
    for (const [step, count] of ofJobs) expect(count, step).toBeLessThanOrEqual(mostLooks);
  }));

function shown({ isScheduler, loopP99Ms, rss, heapUsed }: Figures): string {
  const [p99, all, heap] = [loopP99Ms, rss / 1e6, heapUsed / 1e6].map((value) => value.toFixed(0));
  return `${isScheduler ? "runs them" : "stands by"}: event loop p99 ${p99} ms, ${all} MB, heap ${heap} MB`;
}
