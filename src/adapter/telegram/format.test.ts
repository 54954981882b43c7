import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readTelegramHtml } from "../../../test/support/telegram-html.js";
import { split } from "../../delivery/split.js";
import { shownLength, textOf, toHtml } from "./format.js";
import { partsOfText } from "./parts.js";

describe("Markdown for Telegram", () => {
  it.each([
    [
      "It is **very** *much* ~~old~~ `co<de`",
      "It is <b>very</b> <i>much</i> <s>old</s> <code>co&lt;de</code>",
    ],
    ["# Title\ntext", "<b>Title</b>\n\ntext"],
    [
      '```ts\nconst a = "<b>";\n```',
      '<pre><code class="language-ts">const a = &quot;&lt;b&gt;&quot;;</code></pre>',
    ],
    ['```"><b>\nx\n```', "<pre>x</pre>"],
    ["- one\n- two\n  - and a half\n\n3. three", "• one\n• two\n  • and a half\n\n3. three"],
    ["- [x] done\n- [ ] open", "☑ done\n☐ open"],
    ["> said\n> > before", "<blockquote>said\n\n&gt; before</blockquote>"],
    ["[the notes](https://example.org/?a=1&b=2)", '<a href="https://example.org/?a=1&amp;b=2">the notes</a>'],
    [
      "[me](tg://user?id=1) [file](notes.md) <ann@example.org>",
      "me (tg://user?id=1) file (notes.md) ann@example.org",
    ],
    ["![a cat](https://example.org/cat.png)", '<a href="https://example.org/cat.png">a cat</a>'],
    ["| a | b |\n|---|--:|\n| long | 1 |", "<pre>a    | b\n-----|--\nlong | 1</pre>"],
    ["above\n\n---\n\nbelow", "above\n\n———\n\nbelow"],
    ["<b>raw</b> & <script>", "&lt;b&gt;raw&lt;/b&gt; &amp; &lt;script&gt;"],
    ["see [a][1]\n\n[1]: https://example.org", 'see <a href="https://example.org">a</a>'],
    ["[1]: https://example.org", "[1]: https://example.org"],
    ["a\nb", "a\nb"],
  ])("%j", (markdown, html) => {
    expect(toHtml(markdown)).toBe(html);
    expect(textOf(html)).toBe(readTelegramHtml(html).text);
  });

  it("of a depth or a length that nobody reads is not read", () => {
    expect(toHtml("> ".repeat(10_000))).toBe("&gt; ".repeat(10_000));
    expect(toHtml(`${"- ".repeat(10_000)}x`)).toContain("- - x");
    expect(shownLength("[".repeat(100_000))).toBe(100_000);
  });

  it("is as long as what is seen of it", () => {
    expect(shownLength("**a** & [b](https://example.org/very/long) 👋")).toBe("a & b 👋".length);
  });
});

/** Documents of everything that Markdown has, broken in every way. */
const inline = fc.oneof(
  fc.constantFrom(
    "**bold**",
    "*it*",
    "`co`de`",
    "~~s~~",
    '[a](https://x.org/?q="<&>)',
    "<b>",
    "&amp;",
    "![i](u)",
  ),
  fc.constantFrom(
    "**",
    "_",
    "`",
    "[",
    "](",
    "~~",
    "<",
    "&",
    "\\",
    "|",
    "🙂",
    "e\u0301",
    "\ud83d",
    "[^1]",
    "[a][b]",
  ),
  fc.string({ unit: "grapheme", maxLength: 20 }),
);
const line = fc.array(inline, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(" "));
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
  "```",
  "~~~js",
  "---",
  "[b]: /u ",
);
const block = fc.tuple(start, line).map(([before, text]) => before + text);
const whole = fc.constantFrom(
  "| a | b |\n|---|---|\n| `c` | **d** & <e> |",
  "```html\n<p>a\n\nb</p>\n```",
  "- a\n\n  b\n\n  ```\n  c\n  ```\n- d",
);
const long = fc.constantFrom(
  "long ".repeat(900),
  "x".repeat(4_500),
  "| a |\n|---|\n".padEnd(3_000, "| **b** |\n"),
);
const between = fc.constantFrom("\n", "\n\n", "\r\n");
const documentOf = (blocks: fc.Arbitrary<readonly string[]>) =>
  fc.tuple(blocks, between).map(([all, gap]) => all.join(gap));
const document = documentOf(
  fc.array(fc.oneof({ weight: 12, arbitrary: block }, { weight: 1, arbitrary: whole }), { maxLength: 5 }),
);
const longDocument = documentOf(
  fc.array(fc.oneof({ weight: 4, arbitrary: block }, whole, long), { minLength: 2, maxLength: 6 }),
);

describe("10,000 documents", () => {
  it("are well-formed, escaped, and counted as Telegram counts", () => {
    fc.assert(
      fc.property(document, (markdown) => {
        const html = toHtml(markdown);
        const { text } = readTelegramHtml(html);
        expect(text).toBe(textOf(html));
        expect(text.isWellFormed()).toBe(true);
        if (markdown.trim() !== "") expect(text.trim()).not.toBe("");
      }),
      { numRuns: 10_000, seed: 5 },
    );
  }, 120_000);

  it("stay within the limit when they are split", () => {
    fc.assert(
      fc.property(longDocument, (markdown) => {
        const pieces = split(markdown.toWellFormed(), { max: 4_096, lengthOf: shownLength });
        for (const { text } of pieces) {
          const shown = readTelegramHtml(toHtml(text)).text;
          expect(shown.length).toBeLessThanOrEqual(4_096);
          expect(shown.trim()).not.toBe("");
        }
      }),
      { numRuns: 60, seed: 6 },
    );
  }, 120_000);

  it("are cut in parts that are the text", () => {
    fc.assert(
      fc.property(document, (markdown) => {
        expect(partsOfText(markdown).join("\n")).toBe(markdown.replace(/\r\n?/g, "\n"));
      }),
      { numRuns: 1_000, seed: 7 },
    );
  });
});
