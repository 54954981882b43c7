/**
 * Markdown in a platform's own spelling. The tree is walked here and nowhere else: what follows what, numbers of lists,
 * links that name their address elsewhere, notes, HTML, which is text, and what stands in what. A platform brings a `Pen`,
 * which only spells: it writes a part that it is given, and escapes its words.
 */
import type { Definition, List, Nodes, PhrasingContent, RootContent, Table } from "mdast";
import { parseMarkdown, plainMarkdown, plainText } from "./read.js";

export type TextMark = "strong" | "emphasis" | "delete";

/** What a part stands in. */
export interface Around {
  /** The marks that are open. A mark is never given inside itself; a heading is strong. */
  readonly marks: readonly TextMark[];
  readonly isQuoted: boolean;
  /** Of a list, if the part is a block of one of its items. In a loose list blank lines stand between blocks. */
  readonly item: "tight" | "loose" | null;
}

export interface LinkTarget {
  /** Never empty. */
  readonly url: string;
  /** The link's words, without markup. */
  readonly said: string;
  /** The words are the address, so that it needs no saying. */
  readonly isSaid: boolean;
}

export interface Item<Block> {
  /** Null for a bullet. */
  readonly number: number | null;
  /** Of a task. */
  readonly isDone: boolean | null;
  readonly block: Block;
}

export interface Cell<Words> {
  readonly words: Words;
  /** The same without markup, in one line, with the addresses of its links. */
  readonly plain: string;
}

export type Align = "left" | "right" | "center" | null;

/** How a platform spells each part of a text. `Words` stand within a line or some lines, a `Block` on lines of its own. */
export interface Pen<Words, Block> {
  /** Words that stand for themselves, whatever is in them; they may have line breaks. */
  text(text: string): Words;
  mark(mark: TextMark, words: Words, around: Around): Words;
  code(code: string): Words;
  /** The words are never empty, and have no link in them. */
  link(words: Words, target: LinkTarget): Words;
  /** Words beside each other. */
  join(parts: readonly Words[]): Words;

  paragraph(words: Words, around: Around): Block;
  heading(words: Words, level: number, around: Around): Block;
  fence(code: string, language: string): Block;
  quote(inner: Block, around: Around): Block;
  list(items: readonly Item<Block>[], isLoose: boolean): Block;
  /** The first row is the head. */
  table(rows: readonly (readonly Cell<Words>[])[], align: readonly Align[]): Block;
  rule(): Block;
  /** One below the other; one that shows nothing leaves no gap. */
  blocks(blocks: readonly Block[], around: Around): Block;
}

/** Never fails: a text that shows nothing as Markdown, or that a pen cannot take, is written as it is. */
export function renderMarkdown<Words, Block>(markdown: string, pen: Pen<Words, Block>): Block {
  try {
    const { children } = parseMarkdown(markdown);
    if (children.some(showsAny)) return renderTree(children, pen);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
  return renderTree(plainMarkdown(markdown), pen);
}

const TOP: Around = { marks: [], isQuoted: false, item: null };

export function renderTree<Words, Block>(nodes: readonly RootContent[], pen: Pen<Words, Block>): Block {
  return new Fold(pen, definitionsIn(nodes)).blocks(nodes, TOP);
}

class Fold<Words, Block> {
  readonly #pen: Pen<Words, Block>;
  readonly #definitions: ReadonlyMap<string, Definition>;

  constructor(pen: Pen<Words, Block>, definitions: ReadonlyMap<string, Definition>) {
    this.#pen = pen;
    this.#definitions = definitions;
  }

  blocks(nodes: readonly RootContent[], around: Around): Block {
    const shown = nodes.filter(({ type }) => type !== "definition");
    return this.#pen.blocks(
      shown.map((node) => this.#block(node, around)),
      around,
    );
  }

  #block(node: RootContent, around: Around): Block {
    const pen = this.#pen;
    switch (node.type) {
      case "heading": {
        const words = this.#words(node.children, { ...around, marks: ["strong"] });
        return pen.heading(words, node.depth, around);
      }
      case "code":
        return pen.fence(node.value, node.lang ?? "");
      case "blockquote":
        return pen.quote(this.blocks(node.children, { ...TOP, isQuoted: true }), around);
      case "list":
        return this.#list(node, around);
      case "table":
        return this.#table(node, around);
      case "thematicBreak":
        return pen.rule();
      case "html":
        return pen.paragraph(pen.text(node.value), around);
      case "footnoteDefinition":
        return this.blocks(withLabel(`[${node.label ?? node.identifier}] `, node.children), around);
      case "paragraph":
        return pen.paragraph(this.#words(node.children, around), around);
      default:
        return pen.paragraph(this.#words([node as PhrasingContent], around), around);
    }
  }

  #list({ children, ordered, start, spread }: List, around: Around): Block {
    const isLoose = spread === true || children.some((item) => item.spread);
    const inside: Around = { ...around, item: isLoose ? "loose" : "tight" };
    const items = children.map((item, index) => ({
      number: ordered ? (start ?? 1) + index : null,
      isDone: item.checked ?? null,
      block: this.blocks(item.children, inside),
    }));
    return this.#pen.list(items, isLoose);
  }

  #table({ children, align }: Table, around: Around): Block {
    const rows = children.map((row) =>
      row.children.map((cell) => ({
        words: this.#words(cell.children, around),
        plain: cell.children
          .map((node) => this.#plain(node))
          .join("")
          .replace(/\s+/g, " ")
          .trim(),
      })),
    );
    return this.#pen.table(rows, align ?? []);
  }

  #words(nodes: readonly PhrasingContent[], around: Around, isLink = false): Words {
    return this.#pen.join(nodes.map((node) => this.#phrase(node, around, isLink)));
  }

  #phrase(node: PhrasingContent, around: Around, isLink: boolean): Words {
    const pen = this.#pen;
    switch (node.type) {
      case "text":
      case "html":
        return pen.text(node.value);
      case "strong":
      case "emphasis":
      case "delete": {
        if (around.marks.includes(node.type)) return this.#words(node.children, around, isLink);
        const inside = { ...around, marks: [...around.marks, node.type] };
        return pen.mark(node.type, this.#words(node.children, inside, isLink), around);
      }
      case "inlineCode":
        return pen.code(node.value.replaceAll("\n", " "));
      case "break":
        return pen.text("\n");
      case "link":
      case "linkReference":
      case "image":
      case "imageReference":
        return this.#link(node, around, isLink);
      case "footnoteReference":
        return pen.text(plainText(node));
      default:
        return node satisfies never;
    }
  }

  /** A picture is a link to it. A link has no link in it, and one without words says where it leads. */
  #link(node: LinkLike, around: Around, isInLink: boolean): Words {
    const pen = this.#pen;
    const url = this.#urlOf(node);
    const said = plainText(node).trim();
    const words = (): Words =>
      "children" in node ? this.#words(node.children, around, true) : pen.text(node.alt ?? "");
    if (url === "" || (isInLink && said !== "")) return words();
    const label = said === "" ? pen.text(url) : words();
    return isInLink ? label : pen.link(label, { url, said: said || url, isSaid: isSaid(said, url) });
  }

  #urlOf(node: LinkLike): string {
    return "url" in node ? node.url : (this.#definitions.get(node.identifier)?.url ?? "");
  }

  #plain(node: Nodes): string {
    if (isLinkLike(node)) {
      const [said, url] = [plainText(node), this.#urlOf(node)];
      return isSaid(said, url) ? said || url : `${said} (${url})`;
    }
    return "children" in node
      ? node.children.map((child) => this.#plain(child)).join("")
      : plainText(node as RootContent);
  }
}

/** What leads somewhere. */
export type LinkLike = Extract<
  PhrasingContent,
  { type: "link" | "linkReference" | "image" | "imageReference" }
>;

export function isLinkLike(node: Nodes): node is LinkLike {
  return ["link", "linkReference", "image", "imageReference"].includes(node.type);
}

/** The words say already where the link leads. */
function isSaid(said: string, url: string): boolean {
  if (said === "" || url === "") return true;
  const bare = (address: string): string => address.replace(/\/$/, "");
  return ["", "mailto:", "http://", "https://"].some((scheme) => bare(scheme + said) === bare(url));
}

/** A note begins with its label. */
export function withLabel(label: string, [first, ...rest]: readonly RootContent[]): RootContent[] {
  const sign = { type: "text", value: label } as const;
  if (first?.type === "paragraph") return [{ ...first, children: [sign, ...first.children] }, ...rest];
  return [{ type: "paragraph", children: [sign] }, ...(first ? [first, ...rest] : [])];
}

/** There is something to see of it: the sign of an empty item or a quote alone is nothing. */
function showsAny(node: Nodes): boolean {
  if ("value" in node) return node.value.trim() !== "";
  if ("children" in node && node.children.some(showsAny)) return true;
  if ("url" in node && node.type !== "definition") return node.url !== "" || plainText(node).trim() !== "";
  return [
    "thematicBreak",
    "imageReference",
    "linkReference",
    "footnoteReference",
    "footnoteDefinition",
  ].includes(node.type);
}

/** The first explanation of a name counts. */
export function definitionsIn(nodes: readonly Nodes[]): ReadonlyMap<string, Definition> {
  const found = new Map<string, Definition>();
  const look = (node: Nodes): void => {
    if (node.type === "definition" && !found.has(node.identifier)) found.set(node.identifier, node);
    if ("children" in node) node.children.forEach(look);
  };
  nodes.forEach(look);
  return found;
}
