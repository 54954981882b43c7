/**
 * Markdown as the HTML that Telegram takes: few tags, everything else escaped. What it has no markup for is written with
 * signs: lists, headings, tables. Links go to the web only; a text never mentions anybody by a hidden link.
 */
import type {
  Blockquote,
  Definition,
  List,
  ListItem,
  PhrasingContent,
  Root,
  RootContent,
  Table,
} from "mdast";
import stringWidth from "string-width";
import { plainText, rendered } from "../markdown.js";

export function toHtml(markdown: string): string {
  const text = markdown.toWellFormed();
  const html = rendered(text, (tree) => new Renderer(tree).blocks(tree.children, TOP));
  // Nothing is not taken: what shows nothing is shown as it was written.
  return textOf(html).trim() === "" ? escaped(text) : html;
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

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** Where a block stands. */
interface Place {
  /** Before each line but the first. */
  readonly pad: string;
  /** Telegram has no quotes in quotes. */
  readonly isQuoted: boolean;
}

const TOP: Place = { pad: "", isQuoted: false };
const MAX_COLUMN = 40;
const RULE = "———";

class Renderer {
  readonly #definitions: ReadonlyMap<string, Definition>;

  constructor(tree: Root) {
    this.#definitions = new Map(
      definitionsIn(tree).map((definition) => [definition.identifier, definition] as const),
    );
  }

  blocks(nodes: readonly RootContent[], place: Place): string {
    const shown = nodes.map((node) => this.#block(node, place)).filter((html) => html !== "");
    return shown.join(`\n\n${place.pad}`);
  }

  #block(node: RootContent, place: Place): string {
    switch (node.type) {
      case "paragraph":
        return padded(this.#inlines(node.children), place);
      case "heading":
        return padded(tagged("b", this.#inlines(node.children)), place);
      case "code":
        return fence(node.value, node.lang ?? "");
      case "blockquote":
        return this.#quote(node, place);
      case "list":
        return this.#list(node, place);
      case "table":
        return table(node);
      case "thematicBreak":
        return RULE;
      case "html":
        return padded(escaped(node.value), place);
      case "footnoteDefinition":
        return `[${escaped(node.label ?? node.identifier)}] ${this.blocks(node.children, place)}`;
      case "definition":
        return "";
      default:
        return padded(this.#inline(node as PhrasingContent), place);
    }
  }

  #quote(node: Blockquote, place: Place): string {
    const inner = this.blocks(node.children, { pad: "", isQuoted: true });
    if (inner === "") return "";
    return place.isQuoted ? `&gt; ${inner.replaceAll("\n", "\n&gt; ")}` : `<blockquote>${inner}</blockquote>`;
  }

  #list(list: List, place: Place): string {
    const first = list.start ?? 1;
    const items = list.children.map((item, index) =>
      this.#item(item, list.ordered ? `${first + index}.` : "•", place),
    );
    return items.join(list.spread ? `\n\n${place.pad}` : `\n${place.pad}`);
  }

  #item({ children, checked, spread }: ListItem, sign: string, place: Place): string {
    const marker = typeof checked === "boolean" ? (checked ? "☑" : "☐") : sign;
    const inside = { ...place, pad: `${place.pad}${" ".repeat(Math.min(marker.length + 1, 3))}` };
    const shown = children.map((child) => this.#block(child, inside)).filter((html) => html !== "");
    return `${marker} ${shown.join(spread ? `\n\n${inside.pad}` : `\n${inside.pad}`)}`;
  }

  #inlines(nodes: readonly PhrasingContent[]): string {
    return nodes.map((node) => this.#inline(node)).join("");
  }

  #inline(node: PhrasingContent): string {
    switch (node.type) {
      case "text":
      case "html":
        return escaped(node.value);
      case "strong":
        return tagged("b", this.#inlines(node.children));
      case "emphasis":
        return tagged("i", this.#inlines(node.children));
      case "delete":
        return tagged("s", this.#inlines(node.children));
      case "inlineCode":
        return tagged("code", escaped(node.value));
      case "break":
        return "\n";
      case "link":
        return link(this.#inlines(node.children), node.url);
      case "linkReference":
        return link(this.#inlines(node.children), this.#definitions.get(node.identifier)?.url ?? "");
      case "image":
        return link(escaped(node.alt || node.url), node.url);
      case "imageReference": {
        const url = this.#definitions.get(node.identifier)?.url ?? "";
        return link(escaped(node.alt || url), url);
      }
      case "footnoteReference":
        return `[${escaped(node.label ?? node.identifier)}]`;
      default:
        return node satisfies never;
    }
  }
}

function definitionsIn(node: Root | RootContent): Definition[] {
  if (node.type === "definition") return [node];
  return "children" in node ? node.children.flatMap(definitionsIn) : [];
}

function padded(html: string, { pad }: Place): string {
  return pad === "" ? html : html.replaceAll("\n", `\n${pad}`);
}

function tagged(tag: "b" | "i" | "s" | "code", html: string): string {
  return html === "" ? "" : `<${tag}>${html}</${tag}>`;
}

function fence(code: string, language: string): string {
  const inner = escaped(code);
  if (inner === "") return "";
  return /^[\w+#.-]{1,32}$/.test(language)
    ? `<pre><code class="language-${language}">${inner}</code></pre>`
    : `<pre>${inner}</pre>`;
}

/** Links elsewhere are written out, so that nothing hides behind words; a link has no link in it. */
function link(html: string, url: string): string {
  const words = html.replace(/<\/?a\b[^<>]*>/g, "");
  if (/^https?:\/\/[^\s/]/i.test(url)) {
    const address = url.replace(/\s/g, encodeURIComponent);
    return `<a href="${escaped(address)}">${words || escaped(url)}</a>`;
  }
  const shown = textOf(words);
  const isSaid = shown === url || `mailto:${shown}` === url || url === "";
  return isSaid ? words : `${words} (${escaped(url)})`;
}

/** As text of one width; a column that is wider than most screens is not filled up. */
function table({ children }: Table): string {
  const rows = children.map((row) =>
    row.children.map((cell) => cell.children.map(plainText).join("").replace(/\s+/g, " ").trim()),
  );
  const columns = Math.max(...rows.map((row) => row.length), 0);
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.min(Math.max(...rows.map((row) => stringWidth(row[column] ?? ""))), MAX_COLUMN),
  );
  const line = (cells: readonly string[]): string =>
    widths.map((width, column) => filled(cells[column] ?? "", width)).join(" | ");
  const [head = [], ...body] = rows.map(line);
  const rule = widths.map((width) => "-".repeat(width)).join("-|-");
  const shown = [head, rule, ...body].map((row) => String(row).trimEnd()).join("\n");
  return shown.replace(/[\s|-]/g, "") === "" ? "" : `<pre>${escaped(shown)}</pre>`;
}

function filled(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(0, width - stringWidth(cell)));
}
