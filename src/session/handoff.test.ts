import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Handoff, type HandoffStep, holdsTurns, MAX_CLAIMS, overdueAt, stepHandoff } from "./handoff.js";
import { asHandoffId, asSessionId } from "./ids.js";
import { LOCAL } from "./platform.js";
import type { SessionKey } from "./session-key.js";
import type { SessionSource } from "./source.js";

const S1 = asSessionId("s1");
const S2 = asSessionId("s2");
const HERE = "agent:main:local:dm:cli" as SessionKey;
const THERE = "agent:main:telegram:dm:1" as SessionKey;
const destination: SessionSource = { platform: "telegram", chatId: "1", chatType: "dm" };
const asked: Handoff = {
  id: asHandoffId("h1"),
  sessionId: S1,
  fromKey: HERE,
  target: "telegram",
  state: "pending",
  requestedAt: 0,
  claimedBy: null,
  leaseUntil: null,
  fence: 0,
  claims: 0,
  finishedAt: null,
  error: null,
  asker: null,
  isThreadBegun: false,
  destination: null,
  destinationKey: null,
  isBusy: false,
  readySince: 0,
  waitMs: 1_000,
};
const take = (handoff: Handoff, step: HandoffStep, now: number): Handoff => {
  const outcome = stepHandoff(handoff, step, now);
  if (!outcome.ok) throw new Error(outcome.reason);
  return outcome.handoff;
};
const claim = (holder: string, fence = 0): HandoffStep => ({ kind: "claim", fence, holder, leaseMs: 100 });

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
    expect(stepHandoff(first, claim("b", 1), 99).ok).toBe(false);
    const second = take(first, claim("b", 1), 100);
    expect(second).toMatchObject({ claimedBy: "b", fence: 2 });
    expect(stepHandoff(second, { kind: "complete", fence: 1 }, 101).ok).toBe(false);
    expect(stepHandoff(second, { kind: "fail", fence: 1, error: "x" }, 101).ok).toBe(false);
  });

  it("is kept by who goes on renewing it, and taken at once from who has ended", () => {
    const first = take(asked, claim("a"), 0);
    const renewed = take(first, { kind: "renew", fence: 1, leaseMs: 100 }, 90);
    expect(renewed).toEqual({ ...first, leaseUntil: 190 });
    expect(stepHandoff(renewed, claim("b", 1), 189).ok).toBe(false);
    const second = take(renewed, { kind: "claim", fence: 1, holder: "b", leaseMs: 100, left: true }, 100);
    expect(second).toMatchObject({ claimedBy: "b", fence: 2, claims: 2, leaseUntil: 200 });
    expect(stepHandoff(second, { kind: "renew", fence: 1, leaseMs: 100 }, 101).ok).toBe(false);
  });

  it("is not claimed while a turn of its session runs, nor by who looked too long ago", () => {
    expect(stepHandoff({ ...asked, isBusy: true }, claim("gw"), 0).ok).toBe(false);
    expect(stepHandoff({ ...asked, fence: 1 }, claim("gw", 0), 0).ok).toBe(false);
  });

  it("keeps how far it has got, for its holder alone", () => {
    const running = take(asked, claim("gw"), 0);
    const steps = [
      { kind: "begin thread" },
      { kind: "aim", destination: { key: THERE, origin: destination } },
      { kind: "announce" },
    ] as const;
    for (const step of steps) {
      expect(stepHandoff(asked, { ...step, fence: 0 }, 1).ok).toBe(false);
      expect(stepHandoff(running, { ...step, fence: 2 }, 1).ok).toBe(false);
    }
    const [begun, aimed, announced] = steps.map((step) => take(running, { ...step, fence: 1 }, 1));
    expect(begun).toEqual({ ...running, isThreadBegun: true });
    expect(aimed).toEqual({ ...running, destination, destinationKey: THERE });
    expect(announced).toEqual(running);
  });

  it("fails when nobody finishes it", () => {
    let handoff = asked;
    for (let n = 0; n < MAX_CLAIMS; n++) handoff = take(handoff, claim(`gw${n}`, n), n * 100);
    expect(take(handoff, claim("last", MAX_CLAIMS), MAX_CLAIMS * 100)).toMatchObject({
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
        fence: fc.integer({ min: 0, max: 4 }),
        holder: fc.constantFrom("a", "b"),
        leaseMs: fc.integer({ min: 1, max: 50 }),
      }),
      fc.record({
        kind: fc.constant("renew" as const),
        fence: fc.integer({ min: 0, max: 4 }),
        leaseMs: fc.integer({ min: 1, max: 50 }),
      }),
      fc.record({
        kind: fc.constantFrom("begin thread" as const, "announce" as const, "complete" as const),
        fence: fc.integer({ min: 0, max: 4 }),
      }),
      fc.record({
        kind: fc.constant("aim" as const),
        fence: fc.integer({ min: 0, max: 4 }),
        destination: fc.constant({ key: THERE, origin: destination }),
      }),
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
          // Most who claim have just looked; some look at an old state.
          const hasLooked = next.kind === "claim" && next.fence > 0;
          const outcome = stepHandoff(handoff, hasLooked ? { ...next, fence: before.fence } : next, now);
          if (outcome.ok) handoff = outcome.handoff;
          if (before.state === "completed" || before.state === "failed") expect(outcome.ok).toBe(false);
          expect(handoff.fence).toBeGreaterThanOrEqual(before.fence);
          if (handoff.state === "completed") expect(handoff.fence).toBeGreaterThan(0);
          expect(handoff.claims).toBeLessThanOrEqual(MAX_CLAIMS);
          if (before.isThreadBegun) expect(handoff.isThreadBegun).toBe(true);
          if (before.destination) expect(handoff.destination).toBe(before.destination);
          expect((handoff.destination === null) === (handoff.destinationKey === null)).toBe(true);
          expect((handoff.state === "running") === (handoff.leaseUntil !== null)).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("holdsTurns", () => {
  const running = take(asked, claim("gw"), 0);
  const aimed = { ...running, destination, destinationKey: THERE };
  const overdue = overdueAt(asked);
  const leaving = { key: HERE, sessionId: S1 };
  const other = { key: HERE, sessionId: S2 };
  const arriving = { key: THERE, sessionId: null };

  it.each<[string, Handoff, typeof leaving | typeof arriving, number, boolean]>([
    ["its session waits for a gateway", asked, leaving, 0, true],
    ["a gateway has almost taken too long", asked, leaving, overdue - 1, true],
    ["no gateway began it in time", asked, leaving, overdue, false],
    ["its session just ended a turn, late", { ...asked, readySince: overdue }, leaving, overdue + 5, true],
    ["it is offered to the terminal", { ...asked, target: LOCAL }, leaving, 0, false],
    ["the lane has another session by now", asked, other, 0, false],
    ["nobody knows yet where it goes", asked, arriving, 0, false],
    ["a gateway moves its session", running, leaving, overdue + 5, true],
    ["the terminal takes it", { ...running, target: LOCAL }, leaving, 0, true],
    ["a gateway moves it, but not yet to here", running, arriving, 0, false],
    ["a gateway moves it to here", aimed, arriving, overdue + 5, true],
    ["it arrives where another session is", aimed, { ...arriving, sessionId: S2 }, 0, true],
    ["another lane has nothing to do with it", aimed, other, 0, false],
    ["it is completed", take(aimed, { kind: "complete", fence: 1 }, 1), arriving, 1, false],
    ["it failed", take(aimed, { kind: "fail", fence: 1, error: "no" }, 1), leaving, 1, false],
    ["it was cancelled", take(asked, { kind: "cancel", error: "no" }, 1), leaving, 1, false],
  ])("when %s", (_, handoff, lane, now, holds) => {
    expect(holdsTurns(handoff, lane, now)).toBe(holds);
  });

  it("holds what is claimed or can still be claimed, and lets go of everything that is over", () => {
    const handoff = fc.record({
      state: fc.constantFrom("pending", "running", "completed", "failed"),
      target: fc.constantFrom("telegram", LOCAL),
      sessionId: fc.constantFrom(S1, S2),
      destinationKey: fc.constantFrom(null, HERE, THERE),
      readySince: fc.nat(100),
      waitMs: fc.nat(100),
    });
    const lane = fc.record({
      key: fc.constantFrom(HERE, THERE),
      sessionId: fc.constantFrom(null, S1, S2),
    });
    fc.assert(
      fc.property(handoff, lane, fc.nat(250), (chosen, { key, sessionId }, now) => {
        const reasons = {
          pending: chosen.sessionId === sessionId && chosen.target !== LOCAL,
          running: chosen.sessionId === sessionId || chosen.destinationKey === key,
          completed: false,
          failed: false,
        };
        const isInTime = chosen.state !== "pending" || chosen.readySince + chosen.waitMs > now;
        expect(holdsTurns({ ...asked, ...chosen } as Handoff, { key, sessionId }, now)).toBe(
          reasons[chosen.state as Handoff["state"]] && isInTime,
        );
      }),
      { numRuns: 2_000 },
    );
  });
});
