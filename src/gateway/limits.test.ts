import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { limitsFor, MEGABYTE } from "./limits.js";
import { Pace } from "./pace.js";

describe("the limits of somebody", () => {
  it("are those built in for their role, then those that are set for it, then their own", () => {
    const ann = { role: "guest", names: ["telegram:1"] } as const;
    const lists = {
      guests: { messagesPerMinute: 5, tokensPerDay: 100_000 },
      byPerson: { "telegram:1": { modelCallsPerDay: "none", mediaMegabytesPerDay: 7, costPerSession: 0.5 } },
    } as const;
    expect(limitsFor(ann, {})).toMatchObject({ messagesPerMinute: 20, modelCallsPerDay: 200 });
    expect(limitsFor(ann, lists)).toEqual({
      messagesPerMinute: 5,
      turnsAtOnce: 2,
      modelCallsPerDay: Number.POSITIVE_INFINITY,
      mediaBytesPerDay: 7 * MEGABYTE,
      tokensPerDay: 100_000,
      costPerDay: Number.POSITIVE_INFINITY,
      tokensPerSession: Number.POSITIVE_INFINITY,
      costPerSession: 0.5,
    });
    expect(limitsFor({ role: "guest", names: ["telegram:2"] }, lists).modelCallsPerDay).toBe(200);
  });

  it("are none for an owner, unless they are set", () => {
    const owner = { role: "owner", names: [] } as const;
    expect(Object.values(limitsFor(owner, {}))).toEqual(Array(8).fill(Number.POSITIVE_INFINITY));
    expect(limitsFor(owner, { owners: { turnsAtOnce: 1 } }).turnsAtOnce).toBe(1);
  });
});

describe("a pace", () => {
  it("never lets more through than it may in any minute, and always lets the next one through after the wait", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.nat({ max: 30_000 }), { maxLength: 80 }),
        (most, gaps) => {
          let now = 0;
          const pace = new Pace(() => now);
          const taken: number[] = [];
          let refusedBefore = false;
          for (const gap of gaps) {
            now += gap;
            const paced = pace.take("ann", most);
            if (paced.allowed) taken.push(now);
            else {
              expect(paced.first).toBe(!refusedBefore);
              expect(new Pace(() => now).take("ann", most).allowed).toBe(true);
              const at = now + paced.waitMs;
              expect(taken.filter((time) => time > at - 60_000).length).toBeLessThan(most);
              expect(taken.filter((time) => time > at - 1 - 60_000).length).toBe(most);
            }
            refusedBefore = !paced.allowed;
          }
          for (const time of taken)
            expect(
              taken.filter((other) => other > time - 60_000 && other <= time).length,
            ).toBeLessThanOrEqual(most);
        },
      ),
    );
  });

  it("keeps people apart, and forgets those who have been silent for a minute", () => {
    let now = 0;
    const pace = new Pace(() => now);
    for (let n = 0; n < 5_000; n++) expect(pace.take(`stranger ${n}`, 1).allowed).toBe(true);
    expect(pace.take("stranger 7", 1).allowed).toBe(false);
    now += 60_000;
    expect(pace.take("stranger 7", 1).allowed).toBe(true);
  });
});
