import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { labelsOf, timeLabels } from "./labels.js";

const DAY_MS = 86_400_000;
const timeLabelsOf = (at: number) =>
  labelsOf({ owner: "person:x:y", session_id: "s", role: "user", at }).filter((label) =>
    label.startsWith("=t"),
  );

const aTime = fc.oneof(
  fc.integer({ min: Date.UTC(2019, 11, 25), max: Date.UTC(2031, 0, 5) }),
  fc.integer({ min: -1e15, max: 1e15 }),
  fc.integer({ min: 0, max: 40_000 }).map((day) => day * DAY_MS),
);

describe("the labels of a time", () => {
  it("have every message of the time, and none of another day", () => {
    fc.assert(
      fc.property(aTime, aTime, aTime, (after, before, at) => {
        const labels = timeLabels(after, before);
        const has = timeLabelsOf(at).some((label) => labels.includes(label));
        if (at >= after && at < before) expect(has).toBe(true);
        const inRange = at >= DAY_MS && at < Date.UTC(2099, 11, 31);
        if (inRange && (at < after - DAY_MS || at >= before + DAY_MS)) expect(has).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it("are few, however long the time is", () => {
    fc.assert(
      fc.property(aTime, aTime, (after, before) => {
        expect(timeLabels(after, before).length).toBeLessThan(120);
      }),
    );
    expect(timeLabels(Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1))).toEqual(["=t2026"]);
    expect(timeLabels(Date.UTC(2026, 10, 29), undefined).slice(0, 4)).toEqual([
      "=t20261129",
      "=t20261130",
      "=t202612",
      "=t2027",
    ]);
    expect(timeLabels(5, 5)).toEqual([]);
  });
});
