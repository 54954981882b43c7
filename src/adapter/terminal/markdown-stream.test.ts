import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScreenLook } from "./markdown.js";
import { MarkdownStream } from "./markdown-stream.js";
import { painter } from "./style.js";
import { widthOf } from "./wrap.js";

/** A text is read with each of its letters: minutes on a machine that is busy. */
const TIMEOUT_MS = 300_000;
const PLAIN: ScreenLook = { width: 60, color: false };
const COLOR: ScreenLook = { width: 60, color: true };

/** All rows of a text that comes in these pieces, drawn after each of them as the chat does. */
function rendered(pieces: readonly string[], look: ScreenLook): string[] {
  const stream = new MarkdownStream();
  const rows = pieces.flatMap((piece) => {
    stream.push(piece);
    const final = stream.take(look);
    stream.pending(look);
    return final;
  });
  return [...rows, ...stream.end(look)].map(painter(look.color));
}

const plain = (text: string, width = 60) => rendered([text], { width, color: false }).join("\n");
const colored = (text: string) => rendered([text], COLOR).join("\n");

/** Pieces of Markdown, so that properties meet its corners. */
const markdown = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...[
          "# h",
          "**b**",
          "*i*",
          "`c`",
          "~~s~~",
          "[a](http://b)",
          "- x",
          "  - y",
          "1. z",
          "> q",
          "---",
          "===",
          "|a|b|",
        ],
        ...[
          "|-|-:|",
          "```ts",
          "```",
          "~~~",
          "    code",
          "\\*",
          "&amp;",
          "<b>",
          "- [x] t",
          "[1]: u",
          "2",
          ".",
          "*",
          "_",
          "`",
        ],
        ...["\n", "\n", "\n", "\n\n", " ", "\t", "word ", "長い文 ", "👩‍👩‍👧 "],
      ),
      fc.string({ maxLength: 5 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(""));

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...[
          "\u001b",
          "\u001b[",
          "\u001b]0;",
          "\u0007",
          "\u009b",
          "\u009d",
          "\u001bP",
          "\u001b\\",
          "2J",
          "?25l",
          "\b",
          "\r",
        ],
        ...["\u202e", "\u0085", "\u2028", "\ud83d", "&#27;[2J", "&#x9b;", "&#8238;", "&#10;", "&#9;", "\0"],
      ),
      markdown,
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

describe("Markdown in the terminal", () => {
  it("keeps plain text as it is", () => {
    expect(plain("One line.\nAnother one.\n\nA paragraph.")).toBe("One line.\nAnother one.\n\nA paragraph.");
  });

  it("reads without colour", () => {
    expect(plain("# Title\n\nSome **bold** and `code` & a [link](http://x).\n\n---\n")).toBe(
      `# Title\n\nSome bold and \`code\` & a link (http://x).\n\n${"─".repeat(40)}`,
    );
    expect(plain("> quoted\n> twice")).toBe("│ quoted\n│ twice");
    expect(plain("```ts\nlet a = `1`;\n\n  b();\n```\nafter")).toBe(
      "```ts\nlet a = `1`;\n\n  b();\n```\n\nafter",
    );
  });

  it("nests lists", () => {
    expect(plain("- one\n  - two **b**\n    1. three\n- [x] done\n- [ ] open")).toBe(
      "• one\n  • two b\n    1. three\n☑ done\n☐ open",
    );
    expect(plain("9. nine\n10. ten")).toBe(" 9. nine\n10. ten");
    expect(plain("- loose\n\n- list\n\n  with more")).toBe("• loose\n\n• list\n\n  with more");
    expect(plain("- some words to wrap", 12)).toBe("• some words\n  to wrap");
  });

  it("aligns tables, and wraps them where they are too wide", () => {
    expect(plain("| a | b | c |\n|:--|--:|:-:|\n| long | 1 | x |\n| s | 100 | xyz |")).toBe(
      "a       b   c\n────  ───  ───\nlong    1   x\ns     100  xyz",
    );
    expect(plain("| a | b |\n|-|-|\n| one two three | x |", 10)).toBe(
      "a        b\n───────  ─\none two  x\nthree    ",
    );
  });

  it("resolves character references, but to nothing that a terminal acts on", () => {
    expect(plain("&lt;b&gt; &amp;amp; &#65;&#x42; &#27;]0;owned&#7;&#8238;x&#10;y")).toBe(
      "<b> &amp; AB \ufffd]0;owned\ufffdx\ny",
    );
  });

  it("shows the address of a link, once", () => {
    expect(plain("<http://x.org> and http://y.org, <a@b.org>")).toBe(
      "http://x.org and http://y.org, a@b.org",
    );
    expect(plain("[http://good.org](http://evil.org)")).toBe("http://good.org (http://evil.org)");
    expect(plain("see [1]\n\n[1]: http://x.org")).toBe("see [1]\n\n[1]: http://x.org");
  });

  it("uses colours of its own", () => {
    expect(colored("# T\n\n**b** *i* `c`")).toBe(
      "\u001b[1;4mT\u001b[0m\n\n\u001b[1mb\u001b[0m \u001b[3mi\u001b[0m \u001b[36mc\u001b[0m",
    );
    expect(colored("```zz\nx\n```")).toBe("\u001b[2m  zz\u001b[0m\n  \u001b[36mx\u001b[0m");
  });

  it("shows a growing block, and gives each block out once", () => {
    const stream = new MarkdownStream();
    const paint = painter(false);
    const see = (delta: string) => {
      stream.push(delta);
      return { final: stream.take(PLAIN).map(paint), growing: stream.pending(PLAIN).map(paint) };
    };
    expect(see("Some **bo")).toEqual({ final: [], growing: ["Some **bo"] });
    expect(see("ld**\n\n- a\n")).toEqual({ final: ["Some bold"], growing: ["", "• a"] });
    expect(see("- b\n\n```\nx")).toEqual({ final: ["", "• a", "• b", "", "```"], growing: ["x"] });
    expect(see("y\n``")).toEqual({ final: ["xy"], growing: [] });
    expect(see("`\n")).toEqual({ final: ["```"], growing: [] });
    expect(stream.end(PLAIN)).toEqual([]);
  });

  it(
    "gives the same rows however the text is cut",
    () => {
      fc.assert(
        fc.property(hostile, fc.array(fc.nat(400)), fc.boolean(), (text, cuts, color) => {
          const places = [0, ...cuts.filter((cut) => cut < text.length), text.length].sort((a, b) => a - b);
          const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
          const look = color ? COLOR : PLAIN;
          expect(rendered(pieces, look)).toEqual(rendered([text], look));
        }),
        { numRuns: 2_000 },
      );
    },
    TIMEOUT_MS,
  );

  it(
    "lets nothing through that a terminal acts on but its own colours",
    () => {
      fc.assert(
        fc.property(hostile, (text) => {
          for (const row of rendered([...text], COLOR)) {
            expect(row.replace(/\u001b\[(?:[0-9]+)(?:;[0-9]+)*m/g, "")).not.toMatch(
              /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u,
            );
            expect(row.lastIndexOf("\u001b[0m")).toBe(row.lastIndexOf("\u001b["));
          }
          expect(rendered([text], PLAIN).join("")).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
        }),
        { numRuns: 1_000 },
      );
    },
    TIMEOUT_MS,
  );

  it(
    "keeps every row within the width, and every word in its place",
    () => {
      fc.assert(
        fc.property(markdown, fc.integer({ min: 4, max: 80 }), (text, width) => {
          for (const row of rendered([text], { width, color: false }))
            expect(widthOf(row)).toBeLessThanOrEqual(width);
        }),
        { numRuns: 1_000 },
      );
      const words = fc.array(fc.stringMatching(/^[a-zA-Z]{1,12}$/), { minLength: 1, maxLength: 40 });
      fc.assert(
        fc.property(words, fc.integer({ min: 12, max: 80 }), (list, width) => {
          expect(plain(list.join(" "), width).split(/\s+/)).toEqual(list);
        }),
      );
    },
    TIMEOUT_MS,
  );

  it("shows long texts whole", () => {
    const long = Array.from({ length: 3_000 }, (_, index) => `Paragraph ${index}.\n\n`).join("");
    expect(plain(long)).toBe(long.trimEnd());
    const item = plain(Array.from({ length: 3_000 }, (_, index) => `- item ${index}\n`).join(""));
    expect(item).toContain("item 0\n");
    expect(item).toContain("item 2999");
  });
});
