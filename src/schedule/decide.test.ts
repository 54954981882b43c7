import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aJob } from "../../test/support/job-world.js";
import { newJobId } from "../session/ids.js";
import { backOff, clockFrom, clockSetBack, decide, MOST_FAILURES } from "./decide.js";
import type { Job } from "./job.js";
import { nextRun } from "./schedule.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 10, 17, 9);
const hourly = { schedule: { kind: "every", everyMs: HOUR }, timeZone: "UTC", from: NOW } as const;

const jobAt = (given: Partial<Job> = {}): Job => {
  const job = aJob(NOW, { timing: hourly, catchUp: { missed: "all", graceMs: 100 * HOUR }, ...given });
  return {
    ...{ ...job, state: "active", pausedWhy: null, left: given.left ?? null, failures: 0 },
    ...{ spent: { day: "", tokens: 0 }, createdAt: NOW, version: 1 },
    ...clockFrom(job.id, job, NOW),
    ...given,
  } as Job;
};

describe("a clock that was set back", () => {
  it("leaves a time that has come and was put off, and begins again before one that has not", () => {
    const job = jobAt({ wakeAt: NOW + 1_000 * HOUR });
    const due = { nextAt: NOW + HOUR, wakeAt: NOW + HOUR };
    expect(clockSetBack(job, NOW + 90 * MINUTE)).toEqual(due);
    expect(clockSetBack(jobAt({ nextAt: NOW + 9 * HOUR }), NOW + MINUTE)).toEqual(due);
  });

  it("does not leave a job that runs once without its time", () => {
    const timing = { schedule: { kind: "once", at: NOW + MINUTE }, timeZone: "UTC", from: NOW } as const;
    expect(clockSetBack(jobAt({ timing }), NOW + HOUR).nextAt).toBe(NOW + MINUTE);
  });
});

describe("decide", () => {
  it("gives the times that have come, and the next one", () => {
    expect(decide(jobAt(), NOW + 2 * HOUR)).toEqual({
      times: [1, 2].map((hours) => ({ at: NOW + hours * HOUR, skipped: null })),
      left: null,
      nextAt: NOW + 3 * HOUR,
      wakeAt: NOW + 3 * HOUR,
    });
  });

  it("has nothing to decide about a job without a next time", () => {
    expect(decide(jobAt({ nextAt: null, wakeAt: null }), NOW + HOUR)).toEqual({
      ...{ times: [], left: null, nextAt: null, wakeAt: null },
    });
  });

  it("counts only what runs, and is over after the last", () => {
    const two = decide(jobAt({ left: 2 }), NOW + 3 * HOUR);
    expect(two).toMatchObject({ left: 0, nextAt: null, wakeAt: null });
    expect(two.times.map(({ skipped }) => skipped)).toEqual([
      null,
      null,
      expect.stringContaining("as often"),
    ]);
    const skipping = jobAt({ left: 2, catchUp: { missed: "skip", graceMs: 0 } });
    expect(decide(skipping, NOW + 3 * HOUR)).toMatchObject({ left: 1, nextAt: NOW + 4 * HOUR });
  });

  it("is over after the only time of what runs once", () => {
    const timing = { ...hourly, schedule: { kind: "once", at: NOW + HOUR } } as const;
    expect(decide(jobAt({ timing }), NOW + HOUR)).toEqual({
      times: [{ at: NOW + HOUR, skipped: null }],
      ...{ left: null, nextAt: null, wakeAt: null },
    });
  });

  it("makes a jitter shift each time alike, so that no time is lost or early", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3 * HOUR }), fc.nat(10 * HOUR), (jitterMs, passed) => {
        const job = jobAt({ jitterMs });
        const shift = (job.wakeAt ?? 0) - (job.nextAt ?? 0);
        expect(shift).toBeGreaterThanOrEqual(0);
        expect(shift).toBeLessThanOrEqual(Math.max(0, jitterMs - 1));
        const { times, nextAt, wakeAt } = decide(job, NOW + passed);
        expect((wakeAt ?? 0) - (nextAt ?? 0)).toBe(shift);
        expect(nextAt).toBe(nextRun(job.timing, Math.max(NOW, NOW + passed - shift)));
        const come = times.map(({ at }) => at + shift);
        expect(come).toEqual(come.filter((at) => at <= NOW + passed));
        expect(come).toHaveLength(Math.max(0, Math.floor((passed - shift) / HOUR)));
        expect(times.every(({ skipped }) => skipped === null)).toBe(true);
      }),
    );
  });

  it("spreads jobs of the same time over their jitter", () => {
    const shifts = Array.from({ length: 500 }, () => {
      const { nextAt, wakeAt } = clockFrom(newJobId(), { timing: hourly, jitterMs: 10 }, NOW);
      return (wakeAt ?? 0) - (nextAt ?? 0);
    });
    expect(new Set(shifts).size).toBe(10);
  });
});

describe("backOff", () => {
  it("waits after the second failure, and longer after each one more", () => {
    expect([0, 1, 2, 3, 4, 5, 99].map((failures) => backOff(failures, 0))).toEqual(
      [null, null, 10, 60, 360, 360, 360].map((minutes) => minutes && minutes * MINUTE),
    );
    expect(MOST_FAILURES).toBe(5);
  });
});
