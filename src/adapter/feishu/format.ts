/**
 * Markdown as a rich text of Feishu's (`post`), made of nodes: words with styles, links, blocks of code. Words in a node
 * stand for themselves, so nothing in them is markup, and no name in them notifies anybody: naming somebody is a node of its
 * own, which is never made here. (Feishu also takes Markdown in a rich text, but documents no way to escape it.) What a rich
 * text does not have becomes what comes closest: headings are bold, code within a line stands in backticks, lists and quotes
 * have signs. A card, which has buttons, shows plain words.
 */

import { parsedUrl } from "../../util/parsed-url.js";
import { LinePen, type PenLine, type PenLines } from "../markdown/line-pen.js";
import { JOINER, takesMark } from "../markdown/literal-marks.js";
import { type LinkTarget, renderMarkdown, type TextMark } from "../markdown/render.js";
import { linesOf, type StyledSpan, styled } from "../markdown/spans.js";

export type PostNode =
  | { readonly tag: "text"; readonly text: string; readonly style?: readonly string[] }
  | { readonly tag: "a"; readonly text: string; readonly href: string; readonly style?: readonly string[] }
  | { readonly tag: "code_block"; readonly language?: string; readonly text: string }
  | { readonly tag: "at"; readonly user_id: string };

export interface FeishuPost {
  readonly zh_cn: { readonly content: readonly (readonly PostNode[])[] };
}

const STYLES = ["bold", "italic", "lineThrough"] as const;

interface FeishuStyle {
  readonly bold?: true;
  readonly italic?: true;
  readonly lineThrough?: true;
  readonly href?: string;
  /** A block of code, with its language; it stands alone in its line. */
  readonly block?: string;
}

type FeishuWords = readonly StyledSpan<FeishuStyle>[];

/** Feishu takes no empty text. */
const NOTHING = "…";

export function toPost(markdown: string): FeishuPost {
  const lines = linesIn(markdown);
  const post = styledPost(lines);
  // A text of nearly nothing but marks loses them, and not its words.
  return bytesOf(post) <= MOST_BYTES ? post : postOf([[{ tag: "text", text: quiet(wordsOf(lines)) }]]);
}

function styledPost(lines: readonly FeishuWords[]): FeishuPost {
  return postOf(lines.map((line) => (line.length === 0 ? BLANK : line.map(nodeOf))));
}

const BLANK: readonly PostNode[] = [{ tag: "text", text: " " }];

export function postOf(lines: readonly (readonly PostNode[])[]): FeishuPost {
  const isEmpty = lines.every((line) => line.length === 0);
  return { zh_cn: { content: isEmpty ? [[{ tag: "text", text: NOTHING }]] : lines } };
}

/** The same without styles, for cards. */
export function toPlain(markdown: string): string {
  return wordsOf(linesIn(markdown)).trim() || NOTHING;
}

function wordsOf(lines: readonly FeishuWords[]): string {
  return lines
    .map((line) =>
      line.map(({ text, style: { href } }) => (href && href !== text ? `${text} (${href})` : text)).join(""),
    )
    .join("\n");
}

/** Feishu takes calls of 30 kB; something stands around the text. */
const MOST_BYTES = 28_000;
/** What stands around words counts as so much less than they do. */
const LIGHT = 4;

/** JSON in a text of JSON: quotes and breaks are escaped twice. */
function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(value)));
}

const AROUND = bytesOf(postOf([[{ tag: "text", text: "" }]]));
const QUOTES = bytesOf("");

/** How much room it takes: a plain text as much as its bytes, one with marks and links more. */
export function postLength(markdown: string): number {
  const lines = linesIn(markdown);
  const words = bytesOf(wordsOf(lines)) - QUOTES;
  const around = bytesOf(styledPost(lines)) - AROUND - words;
  return words + Math.max(Math.ceil(around / LIGHT), 0);
}

function linesIn(markdown: string): readonly FeishuWords[] {
  const lines = renderMarkdown(markdown, PEN).map(({ text }) => joined(text));
  const last = lines.findLastIndex((line) => line.length > 0);
  return lines.slice(0, last + 1);
}

/** Spans of one style that follow each other are one. */
function joined(words: FeishuWords): FeishuWords {
  const spans: StyledSpan<FeishuStyle>[] = [];
  for (const span of words) {
    const last = spans.at(-1);
    if (span.text === "") continue;
    if (last && JSON.stringify(last.style) === JSON.stringify(span.style))
      spans.splice(-1, 1, { ...last, text: last.text + span.text });
    else spans.push(span);
  }
  return spans;
}

function nodeOf({ text, style }: FeishuWords[number]): PostNode {
  const said = quiet(text);
  if (style.block !== undefined)
    return { tag: "code_block", ...(style.block && { language: style.block }), text: said };
  const marks = STYLES.filter((each) => style[each]);
  const look = marks.length > 0 ? { style: marks } : {};
  return style.href
    ? { tag: "a", text: said, href: style.href, ...look }
    : { tag: "text", text: said, ...look };
}

/** In other kinds of messages `<at …>` names somebody. Should it do so in a node too, nobody hears of it. */
function quiet(text: string): string {
  return text.replace(/<(?=\/?at\b)/gi, "<\u200b");
}

const MARKS = { strong: "bold", emphasis: "italic", delete: "lineThrough" } as const;

class FeishuPen extends LinePen<FeishuWords, FeishuWords> {
  protected readonly empty = [];

  /** A backtick that stands for itself is kept from looking like the sign of code. */
  text(text: string): FeishuWords {
    return plain(text.replaceAll("`", `\`${JOINER}`));
  }

  mark(mark: TextMark, words: FeishuWords): FeishuWords {
    return styled<FeishuStyle>(words, { [MARKS[mark]]: true });
  }

  code(code: string): FeishuWords {
    return code.includes("`") || !takesMark(code) ? this.text(code) : plain(`\`${code}\``);
  }

  /** Feishu refuses a message with a link that is none. Where such a link leads stands beside it. */
  link(words: FeishuWords, { url, isSaid }: LinkTarget): FeishuWords {
    const href = webAddress(url);
    if (href !== null) return styled<FeishuStyle>(words, { href });
    return isSaid ? words : [...words, ...plain(` (${url})`)];
  }

  join(parts: readonly FeishuWords[]): FeishuWords {
    return parts.flat();
  }

  fence(code: string, language: string): PenLines<FeishuWords> {
    if (code.trim() === "") return [];
    const block = /^[\w+#.-]{1,20}$/.test(language) ? language : "";
    return [{ text: [{ text: code, style: { block } }], kind: "code" }];
  }

  /** A block of code stands alone, also in a quote. */
  override quote(inner: PenLines<FeishuWords>): PenLines<FeishuWords> {
    return inner.map(
      (line): PenLine<FeishuWords> =>
        line.kind === "code" ? line : { text: this.behind("> ", line.text), kind: "quote" },
    );
  }

  protected behind(sign: string, words: FeishuWords): FeishuWords {
    return [...plain(sign), ...words];
  }

  protected linesOf(words: FeishuWords): readonly FeishuWords[] {
    return words.every(({ text }) => text === "") ? [] : linesOf(words);
  }
}

const PEN = new FeishuPen();

function plain(text: string): FeishuWords {
  return [{ text, style: {} }];
}

function webAddress(url: string): string | null {
  return /^https?:\/\/\S/i.test(url) ? (parsedUrl(url)?.href ?? null) : null;
}
