/**
 * Scheduled jobs: what it takes to add one beside many others, and to look at them; many that are due in the same minute, on two gateways over
 * one SQLite file, with an agent that answers at once; and what a gateway costs whose jobs are not due.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { JobLoad } from "../../test/support/job-load.js";
import type { Outcome } from "../report.js";
import type { Bench } from "../run.js";
import { addsAndLooks } from "./job-store.js";

const LEASE_MS = 15_000;
const DAY_MS = 86_400_000;

export async function jobs(bench: Bench): Promise<Outcome> {
  const adding = await addsAndLooks(bench);
  const due = await dueAtOnce(bench);
  const idle = await notDue(bench);
  return {
    lines: [...adding.lines, ...due.lines, ...idle.lines],
    targets: [...adding.targets, ...due.targets, ...idle.targets],
  };
}

async function dueAtOnce({ folder, sizes }: Bench): Promise<Outcome> {
  const { jobsDue: count } = sizes;
  const load = await JobLoad.open(folder, { jobs: count, dueAt: Date.now() - 1_000, leaseMs: LEASE_MS });
  try {
    const began = performance.now();
    const [first, second] = [await load.start(), await load.start()];
    let halfway = 0;
    for (let arrived = 0; arrived < count; arrived = await load.arrived()) {
      await sleep(100);
      if (halfway === 0 && arrived >= count / 2) halfway = (await first.figures(false)).heapUsed;
    }
    const seconds = (performance.now() - began) / 1_000;
    const [runs, standsBy] = [await first.figures(), await second.figures()];
    const what = `${count} jobs due at once`;
    return {
      lines: [
        { what: `${what}: runs`, ours: count / seconds, raw: null, unit: "/s" },
        { what: `${what}: CPU of a run`, ours: runs.cpuMs / count, raw: null, unit: "ms" },
        { what: `${what}: longest wait of the event loop`, ours: runs.loopMaxMs, raw: null, unit: "ms" },
        { what: `${what}: memory at the end`, ours: runs.rss / 2 ** 20, raw: null, unit: "MB" },
      ],
      targets: [
        { what: `${what}: event loop, p99`, value: runs.loopP99Ms, atMost: 50, unit: "ms" },
        { what: `${what}: event loop of the other, p99`, value: standsBy.loopP99Ms, atMost: 50, unit: "ms" },
        {
          what: `${what}: heap after the second half, more than after the first`,
          value: Math.max(0, runs.heapUsed - halfway) / 2 ** 20,
          atMost: 32,
          unit: "MB",
        },
        { what: `${what}: said twice`, value: load.seen.all - count, atMost: 0, unit: "" },
      ],
    };
  } finally {
    await load.close();
  }
}

async function notDue({ folder, sizes }: Bench): Promise<Outcome> {
  const { jobsDue: count, jobsIdleMs } = sizes;
  const [without, withJobs] = [
    await idlePercent(folder, 0, jobsIdleMs),
    await idlePercent(folder, count, jobsIdleMs),
  ];
  return {
    lines: [{ what: "a gateway without jobs that waits: % of a core", ours: without, raw: null, unit: "" }],
    targets: [{ what: `with ${count} jobs that are not due`, value: withJobs, atMost: 1, unit: "" }],
  };
}

async function idlePercent(folder: string, jobs: number, idleMs: number): Promise<number> {
  const load = await JobLoad.open(folder, { jobs, dueAt: Date.now() + DAY_MS, leaseMs: LEASE_MS });
  try {
    const gateway = await load.start();
    await sleep(2_000); // What it does after its start is over.
    await gateway.figures();
    await sleep(idleMs);
    const { cpuMs, seconds } = await gateway.figures();
    return Number((cpuMs / seconds / 10).toFixed(2));
  } finally {
    await load.close();
  }
}
