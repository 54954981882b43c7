import fc from "fast-check";
import { expect, it } from "vitest";
import { beginningOf, counted, relativeTime, sizeText } from "./words.js";

const NOW = Date.UTC(2026, 5, 15, 12);
const MINUTE = 60_000;

it.each([
  [0, "now"],
  [-59_000, "now"],
  [500, "now"],
  [30_000, "in a moment"],
  [-5 * MINUTE, "5 min ago"],
  [-3 * 60 * MINUTE, "3 h ago"],
  [2 * 24 * 60 * MINUTE, "in 2 days"],
  [-10 * 24 * 60 * MINUTE, "5 Jun"],
  [-365 * 24 * 60 * MINUTE, "15 Jun 2025"],
])("says how far away a time is: %i ms", (away, words) => {
  expect(relativeTime(NOW + away, NOW)).toBe(words);
});

it.each([
  [0, "0 B"],
  [1_023, "1023 B"],
  [1_024, "1.0 KB"],
  [3_600_000, "3.4 MB"],
  [25 * 1_024 * 1_024, "25 MB"],
  [5_000 * 1_024 ** 3, "5000 GB"],
])("says how large something is: %i bytes", (bytes, words) => {
  expect(sizeText(bytes)).toBe(words);
});

it("counts", () => {
  expect([counted(0, "file"), counted(1, "file"), counted(2, "person", "people")]).toEqual([
    ...["0 files", "1 file", "2 people"],
  ]);
});

it("shows the beginning of a text on one line", () => {
  expect(beginningOf(" a\n\n b\tc ", 10)).toBe("a b c");
  expect(beginningOf("a long sentence", 7)).toBe("a long…");
  expect(beginningOf("🎵🎵🎵", 4)).toBe("🎵…");
});

it("is never longer than allowed, on one line, and never ends within a character", () => {
  const text = fc.string({ unit: fc.constantFrom("a", " ", "\n", "\u2028", "🎵") });
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 12 }), (whole, most) => {
      const line = beginningOf(whole, most);
      expect(line.length).toBeLessThanOrEqual(most);
      expect(line).not.toMatch(/[\n\u2028]| {2}/);
      expect(line.isWellFormed()).toBe(true);
    }),
  );
});
