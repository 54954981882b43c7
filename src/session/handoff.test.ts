import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Handoff, type HandoffStep, MAX_CLAIMS, stepHandoff } from "./handoff.js";
import type { SessionKey } from "./session-key.js";

const asked: Handoff = {
  id: "h1",
  sessionId: "s1",
  fromKey: "agent:main:local:dm:cli" as SessionKey,
  target: "telegram",
  state: "pending",
  requestedAt: 0,
  claimedBy: null,
  leaseUntil: null,
  fence: 0,
  claims: 0,
  finishedAt: null,
  error: null,
};
const take = (handoff: Handoff, step: HandoffStep, now: number): Handoff => {
  const outcome = stepHandoff(handoff, step, now);
  if (!outcome.ok) throw new Error(outcome.reason);
  return outcome.handoff;
};
const claim = (owner: string): HandoffStep => ({ kind: "claim", owner, leaseMs: 100 });

describe("stepHandoff", () => {
  it("goes from pending over running to completed", () => {
    const running = take(asked, claim("gw"), 10);
    expect(running).toMatchObject({
      state: "running",
      claimedBy: "gw",
      leaseUntil: 110,
      fence: 1,
      claims: 1,
    });
    expect(take(running, { kind: "complete", fence: 1 }, 20)).toMatchObject({
      state: "completed",
      finishedAt: 20,
      error: null,
    });
  });

  it("gives a lease that another may take only once it has run out, with a new fence", () => {
    const first = take(asked, claim("a"), 0);
    expect(stepHandoff(first, claim("b"), 99).ok).toBe(false);
    const second = take(first, claim("b"), 100);
    expect(second).toMatchObject({ claimedBy: "b", fence: 2 });
    expect(stepHandoff(second, { kind: "complete", fence: 1 }, 101).ok).toBe(false);
    expect(stepHandoff(second, { kind: "fail", fence: 1, error: "x" }, 101).ok).toBe(false);
  });

  it("is kept by who goes on renewing it, and taken at once from who has ended", () => {
    const first = take(asked, claim("a"), 0);
    const renewed = take(first, { kind: "renew", fence: 1, leaseMs: 100 }, 90);
    expect(renewed).toEqual({ ...first, leaseUntil: 190 });
    expect(stepHandoff(renewed, claim("b"), 189).ok).toBe(false);
    const second = take(renewed, { kind: "claim", owner: "b", leaseMs: 100, left: true }, 100);
    expect(second).toMatchObject({ claimedBy: "b", fence: 2, claims: 2, leaseUntil: 200 });
    expect(stepHandoff(second, { kind: "renew", fence: 1, leaseMs: 100 }, 101).ok).toBe(false);
  });

  it("fails when nobody finishes it", () => {
    let handoff = asked;
    for (let n = 0; n < MAX_CLAIMS; n++) handoff = take(handoff, claim(`gw${n}`), n * 100);
    expect(take(handoff, claim("last"), MAX_CLAIMS * 100)).toMatchObject({
      state: "failed",
      error: expect.stringMatching(/3/),
    });
  });

  it("lets the asker cancel only while nobody has claimed it", () => {
    expect(take(asked, { kind: "cancel", error: "changed my mind" }, 5)).toMatchObject({
      state: "failed",
      error: "changed my mind",
    });
    expect(stepHandoff(take(asked, claim("gw"), 0), { kind: "cancel", error: "x" }, 5).ok).toBe(false);
  });

  it("keeps errors to one line of 500 characters", () => {
    const failed = take(
      take(asked, claim("gw"), 0),
      { kind: "fail", fence: 1, error: `a\n\u001b[31m${"b".repeat(900)}` },
      1,
    );
    expect(failed.error).toMatch(/^a b+…$/);
    expect(failed.error?.length).toBeLessThanOrEqual(500);
  });

  it("never leaves a terminal state, never lowers a fence, and always ends", () => {
    const step: fc.Arbitrary<HandoffStep> = fc.oneof(
      fc.record({
        kind: fc.constant("claim" as const),
        owner: fc.constantFrom("a", "b"),
        leaseMs: fc.integer({ min: 1, max: 50 }),
      }),
      fc.record({
        kind: fc.constant("renew" as const),
        fence: fc.integer({ min: 0, max: 4 }),
        leaseMs: fc.integer({ min: 1, max: 50 }),
      }),
      fc.record({ kind: fc.constant("complete" as const), fence: fc.integer({ min: 0, max: 4 }) }),
      fc.record({
        kind: fc.constant("fail" as const),
        fence: fc.integer({ min: 0, max: 4 }),
        error: fc.string(),
      }),
      fc.record({ kind: fc.constant("cancel" as const), error: fc.string() }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(step, fc.nat(60)), { maxLength: 20 }), (steps) => {
        let handoff = asked;
        let now = 0;
        for (const [next, later] of steps) {
          now += later;
          const before = handoff;
          const outcome = stepHandoff(handoff, next, now);
          if (outcome.ok) handoff = outcome.handoff;
          if (before.state === "completed" || before.state === "failed") expect(outcome.ok).toBe(false);
          expect(handoff.fence).toBeGreaterThanOrEqual(before.fence);
          if (handoff.state === "completed") expect(handoff.fence).toBeGreaterThan(0);
          expect(handoff.claims).toBeLessThanOrEqual(MAX_CLAIMS);
          expect((handoff.state === "running") === (handoff.leaseUntil !== null)).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
