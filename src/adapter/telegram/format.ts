/**
 * Markdown as the HTML that Telegram takes: few tags, everything else escaped. What it has no markup for is written with
 * signs: lists, headings, tables. Links go to the web only; a text never mentions anybody by a hidden link.
 */
import { codeLines, type PenLines, TextPen, textOf as written } from "../markdown/line-pen.js";
import { type Around, type LinkTarget, renderMarkdown, type TextMark } from "../markdown/render.js";
import { RULED_COLUMNS } from "../markdown/text-table.js";

export function toHtml(markdown: string): string {
  return written(renderMarkdown(markdown, PEN));
}

/** How long a text is as Telegram counts: UTF-16 units of what is left when the markup is taken away. */
export function shownLength(markdown: string): number {
  return textOf(toHtml(markdown)).length;
}

/** Of HTML that was made here: what people see. */
export function textOf(html: string): string {
  return html.replace(/<[^<>]*>/g, "").replace(/&(?:lt|gt|amp|quot);/g, (entity) => ENTITIES[entity] ?? "");
}

const ENTITIES: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"' };

const TAGS = { strong: "b", emphasis: "i", delete: "s" } as const;

class TelegramPen extends TextPen {
  protected override readonly isBoxBullet = true;
  protected override readonly columns = RULED_COLUMNS;

  text(text: string): string {
    return text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;");
  }

  mark(mark: TextMark, words: string): string {
    return tagged(TAGS[mark], words);
  }

  code(code: string): string {
    return tagged("code", this.text(code));
  }

  /** Links elsewhere are written out, so that nothing hides behind words. */
  link(words: string, { url, isSaid }: LinkTarget): string {
    if (/^https?:\/\/[^\s/]/i.test(url)) {
      const address = url.replace(/\s/g, encodeURIComponent);
      return `<a href="${this.text(address)}">${words}</a>`;
    }
    return isSaid ? words : `${words} (${this.text(url)})`;
  }

  fence(code: string, language: string): PenLines<string> {
    const inner = this.text(code);
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

function tagged(tag: "b" | "i" | "s" | "code", html: string): string {
  return html === "" ? "" : `<${tag}>${html}</${tag}>`;
}
