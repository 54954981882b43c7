/** How long work waits: from what was measured, over this minute and the one before. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type DelayHistogram, LoopDelay } from "./loop-delay.js";

const MINUTE_MS = 60_000;
const NOTHING = { mean: 0, p99: 0, max: 0 };

/** What was measured, in ms: the test says it. */
class Measured implements DelayHistogram {
  values: number[] = [];
  isOn = false;

  get count(): number {
    return this.values.length;
  }

  get mean(): number {
    return (this.values.reduce((sum, value) => sum + value, 0) / this.values.length) * 1e6;
  }

  get max(): number {
    return Math.max(...this.values) * 1e6;
  }

  percentile(percent: number): number {
    const sorted = this.values.toSorted((one, other) => one - other);
    return (sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? 0) * 1e6;
  }

  reset(): void {
    this.values = [];
  }

  enable(): boolean {
    this.isOn = true;
    return true;
  }

  disable(): boolean {
    this.isOn = false;
    return true;
  }
}

let measured: Measured;
let loop: LoopDelay;
beforeEach(() => {
  vi.useFakeTimers();
  measured = new Measured();
  loop = new LoopDelay(measured);
});
afterEach(() => {
  loop.end();
  vi.useRealTimers();
});

it("is nothing before anything was measured", () => {
  expect(measured.isOn).toBe(true);
  expect(loop.delays).toEqual(NOTHING);
});

it("is what was measured, without the time between two looks", () => {
  measured.values = [...Array.from({ length: 98 }, () => 21), 45.26, 520];
  expect(loop.delays).toEqual({ mean: 6.2, p99: 25.3, max: 500 });
  measured.values = [19.2]; // A timer that was early.
  vi.advanceTimersByTime(2 * MINUTE_MS);
  measured.values = [19.2];
  vi.advanceTimersByTime(MINUTE_MS);
  measured.values = [19.5];
  expect(loop.delays).toEqual(NOTHING);
});

it("remembers a delay until the minute after it is over", () => {
  measured.values = [20, 320];
  vi.advanceTimersByTime(MINUTE_MS);
  expect(measured.values).toEqual([]);
  expect(loop.delays).toEqual({ mean: 150, p99: 300, max: 300 });
  measured.values = [20, 20, 20, 30];
  expect(loop.delays).toEqual({ mean: 150, p99: 300, max: 300 });
  vi.advanceTimersByTime(MINUTE_MS - 1);
  expect(loop.delays.max).toBe(300);
  vi.advanceTimersByTime(1);
  expect(loop.delays).toEqual({ mean: 2.5, p99: 10, max: 10 });
  vi.advanceTimersByTime(MINUTE_MS);
  expect(loop.delays).toEqual(NOTHING);
});

it("shows a longer delay of this minute at once", () => {
  measured.values = [70];
  vi.advanceTimersByTime(MINUTE_MS);
  measured.values = [120];
  expect(loop.delays).toEqual({ mean: 100, p99: 100, max: 100 });
});

it("measures no more when it has ended", () => {
  loop.end();
  expect(measured.isOn).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});
