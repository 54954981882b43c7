import { expect, test } from "vitest";
import { FoldedResults, foldedLines } from "./folded-results.js";
import { painter } from "./style.js";

const call = { id: "1", name: "terminal", arguments: '{"command":"ls"}' };
const paint = painter(false);
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `line ${n + 1}`).join("\n");

test("a short result is shown whole, a long one by its first and last lines", () => {
  expect(foldedLines("one\n\n  two\n", "Ctrl-O shows all")).toEqual({ lines: ["one", "  two"], hidden: 0 });
  expect(foldedLines(numbered(5), "Ctrl-O shows all").hidden).toBe(0);
  expect(foldedLines(numbered(124), "Ctrl-O shows all")).toEqual({
    lines: ["line 1", "line 2", "… 120 more lines (Ctrl-O shows all)", "line 123", "line 124"],
    hidden: 120,
  });
});

test("one line that is too long to look at can be shown, too", () => {
  const { lines, hidden } = foldedLines("x".repeat(10_000), "Ctrl-O shows all");
  expect([hidden, lines.at(-1)]).toEqual([1, "… 1 more line (Ctrl-O shows all)"]);
});

test("what was folded last is shown whole first, and each once", () => {
  const results = new FoldedResults();
  expect(results.fold(call, "", "", 40).map(paint)).toEqual(["  (no output)"]);
  expect(results.fold(call, "fine\n", "3 s", 40).map(paint)).toEqual(["  fine (3 s)"]);
  results.fold(call, numbered(8), "", 40);
  expect(results.fold(call, `${numbered(9)}\n\u001b[2Jend\tx`, "", 40)).toHaveLength(5);
  expect(results.unfold(40)?.map(paint)).toEqual(["→ terminal ls", ...numbered(9).split("\n"), "end    x"]);
  expect(results.unfold(40)?.map(paint)).toEqual(["→ terminal ls", ...numbered(8).split("\n")]);
  expect(results.unfold(40)).toBeNull();
});

test("a huge result is shown as far as somebody would read", () => {
  const results = new FoldedResults();
  results.fold(call, numbered(100_000), "", 40);
  const rows = results.unfold(40) ?? [];
  expect(rows.length).toBeLessThan(1_100);
  expect(paint(rows.at(-1) ?? [])).toMatch(/the rest is in `baton sessions show`/);
});
