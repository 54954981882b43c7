import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aMarkdown, wordsOf } from "../../../test/support/random-markdown.js";
import { split } from "../../delivery/split.js";
import { formatText } from "./format.js";

/** The styled parts, as `STYLE(text)`. */
function styled(markdown: string): { text: string; parts: string[] } {
  const { text, styles } = formatText(markdown);
  const parts = styles.map((style) => {
    const [start = 0, length = 0] = style.split(":").map(Number);
    return `${style.split(":")[2]}(${text.slice(start, start + length)})`;
  });
  return { text, parts };
}

const STYLE = /^\d+:\d+:(?:BOLD|ITALIC|STRIKETHROUGH|MONOSPACE)$/;

describe("Markdown in Signal", () => {
  it("is text with styles", () => {
    expect(styled("**b** _i_ ~~s~~ `c` **_bi_**")).toEqual({
      text: "b i s c bi",
      parts: ["BOLD(b)", "ITALIC(i)", "STRIKETHROUGH(s)", "MONOSPACE(c)", "BOLD(bi)", "ITALIC(bi)"],
    });
    expect(formatText("👍 **b**").styles).toEqual(["3:1:BOLD"]);
  });

  it("has headings, rules, quotes and code", () => {
    expect(styled("# Title\n\ntext\n\n---\n\n> said\n> twice\n\n```ts\nlet a;\n\nlet b;\n```")).toEqual({
      text: "Title\n\ntext\n\n———\n\n> said\n> twice\n\nlet a;\n\nlet b;",
      parts: ["BOLD(Title)", "MONOSPACE(let a;\n\nlet b;)"],
    });
  });

  it("has lists in lists, with styles in their place", () => {
    expect(styled("- one\n  1. **two**\n  2. three\n- [x] done\n- [ ] **not\n  yet**")).toEqual({
      text: "• one\n  1. two\n  2. three\n• ☑ done\n• ☐ not\n  yet",
      parts: ["BOLD(two)", "BOLD(not)", "BOLD(yet)"],
    });
  });

  it("has tables of even columns", () => {
    expect(styled("| a | bb |\n|---|---|\n| ccc | d |").parts).toEqual([
      "MONOSPACE(a    bb\n───  ──\nccc  d)",
    ]);
  });

  it("says where links lead", () => {
    expect(
      formatText("[here](https://e.org/x) <https://e.org> ![cat](c.png) [r][1]\n\n[1]: https://r.org").text,
    ).toBe("here (https://e.org/x) https://e.org cat (c.png) r (https://r.org)");
  });

  it("says as it is what Markdown would show nothing of", () => {
    expect(formatText("[a]: https://e.org")).toEqual({ text: "[a]: https://e.org", styles: [] });
  });

  it("keeps every word, and its ranges inside: 10,000 documents", () => {
    let n = 0;
    fc.assert(
      fc.property(aMarkdown, (markdown) => {
        const { text, styles } = formatText(markdown);
        // To know the words is to parse it once more: that is done for every tenth.
        const words = n++ % 10 === 0 ? wordsOf(markdown) : [];
        const lost = words.filter((word) => !text.includes(word));
        const wrong = styles.filter((style) => {
          const [start = -1, length = 0] = style.split(":").map(Number);
          return !STYLE.test(style) || start < 0 || length < 1 || start + length > text.length;
        });
        return lost.length + wrong.length === 0;
      }),
      { numRuns: 10_000, seed: 1 },
    );
  }, 120_000);

  it("fits in pieces of any size", () => {
    const bytes = (text: string) => Buffer.byteLength(formatText(text).text);
    fc.assert(
      fc.property(aMarkdown, fc.integer({ min: 40, max: 200 }), (markdown, max) => {
        const pieces = split(markdown, { max, lengthOf: bytes });
        for (const { text } of pieces) expect(bytes(text)).toBeLessThanOrEqual(max);
        expect(pieces.map(({ body }) => body).join("")).toBe(pieces.length > 0 ? markdown : "");
      }),
      { numRuns: 100, seed: 2 },
    );
  }, 120_000);
});
