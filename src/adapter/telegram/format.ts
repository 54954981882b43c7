/**
 * Markdown as the HTML that Telegram takes: few tags, everything else escaped. What it has no markup for is written with
 * signs: lists, headings, tables. Links go to the web only. A text notifies nobody, neither by a hidden link nor by a name.
 */
import { codeLines, type PenLines, TextPen, textOf as written } from "../markdown/line-pen.js";
import { type Around, type LinkTarget, renderMarkdown, type TextMark } from "../markdown/render.js";
import { RULED_COLUMNS } from "../markdown/text-table.js";
import { LIMITS } from "./limits.js";

export function toHtml(markdown: string): string {
  return written(renderMarkdown(markdown, PEN));
}

/** Beyond these Telegram ignores markup, or refuses the message: 100 parts with markup, and about 9,500 bytes for them all. */
const MAX_ENTITIES = 95;
const MAX_ENTITY_BYTES = 8_000;
const ENTITY_BYTES = 32;
const ENTITIES_IN = /<(?:[bis]|blockquote|pre|code|a href="([^"]*)")>/g;

/**
 * How full a message is, in units of its greatest length: what people see counts, in UTF-16 units, and so does the markup,
 * if that is nearer to its own limit.
 */
export function shownLength(markdown: string): number {
  const html = toHtml(markdown);
  let [entities, bytes] = [0, 0];
  for (const [, address = ""] of html.matchAll(ENTITIES_IN)) {
    entities += 1;
    bytes += ENTITY_BYTES + Buffer.byteLength(address);
  }
  const share = Math.max(entities / MAX_ENTITIES, bytes / MAX_ENTITY_BYTES);
  return Math.max(textOf(html).length, Math.ceil(share * LIMITS.maxText));
}

/** Of HTML that was made here: what people see. */
export function textOf(html: string): string {
  return html.replace(/<[^<>]*>/g, "").replace(/&(?:lt|gt|amp|quot);/g, (entity) => ENTITIES[entity] ?? "");
}

/** The same with the addresses behind its words, for a message without markup. */
export function textWithLinks(html: string): string {
  return textOf(
    html.replace(/<a href="([^"]*)">([^<]*)/g, (_, address: string, words: string) =>
      words === address ? words : `${words} (${address})`,
    ),
  );
}

const ENTITIES: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"' };

const TAGS = { strong: "b", emphasis: "i", delete: "s" } as const;

class TelegramPen extends TextPen {
  protected override readonly isBoxBullet = true;
  protected override readonly columns = RULED_COLUMNS;

  text(text: string): string {
    return escaped(text)
      .replace(/[@\w./~+-]+/g, (word) =>
        FILE_NAME.test(word)
          ? word.replace(/^.*\w/, (name) => tagged("code", name))
          : word.replace(USER_NAME, (name) => tagged("code", name)),
      )
      .replace(/(?<!\w)@$/, (sign) => tagged("code", sign));
  }

  mark(mark: TextMark, words: string): string {
    return tagged(TAGS[mark], words);
  }

  code(code: string): string {
    return tagged("code", escaped(code));
  }

  /** Links elsewhere are written out, so that nothing hides behind words. */
  link(words: string, { url, isSaid }: LinkTarget): string {
    if (/^https?:\/\/[^\s/]/i.test(url)) {
      const address = url.replace(/\s/g, encodeURIComponent);
      return `<a href="${escaped(address)}">${words.replace(/<\/?code>/g, "")}</a>`;
    }
    return isSaid ? words : `${words} (${this.text(url)})`;
  }

  fence(code: string, language: string): PenLines<string> {
    const inner = escaped(code);
    if (inner === "") return [];
    const isNamed = /^[\w+#.-]{1,32}$/.test(language);
    return codeLines(
      isNamed ? `<pre><code class="language-${language}">${inner}</code></pre>` : `<pre>${inner}</pre>`,
    );
  }

  /** Telegram has no quotes in quotes. */
  override quote(inner: PenLines<string>, { isQuoted }: Around): PenLines<string> {
    if (isQuoted) return inner.map(({ text, kind }) => ({ text: `&gt; ${text}`, kind }));
    return inner.length === 0 ? [] : codeLines(`<blockquote>${written(inner)}</blockquote>`);
  }
}

const PEN = new TelegramPen();

/**
 * Names of files that end as addresses do: Telegram would make links to strangers of them. As code they are none, and
 * are copied as they are, with one tap.
 */
const FILE_NAME =
  /^[^@]*\w\.(?:as|bz|cab|cc|cl|do|gd|inc|la|md|mk|ml|mm|mo|mov|pl|pm|properties|ps|pub|py|rs|sc|sh|so|st|sv|tf|zip)\.*$/i;

/**
 * Telegram would notify who has that name. As code it notifies nobody, and is copied as it is. So is an `@` at the end of
 * a text, because a name may come behind a mark.
 */
const USER_NAME = /(?<!\w)@\w+(?:[./+-]@?\w+)*/g;

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

function tagged(tag: "b" | "i" | "s" | "code", html: string): string {
  return html === "" ? "" : `<${tag}>${html}</${tag}>`;
}
