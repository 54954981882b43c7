import fc from "fast-check";
import { expect, it } from "vitest";
import { ranked } from "./ranked.js";

const row = (name: string, tokens: number, cost = tokens / 1_000) => ({
  ...{ name, tokens, cost, calls: 1, unpricedCalls: 0 },
});

it("has the longest first, each by its own figure", () => {
  const rows = [row("a", 100, 3), row("b", 400, 1)];
  expect(ranked(rows, "tokens").map(({ name, share }) => [name, share])).toEqual([
    ["b", 1],
    ["a", 0.25],
  ]);
  expect(ranked(rows, "cost").map(({ name }) => name)).toEqual(["a", "b"]);
  expect(ranked([], "cost")).toEqual([]);
});

it("puts together what there is no room for, and never only one", () => {
  const rows = (count: number) => Array.from({ length: count }, (_, place) => row(`${place}`, count - place));
  expect(ranked(rows(11), "tokens").map(({ name }) => name)).not.toContain(null);
  const bars = ranked(rows(13), "tokens");
  expect(bars).toHaveLength(11);
  expect(bars.at(-1)).toMatchObject({ name: null, count: 3, used: { tokens: 6 } });
});

it("loses nothing, and draws nothing longer than its place", () => {
  const figures = fc.array(fc.nat({ max: 1_000_000 }), { maxLength: 60 });
  fc.assert(
    fc.property(figures, (tokens) => {
      const bars = ranked(
        tokens.map((count, place) => row(`${place % 7}`, count)),
        "tokens",
      );
      expect(bars.reduce((sum, { used }) => sum + used.tokens, 0)).toBe(
        tokens.reduce((sum, one) => sum + one, 0),
      );
      expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(tokens.length);
      for (const { share } of bars) expect(share >= 0 && share <= 1).toBe(true);
    }),
  );
});
