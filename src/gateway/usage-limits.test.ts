import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { limitsFor } from "./limits.js";
import {
  type LimitReader,
  nearOf,
  noticeOf,
  reachedOf,
  refusalOf,
  type Spends,
  type UsageLimit,
  usageLimits,
  usedOf,
} from "./usage-limits.js";

const NONE = Number.POSITIVE_INFINITY;
const some = fc.oneof(fc.constant(NONE), fc.integer({ min: 1, max: 1_000_000 }));
const own = fc.record({
  tokensPerDay: some,
  costPerDay: some,
  tokensPerSession: some,
  costPerSession: some,
});
const everyone = fc.record({ tokensPerDay: some, costPerDay: some });
const spend = fc.record({
  tokens: fc.nat({ max: 2_000_000 }),
  cost: fc.double({ min: 0, max: 2_000_000, noNaN: true }),
});
const spends: fc.Arbitrary<Spends> = fc.record({ everyone: spend, person: spend, session: spend });
const alone: LimitReader = { isAlone: true, isOwner: false, freeAgain: "at midnight UTC, in 3 h" };

describe("the limits of usage", () => {
  it("refuse a call if and only if something that has a limit is used up", () => {
    fc.assert(
      fc.property(own, everyone, spends, (limits, all, used) => {
        const reached = reachedOf(usedOf(usageLimits(limits, all), used));
        const isUp =
          used.person.tokens >= limits.tokensPerDay ||
          used.person.cost >= limits.costPerDay ||
          used.session.tokens >= limits.tokensPerSession ||
          used.session.cost >= limits.costPerSession ||
          used.everyone.tokens >= all.tokensPerDay ||
          used.everyone.cost >= all.costPerDay;
        expect(reached !== null).toBe(isUp);
        if (reached) expect(reached.used).toBeGreaterThanOrEqual(reached.most);
      }),
    );
  });

  it("tell the person from 80 % on, and what refuses is always among them", () => {
    fc.assert(
      fc.property(own, everyone, spends, (limits, all, used) => {
        const measured = usedOf(usageLimits(limits, all), used);
        const near = nearOf(measured);
        for (const limit of measured) expect(near.includes(limit)).toBe(limit.used >= limit.most * 0.8);
        const reached = reachedOf(measured);
        if (reached) expect(near).toContain(reached);
      }),
    );
  });

  it("are a day's before a session's: a new session does not help against a day's", () => {
    const limits = { tokensPerDay: 1, costPerDay: NONE, tokensPerSession: 1, costPerSession: 1 };
    const all = { tokensPerDay: NONE, costPerDay: NONE };
    const used = { tokens: 5, cost: 5 };
    const spent = { everyone: used, person: used, session: used };
    expect(reachedOf(usedOf(usageLimits(limits, all), spent))?.name).toBe("tokensPerDay");
  });

  it("are none by default, for every role and for all together", () => {
    for (const role of ["guest", "member", "owner"] as const)
      expect(
        usageLimits(limitsFor({ role, names: [] }, {}), { tokensPerDay: NONE, costPerDay: NONE }),
      ).toEqual([]);
  });

  it("of all together count also for somebody who lost access", () => {
    expect(usageLimits(null, { tokensPerDay: 7, costPerDay: NONE })).toEqual([
      { name: "everyone.tokensPerDay", whose: "everyone", unit: "tokens", most: 7 },
    ]);
  });
});

describe("what people read", () => {
  const day: UsageLimit = { name: "tokensPerDay", whose: "person", unit: "tokens", most: 100_000 };
  const session: UsageLimit = { name: "costPerSession", whose: "session", unit: "cost", most: 0.5 };
  const all: UsageLimit = { name: "everyone.costPerDay", whose: "everyone", unit: "cost", most: 5 };

  it("says which limit, how much was used, and what to do", () => {
    expect(refusalOf({ ...day, used: 103_241 }, alone)).toBe(
      "You have used 103,241 tokens today, and you may use 100,000 tokens a day. You can go on at midnight UTC, in 3 h.",
    );
    expect(refusalOf({ ...session, used: 0.5125 }, alone)).toBe(
      "This session has used $0.5125, and you may use $0.50 in one. Start a new one with /new.",
    );
    expect(refusalOf({ ...all, used: 6 }, { ...alone, isOwner: true })).toContain("have used $6.00 today");
    expect(noticeOf({ ...day, used: 80_000 }, alone)).toBe("You have used 80 % of today's 100,000 tokens.");
    expect(noticeOf({ ...day, used: 99_999 }, alone)).toBe("You have used 99 % of today's 100,000 tokens.");
    expect(noticeOf({ ...day, used: 120_000 }, alone)).toBe(
      "You have used all of today's 100,000 tokens. You can go on at midnight UTC, in 3 h.",
    );
    expect(noticeOf({ ...session, used: 0.4 }, alone)).toBe(
      "This session has used 80 % of its $0.50. Start a new one with /new soon.",
    );
  });

  it("shows a group no figures of a person, and nobody but an owner in private those of all", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 999_999 }),
        fc.boolean(),
        fc.boolean(),
        (used, isAlone, isOwner) => {
          const reader = { ...alone, isAlone, isOwner, freeAgain: "soon" };
          const limits = [
            ...(isAlone ? [] : [{ ...day, most: 100, used }]),
            ...(isAlone && isOwner ? [] : [{ ...all, used }]),
          ];
          for (const limit of limits)
            expect(`${refusalOf(limit, reader)} ${noticeOf(limit, reader)}`).not.toMatch(/\d/);
        },
      ),
    );
  });
});
