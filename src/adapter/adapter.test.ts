import fc from "fast-check";
import { expect, it } from "vitest";
import { LONGEST_TIMER_MS } from "../util/timer-ms.js";
import { SendError } from "./adapter.js";

it("whatever a platform asks to wait is a time that can be kept and waited for", () => {
  const asked = fc.oneof(
    fc.double(),
    fc.constantFrom(Number.POSITIVE_INFINITY, Number.NaN, 40 * 86_400_000, -1),
  );
  fc.assert(
    fc.property(asked, (retryAfterMs) => {
      const { retryAfterMs: waited } = new SendError("retryable", "wait", { retryAfterMs });
      expect(waited === undefined).toBe(Number.isNaN(retryAfterMs));
      if (waited === undefined) return;
      expect(Number.isInteger(waited)).toBe(true);
      expect(waited).toBeGreaterThanOrEqual(0);
      expect(waited).toBeLessThanOrEqual(LONGEST_TIMER_MS);
    }),
  );
});
