import { describe, expect, it } from "vitest";
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
});
