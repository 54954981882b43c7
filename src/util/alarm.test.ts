import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Alarm } from "./alarm.js";
import { LONGEST_TIMER_MS } from "./timer-ms.js";

let calls: number[];
let alarm: Alarm;
beforeEach(() => {
  vi.useFakeTimers();
  const start = performance.now();
  calls = [];
  alarm = new Alarm(() => calls.push(performance.now() - start));
});
afterEach(() => {
  alarm.stop();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

it("calls once, at the earliest of the times that were asked for", () => {
  for (const ms of [300, 100, 200, 100]) alarm.after(ms);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1_000);
  expect(calls).toEqual([100]);
});

it("knows that what was planned has come nearer meanwhile", () => {
  alarm.after(100);
  vi.advanceTimersByTime(60);
  alarm.after(50);
  vi.advanceTimersByTime(1_000);
  expect(calls).toEqual([100]);
});

it("can be set again, also by its own call", () => {
  const again = new Alarm(() => {
    calls.push(1);
    if (calls.length < 3) again.after(10);
  });
  again.after(10);
  vi.advanceTimersByTime(1_000);
  expect(calls).toEqual([1, 1, 1]);
});

it("takes any number as a time: none is too short or too long", () => {
  alarm.after(-5);
  vi.advanceTimersByTime(0);
  alarm.after(Number.NaN);
  vi.advanceTimersByTime(0);
  expect(calls).toEqual([0, 0]);
  alarm.after(Number.POSITIVE_INFINITY);
  vi.advanceTimersByTime(LONGEST_TIMER_MS - 1);
  expect(calls).toHaveLength(2);
  alarm.after(0);
  vi.advanceTimersByTime(0);
  expect(calls).toHaveLength(3);
});

it("never calls after it was stopped", () => {
  alarm.after(10);
  alarm.stop();
  alarm.after(5);
  vi.advanceTimersByTime(1_000);
  expect(calls).toEqual([]);
});

it("keeps no process alive", () => {
  const unref = vi.fn();
  const planned = vi.spyOn(globalThis, "setTimeout").mockReturnValue({ unref } as never);
  new Alarm(() => {}).after(10);
  planned.mockRestore();
  expect(unref).toHaveBeenCalledOnce();
});
