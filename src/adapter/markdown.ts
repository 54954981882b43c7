/**
 * Markdown as a tree, the same one for every platform; `render.ts` writes it in the platform's markup. Reading takes
 * bounded time and never fails: a part that would cost too much, that is nested too deep or that the parser cannot take
 * is shown as it was written. An answer is never lost to its formatting.
 */
import type { Nodes, Root, RootContent } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { InTurns } from "../util/in-turns.js";
import { isTooCostly } from "./markdown-cost.js";
import { fenceAfter } from "./markdown-fence.js";
import { type MarkdownPart, partsOfMarkdown } from "./markdown-parts.js";

/** Made once: that takes longer than reading a message. */
const GFM = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };

export function parseMarkdown(markdown: string): Root {
  const children: RootContent[] = [];
  for (const part of partsOfMarkdown(readable(markdown))) {
    const nodes = treeOf(part);
    const [first] = nodes;
    const last = children.at(-1);
    const goesOn = part.goesOn !== "no" && last?.type === "list" && first?.type === "list";
    if (goesOn) {
      last.children.push(...first.children);
      last.spread = last.spread || first.spread || part.goesOn === "after blank";
    }
    for (const node of goesOn ? nodes.slice(1) : nodes) children.push(withOwnItems(node));
  }
  return root(children);
}

/** A list may get more items; what was read before keeps those it had. */
function withOwnItems(node: RootContent): RootContent {
  return node.type === "list" ? { ...node, children: [...node.children] } : node;
}

/** Reads a long text beforehand, so that whoever renders it next finds it read. Lets others work in between. */
export async function prepareMarkdown(markdown: string): Promise<void> {
  const turns = new InTurns();
  for (const part of partsOfMarkdown(readable(markdown))) {
    await turns.next();
    treeOf(part);
  }
}

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** The text that is read: no platform shows more of it. */
function readable(markdown: string): string {
  return markdown.toWellFormed().replace(/\r\n?/g, "\n").replace(CONTROLS, "");
}

/** What was read of late: as many characters as the longest text that is prepared, and as many of what came before. */
let read = new Map<string, readonly RootContent[]>();
let readBefore = read;
let readLength = 0;
const MAX_READ = 65_536;

function treeOf({ text, names }: MarkdownPart): readonly RootContent[] {
  const part = withoutLastBreaks(text);
  const key = names === "" ? part : `${part}\n\n${names}`;
  const known = read.get(key);
  if (known) return known;
  const tree = readBefore.get(key) ?? codeOf(part) ?? parsed(key, part);
  if (readLength + key.length > MAX_READ) {
    readBefore = read;
    read = new Map();
    readLength = 0;
  }
  read.set(key, tree);
  readLength += key.length;
  return tree;
}

function withoutLastBreaks(part: string): string {
  let end = part.length;
  while (part[end - 1] === "\n") end -= 1;
  return part.slice(0, end);
}

/** Of a fence only the first line is read; the code is what it is. */
function codeOf(part: string): readonly RootContent[] | null {
  const [opening = "", ...lines] = part.split("\n");
  const fence = /^[`~]/.test(opening) ? fenceAfter(opening, null, false) : null;
  if (fence === null || isTooCostly(opening)) return null;
  if (fenceAfter(lines.at(-1) ?? "", fence, false) === null) lines.pop();
  const [code] = parsed(`${opening}\n${fence.marks}`, opening);
  return code?.type === "code" ? [{ ...code, value: lines.join("\n") }] : null;
}

function parsed(text: string, part: string): readonly RootContent[] {
  if (isTooCostly(text)) return plain(part);
  try {
    const { children } = fromMarkdown(text, GFM);
    const own = children.filter(({ position }) => (position?.start.offset ?? 0) <= part.length);
    // HTML that goes on over blank lines has taken in what makes names known.
    const isBeyond = own.some(({ position }) => (position?.end.offset ?? 0) > part.length);
    if (isBeyond && text !== part) return parsed(part, part);
    return own.some((node) => isDeeper(node, MAX_DEPTH)) ? plain(part) : own;
  } catch {
    return plain(part); // Nested deeper than the stack, or a defect of the parser's.
  }
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

function root(children: readonly RootContent[]): Root {
  return { type: "root", children: [...children] };
}

/** What is left of a node without any markup. */
export function plainText(node: RootContent | Root): string {
  if ("value" in node) return node.value;
  if (node.type === "image" || node.type === "imageReference") return node.alt ?? "";
  if (node.type === "footnoteReference") return `[${node.label ?? node.identifier}]`;
  if (node.type === "break") return "\n";
  return "children" in node ? node.children.map(plainText).join("") : "";
}
