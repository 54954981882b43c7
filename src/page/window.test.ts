import fc from "fast-check";
import { expect, it } from "vitest";
import { windowOf } from "./window.js";

it("draws what can be seen and a bounded number of rows around it, and is as high as the whole list", () => {
  const numbers = fc.tuple(fc.nat(5_000), fc.integer({ min: 1, max: 100 }), fc.integer(), fc.nat(2_000));
  fc.assert(
    fc.property(numbers, ([count, row, scroll, height]) => {
      const top = scroll % (count * row + 1);
      const { from, to, above, below } = windowOf(count, row, top, height);
      expect(above + (to - from) * row + below).toBe(count * row);
      expect(from).toBeGreaterThanOrEqual(0);
      expect(to).toBeLessThanOrEqual(count);
      expect(to - from).toBeLessThanOrEqual(height / row + 18);
      // A list can be scrolled until its end is at the bottom.
      const seen = Math.min(Math.max(0, top), Math.max(0, count * row - height));
      expect(from * row).toBeLessThanOrEqual(seen);
      expect(to * row).toBeGreaterThanOrEqual(Math.min(count * row, seen + height));
    }),
  );
});

it("has nothing of an empty list", () => {
  expect(windowOf(0, 58, 400, 900)).toEqual({ from: 0, to: 0, above: 0, below: 0 });
});
