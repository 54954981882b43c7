import { expect, test } from "vitest";
import { elapsedWords, RunningCalls } from "./running-calls.js";
import { painter } from "./style.js";

const call = (id: string) => ({ id, name: "terminal", arguments: `{"command":"do ${id}"}` });
const paint = painter(false);

function running(...ids: readonly string[]) {
  const calls = new RunningCalls();
  for (const id of ids) calls.take(call(id), { kind: "started" }, 0);
  const print = (id: string, text: string, skipped = 0) =>
    calls.take(call(id), { kind: "output", text, skipped }, 0);
  const seen = (now: number, above: string | null = null) =>
    calls.rows(above === null ? null : call(above), now, 40, 10).map(paint);
  return { calls, print, seen };
}

test("one call: its last lines, and the seconds that have passed", () => {
  const { print, seen } = running("a");
  expect(seen(999, "a")).toEqual([]);
  print("a", "1\n2\n3\n4\n5\n6\n\u001b[31m7\t8");
  expect(seen(12_900, "a")).toEqual([
    ...["  3", "  4", "  5", "  6", "  7  8"],
    "  12 s · 7 lines (Ctrl-O shows more)",
  ]);
});

test("Ctrl-O shows more of the lines, and fewer again; not if nothing was printed", () => {
  const { calls, print, seen } = running("a");
  expect(calls.toggle()).toBe(false);
  print("a", "1\n2\n3\n4\n5\n6\n7\n");
  expect(calls.toggle()).toBe(true);
  expect(seen(0, "a")).toHaveLength(7);
  calls.toggle();
  expect(seen(0, "a")).toHaveLength(6);
});

test("several calls say whose lines these are; one that has ended is gone", () => {
  const { calls, print, seen } = running("a", "b");
  print("b", "1\n2\n3\n");
  expect(seen(2_000, "b")).toEqual([
    ...["→ terminal do a", "  2 s", "→ terminal do b", "  2", "  3"],
    "  2 s · 3 lines (Ctrl-O shows more)",
  ]);
  calls.take(call("a"), { kind: "ended" }, 5_000);
  expect(seen(9_000, "b")[0]).toBe("  1");
  expect([calls.forget(call("a"), 9_000), calls.forget(call("b"), 9_400)]).toEqual(["5 s", "9 s"]);
  expect(calls.isRunning).toBe(false);
});

test("many calls do not fill the screen", () => {
  expect(running("a", "b", "c", "d", "e", "f").seen(0)).toEqual([
    ...["a", "b", "c", "d"].map((id) => `→ terminal do ${id}`),
    "  … 2 more running",
  ]);
});

test("output of a call that never began is nothing", () => {
  const { print, seen } = running();
  print("a", "1\n");
  expect(seen(0)).toEqual([]);
});

test("the time that passes is told in whole seconds", () => {
  const words = [0, 999, 1_000, 59_999, 60_000, 65_000, 3_600_000 * 2 + 600_000].map(elapsedWords);
  expect(words).toEqual(["", "", "1 s", "59 s", "1 min 0 s", "1 min 5 s", "2 h 10 min"]);
});
