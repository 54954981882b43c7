import fc from "fast-check";
import { expect, it } from "vitest";
import { labelledPlaces } from "./plot-labels.js";

it("labels the last place, evenly, and never more than there is room for", () => {
  expect(labelledPlaces(7, 7)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(labelledPlaces(30, 4)).toEqual([5, 13, 21, 29]);
  expect(labelledPlaces(0, 4)).toEqual([]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 30 }), (count, most) => {
      const places = labelledPlaces(count, most);
      expect(places.length).toBeLessThanOrEqual(most);
      expect(places.at(-1)).toBe(count - 1);
    }),
  );
});
