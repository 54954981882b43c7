import fc from "fast-check";
import stringWidth from "string-width";
import { expect, test } from "vitest";
import { wrapLine } from "./wrap-line.js";

test("a line is broken at spaces", async () => {
  expect(await wrapLine("a garden party in the meadow", 14)).toEqual(["a garden party", "in the meadow"]);
  expect(await wrapLine("short", 80)).toEqual(["short"]);
  expect(await wrapLine("", 80)).toEqual([""]);
});

test("no row is wider than it may be, and no word is lost", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: fc.constantFrom(..."ab日é"), minLength: 1, maxLength: 9 }), {
        maxLength: 30,
      }),
      fc.integer({ min: 2, max: 30 }),
      async (words, width) => {
        const rows = await wrapLine(words.join(" "), width);
        for (const row of rows) expect(stringWidth(row)).toBeLessThanOrEqual(width);
        expect(rows.join("").replaceAll(" ", "")).toBe(words.join(""));
      },
    ),
  );
});
