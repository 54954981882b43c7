import fc from "fast-check";
import { expect, test } from "vitest";
import { isDue } from "./retention.js";

const rules = fc.record({
  endedBeforeMs: fc.option(fc.nat(1_000)),
  maxBytes: fc.option(fc.nat(1_000)),
});

test("older sessions go before younger ones, and more is removed the more there is", () => {
  fc.assert(
    fc.property(rules, fc.nat(2_000), fc.nat(2_000), fc.nat(2_000), (rule, endedAt, bytes, more) => {
      const now = 2_000;
      if (isDue(endedAt, bytes, rule, now)) {
        expect(isDue(endedAt, bytes + more, rule, now)).toBe(true);
        expect(isDue(Math.max(0, endedAt - more), bytes, rule, now)).toBe(true);
        expect(isDue(endedAt, bytes, rule, now + more)).toBe(true);
      }
      expect(isDue(endedAt, bytes, { endedBeforeMs: null, maxBytes: null }, now)).toBe(false);
    }),
  );
});

test("exactly at the limit nothing goes", () => {
  expect(isDue(900, 0, { endedBeforeMs: 100, maxBytes: null }, 1_000)).toBe(false);
  expect(isDue(899, 0, { endedBeforeMs: 100, maxBytes: null }, 1_000)).toBe(true);
  expect(isDue(0, 500, { endedBeforeMs: null, maxBytes: 500 }, 1_000)).toBe(false);
  expect(isDue(0, 501, { endedBeforeMs: null, maxBytes: 500 }, 1_000)).toBe(true);
});
