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
      "me (tg://user?id=1) file (<code>notes.md</code>) ann@example.org",
    ],
    // Telegram would make links of these, to strangers.
    [
      "See README.md, src/a.py and me@x.sh. **main.rs**.",
      "See <code>README.md</code>, <code>src/a.py</code> and me@x.sh. <b><code>main.rs</code></b>.",
    ],
    // Telegram would notify who has these names.
    [
      "Ask @ann_lee, *@bob* or @**carl**: @types/node, a@b.org, `@dan`",
      "Ask <code>@ann_lee</code>, <i><code>@bob</code></i> or <code>@</code><b>carl</b>: <code>@types/node</code>, a@b.org, <code>@dan</code>",
    ],
    [
      "[README.md](https://example.org/r) example.com",
      '<a href="https://example.org/r">README.md</a> example.com',
    ],
    [
      "| file | what it is for, and why it is there in the first place |\n|---|---|\n| a.ts | **all** of it, and a good deal more than that |",
      "• file: a.ts\n  what it is for, and why it is there in the first place: <b>all</b> of it, and a good deal more than that",
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
    const words = "so that the markup is not what counts, ".repeat(5);
    expect(shownLength(`${words}**a** & [b](https://example.org/very/long) 👋`)).toBe(
      words.length + "a & b 👋".length,
    );
    expect(shownLength("[".repeat(100_000))).toBe(100_000);
  });

  it("is full before Telegram ignores its markup, or refuses it", () => {
    const links = (count: number, address: string) => `[x](https://example.org/${address}) `.repeat(count);
    expect(shownLength(links(90, "a"))).toBeLessThanOrEqual(4_096);
    expect(shownLength(links(100, "a"))).toBeGreaterThan(4_096);
    expect(shownLength(links(40, "a".repeat(200)))).toBeGreaterThan(4_096);
  });
});
