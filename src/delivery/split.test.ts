import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { split } from "./split.js";

const utf16 = (text: string) => text.length;
const within = (max: number) => ({ max, lengthOf: utf16 });
const texts = (text: string, max: number) => split(text, within(max)).map((piece) => piece.text);

describe("a long text", () => {
  it("stays whole where it fits", () => {
    expect(texts("hello", 5)).toEqual(["hello"]);
    expect(texts("", 5)).toEqual([]);
    expect(texts(" \n\n ", 5)).toEqual([]);
  });

  it("is cut at a paragraph, else a line, else a word, else anywhere", () => {
    expect(texts("one two\n\nthree\nfour", 14)).toEqual(["one two", "three\nfour"]);
    expect(texts("one two\nthree four", 12)).toEqual(["one two", "three four"]);
    expect(texts("one two three", 9)).toEqual(["one two", "three"]);
    expect(texts("abcdefghij", 4)).toEqual(["abcd", "efgh", "ij"]);
  });

  it("is not cut into crumbs for the sake of a paragraph", () => {
    expect(texts(`a\n\n${"word ".repeat(6)}`, 20)).toEqual(["a\n\nword word word", "word word word"]);
  });

  it("closes a fence that is cut, and opens it again with its language", () => {
    expect(texts("look:\n```ts\none();\ntwo();\nthree();\n```\ndone", 28)).toEqual([
      "look:\n```ts\none();\n```",
      "```ts\ntwo();\nthree();\n```",
      "done",
    ]);
  });

  it("does so in a list and in a quote, too", () => {
    expect(texts("- ```ts\n  one();\n  two();\n  ```\ndone", 24)).toEqual([
      "- ```ts\n  one();\n  ```",
      "- ```ts\n  two();\n  ```",
      "done",
    ]);
    expect(texts("> ```\n> one();\n> two();\n> ```", 23)).toEqual([
      "> ```\n> one();\n> ```",
      "> ```\n> two();\n> ```",
    ]);
  });

  it("does not open a fence at the end of a piece", () => {
    expect(texts("0123456789\n```ts\nx\n```", 20)).toEqual(["0123456789", "```ts\nx\n```"]);
  });

  it("knows fences by their marks: others inside are text", () => {
    const pieces = texts("````md\n```ts\naaaaaaaa\n```\nbbbbbbbb\n````", 26);
    for (const piece of pieces) expect(piece).toMatch(/^````md\n[\s\S]*\n````$/);
  });

  it("cuts no character as people see it", () => {
    const family = "👩‍👩‍👧‍👦";
    expect(texts(family.repeat(3), family.length + 3)).toEqual([family, family, family]);
    expect(texts("e\u0301".repeat(4), 5)).toEqual(["e\u0301e\u0301", "e\u0301e\u0301"]);
  });
});

/** Fences that are open at the end of a text, by a scanner of the test's own. */
function openFences(text: string): number {
  let open: string | null = null;
  for (const line of text.split("\n")) {
    const [, items = "", marks, rest = ""] =
      /^[ \t>]*((?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}|~{3,})(.*)/.exec(line) ?? [];
    if (!marks) continue;
    if (open === null) {
      if (!(marks[0] === "`" && rest.includes("`"))) open = marks;
    } else if (items === "" && marks[0] === open[0] && marks.length >= open.length && rest.trim() === "")
      open = null;
  }
  return open === null ? 0 : 1;
}

const fragment = fc.oneof(
  fc.constantFrom(
    "```ts\n",
    "```\n",
    "~~~\n",
    "````\n",
    "\n",
    "\n\n",
    " ",
    "  - ",
    "> ",
    "**",
    "`",
    "|a|b|\n",
  ),
  fc.constantFrom("word", "👩‍👩‍👧‍👦", "e\u0301", "漢字", "a".repeat(70), "\u200d", "🇩🇪"),
  fc.string({ unit: "grapheme", maxLength: 12 }),
);
const markdown = fc.array(fragment, { maxLength: 80 }).map((parts) => parts.join(""));

describe("to measure is to render", () => {
  const PARTS = [
    "It was a **long** day, and there is [much](https://example.org/a/long/address) to tell: 日本語, 👩‍👩‍👧.",
    "```ts\nconst answer = 42;\nconst question = null;\n```",
    "- one\n- two\n  - and a half",
    "| a | b |\n|---|---|\n| 1 | 2 |",
  ];
  const answer = Array.from({ length: 400 }, (_, n) => PARTS[(n * n) % PARTS.length]).join("\n\n");
  const readers = {
    "as it is": (text: string) => text.length,
    "in bytes": (text: string) => Buffer.byteLength(text),
    "without its marks": (text: string) => text.replace(/\(https:[^)]*\)|[*`|-]/g, "").length,
    "with every mark escaped": (text: string) => text.replace(/[*`|[\]-]/g, "\\$&").length,
  };

  it.each(Object.entries(readers))("so a piece is measured few times: %s", (_, lengthOf) => {
    let [times, characters] = [0, 0];
    const counted = (text: string): number => {
      times += 1;
      characters += text.length;
      return lengthOf(text);
    };
    const pieces = split(answer, { max: 2_000, lengthOf: counted });
    const lengths = pieces.slice(0, -1).map(({ text }) => lengthOf(text));
    expect(pieces.length).toBeGreaterThan(5);
    expect(times / pieces.length).toBeLessThan(3);
    expect(characters / answer.length).toBeLessThan(3);
    expect(Math.min(...lengths)).toBeGreaterThan(1_500);
  });

  it("also where lengths jump", () => {
    let times = 0;
    const lengthOf = (text: string): number => {
      times += 1;
      return text.includes("x") ? text.length ** 2 : 1;
    };
    const pieces = split(`${"a b\n".repeat(5_000)}${"x y\n".repeat(500)}`, { max: 2_000, lengthOf });
    expect(times / pieces.length).toBeLessThan(10);
  });
});

describe("what nobody writes", () => {
  it("fits, though the line that opens a fence is nearly as long as a message", () => {
    const bytes = (text: string): number => Buffer.byteLength(text);
    const text = `\`\`\`${"a".repeat(70)}  ${"\u{10000}".repeat(5)}🇩🇪\u{10000}word|a|b|\n`;
    for (let max = 60; max < 400; max++) {
      const pieces = split(text, { max, lengthOf: bytes });
      expect(pieces.map(({ body }) => body).join("")).toBe(text);
      expect(Math.max(...pieces.map((piece) => bytes(piece.text)))).toBeLessThanOrEqual(max);
    }
  });

  it.each([
    ["blanks", " ".repeat(20_000)],
    ["blanks before a word", `${" \n".repeat(20_000)}x`],
    ["a fence whose marks are longer than a message", `${"`".repeat(3_000)}\n${"a ".repeat(2_000)}`],
    ["a fence whose name is longer than a message", `\`\`\`${"a".repeat(3_000)}\n${"b ".repeat(2_000)}`],
    ["fences that are opened and never closed", "```a\n".repeat(5_000)],
  ])("is cut in few steps and into few pieces: %s", (_, text) => {
    let times = 0;
    const lengthOf = (piece: string): number => {
      times += 1;
      return piece.trim().length || 1; // As platforms that take no empty text.
    };
    const pieces = split(text, { max: 2_000, lengthOf });
    expect(pieces.length).toBeLessThanOrEqual(Math.ceil(text.length / 900));
    expect(times).toBeLessThanOrEqual(12 * Math.ceil(text.length / 900));
  });
});

describe("any text", () => {
  const units = { utf16, bytes: (text: string) => Buffer.byteLength(text) };

  it.each(Object.entries(units))(
    "is in pieces that fit, are whole and are all of it, counted in %s",
    (_, lengthOf) => {
      fc.assert(
        fc.property(markdown, fc.integer({ min: 120, max: 400 }), (text, max) => {
          const pieces = split(text, { max, lengthOf });
          const joined = pieces.map(({ body }) => body).join("");
          if (pieces.length === 0) expect(text.trim()).toBe("");
          else expect(joined).toBe(text);
          for (const piece of pieces) {
            expect(lengthOf(piece.text)).toBeLessThanOrEqual(max);
            expect(piece.text.trim()).not.toBe("");
            expect(piece.text.isWellFormed()).toBe(text.isWellFormed() || piece.text.isWellFormed());
          }
        }),
        { numRuns: 10_000 },
      );
    },
  );

  it("has its fences balanced in each piece", () => {
    fc.assert(
      fc.property(markdown, fc.integer({ min: 120, max: 400 }), (text, max) => {
        const pieces = split(text, within(max));
        for (const piece of pieces.slice(0, -1)) expect(openFences(piece.text)).toBe(0);
      }),
      { numRuns: 10_000 },
    );
  });

  it("cuts no grapheme", () => {
    const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });
    fc.assert(
      fc.property(markdown, fc.integer({ min: 120, max: 400 }), (text, max) => {
        const breaks = new Set([...graphemes.segment(text)].map(({ index }) => index));
        let place = 0;
        for (const { body } of split(text, within(max)).slice(0, -1)) {
          place += body.length;
          expect(breaks.has(place)).toBe(true);
        }
      }),
      { numRuns: 10_000 },
    );
  });
});
