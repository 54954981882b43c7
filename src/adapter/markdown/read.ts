/**
 * Markdown as a tree, the same one for every platform; `render.ts` writes it in the platform's markup. Reading takes
 * bounded time and never fails: a part that would cost too much, that is nested too deep or that the parser cannot take
 * is shown as it was written. An answer is never lost to its formatting.
 */
import type { Nodes, Root, RootContent } from "mdast";
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

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** The text that is read: no platform shows more of it. */
function readable(markdown: string): string {
  return markdown.toWellFormed().replace(/\r\n?/g, "\n").replace(CONTROLS, "");
}

/** As many characters as the longest text that is prepared; as many of what was read before are remembered, too. */
const MAX_READ = 65_536;

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

  treeOf({ text, names }: MarkdownPart): readonly RootContent[] {
    const part = withoutLastBreaks(text);
    const key = names === "" ? part : `${part}\n\n${names}`;
    const known = this.#read.get(key);
    if (known) return known;
    const tree = this.#readBefore.get(key) ?? this.#codeOf(part) ?? this.#parsed(key, part);
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
