import { expect, test } from "vitest";
import { relativeTime } from "../util/words.js";
import { timeIn } from "./time.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test.each([
  [0, "just now"],
  [59_000, "just now"],
  [5 * MINUTE, "5 min ago"],
  [89 * MINUTE, "89 min ago"],
  [3 * HOUR, "3 h ago"],
  [35 * HOUR, "35 h ago"],
  [2 * DAY, "2 days ago"],
  [90 * DAY, "3 months ago"],
  [800 * DAY, "2 years ago"],
  [-30_000, "in a moment"],
  [-20 * MINUTE, "in 20 min"],
  [-3 * DAY, "in 3 days"],
])("%d ms before now is %j", (span, words) => {
  const now = Date.UTC(2026, 10, 15);
  expect(relativeTime(now - span, now)).toBe(words);
});

test("civil time is that of the zone, and midnight is 00:00", () => {
  const at = Date.UTC(2026, 6, 1, 22, 0);
  expect(timeIn("UTC", at)).toBe("2026-07-01 22:00");
  expect(timeIn("Europe/Berlin", at)).toBe("2026-07-02 00:00");
});
