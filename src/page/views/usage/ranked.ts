/** Which bars a plot of names has: those with the most, the longest first, and one for all others together. Pure. */
import { summed, type UsedFigures } from "../figures.js";

export interface RankedBar {
  /** Null if it is the others. */
  readonly name: string | null;
  /** How many it stands for. */
  readonly count: number;
  readonly used: UsedFigures;
  /** Of the longest, from 0 to 1. */
  readonly share: number;
}

/** The last of them may be all others. */
const MOST = 11;

export function ranked(
  rows: readonly (UsedFigures & { readonly name: string })[],
  figure: "tokens" | "cost",
): readonly RankedBar[] {
  const sorted = [...rows].sort((one, other) => other[figure] - one[figure]);
  const own = sorted.length > MOST ? sorted.slice(0, MOST - 1) : sorted;
  const others = sorted.slice(own.length);
  const bars = own.map((used) => ({ name: used.name, count: 1, used }));
  const all =
    others.length === 0 ? bars : [...bars, { name: null, count: others.length, used: summed(others) }];
  const longest = Math.max(...all.map(({ used }) => used[figure]), 0);
  return all.map((bar) => ({ ...bar, share: longest === 0 ? 0 : bar.used[figure] / longest }));
}
