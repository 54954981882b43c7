import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { split } from "../../delivery/split.js";
import { formatMarkdown, lengthOf } from "./format.js";

const MAX = 2_000;

describe("Markdown for Discord", () => {
  it.each([
    ["**bold** and *slanted* and ~~gone~~", "**bold** and *slanted* and ~~gone~~"],
    ["***both***", "_**both**_"],
    ["**bold *slanted* bold**", "**bold _slanted_ bold**"],
    ["`code` and ``a ` b``", "`code` and ``a ` b``"],
    ["# One\ntext\n\n##### Five", "# One\ntext\n\n### Five"],
    ["[words](https://example.com/a_(b))", "[words](<https://example.com/a_%28b%29>)"],
    ["https://example.com/a_b_c", "<https://example.com/a_b_c>"],
    ["[ref][1]\n\n[1]: https://example.com", "[ref](<https://example.com>)"],
    ["![a cat](https://example.com/cat.png)", "[a cat](<https://example.com/cat.png>)"],
    ["[run](javascript:alert(1))", "run"],
    ["- one\n  - two\n    - three\n- four", "- one\n  - two\n    - three\n- four"],
    ["3. three\n4. four", "3. three\n4. four"],
    ["- [x] done\n- [ ] open", "- ☑ done\n- ☐ open"],
    ["> said\n>\n> > deeper", "> said\n> \n> deeper"],
    ["```ts\nconst a = 1;\n```", "```ts\nconst a = 1;\n```"],
    ["````\n```\n````", "```\n`\u200b`\u200b`\n```"],
    ["- item\n\n  ```sh\n  ls\n  ```", "- item\n```sh\nls\n```"],
    ["<b>bold</b> &amp; more", "\\<b\\>bold\\</b\\> & more"],
    ["snake_case_name and 2*3*4", "snake\\_case\\_name and 2*3*4"],
    ["\\# no heading\n\\- no item\n1\\. no number", "\\# no heading\n\\- no item\n1\\. no number"],
    ["||spoiler||", "\\|\\|spoiler\\|\\|"],
    ["<@123> <#1> <:smile:1>", "\\<@123\\> \\<#1\\> \\<:smile:1\\>"],
    ["\u001b[31mred\u0007", "\\[31mred"],
  ])("%j", (markdown, expected) => {
    expect(formatMarkdown(markdown)).toBe(expected);
  });

  it("has tables as code, with their columns under each other", () => {
    expect(formatMarkdown("| name | cost |\n|---|---:|\n| tea | 3 |\n| 咖啡 | **12** |")).toBe(
      ["```", "name  cost", "────  ────", "tea      3", "咖啡    12", "```"].join("\n"),
    );
  });

  it("is as long as what is sent", () => {
    expect(lengthOf("a_b")).toBe("a\\_b".length);
    expect(lengthOf("x".repeat(100_000))).toBe(100_000);
  });

  it("is never empty where something was said", () => {
    expect(formatMarkdown("[a]: https://example.com")).toBe("\\[a\\]: https://example.com");
    expect(formatMarkdown("<!-- -->")).not.toBe("");
  });

  it("shows plain text as it is, whatever is in it", () => {
    const sign = fc.constantFrom(..."\\*_~`|<>[]()#-+.!:@&1a \n");
    fc.assert(
      fc.property(fc.string({ unit: sign, maxLength: 60 }), (text) => {
        const plain = text
          .split("\n")
          .map((line) => line.trim())
          .filter((line) => line !== "")
          .join("\n");
        fc.pre(plain !== "");
        // Every sign escaped is plain text to any reader of Markdown.
        const rendered = formatMarkdown(plain.replace(/[^0-9A-Za-z\s]/g, "\\$&"));
        expect(unescaped(rendered)).toBe(plain);
        expect(marksIn(rendered)).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  const expectToFit = (text: string, max: number): void => {
    const known = new Map<string, string>();
    const render = (piece: string): string => {
      const rendered = known.get(piece) ?? formatMarkdown(piece);
      known.set(piece, rendered);
      return rendered;
    };
    for (const piece of split(text, { max, lengthOf: (each) => render(each).length })) {
      const rendered = render(piece.text);
      expect(rendered.length).toBeLessThanOrEqual(max);
      expect(rendered.isWellFormed()).toBe(true);
      expect((rendered.match(/```/g) ?? []).length % 2).toBe(0);
    }
  };

  it("of any Markdown fits, with all its fences closed", () => {
    fc.assert(
      fc.property(markdown(3), (text) => expectToFit(text, MAX)),
      { numRuns: 10_000 },
    );
  }, 120_000);

  it("of what is too long fits in pieces", () => {
    fc.assert(
      fc.property(markdown(12), (text) => expectToFit(text, 200)),
      { numRuns: 50 },
    );
    fc.assert(
      fc.property(fc.array(markdown(12), { minLength: 20, maxLength: 25 }), (parts) =>
        expectToFit(parts.join("\n\n"), MAX),
      ),
      { numRuns: 3 },
    );
  });
});

/** As Discord reads it: a backslash before a sign goes. */
function unescaped(text: string): string {
  return text.replace(/\\([^0-9A-Za-z\s])/g, "$1");
}

/** What Discord would take for markup. */
function marksIn(text: string): string[] {
  const visible = text.replace(/\\[^0-9A-Za-z\s]/g, "x");
  return [...(visible.match(/[*_~`|<>[\]]/g) ?? []), ...(visible.match(/^[ \t]*(?:[#+-]|\d+\.)/gm) ?? [])];
}

/** Documents as models write them, and as they break them. */
function markdown(size: number): fc.Arbitrary<string> {
  const words = fc.constantFrom(
    "tea",
    "a_b",
    "*x*",
    "**y**",
    "`c`",
    "~~z~~",
    "<@1>",
    "@everyone",
    "| p",
    "👩‍👩‍👧",
    "\\",
    "[t](http://a.b/c_d)",
    "![i](x)",
    "&lt;",
    "```",
    "https://a.b",
    "\u0000",
    "e\u0301",
  );
  const line = fc.array(words, { maxLength: size }).map((parts) => parts.join(" "));
  const start = fc.constantFrom(
    "",
    "# ",
    "- ",
    "  - ",
    "1. ",
    "> ",
    "> > ",
    "    ",
    "| ",
    "```js\n",
    "~~~\n",
    "---\n",
    "[r]: ",
  );
  const row = fc.tuple(start, line).map((pair) => pair.join(""));
  const table = fc
    .array(line, { minLength: 1, maxLength: 3 })
    .map((cells) => `|${cells.join("|")}|\n|${cells.map(() => "-").join("|")}|\n|${cells.join("|")}|`);
  return fc
    .array(
      fc.oneof(
        { weight: 6, arbitrary: row },
        { weight: 1, arbitrary: table },
        { weight: 1, arbitrary: fc.string() },
      ),
      { maxLength: size },
    )
    .map((lines) => lines.join("\n"));
}
