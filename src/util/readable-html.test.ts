import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readableHtml } from "./readable-html.js";

const text = (html: string) => readableHtml(html, "https://example.org/dir/page", 10_000).text;

describe("a page as text", () => {
  it("has its title, headings, paragraphs, lists and links", () => {
    const html = `<!doctype html><html><head><title> A  page &amp; more </title><style>p{}</style></head><body>
      <header><h1>Big <em>news</em></h1></header>
      <p>First paragraph,
         with a <a href="../other?x=1&amp;y=2">link</a> and a break<br>here.</p>
      <ul><li>one</li><li>two <b>bold</b></li></ul>
      <table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
      <pre>  kept
    as it is</pre><p>Last.</body></html>`;
    const page = readableHtml(html, "https://example.org/dir/page", 10_000);
    expect(page.title).toBe("A page & more");
    expect(page.text).toBe(
      [
        "# Big news",
        "",
        "First paragraph, with a [link](https://example.org/other?x=1&y=2) and a break",
        "here.",
        "",
        "- one",
        "- two bold",
        "",
        "a | b",
        "1 | 2",
        "",
        "  kept",
        "    as it is",
        "",
        "Last.",
      ].join("\n"),
    );
  });

  it.each([
    ["scripts", "a<script>if (1 < 2) alert('</p>')</script>b", "ab"],
    ["a script that says how it ends", "a<script>'</scriptx>'</SCRIPT >b", "ab"],
    ["an unended script", "a<script>b", "a"],
    ["styles and comments", "a<style>x</style><!-- <p>no</p> -->b", "ab"],
    ["navigation, with what is in it", "<nav>Home <nav>x</nav> y</nav>text", "text"],
    ["hidden elements", "<div hidden>no<div>no</div></div><p hidden=''>no</p>yes", "yes"],
    ["elements hidden from readers", '<span aria-hidden="true">no</span>yes', "yes"],
    ["elements hidden by style", '<div style="color:red; display : none">no</div>yes', "yes"],
    ["frames and templates", "<iframe>x</iframe><template><p>x</p></template>yes", "yes"],
  ])("leaves out %s", (_what, html, expected) => {
    expect(text(html)).toBe(expected);
  });

  it.each([
    ["1 < 2 and 3 > 2", "1 < 2 and 3 > 2"],
    ["a &lt;b&gt; &#65;&#x42; &eacute; &nosuch; &#0; &#xd800;", "a <b> AB é &nosuch; \ufffd \ufffd"],
    ['<a href="javascript:alert(1)">x</a>', "x"],
    ['<a href="#part">x</a>', "x"],
    ["<a href=https://a.example/>https://a.example/</a>", "https://a.example/"],
    ['<p title="a > b">x</p>', "x"],
    ['<p data-hidden="1" title="not hidden">x</p>', "x"],
    ["<p>a<p>b", "a\n\nb"],
    ["<li><a href='/x'>y</a></li>", "- [y](https://example.org/x)"],
    ["a <b>b</b>c", "a bc"],
    ["<", "<"],
    ["<a", ""],
    ["", ""],
  ])("%j is %j", (html, expected) => {
    expect(text(html)).toBe(expected);
  });

  it("ends where there is enough of it, and says so", () => {
    const long = readableHtml("<p>12345</p>".repeat(1_000_000), "https://example.org/", 20);
    expect(long).toEqual({ title: "", text: "12345\n\n12345\n\n12345", cut: true });
  });

  it("comes of anything, in one pass", () => {
    const piece = fc.constantFrom(
      "<div",
      ">",
      "<",
      "</",
      "a",
      '"',
      "=",
      "<a href=",
      "<script>",
      "<!--",
      "hidden",
      " ",
      "&",
      "<li>",
      "<title>",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        expect(typeof text(pieces.join(""))).toBe("string");
      }),
    );
    for (const part of [
      "<div>",
      "<a href='x'>y</a>",
      "<nav>",
      "<p hidden>",
      "<script>",
      "<!--",
      "<a ",
      '="',
      "<",
      "&#",
      "<li>",
    ]) {
      text(part.repeat(300_000));
    }
  });
});
