/** Markdown for all platforms: the same tree however it is read, bounded in depth and in work, and never a failure. */
import fc from "fast-check";
import type { Nodes } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { describe, expect, it, vi } from "vitest";
import { aDeepText, aHostileText } from "../../../test/support/hostile-text.js";
import { aDocument, aLongDocument } from "../../../test/support/random-markdown.js";
import { isTooCostly } from "./cost.js";
import { partsOfMarkdown } from "./parts.js";
import { prepareMarkdown } from "./prepare.js";
import { parseMarkdown, plainText } from "./read.js";

vi.mock("mdast-util-from-markdown", { spy: true });

describe("a text in parts", () => {
  it("is the text", () => {
    fc.assert(
      fc.property(fc.oneof(aDocument, aHostileText(2_000)), (markdown) => {
        const parts = partsOfMarkdown(markdown).map(({ text }) => text);
        expect(parts.join("\n")).toBe(markdown);
      }),
      { numRuns: 1_000, seed: 7 },
    );
  });

  it.each([
    "# a\n\nb *c*\n\n> d\n\n> e",
    "1. a\n\n1. b\n\n1. c\n\nd",
    "- a\n\n  b\n\n- c",
    "```\na\n\nb\n```\n\nc",
    "a\n```js {1}\n- b\n```\nc\n~~~\nd",
    "- a\n- **b**\n  - c\n\n- d\n* e\n* f\n1. g\n2. h\n\n3. i",
    "- a\n  ```\n  - b\n- c\n> ```\n> d\ne",
    "- a\nb\n- c\n# d\n- e\n\n- f",
    "<div>\n```\n- a\n```\n</div>",
    "a\n\n        ~~~~\n\n- b\n\n- c",
    "see [a][1] and [b]\n\nmore[^n]\n\n[1]: https://example.org\n[b]: https://example.org/b\n\n[^n]: note\n\nend",
  ])("is read as a whole: %j", (markdown) => {
    const whole = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
    expect(bare(parseMarkdown(markdown))).toEqual(bare(whole));
  });

  it("is read as a whole, whatever it is made of", () => {
    fc.assert(
      fc.property(aDocument, (given) => {
        // Not what only looks like the explanation of a name: it may stand in the middle of a paragraph.
        const markdown = given.toWellFormed().replace(CONTROLS, "").replaceAll("]:", "] :");
        const whole = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
        expect(bare(parseMarkdown(markdown))).toEqual(bare(whole));
      }),
      { numRuns: 500, seed: 7 },
    );
  }, 120_000);
});

describe("what nobody writes", () => {
  it("is not read as Markdown, and loses no word", () => {
    const hostile = ["- ", "> ", ">", "1. ", "> - 1. ", "[", "*_", "**a **b", "|a", "[a](b) "];
    for (const unit of hostile) {
      vi.mocked(fromMarkdown).mockClear();
      const text = `${unit.repeat(Math.ceil(8_000 / unit.length))}x`;
      expect(plainText(parseMarkdown(text))).toBe(text);
      expect(fromMarkdown).not.toHaveBeenCalled();
    }
  });

  it.each([
    ["a bracket that nothing closes", `[${"some words ".repeat(1_000)}`],
    ["signs behind an address", `https://example.org/${".".repeat(1_000)}x`],
    ["HTML that does not end", "a <? b ".repeat(200)],
    ["headings by underlining", "a\n-\n".repeat(200)],
    ["items deep by indentation", Array.from({ length: 20 }, (_, n) => `${" ".repeat(2 * n)}- a`).join("\n")],
    ["a paragraph without an end", "some words ".repeat(2_500)],
  ])("is not read as Markdown: %s", (_, text) => {
    expect(isTooCostly(text)).toBe(true);
    expect(plainText(parseMarkdown(text))).toBe(text.trim());
  });

  it("costs that part its look, and no other", () => {
    const text = `**a**\n\n${"- ".repeat(1_500)}x\n\n**b**`;
    const [first, second, third] = parseMarkdown(text).children;
    expect(
      [first, second, third].map((node) => (node && "children" in node ? node.children[0]?.type : "")),
    ).toEqual(["strong", "text", "strong"]);
  });

  it("gives the parser bounded work, whatever comes, and makes trees of bounded depth", () => {
    fc.assert(
      fc.property(fc.oneof(aHostileText(8_000), aDeepText(8_000)), (text) => {
        vi.mocked(fromMarkdown).mockClear();
        const tree = parseMarkdown(text);
        for (const [given] of vi.mocked(fromMarkdown).mock.calls)
          expect(isTooCostly(String(given))).toBe(false);
        expect(depthOf(tree)).toBeLessThanOrEqual(64);
      }),
      { numRuns: 300 },
    );
  });

  it("is shown as it is where the parser fails", () => {
    vi.mocked(fromMarkdown).mockImplementationOnce(() => {
      throw new RangeError("Maximum call stack size exceeded");
    });
    expect(plainText(parseMarkdown("a **part** that fails"))).toBe("a **part** that fails");
  });

  it.each(["<!-- see [x]\n\n[x]: http://a", "<pre>[x]\n\n[x]: http://a"])(
    "gets no word that is not there: %j",
    (text) => {
      expect(JSON.stringify(parseMarkdown(text))).not.toContain("]: x");
    },
  );
});

describe("what was read before", () => {
  it("is not read again, also where the text has grown", async () => {
    const long = Array.from({ length: 40 }, (_, n) => `Part **${n}** of it, said once.`).join("\n\n");
    await prepareMarkdown(long);
    vi.mocked(fromMarkdown).mockClear();
    parseMarkdown(`${long}\n\nand *more*`);
    expect(fromMarkdown).toHaveBeenCalledTimes(1);
  });

  it("is read the same", () => {
    fc.assert(
      fc.property(aLongDocument, (markdown) => {
        const before = bare(parseMarkdown(markdown));
        parseMarkdown(`${markdown}\n- more`);
        expect(bare(parseMarkdown(markdown))).toEqual(before);
      }),
      { numRuns: 50 },
    );
  });
});

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Without the places in the text, and the blank lines at the end of a fence that nobody closed. */
function bare(node: unknown): unknown {
  const seen = (key: string, value: unknown): unknown => {
    if (key === "position") return undefined;
    return key === "value" && typeof value === "string" ? value.replace(/\n+$/, "") : value;
  };
  return JSON.parse(JSON.stringify(node, seen));
}

function depthOf(node: Nodes): number {
  return 1 + ("children" in node ? Math.max(0, ...node.children.map(depthOf)) : 0);
}
