/** How much work the page has with a piece of Markdown: counted, not timed. Between two frames it reads the last one anew. */
import { expect, it } from "vitest";
import { treeOf } from "../../src/page/markdown-tree.js";
import { deepTexts, filled, UNITS } from "../support/hostile-text.js";
import { stepsOf } from "../support/steps.js";

/** As long as a piece may be, and as long as one with many marks or lines. */
const LENGTHS = [7_900, 2_400, 1_200];
const MOST_A_PIECE = 100_000_000;

it("no piece takes more than a bounded number of steps", async () => {
  const units = [...UNITS, "a@b", "a  \n", "https://a.b/( ", "1) - "];
  const around = (length: number): string[] =>
    units.flatMap((unit) => ["", "- ", "[`]`"].map((before) => `${before}${filled(unit, length)}x`));
  for (const text of LENGTHS.flatMap((length) => [...around(length), ...deepTexts(length)]))
    expect(await stepsOf(() => treeOf(text)), JSON.stringify(text.slice(0, 40))).toBeLessThan(MOST_A_PIECE);
});
