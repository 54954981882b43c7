import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { parseSchedule } from "./parse.js";
import { cronWords } from "./words.js";

const read = (text: string) => parseSchedule(text, { now: 0, timeZone: "UTC" });

describe("a cron line in words", () => {
  it.each([
    ["0 9 * * 1-5", "every weekday at 09:00"],
    ["30 8 * * 1", "every Monday at 08:30"],
    ["0 0 * * *", "every day at 00:00"],
    ["5 18 * * 1,2,5", "every Monday, Tuesday and Friday at 18:05"],
    ["0 12 * * 0,6", "every weekend at 12:00"],
    ["0 9 1 * *", "every month on the 1st at 09:00"],
    ["0 9 12 * *", "every month on the 12th at 09:00"],
    ["0 9 22 * *", "every month on the 22nd at 09:00"],
  ])("%s is %s", (expression, words) => {
    expect(cronWords(expression)).toBe(words);
  });

  it.each(["*/5 * * * *", "0 9 1 * 1", "0 9 * 6 *", "0 9-17 * * *", "0 9 * * MON", "0 9 * * 1#1"])(
    "%s stays as it is",
    (expression) => {
      expect(cronWords(expression)).toBe(expression);
    },
  );

  test("is read back as the same line", () => {
    const days = fc
      .uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1 })
      .map((some) => some.sort().join(","));
    const end = fc.oneof(
      fc.constantFrom("* * *", "* * 1-5"),
      days.map((some) => `* * ${some}`),
      fc.integer({ min: 1, max: 31 }).map((date) => `${date} * *`),
    );
    const clock = [fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 23 })] as const;
    fc.assert(
      fc.property(...clock, end, (minute, hour, rest) => {
        const expression = `${minute} ${hour} ${rest}`;
        expect(cronWords(expression)).not.toBe(expression);
        expect(read(cronWords(expression))).toEqual({ kind: "cron", expression });
      }),
    );
  });
});
