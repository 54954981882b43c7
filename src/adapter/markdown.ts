/**
 * Markdown as a tree, the same one for every platform: each renders it in its own markup, through `rendered`. It takes
 * bounded time and never fails: a part that would cost too much, that is nested too deep or that a parser or a renderer
 * cannot take is shown as it was written. An answer is never lost to its formatting.
 */
import type { Nodes, Root, RootContent } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { InTurns } from "../util/in-turns.js";
import { isTooCostly } from "./markdown-cost.js";
import { partsOfMarkdown } from "./markdown-parts.js";

/** Made once: that takes longer than reading a message. */
const GFM = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };

/** What a renderer makes of a text; where it fails, what it makes of the bare words. */
export function rendered<Result>(markdown: string, render: (root: Root) => Result): Result {
  try {
    return render(parseMarkdown(markdown));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return render(root(plain(markdown)));
  }
}

export function parseMarkdown(markdown: string): Root {
  return root([...partTrees(markdown)].flat());
}

/** Reads a long text beforehand, so that whoever renders it next finds it read. Lets others work in between. */
export async function prepareMarkdown(markdown: string): Promise<void> {
  const turns = new InTurns();
  for (const { text, definitions } of partsOfMarkdown(markdown)) {
    await turns.next();
    treeOf(withoutLastBreaks(text), definitions);
  }
}

function* partTrees(markdown: string): Generator<readonly RootContent[]> {
  for (const { text, definitions } of partsOfMarkdown(markdown))
    yield treeOf(withoutLastBreaks(text), definitions);
}

function withoutLastBreaks(part: string): string {
  let end = part.length;
  while (part[end - 1] === "\n") end -= 1;
  return part.slice(0, end);
}

/** What was read of late, up to so many characters in all. */
const read = new Map<string, readonly RootContent[]>();
const MAX_READ = 65_536;
let readLength = 0;

function treeOf(part: string, definitions: string): readonly RootContent[] {
  const text = definitions === "" ? part : `${part}\n\n${definitions}`;
  const known = read.get(text);
  if (known) return known;
  const tree = isTooCostly(text) ? plain(part) : parsed(text, part);
  if (readLength + text.length > MAX_READ) {
    read.clear();
    readLength = 0;
  }
  if (text.length <= MAX_READ) {
    read.set(text, tree);
    readLength += text.length;
  }
  return tree;
}

function parsed(text: string, part: string): readonly RootContent[] {
  try {
    const { children } = fromMarkdown(text, GFM);
    const own = children.filter(({ position }) => (position?.start.offset ?? 0) <= part.length);
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
