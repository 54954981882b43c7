import fc from "fast-check";
import { expect, test } from "vitest";
import { counted, grouped } from "./words.js";

test("a whole number is grouped as English groups it", () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (count) => {
      expect(grouped(count)).toBe(count.toLocaleString("en-US"));
    }),
  );
});

test("one is no plural", () => {
  expect([0, 1, 12_345].map((count) => counted(count, "session"))).toEqual([
    "0 sessions",
    "1 session",
    "12,345 sessions",
  ]);
});
