import fc from "fast-check";
import { expect, it } from "vitest";
import { bar } from "./bar.js";

const value = fc.double({ min: 0, max: 1e9, noNaN: true });
const width = fc.integer({ min: 1, max: 80 });

it("never takes more columns than it may, shows what is not nothing, and grows with the value", () => {
  fc.assert(
    fc.property(value, value, value, width, fc.boolean(), (one, two, more, columns, unicode) => {
      const most = Math.max(one, two, more);
      const [small, large] = [Math.min(one, two), Math.max(one, two)].map((each) =>
        bar(each, most, columns, unicode),
      ) as [string, string];
      expect(large.length).toBeLessThanOrEqual(columns);
      expect(small.length).toBeLessThanOrEqual(large.length);
      expect(large === "").toBe(Math.max(one, two) === 0);
      if (most > 0) expect(bar(most, most, columns, unicode)).toBe((unicode ? "█" : "#").repeat(columns));
    }),
  );
});

it("is drawn in eighths of a column", () => {
  expect([0, 1, 4, 8, 12, 16].map((eighths) => bar(eighths, 16, 2))).toEqual(["", "▏", "▌", "█", "█▌", "██"]);
  expect(bar(1, 3, 9, false)).toBe("###");
});
