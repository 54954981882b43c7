/**
 * Markdown → the HTML that Matrix clients show. Only tags and attributes of the specification's list, everything else
 * escaped; HTML in the text is text.
 */
import type { List, ListItem, Nodes, Root, Table } from "mdast";
import { plainText, rendered } from "../markdown.js";
import { withoutReferences } from "../references.js";

/** Clients show about a hundred levels; what is nested deeper is shown flat. */
const MAX_DEPTH = 40;

/** Undefined where the text says all without markup. */
export function renderHtml(markdown: string): string | undefined {
  const html = rendered(markdown, (tree) => {
    const root = withoutReferences(tree);
    return isPlain(root, markdown) ? "" : new Renderer().blocks(root.children, 0);
  });
  // What shows nothing is shown as it was written.
  return SHOWS.test(html) ? html : undefined;
}

/** A rule, or anything but tags and blanks. */
const SHOWS = /<hr>|(?:^|>)\s*[^<\s]/;

function isPlain({ children }: Root, markdown: string): boolean {
  const [only, ...rest] = children;
  if (only === undefined || rest.length > 0) return only === undefined;
  return only.type === "paragraph" && only.children.every(isText) && plainText(only) === markdown.trim();
}

function isText(node: Nodes): boolean {
  return node.type === "text";
}

class Renderer {
  blocks(nodes: readonly Nodes[], depth: number): string {
    return nodes.map((node) => this.#node(node, depth)).join("");
  }

  #node(node: Nodes, depth: number): string {
    if (depth > MAX_DEPTH) return `<p>${escapeHtml(plainText(node as Root))}</p>`;
    const inside = (): string => ("children" in node ? this.blocks(node.children, depth + 1) : "");
    switch (node.type) {
      case "text":
        return escapeHtml(node.value).replaceAll("\n", "<br>");
      case "html":
        return escapeHtml(node.value).replaceAll("\n", "<br>");
      case "paragraph":
        return `<p>${inside()}</p>`;
      case "heading":
        return `<h${node.depth}>${inside()}</h${node.depth}>`;
      case "strong":
        return `<strong>${inside()}</strong>`;
      case "emphasis":
        return `<em>${inside()}</em>`;
      case "delete":
        return `<del>${inside()}</del>`;
      case "inlineCode":
        return `<code>${escapeHtml(node.value)}</code>`;
      case "code":
        return `<pre><code${language(node.lang)}>${escapeHtml(node.value)}\n</code></pre>`;
      case "blockquote":
        return `<blockquote>${inside()}</blockquote>`;
      case "list":
        return this.#list(node, depth);
      case "listItem":
        return this.#item(node, false, depth);
      case "link":
        return link(node.url, inside());
      case "image":
        return link(node.url, escapeHtml(node.alt || node.url));
      case "table":
        return this.#table(node, depth);
      case "break":
        return "<br>";
      case "thematicBreak":
        return "<hr>";
      case "footnoteReference":
        return `<sup>[${escapeHtml(node.label ?? node.identifier)}]</sup>`;
      case "footnoteDefinition":
        return `<p>[${escapeHtml(node.label ?? node.identifier)}]</p>${inside()}`;
      case "definition":
        return "";
      default:
        return inside() || escapeHtml(plainText(node as Root));
    }
  }

  #list(node: List, depth: number): string {
    const tag = node.ordered ? "ol" : "ul";
    const start =
      node.ordered && typeof node.start === "number" && node.start !== 1 ? ` start="${node.start}"` : "";
    const items = node.children.map((item) => this.#item(item, node.spread === true, depth + 1));
    return `<${tag}${start}>${items.join("")}</${tag}>`;
  }

  #item(node: ListItem, isLoose: boolean, depth: number): string {
    const box = typeof node.checked === "boolean" ? (node.checked ? "☑ " : "☐ ") : "";
    const parts = node.children.map((child) =>
      child.type === "paragraph" && !isLoose
        ? this.blocks(child.children, depth + 1)
        : this.blocks([child], depth + 1),
    );
    return `<li>${box}${parts.join("")}</li>`;
  }

  #table({ children }: Table, depth: number): string {
    const [head, ...rows] = children.map(({ children: cells }, index) => {
      const tag = index === 0 ? "th" : "td";
      return `<tr>${cells.map((cell) => `<${tag}>${this.blocks(cell.children, depth + 1)}</${tag}>`).join("")}</tr>`;
    });
    const body = rows.length > 0 ? `<tbody>${rows.join("")}</tbody>` : "";
    return `<table><thead>${head ?? ""}</thead>${body}</table>`;
  }
}

function language(lang: string | null | undefined): string {
  const name = /^[A-Za-z0-9+#._-]{1,40}$/.exec(lang ?? "")?.[0];
  return name ? ` class="language-${escapeHtml(name)}"` : "";
}

/** Other schemes are not shown as links by clients, nor should they be; a link has no link in it. */
function link(url: string, inner: string): string {
  const shown = inner.replace(/<\/?a\b[^<>]*>/g, "") || escapeHtml(url);
  return /^(?:https?|mailto|ftp|magnet):/i.test(url) ? `<a href="${escapeHtml(url)}">${shown}</a>` : shown;
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
