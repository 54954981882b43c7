/**
 * Things in one another, a few times or ten thousand times, as every renderer shows them: it never fails, loses no word
 * and writes no more than a few times what it was given. Deeper than anybody reads, all is shown as it was written.
 */
import { describe, expect, it } from "vitest";
import { MarkdownStream } from "../../src/adapter/terminal/markdown-stream.js";
import { painter } from "../../src/adapter/terminal/style.js";
import { RENDERERS } from "../support/renderers.js";

const READERS: Readonly<Record<string, (markdown: string) => string>> = {
  ...Object.fromEntries(Object.entries(RENDERERS).map(([name, { read }]) => [name, read])),
  "The terminal": (markdown) => shownInTerminal(markdown, false),
  "The terminal, in colour": (markdown) => shownInTerminal(markdown, true),
};

function shownInTerminal(markdown: string, color: boolean): string {
  const stream = new MarkdownStream();
  const look = { width: 80, color };
  stream.push(markdown);
  return stream.end(look).map(painter(false)).join("\n");
}

type Shape = (depth: number) => string;
const around =
  (open: string, close = ""): Shape =>
  (depth) =>
    `${open.repeat(depth)}deep${close.repeat(depth)}`;

/** What becomes a deep tree, or would. */
const DEEP: Readonly<Record<string, Shape>> = {
  quotes: around("> "),
  "quotes without blanks": around(">"),
  items: around("- "),
  numbers: around("1. "),
  "all of them": around("> - 1. "),
  "lists by indentation": (depth) =>
    Array.from({ length: Math.min(depth, 100) }, (_, n) => `${"  ".repeat(n)}- deep${n}`).join("\n"),
  "strong words": around("**a ", "**"),
};
/** What stays flat, however often it is opened. */
const FLAT: Readonly<Record<string, Shape>> = {
  marks: around("*_", "_*"),
  "struck words": around("~~a ", "~~"),
  links: around("[", "](x)"),
  pictures: around("![", "](x)"),
  brackets: around("["),
  HTML: around("<b>", "</b>"),
  code: around("`"),
};

/** Around what a line may have, and around what a tree may have. */
const DEPTHS = [1, 2, 7, 15, 16, 17, 29, 30, 31, 59, 60, 61];
const TOO_DEEP = [100, 400];

/** Without blanks, and without what keeps signs from being taken for marks. */
function visible(text: string): string {
  return text.replace(/[\s\u200b\u2060]/g, "");
}

describe.each(Object.entries(READERS))("%s", (_, read) => {
  it.each(Object.entries({ ...DEEP, ...FLAT }))("shows %s in one another", (_shape, textOf) => {
    for (const depth of [...DEPTHS, ...TOO_DEEP]) {
      const text = textOf(depth);
      const shown = read(text);
      expect(shown).toContain("deep");
      expect(shown.length).toBeLessThanOrEqual(4 * text.length + 40);
    }
  });

  it.each(Object.entries(DEEP))("shows %s as they were written if they are too deep", (_shape, textOf) => {
    for (const depth of TOO_DEEP) expect(visible(read(textOf(depth)))).toBe(visible(textOf(depth)));
  });
});

/** How much is shown, without reading it. */
const SIZES: Readonly<Record<string, (markdown: string) => number>> = {
  ...Object.fromEntries(Object.entries(RENDERERS).map(([name, { sizeOf }]) => [name, sizeOf])),
  "The terminal": (markdown) => shownInTerminal(markdown, false).length,
};

describe.each(Object.entries(SIZES))("%s", (_, sizeOf) => {
  it.each(["> ", ">", "- ", "1. ", "> - 1. ", "*_", "*a", "["])("takes %j ten thousand times", (unit) => {
    const text = `${unit.repeat(10_000)}x`;
    expect(sizeOf(text)).toBeGreaterThanOrEqual(visible(text).length);
  });
});
