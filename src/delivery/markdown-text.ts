/**
 * A Markdown text that can be cut. What is not cut is sent as it was written; a block that is cut is written anew from its
 * tree, so that each piece is complete by itself. Links and notes that name their address elsewhere get it, since
 * the piece that explains it may be another one.
 */
import type { Definition, ImageReference, LinkReference, Nodes, PhrasingContent, RootContent } from "mdast";
import { gfmToMarkdown } from "mdast-util-gfm";
import { type Options, toMarkdown } from "mdast-util-to-markdown";
import { type MarkdownBlock, plainText, readingBlocks } from "../adapter/markdown/read.js";
import { definitionsIn, withLabel } from "../adapter/markdown/render.js";
import { fenceAfter } from "../util/markdown-fence.js";
import { characterCutInTree, cutsInTree, sizeOf, sliced } from "./markdown-tree.js";
import {
  bestOf,
  type CutPlace,
  type CutText,
  characterCut,
  cutsInText,
  PlainText,
  RANKS,
} from "./plain-text.js";

/** Yields wherever others may work. */
export function* readingText(text: string, max: number): Generator<string, CutText> {
  const reading = readingBlocks(text);
  for (;;) {
    const { done, value } = reading.next();
    if (done) return new MarkdownText(unitsOf(value, max));
    yield "";
  }
}

/** A block of the text, as it is cut. */
interface Unit {
  readonly at: number;
  readonly size: number;
  /** Null for text that nobody reads as Markdown: that is cut as it stands. */
  readonly node: RootContent | null;
  /** How it was written; null if it has to be written anew. */
  readonly source: string | null;
  readonly gap: string;
  /** It has the next items of the list before it. */
  readonly goesOn: boolean;
  /** It is not cut inside. */
  readonly isWhole: boolean;
  /** What its lists begin with. */
  readonly signs: Options;
}

function unitsOf(blocks: readonly MarkdownBlock[], max: number): readonly Unit[] {
  const definitions = definitionsIn(blocks.map(({ node }) => node));
  const units: Unit[] = [];
  let [at, separator] = [0, ""];
  /** The number of the next item of the list before. */
  let next: number | null = null;
  for (const block of blocks) {
    if (block.node.type === "definition") {
      separator = block.source.length < MAX_SEPARATOR ? block.source : "";
      continue;
    }
    const nodes = block.isRead ? withAddresses([block.node], definitions, max / 3) : [null];
    for (const node of nodes.flatMap((each) => partsOf(each, max))) {
      const own = node?.type === "list" && block.goesOn && next !== null ? { ...node, start: next } : node;
      const size = own ? sizeOf(own) : block.source.length + 1;
      // Two lists need something between them to stay two.
      const isList = separator !== "" && own?.type === "list" && units.at(-1)?.node?.type === "list";
      const isNext = own?.type === "list" && block.goesOn && units.at(-1)?.node?.type === "list";
      const isSame = node === block.node && !isIndented(block) && !isOpenCode(block);
      units.push({
        at,
        size,
        node: own,
        source: isSame || node === null ? block.source : null,
        gap: isList ? `\n\n${separator}\n\n` : isSame && separator === "" ? block.gap : "\n\n",
        goesOn: isNext && separator === "",
        isWhole: own !== null && isHardToCut(own, max),
        signs: signsOf(block.source),
      });
      at += size;
      separator = "";
    }
    next = numberAfter(block.node, block.goesOn ? next : null);
  }
  return units;
}

/** A longer explanation of a name is not repeated, not even to keep two lists apart. */
const MAX_SEPARATOR = 200;

function numberAfter(node: RootContent, first: number | null): number | null {
  if (node.type !== "list" || !node.ordered) return null;
  return (first ?? node.start ?? 1) + node.children.length;
}

/** With something else before it, it might be read as a part of that, or as code, or as none. */
function isIndented({ source }: MarkdownBlock): boolean {
  return /^[ \t]/.test(source);
}

/** A fence that only the end of its part closes, such as that of a list's item, would take in what follows in a piece. */
function isOpenCode({ node, source }: MarkdownBlock): boolean {
  if (node.type !== "code") return false;
  const [first = "", ...rest] = source.split("\n");
  const open = fenceAfter(first, null, false);
  return open !== null && fenceAfter(rest.at(-1) ?? "", open, false) !== null;
}

/** How much of a message may be the same in each piece: the head of a table, or the signs of lists and quotes around a part. */
const MAX_HEAD = 1 / 8;
const MAX_SIGNS = 1 / 4;

function isHardToCut(node: RootContent, max: number): boolean {
  const depth = depthOf(node);
  // Each sign stands on its own line, as far in as there are signs before it.
  const signs = depth * (depth + 5);
  return signs > max * MAX_SIGNS || headSizeIn(node) > max * MAX_HEAD;
}

function headSizeIn(node: Nodes): number {
  if (!("children" in node)) return 0;
  const [head] = node.children;
  if (node.type === "table") return head ? sizeOf(head) : 0;
  return isPhrasing(node) ? 0 : Math.max(0, ...node.children.map(headSizeIn));
}

function isPhrasing({ type }: Nodes): boolean {
  return type === "paragraph" || type === "heading";
}

function depthOf(node: Nodes): number {
  const inner = "children" in node ? Math.max(0, ...node.children.map(depthOf)) : 0;
  return inner + (node.type === "blockquote" || node.type === "listItem" ? 1 : 0);
}

/** A large block that cannot be cut without repeating much is taken out of what is around it. */
function partsOf(node: RootContent | null, max: number): readonly (RootContent | null)[] {
  if (node === null || !isHardToCut(node, max) || sizeOf(node) < max / 4) return [node];
  return leavesOf(node);
}

function leavesOf(node: RootContent): RootContent[] {
  if (node.type === "blockquote" || node.type === "list" || node.type === "listItem")
    return node.children.flatMap(leavesOf);
  if (node.type !== "table") return [node];
  return node.children.map((row) => ({
    type: "paragraph",
    children: row.children.flatMap((cell, index) => [
      ...(index === 0 ? [] : [{ type: "text" as const, value: " | " }]),
      ...cell.children,
    ]),
  }));
}

/** The same nodes, if nothing in them leads elsewhere. An address that is too long to be repeated is written out. */
function withAddresses(
  nodes: readonly RootContent[],
  definitions: ReadonlyMap<string, Definition>,
  maxAddress: number,
): readonly RootContent[] {
  const own = nodes.flatMap((node): readonly RootContent[] => {
    const words = "children" in node ? withAddresses(node.children, definitions, maxAddress) : [];
    const isSame = !("children" in node) || words === node.children;
    const inner = isSame ? node : ({ ...node, children: words } as typeof node);
    switch (inner.type) {
      case "definition":
        return [];
      case "footnoteReference":
        return [text(plainText(inner))];
      case "footnoteDefinition":
        return withLabel(`[${inner.label ?? inner.identifier}] `, inner.children);
      case "link":
      case "image":
        return addressSize(inner.url) + (inner.title?.length ?? 0) > maxAddress ? writtenOut(inner) : [inner];
      case "linkReference":
      case "imageReference": {
        const url = definitions.get(inner.identifier)?.url;
        if (url === undefined) return asWritten(inner);
        const link: RootContent =
          inner.type === "linkReference"
            ? { type: "link", url, children: inner.children as never }
            : { type: "image", url, alt: inner.alt ?? "" };
        return addressSize(url) > maxAddress ? writtenOut(link) : [link];
      }
      default:
        return [inner];
    }
  });
  return own.length === nodes.length && own.every((node, index) => node === nodes[index]) ? nodes : own;
}

/** As it is encoded: some platforms count that. */
function addressSize(url: string): number {
  return encodeURI(url.toWellFormed()).length;
}

/** A name that nobody explains is no link. */
function asWritten(node: LinkReference | ImageReference): readonly PhrasingContent[] {
  const name = node.label ?? node.identifier;
  const end = { full: `][${name}]`, collapsed: "][]", shortcut: "]" }[node.referenceType];
  if (node.type === "imageReference") return [text(`![${node.alt ?? ""}${end}`)];
  return [text("["), ...node.children, text(end)];
}

function writtenOut(node: RootContent): readonly PhrasingContent[] {
  const words = "children" in node ? (node.children as PhrasingContent[]) : [text(plainText(node))];
  const url = "url" in node ? node.url : "";
  if (plainText(node) === url) return words;
  return [...words, text(words.length === 0 ? url : ` (${url})`)];
}

function text(value: string): { readonly type: "text"; readonly value: string } & PhrasingContent {
  return { type: "text", value };
}

function signsOf(source: string): Options {
  const bullet = /^ {0,3}([-*+])/.exec(source)?.[1] as "-" | "*" | "+" | undefined;
  const bulletOrdered = /^ {0,3}\d{1,9}([.)])/.exec(source)?.[1] as "." | ")" | undefined;
  return {
    bullet: bullet ?? "-",
    bulletOther: bullet === "*" ? "-" : "*",
    ...(bulletOrdered ? { bulletOrdered } : {}),
  };
}

class MarkdownText implements CutText {
  readonly #units: readonly Unit[];
  readonly length: number;

  constructor(units: readonly Unit[]) {
    this.#units = units;
    const last = units.at(-1);
    this.length = last ? last.at + last.size : 0;
  }

  bestCut(start: number, reach: number): number {
    if (reach >= this.length) return this.length;
    const best = bestOf((after, upTo) => this.#cutsIn(after, upTo), start, reach);
    return best ?? this.#characterCut(start, reach);
  }

  #cutsIn(after: number, upTo: number): readonly CutPlace[] {
    return this.#unitsIn(after, upTo + 1).flatMap(({ unit, index }) => {
      const { at, node, source, isWhole } = unit;
      const isAtStart = at > after && at <= upTo;
      const first = isAtStart ? [{ at, rank: this.#rankBefore(index) }] : [];
      if (isWhole) return first;
      if (node) return [...first, ...cutsInTree(node, at, after, upTo)];
      const inner = cutsInText(source ?? "", after - at, upTo - at);
      return [...first, ...inner.map((cut) => ({ at: at + cut.at, rank: Math.max(cut.rank, RANKS.line) }))];
    });
  }

  /** A heading stays with what is below it, and a sentence that leads to something with that. */
  #rankBefore(index: number): number {
    const before = this.#units[index - 1];
    if (before?.node?.type === "heading") return RANKS.inside;
    if (before?.node?.type === "paragraph" && /:[*_]*\s*$/.test(before.source ?? "")) return RANKS.line;
    return this.#units[index]?.goesOn ? RANKS.item : RANKS.block;
  }

  #characterCut(start: number, reach: number): number {
    const { unit } = this.#unitsIn(reach - 1, reach)[0] ?? {};
    if (unit === undefined) return this.length;
    const { at, size, node, source, isWhole } = unit;
    if (isWhole || reach >= at + size) return at > start ? at : at + size;
    if (node) return characterCutInTree(node, at, start, reach);
    return at + characterCut(source ?? "", Math.max(0, start - at), reach - at);
  }

  /** The units that have something between these positions. */
  #unitsIn(from: number, to: number): { readonly unit: Unit; readonly index: number }[] {
    let [low, high] = [0, this.#units.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const unit = this.#units[middle];
      if (unit && unit.at + unit.size <= from) low = middle + 1;
      else high = middle;
    }
    const found: { unit: Unit; index: number }[] = [];
    for (let index = low; ; index++) {
      const unit = this.#units[index];
      if (unit === undefined || unit.at >= to) return found;
      found.push({ unit, index });
    }
  }

  between(start: number, end: number): string {
    let piece = "";
    let isBefore = false;
    for (const { unit } of this.#unitsIn(start, end)) {
      const isWhole = start <= unit.at && unit.at + unit.size <= end;
      const isAsWritten = isWhole && unit.source !== null && !(piece === "" && hasOtherNumber(unit));
      const said = isAsWritten ? (unit.source ?? "") : writtenAnew(unit, start, end);
      if (said.trim() === "") continue;
      const isClose = unit.goesOn || (isBefore && isAsWritten);
      piece += piece === "" ? said : (isClose ? unit.gap : unit.gap.padEnd(2, "\n")) + said;
      isBefore = isAsWritten;
    }
    return piece.trimEnd();
  }
}

/** In a message of its own a list begins with the number that stands there. */
function hasOtherNumber({ node, source }: Unit): boolean {
  if (node?.type !== "list" || !node.ordered) return false;
  return Number(/\d+/.exec(source ?? "")?.[0]) !== (node.start ?? 1);
}

const WRITER: Options = {
  fences: true,
  listItemIndent: "one",
  rule: "-",
  extensions: [gfmToMarkdown({ tablePipeAlign: false })],
};

function writtenAnew({ node, source, at, signs }: Unit, start: number, end: number): string {
  if (node === null) return new PlainText(source ?? "").between(Math.max(0, start - at), end - at);
  const part = sliced(node, at, start, end);
  if (part === null) return "";
  const block = part.type === "text" ? { type: "paragraph" as const, children: [part] } : part;
  return toMarkdown(writable(block) as RootContent, { ...WRITER, ...signs }).trimEnd();
}

const MARKS = ["strong", "emphasis", "delete"];

/**
 * HTML among words is text to every platform. Where a piece begins with it, all that follows would be HTML, too. Code
 * among words is one line: with a line break in it, it could be read as a fence. And a mark within the same mark shows
 * nothing more, but cannot always be written.
 */
function writable(node: Nodes, marks: readonly string[] = []): Nodes {
  if (node.type === "inlineCode") return { ...node, value: node.value.replace(/\s+/g, " ") };
  if (!("children" in node)) return node;
  const isWords = !["blockquote", "list", "listItem", "table", "tableRow"].includes(node.type);
  const inside = MARKS.includes(node.type) ? [...marks, node.type] : marks;
  const children = node.children.flatMap((child): Nodes[] => {
    if (isWords && child.type === "html") return [text(child.value)];
    const own = writable(child, inside);
    return inside.includes(own.type) && "children" in own ? own.children : [own];
  });
  return { ...node, children } as Nodes;
}
