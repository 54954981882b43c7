/**
 * Markdown → the HTML that Matrix clients show. Only tags and attributes of the specification's list, everything else
 * escaped; HTML in the text is text.
 */
import {
  type Around,
  type Cell,
  type Item,
  type LinkTarget,
  type Pen,
  renderMarkdown,
  type TextMark,
} from "../markdown/render.js";

/** Undefined where the text says all without markup. */
export function renderHtml(markdown: string): string | undefined {
  const html = renderMarkdown(markdown, PEN);
  return html === "" || html === PEN.paragraph(PEN.text(markdown.trim()), { item: null }) ? undefined : html;
}

const TAGS = { strong: "strong", emphasis: "em", delete: "del" } as const;

const PEN = {
  text: (text: string): string => escapeHtml(text).replaceAll("\n", "<br>"),
  mark: (mark: TextMark, words: string): string => `<${TAGS[mark]}>${words}</${TAGS[mark]}>`,
  code: (code: string): string => `<code>${escapeHtml(code)}</code>`,
  /** Other schemes are not shown as links by clients, nor should they be: they stand beside the words. */
  link: (words: string, { url, isSaid }: LinkTarget): string => {
    if (/^(?:https?|mailto|ftp|magnet):/i.test(url)) return `<a href="${escapeHtml(url)}">${words}</a>`;
    return isSaid ? words : `${words} (${escapeHtml(url)})`;
  },
  join: (parts: readonly string[]): string => parts.join(""),

  paragraph: (words: string, { item }: Pick<Around, "item">): string =>
    item === "tight" ? words : `<p>${words}</p>`,
  heading: (words: string, level: number): string => `<h${level}>${words}</h${level}>`,
  fence: (code: string, language: string): string => {
    const name = /^[A-Za-z0-9+#._-]{1,40}$/.exec(language)?.[0];
    return `<pre><code${name ? ` class="language-${name}"` : ""}>${escapeHtml(code)}\n</code></pre>`;
  },
  quote: (inner: string): string => `<blockquote>${inner}</blockquote>`,
  list: (items: readonly Item<string>[]): string => {
    const first = items[0]?.number ?? null;
    const tag = first === null ? "ul" : "ol";
    const start = first === null || first === 1 ? "" : ` start="${first}"`;
    return `<${tag}${start}>${items.map(listItem).join("")}</${tag}>`;
  },
  table: (rows: readonly (readonly Cell<string>[])[]): string => {
    const [head, ...body] = rows.map((cells, index) => {
      const tag = index === 0 ? "th" : "td";
      return `<tr>${cells.map(({ words }) => `<${tag}>${words}</${tag}>`).join("")}</tr>`;
    });
    return `<table><thead>${head ?? ""}</thead>${body.length > 0 ? `<tbody>${body.join("")}</tbody>` : ""}</table>`;
  },
  rule: (): string => "<hr>",
  blocks: (blocks: readonly string[]): string => blocks.join(""),
} satisfies Pen<string, string>;

function listItem({ isDone, block }: Item<string>): string {
  const box = isDone === null ? "" : isDone ? "☑ " : "☐ ";
  return `<li>${box}${block}</li>`;
}

export function escapeHtml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
