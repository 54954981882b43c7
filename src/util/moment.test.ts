import { expect, test } from "vitest";
import { isMoment, momentIn, parseDuration } from "./moment.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test.each([
  ["30m", 30 * MINUTE],
  ["2h", 2 * HOUR],
  ["7d", 7 * DAY],
  ["4W", 28 * DAY],
  ["0d", null],
  ["-1d", null],
  ["1.5h", null],
  ["7", null],
  ["7days", null],
  ["", null],
  ["9999999d", null],
])("the duration %j", (text, ms) => expect(parseDuration(text)).toBe(ms));

test.each([
  ["2026-01-31", "2026-01-30T23:00Z"],
  ["2026-07-31", "2026-07-30T22:00Z"],
  ["2026-01-31T10:00", "2026-01-31T09:00Z"],
  ["2026-01-31 10:05", "2026-01-31T09:05Z"],
  ["2026-03-29T02:30", "2026-03-29T01:00Z"], // No clock shows this one: the first instant after.
  ["2026-10-25T02:30", "2026-10-25T00:30Z"], // Two have it: the first.
  ["7d", "2026-02-22T12:00Z"],
])("the moment %j in Berlin", async (text, at) => {
  expect(isMoment(text)).toBe(true);
  expect(await momentIn(text, "Europe/Berlin", Date.UTC(2026, 2, 1, 12))).toBe(Date.parse(at));
});

test("a day that a zone skipped begins with the next", async () => {
  expect(await momentIn("2011-12-30", "Pacific/Apia", 0)).toBe(Date.parse("2011-12-30T10:00Z"));
});

test.each([
  "",
  "yesterday",
  "2026",
  "2026-02-30",
  "2026-13-01",
  "2026-01-01T24:00",
  "2026-01-01T10",
  "-7d",
  "31.1.2026",
])("%j is no moment", async (text) => {
  expect(isMoment(text)).toBe(false);
  expect(await momentIn(text, "UTC", 0)).toBeNull();
});
