import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CatchUp, defaultCatchUp, dueNow } from "./due.js";
import { nextRun, type Schedule, type Timing } from "./schedule.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const at = (iso: string): number => Date.parse(iso);
const timing = (schedule: Schedule): Timing => ({
  schedule,
  timeZone: "Europe/Berlin",
  from: at("2026-11-01T00:00Z"),
});
const hourly = timing({ kind: "every", everyMs: HOUR });
const daily = timing({ kind: "cron", expression: "0 9 * * *" });
const minutely = timing({ kind: "cron", expression: "* * * * *" });
const first = hourly.from + HOUR;

describe("dueNow", () => {
  const latest: CatchUp = { missed: "latest", graceMs: 12 * HOUR };

  it("has nothing before the time has come", () => {
    expect(dueNow(hourly, latest, first, first - 1)).toEqual({ times: [], next: first });
  });

  it("runs a time that has just come, whatever the policy", () => {
    for (const missed of ["latest", "skip", "all"] as const)
      expect(dueNow(hourly, { missed, graceMs: 0 }, first, first + MINUTE)).toEqual({
        times: [{ at: first, skipped: null }],
        next: first + HOUR,
      });
  });

  it("runs the latest missed time, or all, or none", () => {
    const now = first + 2 * HOUR + 30 * MINUTE;
    const runs = (catchUp: CatchUp) =>
      dueNow(hourly, catchUp, first, now).times.map(({ skipped }) => skipped === null);
    expect(runs(latest)).toEqual([false, false, true]);
    expect(runs({ missed: "all", graceMs: 2 * HOUR })).toEqual([false, true, true]);
    expect(runs({ missed: "skip", graceMs: 12 * HOUR })).toEqual([false, false, false]);
    expect(runs({ missed: "latest", graceMs: 29 * MINUTE })).toEqual([false, false, false]);
  });

  it("costs no more after ten years: the last missed times have a row each, the others share one", () => {
    const now = first + 3_650 * DAY;
    for (const job of [hourly, minutely, daily, timing({ kind: "every", everyMs: MINUTE })]) {
      const since = nextRun(job, job.from) ?? 0;
      const { times, next } = dueNow(job, { missed: "all", graceMs: Number.MAX_SAFE_INTEGER }, since, now);
      expect(times).toHaveLength(21);
      expect(times[0]).toEqual({ at: since, skipped: expect.stringContaining("missed") });
      expect(times.slice(1).every(({ skipped }) => skipped === null)).toBe(true);
      expect(next).toBe(nextRun(job, now));
    }
  });

  it("decides each time once, however the clock runs", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(hourly, daily, minutely, timing({ kind: "once", at: first })),
        fc.constantFrom("latest" as const, "skip" as const, "all" as const),
        fc.array(fc.integer({ min: 0, max: 3 * DAY }), { maxLength: 8 }),
        (job, missed, steps) => {
          const decided: number[] = [];
          let since = nextRun(job, job.from);
          let now = job.from;
          for (const step of steps) {
            now += step;
            if (since === null) break;
            const due = dueNow(job, { missed, graceMs: DAY }, since, now);
            decided.push(...due.times.map((time) => time.at));
            since = due.next;
            if (since !== null) expect(since).toBeGreaterThan(now);
          }
          expect(decided).toEqual([...new Set(decided)].sort((a, b) => a - b));
          for (const time of decided) expect(nextRun(job, time - 1)).toBe(time);
        },
      ),
    );
  });
});

describe("defaultCatchUp", () => {
  it("lets rare jobs make up for the last time, and frequent ones wait", () => {
    expect(defaultCatchUp(daily)).toEqual({ missed: "latest", graceMs: 12 * HOUR });
    expect(defaultCatchUp(timing({ kind: "cron", expression: "0 9 * * 1" }))).toEqual({
      missed: "latest",
      graceMs: 12 * HOUR,
    });
    expect(defaultCatchUp(timing({ kind: "once", at: first }))).toEqual({
      missed: "latest",
      graceMs: 12 * HOUR,
    });
    expect(defaultCatchUp(timing({ kind: "every", everyMs: 30 * MINUTE })).missed).toBe("skip");
    expect(defaultCatchUp(hourly)).toEqual({ missed: "latest", graceMs: 30 * MINUTE });
    expect(defaultCatchUp(timing({ kind: "every", everyMs: 6 * HOUR }))).toEqual({
      missed: "latest",
      graceMs: 2 * HOUR,
    });
  });
});
