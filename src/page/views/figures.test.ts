import { expect, it } from "vitest";
import {
  compact,
  costWords,
  dayStart,
  dayWords,
  dollars,
  dollarsAlike,
  progressWords,
  spanWords,
  summed,
} from "./figures.js";

it.each([
  [0, "0 s"],
  [440, "0.4 s"],
  [9_960, "10 s"],
  [89_000, "89 s"],
  [95_000, "2 min"],
  [3 * 3_600_000, "3 h"],
  [4 * 86_400_000, "4 days"],
  [-5, "0 s"],
])("says %d ms", (ms, words) => expect(spanWords(ms)).toBe(words));

it("says counts and money in few characters", () => {
  expect([812, 12_345, 4_500_000].map(compact)).toEqual(["812", "12.3K", "4.5M"]);
  expect([0, 12.5, 0.0125, 0.25, 0.0025, 0.00001].map(dollars)).toEqual([
    ...["$0.00", "$12.50", "$0.01", "$0.25", "$0.0025", "under $0.0001"],
  ]);
  expect(dollarsAlike([0, 0.1, 0.2, 0.1 + 0.2])).toEqual(["$0.00", "$0.10", "$0.20", "$0.30"]);
  expect(dollarsAlike([0, 0.005, 0.01])).toEqual(["$0.0000", "$0.0050", "$0.0100"]);
});

it("says how far a work is, never more than all of it", () => {
  expect(progressWords(1_204, 5_000, "messages")).toBe("1,204 of 5,000 messages (24 %)");
  expect(progressWords(1_204, null, "messages")).toBe("1,204 messages");
  expect(progressWords(7, 5, "")).toBe("7 of 5 (100 %)");
  expect(progressWords(0, 0, "files")).toBe("0 of 0 files");
});

it("says days, and leaves other names as they are", () => {
  expect(dayWords("2026-11-19")).toBe("Thu 19 Nov");
  expect(dayWords("Ann")).toBe("Ann");
  expect(dayStart("2026-13-40")).toBeNull();
  expect(dayStart("1970-01-02")).toBe(86_400_000);
});

it("sums rows, and says how much of the cost is known", () => {
  const rows = [
    { tokens: 1, cost: 0.5, calls: 2, unpricedCalls: 0 },
    { tokens: 3, cost: 0.25, calls: 1, unpricedCalls: 0 },
  ];
  expect(summed(rows)).toEqual({ tokens: 4, cost: 0.75, calls: 3, unpricedCalls: 0 });
  expect(summed([])).toEqual({ tokens: 0, cost: 0, calls: 0, unpricedCalls: 0 });
  expect(costWords({ cost: 0.75, calls: 3, unpricedCalls: 0 })).toBe("$0.75");
  expect(costWords({ cost: 0.75, calls: 3, unpricedCalls: 1 })).toBe("at least $0.75");
  expect(costWords({ cost: 0, calls: 3, unpricedCalls: 3 })).toBe("not known");
});
