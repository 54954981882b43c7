import { describe, expect, it } from "vitest";
import { editContent, fileContent, MAX_CONTENT, textBytes, textContent, threadRoot } from "./content.js";
import { renderHtml } from "./format.js";
import { LIMITS } from "./limits.js";

describe("Markdown becomes HTML", () => {
  it.each([
    [
      "**bold** and *italic* and ~~gone~~",
      "<p><strong>bold</strong> and <em>italic</em> and <del>gone</del></p>",
    ],
    ["`a<b`", "<p><code>a&lt;b</code></p>"],
    ["```ts\nlet a = 1 < 2;\n```", '<pre><code class="language-ts">let a = 1 &lt; 2;\n</code></pre>'],
    ['```x" onclick="y\nz\n```', "<pre><code>z\n</code></pre>"],
    ["- a\n  - b\n- [x] c", "<ul><li>a<ul><li>b</li></ul></li><li>☑ c</li></ul>"],
    ["3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'],
    [
      "| a | b |\n|---|---|\n| 1 | **2** |",
      "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><strong>2</strong></td></tr></tbody></table>",
    ],
    ["[site](https://example.org/?a=1&b=2)", '<p><a href="https://example.org/?a=1&amp;b=2">site</a></p>'],
    ["[run](javascript:alert(1)) [it](src/a.ts)", "<p>run (javascript:alert(1)) it (src/a.ts)</p>"],
    [
      '[x](https://example.org/"onmouseover=")',
      '<p><a href="https://example.org/&quot;onmouseover=&quot;">x</a></p>',
    ],
    ["![cat](https://example.org/cat.png)", '<p><a href="https://example.org/cat.png">cat</a></p>'],
    ["> quoted\n> **more**", "<blockquote><p>quoted<br><strong>more</strong></p></blockquote>"],
    ["# Title\n\ntext", "<h1>Title</h1><p>text</p>"],
    ["<b>not</b> **bold**", "<p>&lt;b&gt;not&lt;/b&gt; <strong>bold</strong></p>"],
    ["a\n\n---\n\nb", "<p>a</p><hr><p>b</p>"],
    ["\\*stars\\*", "<p>*stars*</p>"],
  ])("%j", (markdown, html) => {
    expect(renderHtml(markdown)).toBe(html);
  });

  it.each(["hello", "two\nlines", "", "a < b & c"])("but %j says all by itself", (text) => {
    expect(renderHtml(text)).toBeUndefined();
  });
});

/** As it is at most in a room: encrypted it grows by a third, and an envelope is around it. */
function assertFits(content: object): void {
  const bytes = Buffer.byteLength(JSON.stringify(content));
  if (Math.ceil(bytes / 3) * 4 + 3_000 > 65_536) throw new Error(`An event of ${bytes} bytes is too large.`);
}

describe("what is sent", () => {
  it("fits, whatever its markup becomes", () => {
    for (const text of [
      "\u0001".repeat(LIMITS.maxText / 6),
      "<".repeat(LIMITS.maxText),
      '"'.repeat(LIMITS.maxText / 2),
      "*a* ".repeat(LIMITS.maxText / 4),
    ]) {
      expect(textBytes(text)).toBeLessThanOrEqual(LIMITS.maxText);
      assertFits(textContent(text));
      assertFits(editContent(text, "$e"));
    }
    expect(LIMITS.maxText * 3).toBeLessThan(MAX_CONTENT);
  });

  it("names nobody but whom a thread is for", () => {
    expect(textContent("@room @ann:example.org")).toMatchObject({ "m.mentions": {} });
    expect(threadRoot("<Plans>", "@ann:example.org")).toMatchObject({
      body: "@ann:example.org: <Plans>",
      formatted_body:
        '<a href="https://matrix.to/#/%40ann%3Aexample.org">@ann:example.org</a>: <strong>&lt;Plans&gt;</strong>',
      "m.mentions": { user_ids: ["@ann:example.org"] },
    });
    expect(threadRoot("a *b*", null)).toMatchObject({ body: "a *b*", "m.mentions": {} });
  });

  it("is in its thread, and answers what it answers", () => {
    expect(textContent("x", { replyTo: "$r" })["m.relates_to"]).toEqual({
      "m.in_reply_to": { event_id: "$r" },
    });
    expect(textContent("x", { threadId: "$t" })["m.relates_to"]).toEqual({
      rel_type: "m.thread",
      event_id: "$t",
      is_falling_back: true,
      "m.in_reply_to": { event_id: "$t" },
    });
    expect(textContent("x", { threadId: "$t", replyTo: "$r" })["m.relates_to"]).toEqual({
      rel_type: "m.thread",
      event_id: "$t",
      "m.in_reply_to": { event_id: "$r" },
    });
    expect(
      fileContent({ name: "a.png", mediaType: "image/png", size: 3, at: { url: "mxc://e/1" } }),
    ).toMatchObject({
      msgtype: "m.image",
      filename: "a.png",
      url: "mxc://e/1",
    });
  });
});
