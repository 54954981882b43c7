import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SendError } from "../adapter/adapter.js";
import { failedOutcome } from "./send-outcome.js";

const DAY_MS = 86_400_000;
const GIVE_UP = 3 * DAY_MS;
const down = new SendError("retryable", "It cannot be reached.");
const tried = (attempts: number, ageMs: number) => ({ attempts, ageMs, giveUpAfterMs: GIVE_UP });

describe("a call that failed", () => {
  it("is unknown unless the adapter knows more", () => {
    for (const error of [new Error("?"), new SendError("unknown", "?"), "?"])
      expect(failedOutcome(error, tried(99, 9 * DAY_MS))).toEqual({ kind: "unknown", error: "?" });
  });

  it("has failed if the platform refused it, at once", () => {
    expect(failedOutcome(new SendError("permanent", "Blocked."), tried(0, 0))).toEqual({
      kind: "failed",
      error: "Blocked.",
    });
  });

  it.each([
    [0, 1_000],
    [1, 2_000],
    [7, 128_000],
    [9, 300_000],
    [500, 300_000],
  ])("is tried again after %i attempts, with pauses up to five minutes", (attempts, waitMs) => {
    expect(failedOutcome(down, tried(attempts, DAY_MS))).toMatchObject({ kind: "later", waitMs });
  });

  it("is tried again when the platform says", () => {
    const asked = new SendError("retryable", "429", { retryAfterMs: 3_600_000 });
    expect(failedOutcome(asked, tried(20, DAY_MS))).toMatchObject({ kind: "later", waitMs: 3_600_000 });
    const tooLate = new SendError("retryable", "429", { retryAfterMs: 4 * DAY_MS });
    expect(failedOutcome(tooLate, tried(20, DAY_MS))).toMatchObject({ kind: "failed" });
  });

  it("is given up after the time that is set, and says so", () => {
    expect(failedOutcome(down, tried(800, GIVE_UP - 300_000)).kind).toBe("later");
    expect(failedOutcome(down, tried(800, GIVE_UP - 299_999))).toEqual({
      kind: "failed",
      error: "Baton gave up after 3 days: It cannot be reached.",
    });
  });

  it("is tried eight times at least, however old it is, and at most until then", () => {
    const ages = fc.integer({ min: -9 * DAY_MS, max: 9 * DAY_MS });
    fc.assert(
      fc.property(fc.nat(40), ages, (attempts, ageMs) => {
        const { kind } = failedOutcome(down, tried(attempts, ageMs));
        if (attempts < 7) expect(kind).toBe("later");
        else if (ageMs > GIVE_UP) expect(kind).toBe("failed");
        else if (ageMs < GIVE_UP - 300_000) expect(kind).toBe("later");
      }),
    );
  });
});
