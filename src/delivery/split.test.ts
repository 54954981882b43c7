import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadMarkdown, type PieceRoom, split, splitInTurns } from "./split.js";

await loadMarkdown();

const utf16 = (text: string) => text.length;
const bytes = (text: string) => Buffer.byteLength(text);
const within = (max: number): PieceRoom => ({ max, lengthOf: utf16 });
const pieces = (text: string, max: number) => split(text, within(max));

describe("a long text", () => {
  it("stays whole where it fits", () => {
    expect(pieces("hello", 5)).toEqual(["hello"]);
    expect(pieces("", 5)).toEqual([]);
    expect(pieces(" \n\n ", 5)).toEqual([]);
  });

  it("is cut at a paragraph, else a line, else a sentence, else a word, else anywhere", () => {
    expect(pieces("one two\n\nthree\nfour", 14)).toEqual(["one two", "three\nfour"]);
    expect(pieces("one two\nthree four", 12)).toEqual(["one two", "three four"]);
    expect(pieces("One two. Three four", 14)).toEqual(["One two.", "Three four"]);
    expect(pieces("one two three", 9)).toEqual(["one two", "three"]);
    expect(pieces("abcdefghij", 4)).toEqual(["abcd", "efgh", "ij"]);
  });

  it("is not cut into crumbs for the sake of a paragraph", () => {
    expect(pieces(`a\n\n${"word ".repeat(6)}`, 20)).toEqual(["a\n\nword word word", "word word word"]);
  });

  it("cuts no character as people see it", () => {
    const family = "👩‍👩‍👧‍👦";
    expect(pieces(family.repeat(3), family.length + 3)).toEqual([family, family, family]);
    expect(pieces("e\u0301".repeat(4), 5)).toEqual(["e\u0301e\u0301", "e\u0301e\u0301"]);
  });

  it("is cut the same beside other work", async () => {
    const text = "one two **three four five** six";
    expect(await splitInTurns(text, within(22))).toEqual(pieces(text, 22));
  });
});

describe("a cut", () => {
  it("closes a fence, and opens it again with its language", () => {
    expect(pieces("look:\n\n```ts\none();\ntwo();\nthree();\n```\n\ndone", 32)).toEqual([
      "look:\n\n```ts\none();\ntwo();\n```",
      "```ts\nthree();\n```\n\ndone",
    ]);
  });

  it("keeps a fence in its list or quote, and says that the item goes on", () => {
    expect(pieces("- ```ts\n  one();\n  two();\n  ```\n- done", 28)).toEqual([
      "- ```ts\n  one();\n  ```",
      "- …\n  ```ts\n  two();\n  ```",
      "- done",
    ]);
    expect(pieces("> ```\n> one();\n> two();\n> three();\n> ```", 32)).toEqual([
      "> ```\n> one();\n> two();\n> ```",
      "> ```\n> three();\n> ```",
    ]);
  });

  it("closes a fence that only the end of its item would close", () => {
    const all = pieces("word word word word word word\n\n- ---\n\n  ~~~ts\n  code\n\n- and then", 40);
    expect(all).toEqual(["word word word word word word\n\n- ---", "```ts\ncode\n```\n\n- and then"]);
  });

  it("keeps what stands in a little out of the list before it, whose numbers are written anew", () => {
    const all = pieces("7) word word word word\n\n7)  b\n\n   and then", 25);
    expect(all).toEqual(["7) word word word word", "8) b\n\nand then"]);
  });

  it("keeps apart what a line of blanks keeps apart", () => {
    const all = pieces("word word word word\n\ntwo  \n  \nfour\n===", 22);
    expect(all).toEqual(["word word word word", "two  \n\nfour\n==="]);
  });

  it("does not make a fence of code among words, nor lose a mark in the same mark", () => {
    const code = "- [ ] a\n      ````c\n      x ` `` ```\n      ````\n\n  ";
    expect(pieces(code + "word ".repeat(7), 44)[0]).toContain("- [ ] a\n  ````c x ` `` ``` ````");
    expect(pieces("> *~~_漢字。_~~*\n>\n> word word word word", 30)[0]).toContain("> *~~漢字。~~*");
  });

  it("repeats the head of a table", () => {
    const rows = Array.from({ length: 6 }, (_, n) => `| name${n} | ${n} |`);
    expect(pieces(["| a | b |", "|---|--:|", ...rows].join("\n"), 60)).toEqual([
      "| a | b |\n| - | -: |\n| name0 | 0 |\n| name1 | 1 |",
      "| a | b |\n| - | -: |\n| name2 | 2 |\n| name3 | 3 |",
      "| a | b |\n| - | -: |\n| name4 | 4 |\n| name5 | 5 |",
    ]);
  });

  it("falls rather beside bold words, links and code than into them, and else closes and opens them", () => {
    expect(pieces("It is said to be **very important indeed**.", 36)).toEqual([
      "It is said to",
      "be **very important indeed**.",
    ]);
    expect(pieces("It is really, as people say, a [long link](https://x.org/a) to it all.", 60)).toEqual([
      "It is really, as people say, a [long link](https://x.org/a)",
      "to it all.",
    ]);
    expect(pieces("Type `npm run docs` and go on.", 24)).toEqual(["Type `npm run docs` and", "go on."]);
    expect(pieces(`**${"word ".repeat(8).trim()}**`, 24)).toEqual([
      "**word word word word**",
      "**word word word word**",
    ]);
  });

  it("goes on counting in a numbered list, whatever numbers were written", () => {
    expect(pieces("1. one one one\n1. two two two\n1. three three\n1. four four", 32)).toEqual([
      "1. one one one\n1. two two two",
      "3. three three\n1. four four",
    ]);
  });

  it("keeps a quote a quote, also where a line of it has no sign", () => {
    expect(pieces("> one two three\nfour five six\nseven", 30)).toEqual([
      "> one two three",
      "> four five six\n> seven",
    ]);
  });

  it("leaves a heading with what is below it", () => {
    expect(pieces("some words here\n\n# Head\n\nand some more words", 34)).toEqual([
      "some words here",
      "# Head\n\nand some more words",
    ]);
  });

  it("gives a link its address where another piece explains it", () => {
    expect(pieces("see [the docs][d], one two\n\nand more [words][d]\n\n[d]: https://x.org", 45)).toEqual([
      "see [the docs](https://x.org), one two",
      "and more [words](https://x.org)",
    ]);
  });

  it("writes a long address once, and counts it as platforms encode it", () => {
    const url = `https://example.org/${"x".repeat(60)}`;
    const all = pieces(`look at ${url} now, and then some more words for it`, 120);
    expect(all.join("").split("example.org")).toHaveLength(2);
    const encoded = `https://example.org/${"漢".repeat(10)}`;
    expect(pieces(`[it](${encoded}) ${"word ".repeat(20)}`, 120)[0]).toMatch(/^it \(https/);
  });

  it("writes out an address that is too long for a piece", () => {
    const url = `https://x.org/${"a".repeat(60)}`;
    expect(pieces(`see [it](${url}) now`, 40).join("")).toBe(`see it(${url.replace(":", "\\:")})now`);
  });
});

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
    "in bytes": bytes,
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
    const all = split(answer, { max: 2_000, lengthOf: counted });
    const lengths = all.slice(0, -1).map(lengthOf);
    expect(all.length).toBeGreaterThan(5);
    expect(times / all.length).toBeLessThan(3);
    expect(characters / answer.length).toBeLessThan(4);
    expect(Math.min(...lengths)).toBeGreaterThan(1_500);
  });

  it("also where lengths jump", () => {
    let times = 0;
    const lengthOf = (text: string): number => {
      times += 1;
      return text.includes("x") ? text.length ** 2 : 1;
    };
    const all = split(`${"a b\n".repeat(5_000)}${"x y\n".repeat(500)}`, { max: 2_000, lengthOf });
    expect(times / all.length).toBeLessThan(12);
  });
});

describe("what nobody writes", () => {
  it("fits, though the line that opens a fence is nearly as long as a message", () => {
    const text = `\`\`\`${"a".repeat(70)}  ${"\u{10000}".repeat(5)}🇩🇪\u{10000}word|a|b|\n${"b".repeat(200)}`;
    for (let max = 60; max < 400; max += 7) {
      const all = split(text, { max, lengthOf: bytes });
      expect(all.join("").replace(/[^b]/g, "").length).toBeGreaterThanOrEqual(200);
      expect(Math.max(...all.map(bytes))).toBeLessThanOrEqual(max);
    }
  });

  it.each([
    ["blanks", " ".repeat(20_000)],
    ["blanks before a word", `${" \n".repeat(20_000)}x`],
    ["a fence whose marks are longer than a message", `${"`".repeat(3_000)}\n${"a ".repeat(2_000)}`],
    ["a fence whose name is longer than a message", `\`\`\`${"a".repeat(3_000)}\n${"b ".repeat(2_000)}`],
    ["fences that are opened and never closed", "```a\n".repeat(5_000)],
    ["items in one another", "- ".repeat(10_000)],
    ["a table of one line", "|".repeat(20_000)],
    ["a long table", `|a|b|\n|-|-|\n${"|1|2|\n".repeat(4_000)}`],
    ["one mark", "*".repeat(20_000)],
  ])("is cut in few steps and into few pieces: %s", (_, text) => {
    let times = 0;
    const lengthOf = (piece: string): number => {
      times += 1;
      return piece.trim().length || 1; // As platforms that take no empty text.
    };
    const all = split(text, { max: 2_000, lengthOf });
    expect(all.length).toBeLessThanOrEqual(1 + Math.ceil(text.length / 450));
    expect(times).toBeLessThanOrEqual(12 * Math.ceil(text.length / 450));
  });
});

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
const markdown = fc.array(fragment, { maxLength: 40 }).map((parts) => parts.join(""));

describe("any text", () => {
  it.each([
    ["utf16", utf16],
    ["bytes", bytes],
  ])("is in pieces that fit and are not empty, counted in %s", (_, lengthOf) => {
    fc.assert(
      fc.property(markdown, fc.integer({ min: 120, max: 400 }), (text, max) => {
        for (const piece of split(text, { max, lengthOf })) {
          expect(lengthOf(piece)).toBeLessThanOrEqual(max);
          expect(piece.trim()).not.toBe("");
          expect(piece.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
