import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatMarkdown, lengthOf } from "./format.js";

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
    ["[run](javascript:alert(1)) [it](src/a.ts)", "run (javascript:alert(1)) it (src/a.ts)"],
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
