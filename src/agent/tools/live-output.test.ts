import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LiveOutput } from "./live-output.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watched() {
  const shown: { text: string; skipped: number }[] = [];
  return { shown, live: new LiveOutput((text, skipped) => shown.push({ text, skipped })) };
}

test("the first piece comes at once, the next ones together after a moment", () => {
  const { shown, live } = watched();
  live.add("a");
  live.add("b");
  live.add("c");
  expect(shown).toEqual([{ text: "a", skipped: 0 }]);
  vi.runOnlyPendingTimers();
  expect(shown.slice(1)).toEqual([{ text: "bc", skipped: 0 }]);
  vi.runAllTimers();
  live.add("d");
  live.end();
  expect(shown.slice(2)).toEqual([{ text: "d", skipped: 0 }]);
  expect(vi.getTimerCount()).toBe(0);
});

test("escape sequences go, also if they come in pieces; carriage returns stay", () => {
  const { shown, live } = watched();
  for (const piece of ["10%\r\u001b[3", "1m20%", "\u001b]0;ti", "tle\u0007!"]) live.add(piece);
  live.end();
  expect(shown.map(({ text }) => text).join("")).toBe("10%\r20%!");
});

test("a flood of 100 MB is a few pieces: the last lines of each moment, and how much is missing", () => {
  const { shown, live } = watched();
  const chunk = "\u001b[31mnoise\u001b[0m line\n".repeat(3_000);
  const times = Math.ceil(100_000_000 / chunk.length);
  for (let n = 0; n < times; n++) {
    live.add(chunk);
    if (n % 500 === 0) vi.runOnlyPendingTimers();
  }
  live.end();
  const length = shown.reduce((sum, { text }) => sum + text.length, 0);
  expect(length).toBeLessThan(20_000 * shown.length);
  expect(shown.length).toBeLessThan(20);
  expect(shown.every(({ text }) => /^(?:noise line\n)*$/.test(text))).toBe(true);
  expect(shown.reduce((sum, { skipped }) => sum + skipped, 0)).toBeGreaterThan(90_000_000);
});

test("a flood without a line break is cut as well", () => {
  const { shown, live } = watched();
  for (let n = 0; n < 1_000; n++) live.add("x".repeat(100_000));
  live.end();
  expect(shown.every(({ text }) => text.length <= 16_384)).toBe(true);
  const [skipped, length] = [shown.map((each) => each.skipped), shown.map(({ text }) => text.length)];
  expect([...skipped, ...length].reduce((sum, each) => sum + each, 0)).toBe(100_000_000);
});
