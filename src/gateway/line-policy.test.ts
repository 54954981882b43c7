import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { failuresAfter, type LineEnd, pauseAfter } from "./line-policy.js";

const cut = (lastedMs = 0, retryAfterMs?: number): LineEnd => ({ lastedMs, retryAfterMs });

describe("the pause before the next line", () => {
  it("doubles from a moment to a minute while lines do not last", () => {
    const pauses = [1, 2, 3, 4, 10, 11, 1_000].map((failures) => pauseAfter(failures, cut(), 0));
    expect(pauses).toEqual([100, 200, 400, 800, 51_200, 60_000, 60_000]);
  });

  it("begins anew after a line that lasted", () => {
    expect(failuresAfter(7, cut(29_999))).toBe(8);
    expect(failuresAfter(7, cut(30_000))).toBe(1);
  });

  it("is what the platform asks for; at once only a few times in a row", () => {
    expect(pauseAfter(9, cut(0, 4_711), 0.5)).toBe(4_711);
    expect([1, 3, 4].map((failures) => pauseAfter(failures, cut(0, 0), 0))).toEqual([0, 0, 800]);
  });

  it("is never longer than without jitter, nor much shorter", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (n, random) => {
          const [plain, jittered] = [pauseAfter(n, cut(), 0), pauseAfter(n, cut(), random)];
          expect(jittered).toBeLessThanOrEqual(plain);
          expect(jittered).toBeGreaterThanOrEqual(plain * 0.8);
        },
      ),
    );
  });
});
