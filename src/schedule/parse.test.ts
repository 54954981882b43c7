import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ODD_ZONES } from "../../test/support/zone-oracle.js";
import { ACCEPTED_FORMS } from "./forms.js";
import { parseSchedule } from "./parse.js";
import { formatSchedule, nextRun, type Schedule } from "./schedule.js";

/** A Tuesday, 14:00 in Berlin. */
const now = Date.parse("2026-11-17T13:00:00Z");
const moment = { now, timeZone: "Europe/Berlin" };
const MINUTE = 60_000;

const read = (text: string): string => formatSchedule(parseSchedule(text, moment), moment.timeZone);

describe("parseSchedule", () => {
  it.each([
    ["30m", "2026-11-17T14:30:00+01:00"],
    ["2h", "2026-11-17T16:00:00+01:00"],
    ["1d", "2026-11-18T14:00:00+01:00"],
    ["1h30m", "2026-11-17T15:30:00+01:00"],
    ["in 10 minutes", "2026-11-17T14:10:00+01:00"],
    ["in 2 hours and 5 minutes", "2026-11-17T16:05:00+01:00"],
    ["in an hour", "2026-11-17T15:00:00+01:00"],
    ["90s", "2026-11-17T14:01:30+01:00"],
    ["every 30m", "every 30m"],
    ["every 90 minutes", "every 1h30m"],
    ["every hour", "every 1h"],
    ["Every 2 Hours", "every 2h"],
    ["0 9 * * 1-5", "0 9 * * 1-5"],
    ["  0   9 * * MON-FRI ", "0 9 * * MON-FRI"],
    ["@daily", "0 0 * * *"],
    ["2026-12-01T10:00", "2026-12-01T10:00:00+01:00"],
    ["2026-12-01 10:00", "2026-12-01T10:00:00+01:00"],
    ["2026-12-01T10:00Z", "2026-12-01T11:00:00+01:00"],
    ["2026-12-01T10:00:30-05:00", "2026-12-01T16:00:30+01:00"],
    ["2027-03-28T02:30", "2027-03-28T03:30:00+02:00"], // The clock skips it.
    ["2027-10-31T02:30", "2027-10-31T02:30:00+02:00"], // The first of two.
    ["tomorrow at 9", "2026-11-18T09:00:00+01:00"],
    ["next monday 8:30", "2026-11-23T08:30:00+01:00"],
    ["on monday at 9", "2026-11-23T09:00:00+01:00"],
    ["tonight at 8", "2026-11-17T20:00:00+01:00"],
    ["5pm", "2026-11-17T17:00:00+01:00"],
    ["at noon", "2026-11-18T12:00:00+01:00"],
    ["25 december at 9am", "2026-12-25T09:00:00+01:00"],
    ["tomorrow at 9 PST", "2026-11-18T18:00:00+01:00"],
    ["every monday at 8:30", "30 8 * * 1"],
    ["on mondays at 9", "0 9 * * 1"],
    ["every weekday at 9am", "0 9 * * 1-5"],
    ["every weekend at noon", "0 12 * * 0,6"],
    ["daily at 7", "0 7 * * *"],
    ["weekdays 17:45", "45 17 * * 1-5"],
    ["every day at 12:00 am", "0 0 * * *"],
    ["every day at 12 pm", "0 12 * * *"],
    ["every mon, wed and fri at 18:00", "0 18 * * 1,3,5"],
    ["every month on the 1st at 9", "0 9 1 * *"],
  ])("reads %j", (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it.each([
    "",
    " ",
    "0",
    "9",
    "soon",
    "tomorrow",
    "every day",
    "every monday",
    "every 2 days at 9",
    "every other day at 9",
    "every day at 25",
    "every day at 9:60",
    "every day at 0 am",
    "tomorrow at 9 or 10",
    "call me tomorrow at 9",
    "2026-12-01",
    "2026-13-01T10:00",
    "0 9 * *",
    "0 9 * * * *",
    "x".repeat(10_000),
    "__proto__",
    "every constructor at 9",
  ])("refuses %j and names the accepted forms", (text) => {
    expect(() => parseSchedule(text, moment)).toThrow(ACCEPTED_FORMS);
  });

  it.each([
    ["every 59s", /shortest interval is one minute/],
    ["every 0m", /shortest interval is one minute/],
    ["every 999999999d", /longest interval is ten years/],
    ["0m", /in the past/],
    ["2020-01-01T00:00", /in the past/],
    ["today at 9", /in the past/],
    ["999999999d", /more than ten years/],
    ["60 9 * * *", /can't be used: Invalid value for minute: 60\.$/],
    ["0 9 * * 8", /can't be used: Invalid value for day of the week: 8\.$/],
    ["tomorrow", /^"tomorrow" has no time of day\. Write `30m`/],
    ["every day", /^"every day" has no time of day\. Write `30m`/],
    ["one day", /^Baton can't read "one day" as a time\. Write `30m`/],
    ["*/0 * * * *", /can't be used/],
    ["0 0 30 2 *", /No date fits/],
  ])("refuses %j with the reason", (text, why) => {
    expect(() => parseSchedule(text, moment)).toThrow(why);
  });

  it("reads words in the zone, on both sides of a clock change", () => {
    for (const [day, offset] of [
      ["2027-03-27T12:00:00Z", "+02:00"],
      ["2027-10-30T12:00:00Z", "+01:00"],
    ] as const) {
      const then = { now: Date.parse(day), timeZone: "Europe/Berlin" };
      const schedule = parseSchedule("tomorrow at 9", then);
      expect(formatSchedule(schedule, "Europe/Berlin")).toMatch(new RegExp(`T09:00:00\\${offset}$`));
    }
  });

  it("reads back what is written", () => {
    const schedules: fc.Arbitrary<Schedule> = fc.oneof(
      fc.record({
        kind: fc.constant("once"),
        at: fc.integer({ min: now + 1, max: now + 3_000 * 86_400_000 }),
      }),
      fc.record({
        kind: fc.constant("every"),
        everyMs: fc.integer({ min: 60, max: 1_000_000 }).map((s) => s * 1_000),
      }),
      fc.record({
        kind: fc.constant("cron"),
        expression: fc
          .tuple(
            fc.nat(59),
            fc.nat(23),
            fc.constantFrom("*", "1", "*/2"),
            fc.constantFrom("*", "JAN,3"),
            fc.constantFrom("*", "1-5", "SUN"),
          )
          .map((fields) => fields.join(" ")),
      }),
    );
    fc.assert(
      fc.property(schedules, fc.constantFrom(...ODD_ZONES), (schedule, timeZone) => {
        expect(parseSchedule(formatSchedule(schedule, timeZone), { now, timeZone })).toEqual(schedule);
      }),
    );
  });

  it("gives a schedule that has a next time, or refuses, whatever is written", () => {
    const words = [
      "every",
      "at",
      "9",
      "monday",
      "and",
      "30m",
      "*",
      "1-5",
      "tomorrow",
      "in",
      "2",
      "days",
      "pm",
      "8:30",
      "/",
      ",",
    ];
    const texts = fc.oneof(
      fc.string({ maxLength: 300 }),
      fc.array(fc.constantFrom(...words), { maxLength: 8 }).map((some) => some.join(" ")),
    );
    fc.assert(
      fc.property(texts, (text) => {
        let schedule: Schedule;
        try {
          schedule = parseSchedule(text, moment);
        } catch (error) {
          expect(error).toMatchObject({ code: "invalid_schedule" });
          return;
        }
        expect(nextRun({ schedule, timeZone: moment.timeZone, from: now }, now)).toBeGreaterThan(now);
        if (schedule.kind === "every") expect(schedule.everyMs).toBeGreaterThanOrEqual(MINUTE);
      }),
      { numRuns: 2_000 },
    );
  });
});
