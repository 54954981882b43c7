import fc from "fast-check";
import { expect, it } from "vitest";
import { grownLines, grownText, linesWith, NO_LINES, NO_TEXT } from "./tail.js";

it("keeps all of a short text", () => {
  expect(grownText(grownText(NO_TEXT, "one\n"), "two")).toEqual({ text: "one\ntwo", isCut: false });
});

it("drops whole lines from the beginning, and says so from then on", () => {
  const cut = grownText(NO_TEXT, "first\nsecond\nthird line\nand the fourth\n", 30);
  expect(cut).toEqual({ text: "third line\nand the fourth\n", isCut: true });
  expect(grownText(cut, "x", 100).isCut).toBe(true);
});

it("cuts a long line in its middle, never within a character", () => {
  expect(grownText(NO_TEXT, "🎵🎵🎵", 3).text).toBe("🎵");
});

it("is never longer than allowed, and is always the end of the whole", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom("a", "\n", "🎵") })),
      fc.integer({ min: 1, max: 30 }),
      (parts, most) => {
        const tail = parts.reduce((before, part) => grownText(before, part, most), NO_TEXT);
        expect(tail.text.length).toBeLessThanOrEqual(most);
        expect(parts.join("").endsWith(tail.text)).toBe(true);
        expect(tail.isCut).toBe(tail.text !== parts.join(""));
      },
    ),
  );
});

it("numbers lines, and keeps their numbers while the oldest fall out", () => {
  const first = grownLines<string>(NO_LINES, ["a", "b"], 3);
  const second = grownLines(first, ["c", "d"], 3);
  expect(second).toEqual({
    lines: [
      { number: 1, line: "b" },
      { number: 2, line: "c" },
      { number: 3, line: "d" },
    ],
    next: 4,
  });
  expect(grownLines(second, [], 3)).toBe(second);
});

it("finds lines that have all words", () => {
  const lines = ["Telegram is connected", "telegram failed", "Slack is connected"];
  const found = (filter: string) => linesWith(lines, filter, (line) => line);
  expect(found(" TELEGRAM  connected ")).toEqual(["Telegram is connected"]);
  expect(found("")).toBe(lines);
  expect(found("telegram slack")).toEqual([]);
});
