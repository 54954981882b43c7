import fc from "fast-check";
import { afterEach, expect, it, vi } from "vitest";
import { backoffMs, Pause } from "./backoff.js";

afterEach(() => {
  vi.useRealTimers();
});

it("waits longer each time, up to a limit, and never all at once", () => {
  expect([0, 1, 2, 3].map((failures) => backoffMs(failures, 1))).toEqual([500, 1_000, 2_000, 4_000]);
  fc.assert(
    fc.property(fc.nat(), fc.double({ min: 0, max: 1, noNaN: true }), (failures, random) => {
      const ms = backoffMs(failures, random);
      expect(ms).toBeGreaterThanOrEqual(250);
      expect(ms).toBeLessThanOrEqual(15_000);
      expect(backoffMs(failures + 1, random)).toBeGreaterThanOrEqual(ms);
      expect(backoffMs(failures, 0)).toBeLessThan(backoffMs(failures, 1));
    }),
  );
});

it("ends a pause after its time, or when it is told to", async () => {
  vi.useFakeTimers();
  const pause = new Pause();
  const whole = pause.for(1_000);
  await vi.advanceTimersByTimeAsync(1_000);
  await whole;
  const woken = pause.for(10_000);
  pause.wake();
  await woken;
  expect(vi.getTimerCount()).toBe(0);
  pause.wake();
});
