/**
 * Markdown as a tree, the same one for every platform; `render.ts` writes it in the platform's markup. Reading takes
 * bounded time and never fails: a part that would cost too much, that is nested too deep or that the parser cannot take
 * is shown as it was written. An answer is never lost to its formatting.
 */
import type { Nodes, Root, RootContent, Table } from "mdast";
import { fromMarkdown, type Options } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { InTurns } from "../../util/in-turns.js";
import { fenceAfter, openedFence } from "../../util/markdown-fence.js";
import { isTooCostly } from "./cost.js";
import { type MarkdownPart, partsOfMarkdown } from "./parts.js";

export function parseMarkdown(markdown: string): Root {
  return ANSWERS.read(partsOfMarkdown(readable(markdown)));
}

/** The same for a text that grows: a name that a later line may explain stays as it is written, and so does the line. */
export function parseGrowing(markdown: string): Root {
  return GROWING.read(partsOfMarkdown(readable(markdown)).map((part) => ({ ...part, names: "" })));
}

/** Reads a text to remember it, and lets others work in between. */
export async function readInTurns(markdown: string): Promise<void> {
  const turns = new InTurns();
  for (const part of partsOfMarkdown(readable(markdown))) {
    await turns.next();
    ANSWERS.treeOf(part);
  }
}

/** A part of a text, and what it was read as. Positions are those in the part; a block without one has none inside either. */
export interface ReadPart {
  readonly text: string;
  readonly nodes: readonly RootContent[];
}

/** For those who change little in a text: with line breaks between them the parts are the text. */
export function readParts(markdown: string): readonly ReadPart[] {
  return partsOfMarkdown(readable(markdown)).map((part) => ({
    text: part.text,
    nodes: ANSWERS.treeOf(part),
  }));
}

/** A block at the margin, with the Markdown that it was read from. */
export interface MarkdownBlock {
  readonly node: RootContent;
  readonly source: string;
  /** False if it costs too much to read: then it stands for itself, as it is written. */
  readonly isRead: boolean;
  /** What is between it and the block before. */
  readonly gap: "\n" | "\n\n";
  /** It has the next items of the list before it. */
  readonly goesOn: boolean;
}

/**
 * The blocks of a text, for those who take it apart; lets others work at each `yield`. What is too costly to read as a
 * whole is read by halves: each of them says more to people than its source.
 */
export function* readingBlocks(markdown: string): Generator<void, readonly MarkdownBlock[]> {
  const blocks: MarkdownBlock[] = [];
  let gap: MarkdownBlock["gap"] = "\n\n";
  for (const part of partsOfMarkdown(readable(markdown))) {
    yield;
    const goesOn = part.goesOn !== "no" && blocks.at(-1)?.node.type === "list";
    const own = ANSWERS.blocksOf(part) ?? (yield* readingHalves(part.text));
    for (const [index, block] of own.entries()) {
      const isNext = index === 0 && goesOn && block.node.type === "list";
      blocks.push(index === 0 ? { ...block, gap, goesOn: isNext } : block);
    }
    // A line of blanks is a blank line.
    gap = part.text.slice(part.text.trimEnd().length).includes("\n") ? "\n\n" : "\n";
  }
  return blocks;
}

function* readingHalves(text: string): Generator<void, readonly MarkdownBlock[]> {
  yield;
  const part = { text: withoutMargin(text), names: "", goesOn: "no" } as const;
  const read = ANSWERS.blocksOf(part);
  if (read) return read;
  const middle = text.indexOf("\n", text.length >> 1);
  const cut = middle === -1 || middle === text.length - 1 ? text.lastIndexOf("\n", text.length >> 1) : middle;
  if (cut <= 0)
    return plain(text).map((node) => ({ node, source: text, isRead: false, gap: "\n\n", goesOn: false }));
  const rest = text.slice(cut + 1);
  const head = headOfTable(text);
  return [
    ...(yield* readingHalves(text.slice(0, cut))),
    ...(yield* readingHalves(head === null ? rest : `${head}\n${rest}`)),
  ];
}

/** The two lines that a table begins with; null if the text is none, or hardly more than its head. */
function headOfTable(text: string): string | null {
  const [head = "", line = "", row = ""] = text.split("\n", 3);
  const isTable = row !== "" && /^ {0,3}\|/.test(head) && /^[ \t|:-]+$/.test(line) && line.includes("-");
  return isTable && 4 * (head.length + line.length) < text.length ? `${head}\n${line}` : null;
}

/** What stands further in would be code without what is around it. */
function withoutMargin(text: string): string {
  const lines = text.split("\n");
  const margins = lines
    .filter((line) => line.trim() !== "")
    .map((line) => line.length - line.trimStart().length);
  const margin = margins.reduce((least, each) => Math.min(least, each), MAX_READ);
  return lines.map((line) => line.slice(margin)).join("\n");
}

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** The text that is read: no platform shows more of it. */
function readable(markdown: string): string {
  return markdown.toWellFormed().replace(/\r\n?/g, "\n").replace(CONTROLS, "");
}

/** As many characters as the longest text that is prepared; as many of what was read before are remembered, too. */
const MAX_READ = 65_536;

/** The longest table that is read by so many rows at a time, and the longest head that is read with each of them. */
const MAX_TABLE = 32_768;
const MAX_ROWS = 400;
const MAX_HEAD = 1_000;
const ROWS = 16;

/** Remembers what it has read of late. */
class MarkdownReader {
  readonly #options: Options;
  #read = new Map<string, readonly RootContent[]>();
  #readBefore = this.#read;
  #readLength = 0;

  constructor(...extensions: NonNullable<Options["extensions"]>) {
    this.#options = { extensions, mdastExtensions: [gfmFromMarkdown()] };
  }

  read(parts: readonly MarkdownPart[]): Root {
    const children: RootContent[] = [];
    for (const part of parts) {
      const nodes = this.treeOf(part);
      const [first] = nodes;
      const last = children.at(-1);
      const goesOn = part.goesOn !== "no" && last?.type === "list" && first?.type === "list";
      if (goesOn) {
        last.children.push(...first.children);
        last.spread = last.spread || first.spread || part.goesOn === "after blank";
      }
      for (const node of goesOn ? nodes.slice(1) : nodes) children.push(withOwnItems(node));
    }
    return { type: "root", children };
  }

  /** The blocks of a part; null if it is too costly to read. */
  blocksOf(part: MarkdownPart): readonly MarkdownBlock[] | null {
    const nodes = this.treeOf(part);
    const text = withoutLastBreaks(part.text);
    const [opening = ""] = text.split("\n", 1);
    const [first] = nodes;
    if (first === undefined) return [];
    const block = { isRead: true, gap: "\n\n", goesOn: false } as const;
    // A fence is read by its first line, and a long table by parts.
    if (nodes.length === 1 && (first.position === undefined || openedFence(opening)))
      return first.type === "paragraph" ? null : [{ ...block, node: first, source: text }];
    let end = 0;
    return nodes.map((node) => {
      const start = text.lastIndexOf("\n", (node.position?.start.offset ?? 0) - 1) + 1;
      const isApart = text.slice(end, start).split("\n").length > 2;
      end = node.position?.end.offset ?? text.length;
      return { ...block, node, source: text.slice(start, end), gap: isApart ? "\n\n" : "\n" };
    });
  }

  treeOf({ text, names }: MarkdownPart): readonly RootContent[] {
    const part = withoutLastBreaks(text);
    const key = names === "" ? part : `${part}\n\n${names}`;
    const known = this.#read.get(key);
    if (known) return known;
    const tree =
      this.#readBefore.get(key) ?? this.#codeOf(part) ?? this.#tableOf(part) ?? this.#parsed(key, part);
    if (this.#readLength + key.length > MAX_READ) {
      this.#readBefore = this.#read;
      this.#read = new Map();
      this.#readLength = 0;
    }
    this.#read.set(key, tree);
    this.#readLength += key.length;
    return tree;
  }

  /** Of a fence only the first line is read; the code is what it is. */
  #codeOf(part: string): readonly RootContent[] | null {
    const [opening = "", ...lines] = part.split("\n");
    const fence = openedFence(opening);
    if (fence === null || isTooCostly(opening)) return null;
    if (fenceAfter(lines.at(-1) ?? "", fence, false) === null) lines.pop();
    const [code] = this.#parsed(`${opening}\n${fence.marks}`, opening);
    return code?.type === "code" ? [{ ...code, value: lines.join("\n") }] : null;
  }

  /** A table that is too long to be read at once is read by some rows at a time. */
  #tableOf(part: string): readonly RootContent[] | null {
    const head = headOfTable(part);
    if (head === null || head.length > MAX_HEAD || part.length > MAX_TABLE || !isTooCostly(part)) return null;
    const [, , ...lines] = part.split("\n");
    if (lines.length > MAX_ROWS || !lines.every((row) => /^ {0,3}\|/.test(row))) return null;
    let whole: Table | undefined;
    for (let from = 0; from < lines.length; from += ROWS) {
      const some = [head, ...lines.slice(from, from + ROWS)].join("\n");
      const [table, ...others] = this.#parsed(some, some);
      if (table?.type !== "table" || others.length > 0) return null;
      const { position: _, ...rest } = table;
      if (whole) whole.children.push(...table.children.slice(1));
      else whole = rest;
    }
    return whole ? [whole] : null;
  }

  #parsed(text: string, part: string): readonly RootContent[] {
    if (isTooCostly(text)) return plain(part);
    try {
      const { children } = fromMarkdown(text, this.#options);
      const own = children.filter(({ position }) => (position?.start.offset ?? 0) <= part.length);
      // HTML that goes on over blank lines has taken in what makes names known.
      const isBeyond = own.some(({ position }) => (position?.end.offset ?? 0) > part.length);
      if (isBeyond && text !== part) return this.#parsed(part, part);
      return own.some((node) => isDeeper(node, MAX_DEPTH)) ? plain(part) : own;
    } catch {
      return plain(part); // Nested deeper than the stack, or a defect of the parser's.
    }
  }
}

const ANSWERS = new MarkdownReader(gfm());
const GROWING = new MarkdownReader(gfm(), { disable: { null: ["definition", "gfmFootnoteDefinition"] } });

/** A list may get more items; what was read before keeps those it had. */
function withOwnItems(node: RootContent): RootContent {
  return node.type === "list" ? { ...node, children: [...node.children] } : node;
}

function withoutLastBreaks(part: string): string {
  let end = part.length;
  while (part[end - 1] === "\n") end -= 1;
  return part.slice(0, end);
}

/** Deeper than that nobody writes, and no client shows it. */
const MAX_DEPTH = 60;

function isDeeper(node: Nodes, depth: number): boolean {
  if (depth === 0) return true;
  return "children" in node && node.children.some((child) => isDeeper(child, depth - 1));
}

function plain(text: string): readonly RootContent[] {
  return text.trim() === ""
    ? []
    : [{ type: "paragraph", children: [{ type: "text", value: text.replace(/^\n+/, "").trimEnd() }] }];
}

/** The text as it is written, without anything being read from it; `…` if it has nothing but what no platform shows. */
export function plainMarkdown(markdown: string): readonly RootContent[] {
  const text = readable(markdown);
  return plain(text.trim() === "" && markdown.trim() !== "" ? "…" : text);
}

/** What is left of a node without any markup. */
export function plainText(node: RootContent | Root): string {
  if ("value" in node) return node.value;
  if (node.type === "image" || node.type === "imageReference") return node.alt ?? "";
  if (node.type === "footnoteReference") return `[${node.label ?? node.identifier}]`;
  if (node.type === "break") return "\n";
  return "children" in node ? node.children.map(plainText).join("") : "";
}
