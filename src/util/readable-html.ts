/**
 * The text of a page as people read it: title, headings, paragraphs, lists, tables by rows, links with their targets.
 * Scripts, styles, navigation and hidden elements are left out. It reads the text once: tags that are never closed,
 * nested a million deep or broken cost no more than others.
 */

import { decodeEntities } from "./html-entities.js";
import { parsedUrl } from "./parsed-url.js";
import { shorten } from "./text.js";

export interface Readable {
  readonly title: string;
  readonly text: string;
  /** There is more of it. */
  readonly cut: boolean;
}

/** Their content is not markup. */
const RAW = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "iframe",
  "svg",
  "math",
  "textarea",
  "xmp",
  "noembed",
]);
/** Left out with everything in them. */
const DROPPED = new Set(["nav", "select", "button", "dialog", "object", "canvas", "audio", "video"]);
const EMPTY = new Set([
  "area",
  "base",
  "br",
  "col",
  "embed",
  "hr",
  "img",
  "input",
  "link",
  "meta",
  "source",
  "track",
  "wbr",
]);
const BLOCKS = new Set(
  "address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form header hgroup hr main menu ol p pre section summary table tbody tfoot thead ul".split(
    " ",
  ),
);
const LONGEST_TITLE = 300;

/** Stops after `most` characters of text. */
export function readableHtml(html: string, base: string, most: number): Readable {
  const page = new ReadablePage(base);
  let at = 0;
  while (at < html.length && page.length <= most) {
    const open = html.indexOf("<", at);
    const end = open < 0 ? html.length : open;
    if (end > at) page.text(html.slice(at, end));
    at = open < 0 ? html.length : takeTag(html, open, page);
  }
  return page.result(most, at < html.length);
}

/** Returns where to continue. */
function takeTag(html: string, open: number, page: ReadablePage): number {
  if (html.startsWith("<!--", open)) return after(html, "-->", open + 4);
  const start = /^<(\/?)([a-z][a-z0-9:-]*)/i.exec(html.slice(open, open + 64));
  if (!start) {
    if (/^<[!?]/.test(html.slice(open, open + 2))) return after(html, ">", open);
    page.text("<");
    return open + 1;
  }
  const [opening, slash, written = ""] = start;
  const name = written.toLowerCase();
  const end = endOfTag(html, open + opening.length);
  if (slash) page.close(name);
  else {
    const attributes = html.slice(open + opening.length, end - 1);
    if (RAW.has(name)) return attributes.endsWith("/") && name === "svg" ? end : afterRaw(html, name, end);
    if (name === "title") {
      const close = afterRaw(html, name, end);
      page.title(html.slice(end, Math.max(end, html.lastIndexOf("<", close - 1))));
      return close;
    }
    page.open(name, attributes);
  }
  return end;
}

function after(html: string, what: string, from: number): number {
  const at = html.indexOf(what, from);
  return at < 0 ? html.length : at + what.length;
}

/** After the `>`; one in quotes does not count. */
function endOfTag(html: string, from: number): number {
  let quote = "";
  for (let at = from; at < html.length; at++) {
    const char = html[at] ?? "";
    if (quote) quote = char === quote ? "" : quote;
    else if (char === ">") return at + 1;
    else if ((char === '"' || char === "'") && html[at - 1] === "=") quote = char;
  }
  return html.length;
}

/** After the closing tag of an element whose content is not markup. */
function afterRaw(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}[\\s/>]`, "gi");
  closing.lastIndex = from;
  const found = closing.exec(html);
  return found ? after(html, ">", found.index) : html.length;
}

/** The text so far, and the elements that it is in. */
class ReadablePage {
  /** The approximate length of the text so far. */
  length = 0;
  readonly #base: string;
  #title = "";
  readonly #out: string[] = [];
  /** Spaces and breaks to write before the next word. */
  #gap = "";
  /** The element that is left out, and how many elements of its name are open in it. */
  #dropped: { name: string; depth: number } | null = null;
  #pre = 0;
  #link: { href: string; from: number } | null = null;

  constructor(base: string) {
    this.#base = base;
  }

  title(html: string): void {
    this.#title ||= decodeEntities(html).replace(/\s+/g, " ").trim().slice(0, LONGEST_TITLE);
  }

  text(html: string): void {
    if (this.#dropped) return;
    const text = decodeEntities(html);
    if (this.#pre > 0) {
      this.#write(text.replace(/\r\n?/g, "\n"));
      return;
    }
    const words = text.replace(/[\s\u00a0]+/g, " ");
    if (words.startsWith(" ")) this.#space();
    if (words.trim() === "") return;
    this.#write(words.trim());
    if (words.endsWith(" ")) this.#space();
  }

  open(name: string, attributes: string): void {
    if (this.#dropped) {
      if (name === this.#dropped.name) this.#dropped.depth++;
      return;
    }
    if (
      !EMPTY.has(name) &&
      name !== "html" &&
      name !== "body" &&
      (DROPPED.has(name) || isHidden(attributes))
    ) {
      this.#dropped = { name, depth: 1 };
      return;
    }
    if (name === "br") this.#break(1);
    else if (name === "li") this.#begin(1, "- ");
    else if (name === "tr") this.#break(1);
    else if (name === "td" || name === "th") this.#cell();
    else if (/^h[1-6]$/.test(name)) this.#begin(2, `${"#".repeat(Number(name[1]))} `);
    else if (name === "a") this.#link = { href: attribute(attributes, "href"), from: this.#out.length };
    else if (BLOCKS.has(name)) this.#break(name === "div" ? 1 : 2);
    if (name === "pre") this.#pre++;
  }

  close(name: string): void {
    if (this.#dropped) {
      if (name === this.#dropped.name && --this.#dropped.depth === 0) this.#dropped = null;
      return;
    }
    if (name === "a") this.#endLink();
    else if (name === "pre") this.#pre = Math.max(0, this.#pre - 1);
    if (/^h[1-6]$/.test(name) || BLOCKS.has(name)) this.#break(name === "div" ? 1 : 2);
  }

  result(most: number, more: boolean): Readable {
    const text = this.#out.join("").trim();
    return { title: this.#title, text: shorten(text, most), cut: more || text.length > most };
  }

  #write(text: string): void {
    this.#out.push(this.#gap, text);
    this.length += this.#gap.length + text.length;
    this.#gap = "";
  }

  #space(): void {
    if (this.#gap === "") this.#gap = " ";
  }

  #break(lines: number): void {
    if (this.#gap.length < lines || this.#gap === " ") this.#gap = "\n".repeat(lines);
  }

  /** Marks are written with the first word, so that empty elements leave none. */
  #begin(lines: number, mark: string): void {
    this.#break(lines);
    this.#gap = this.#gap.slice(0, this.#gap.lastIndexOf("\n") + 1) + mark;
  }

  #cell(): void {
    if (this.#gap.startsWith("\n")) return;
    this.#gap = " | ";
  }

  #endLink(): void {
    const link = this.#link;
    this.#link = null;
    if (!link || link.href === "" || this.#out.length === link.from) return;
    const [gap = "", ...words] = this.#out.splice(link.from);
    const said = words.join("");
    const href = absolute(link.href, this.#base);
    this.#out.push(gap, href && said !== href ? `[${said}](${href})` : said);
  }
}

function isHidden(attributes: string): boolean {
  if (attributes.trim() === "") return false;
  return (
    /(?:^|\s)hidden(?=[\s=/]|$)/i.test(attributes.replace(/=\s*(?:"[^"]*"|'[^']*')/g, "=x")) ||
    attribute(attributes, "aria-hidden").toLowerCase() === "true" ||
    /display\s*:\s*none|visibility\s*:\s*hidden/i.test(attribute(attributes, "style"))
  );
}

function attribute(attributes: string, name: string): string {
  const pattern = new RegExp(`(?:^|[\\s"'])${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i");
  const [, double, single, bare] = pattern.exec(attributes) ?? [];
  return decodeEntities(double ?? single ?? bare ?? "").trim();
}

/** The target of a link if it is a page: no scripts, no places on the same page. */
function absolute(href: string, base: string): string | null {
  const url = href.startsWith("#") ? null : parsedUrl(href, base);
  return url && ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
}
