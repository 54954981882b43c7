import fc from "fast-check";
import { expect, test } from "vitest";
import { OutputTail } from "./output-tail.js";

function tailOf(...pieces: readonly string[]): OutputTail {
  const tail = new OutputTail();
  for (const piece of pieces) tail.push(piece);
  return tail;
}

test("shows the last lines, and the one that is being printed", () => {
  const tail = tailOf("one\ntwo\n", "\n  three\nfo", "ur");
  expect(tail.last(2, 80)).toEqual(["  three", "four"]);
  expect(tail.last(9, 80)).toEqual(["one", "two", "  three", "four"]);
  expect(tail.count).toBe(5);
});

test("a progress bar is one line, however often it is written, also if a piece ends with its return", () => {
  const tail = tailOf("start\n", "10%\r20%", "\r", "30%", "\r\n", "done\r");
  expect(tail.last(5, 80)).toEqual(["start", "30%", "done"]);
});

test("a line without an end is shown by its end, and what was left out is not guessed", () => {
  const tail = tailOf("x".repeat(5_000), "yz");
  expect(tail.last(5, 5)).toEqual(["…xxyz"]);
  tail.skip();
  tail.push("new");
  expect(tail.last(5, 80)).toEqual(["new"]);
});

test("the pieces do not matter", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "\n", "\r", " "), { maxLength: 60 })
    .map((all) => all.join(""));
  fc.assert(
    fc.property(text, fc.nat(60), (all, cut) => {
      const parts = tailOf(all.slice(0, cut), all.slice(cut));
      expect(parts.last(9, 80)).toEqual(tailOf(all).last(9, 80));
    }),
  );
});

test("stays small, however much is printed", () => {
  const tail = new OutputTail();
  for (let n = 0; n < 2_000; n++) tail.push(`${n} ${"x".repeat(2_000)}\n`);
  expect(tail.last(10_000, 80).length).toBeLessThan(500);
  expect(tail.last(10_000, 80).every((line) => line.length <= 1_000)).toBe(true);
  expect(tail.count).toBe(2_000);
});
