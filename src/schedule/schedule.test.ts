import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ODD_ZONES, ZoneOracle } from "../../test/support/zone-oracle.js";
import { formatSpan, nextRun, nextRuns, type Schedule } from "./schedule.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const at = (iso: string): number => Date.parse(iso);
const utc = (schedule: Schedule, from = 0) => ({ schedule, timeZone: "UTC", from });
const cron = (expression: string): Schedule => ({ kind: "cron", expression });

describe("nextRun", () => {
  it("of what runs once is its time, and then none", () => {
    const timing = utc({ kind: "once", at: 10 });
    expect(nextRun(timing, 9)).toBe(10);
    expect(nextRun(timing, 10)).toBeNull();
  });

  it("of an interval is counted from its beginning, whenever somebody asks", () => {
    const timing = utc({ kind: "every", everyMs: 30 * MINUTE }, 7);
    expect(nextRun(timing, 7)).toBe(7 + 30 * MINUTE);
    expect(nextRun(timing, 6 + 30 * MINUTE)).toBe(7 + 30 * MINUTE);
    expect(nextRun(timing, 7 + 30 * MINUTE)).toBe(7 + 60 * MINUTE);
    expect(nextRun(timing, -5 * DAY)).toBe(7 + 30 * MINUTE);
  });

  it("of a cron line is after the time that was asked for, and follows the calendar", () => {
    const weekdays = utc(cron("0 9 * * 1-5"));
    expect(nextRuns(weekdays, at("2026-11-13T09:00:00Z"), 2)).toEqual([
      at("2026-11-16T09:00:00Z"),
      at("2026-11-17T09:00:00Z"),
    ]);
    expect(nextRun(utc(cron("0 0 30 2 *")), 0)).toBeNull();
  });

  it("is later than the time that was asked for, and nothing lies between", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("*/7 * * * *", "0 */5 * * *", "15 3 * * 1,4", "0 9 1 * *"),
        fc.constantFrom(...ODD_ZONES),
        fc.integer({ min: at("2000-01-01T00:00Z"), max: at("2039-01-01T00:00Z") }),
        (expression, timeZone, now) => {
          const timing = { schedule: cron(expression), timeZone, from: 0 };
          const next = nextRun(timing, now) ?? Number.NaN;
          expect(next).toBeGreaterThan(now);
          expect(nextRun(timing, next - 1)).toBe(next);
          expect(nextRun(timing, now + Math.floor((next - now) / 2))).toBe(next);
        },
      ),
    );
  });
});

describe("a daily job, beside an oracle", () => {
  const everything = process.env.BATON_TEST_FULL === "1";
  const [from, to] = [at("2000-01-01T00:00Z"), at("2040-01-01T00:00Z")];
  const zones = everything ? Intl.supportedValuesOf("timeZone") : ODD_ZONES;
  const covered = { zones: 0, gaps: 0, folds: 0, overMidnight: 0, times: 0 };

  /** The clock goes from one day to another, or back. */
  const isOverMidnight = (oracle: ZoneOracle, change: number): boolean =>
    Math.floor((change - 1 + oracle.offset(change - 1)) / DAY) !==
    Math.floor((change + oracle.offset(change)) / DAY);

  it.each(zones)(
    "runs once in each civil day: %s",
    (timeZone) => {
      const oracle = new ZoneOracle(timeZone, from, to);
      const step = everything ? 1 : Math.max(1, Math.ceil(oracle.transitions.length / 6));
      const oddest = oracle.transitions.filter((change) => isOverMidnight(oracle, change)).slice(0, 3);
      const sample = oracle.transitions.filter((_, index) => index % step === 0);
      const around = [...new Set([...sample, ...oddest])];
      if (timeZone === "Pacific/Apia") around.push(at("2011-12-30T10:00Z"));
      covered.zones += 1;
      for (const change of around) {
        covered[oracle.offset(change) > oracle.offset(change - 1) ? "gaps" : "folds"] += 1;
        if (isOverMidnight(oracle, change)) covered.overMidnight += 1;
      }
      for (const change of around.length > 0 ? around : [from + 100 * DAY]) {
        const days = oracle.days(change - 4 * DAY, change + 4 * DAY).slice(0, -1);
        for (let minute = 0; minute < 24 * 60; minute += 30) {
          const expected = days.map(({ first }) => first(minute * MINUTE));
          const schedule = cron(`${minute % 60} ${Math.floor(minute / 60)} * * *`);
          const [begin = 0] = expected;
          const runs = nextRuns({ schedule, timeZone, from: 0 }, begin - 1, expected.length);
          expect(runs, `${new Date(change).toISOString()}, minute ${minute}`).toEqual(expected);
          covered.times += runs.length;
        }
      }
    },
    600_000,
  );

  it("covers gaps, folds, and days that the clock cuts short", () => {
    const { gaps, folds, overMidnight } = covered;
    expect(Math.min(gaps, folds, overMidnight)).toBeGreaterThan(5);
    if (everything) console.log("Covered:", covered);
  });

  it("runs also if a whole year lies between, and only that day's end was cut off", () => {
    const yearly = { schedule: cron("15 23 30 3 *"), timeZone: "America/Nuuk", from: 0 };
    expect(nextRuns(yearly, at("2023-06-01T00:00Z"), 2)).toEqual([
      at("2024-03-31T01:00Z"), // Midnight: the clock went there from 23:00.
      at("2025-03-31T00:15Z"),
    ]);
  });
});

it("a span is written with each unit once", () => {
  expect(formatSpan(90 * MINUTE)).toBe("1h30m");
  expect(formatSpan(DAY + 12 * HOUR + 5_000)).toBe("1d12h5s");
});
