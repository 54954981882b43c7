import { describe, expect, it } from "vitest";
import { readTelegramHtml } from "../../../test/support/telegram-html.js";
import { shownLength, textOf, toHtml } from "./format.js";

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

  it("is as long as what is seen of it", () => {
    expect(shownLength("**a** & [b](https://example.org/very/long) 👋")).toBe("a & b 👋".length);
    expect(shownLength("[".repeat(100_000))).toBe(100_000);
  });
});
