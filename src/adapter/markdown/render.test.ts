/** What the fold decides for every pen: what stands in what, which names mean which address, and what to do in trouble. */
import { describe, expect, it } from "vitest";
import { codeLines, type PenLines, TextPen, textOf } from "./line-pen.js";
import { type Around, type LinkTarget, renderMarkdown, type TextMark } from "./render.js";

/** Says what it is given. */
class Witness extends TextPen {
  text(text: string): string {
    return text;
  }
  mark(mark: TextMark, words: string, { marks }: Around): string {
    return `${[...marks, mark].join(".")}(${words})`;
  }
  code(code: string): string {
    return `code(${code})`;
  }
  link(words: string, { url, said, isSaid }: LinkTarget): string {
    return `link(${words}|${said}|${url}|${isSaid})`;
  }
  fence(code: string): PenLines<string> {
    return codeLines(`fence(${code})`);
  }
}

const shown = (markdown: string, pen = new Witness()): string => textOf(renderMarkdown(markdown, pen));

describe("One renderer for all", () => {
  it.each([
    ["a mark is never in itself", "**a _b **c** d_**", "strong(a strong.emphasis(b c d))"],
    ["a heading is strong", "# a **b** _c_", "strong(a b strong.emphasis(c))"],
    ["a name means its first address", "[a][n]\n\n[n]: x\n\n[n]: y", "link(a|a|x|false)"],
    ["a picture is a link", "![a](x) ![b][n]\n\n[n]: y", "link(a|a|x|false) link(b|b|y|false)"],
    ["a link has no link in it", "[![a](x) b](y)", "link(a b|a b|y|false)"],
    ["a link without words says its address", "[](x) ![](y)", "link(x|x|x|true) link(y|y|y|true)"],
    [
      "a link may say it already",
      "<a@b.c> www.b.c",
      "link(a@b.c|a@b.c|mailto:a@b.c|true) link(www.b.c|www.b.c|http://www.b.c|true)",
    ],
    ["a link to nowhere is its words", "[a]() ![b]()", "a b"],
    [
      "a note begins with its label",
      "a[^N]\n\n[^N]: b\n\n[^N2]: c\n\na[^N2]",
      "a[N]\n\n[N] b\n\n[N2] c\n\na[N2]",
    ],
    ["HTML is text", "<b>a</b>\n\n<div>\nb", "<b>a</b>\n\n<div>\nb"],
    ["numbers go on", "7. a\n7. b", "7. a\n8. b"],
    ["tasks have boxes", "- [x] a\n- [ ] b", "• ☑ a\n• ☐ b"],
    ["a list is loose if one item is", "- a\n- b\n\n  c", "• a\n\n• b\n\n  c"],
    ["lists stand in lists", "1. a\n   - b\n     c\n2. d", "1. a\n   • b\n     c\n2. d"],
    [
      "code and quotes begin their lines",
      "- a\n  ```\n  b\n  ```\n  > c\n- > d",
      "• a\nfence(b)\n> c\n•\n> d",
    ],
    ["quotes stand in quotes", "> a\n>\n> > b", "> a\n> \n> > b"],
    [
      "a table is code",
      "|a|b|c|\n|-|-:|:-:|\n|long|1|x|\n|[s](x)|100|xyz|",
      "fence(a        b   c\n─────  ───  ───\nlong     1   x\ns (x)  100  xyz)",
    ],
    ["a table of nothing shows nothing", "a\n\n| |\n|-|\n\nb", "a\n\nb"],
    ["what shows nothing is as it was written", "[a]: b", "[a]: b"],
    ["and so is a sign alone", "- ", "-"],
    ["what nobody could see is said to be there", "\u0000", "…"],
    ["and nothing is nothing", " \n", ""],
  ])("%s", (_, markdown, expected) => {
    expect(shown(markdown)).toBe(expected);
  });

  it("a text that a pen fails on is written as it is", () => {
    class Failing extends Witness {
      override mark(): string {
        throw new Error("cannot");
      }
    }
    expect(shown("a **b** c", new Failing())).toBe("a **b** c");
  });
});
