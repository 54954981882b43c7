/**
 * Markdown as a tree that can be cut: how large each part is, where it may be cut, and what is left between two cuts. A
 * part that is cut stands in both pieces with all that is around it: a table has its head again, a block of code its
 * language, a list its number, bold words stay bold. Positions count about as many as there are characters.
 */
import type { ListItem, Nodes, Paragraph, PhrasingContent, RootContent, Table } from "mdast";
import { type CutPlace, characterCut, cutsInText, RANKS } from "./plain-text.js";

const sizes = new WeakMap<Nodes, number>();

export function sizeOf(node: Nodes): number {
  const known = sizes.get(node);
  if (known !== undefined) return known;
  const size = contentSize(node) + (isPhrase(node) ? 0 : 1);
  sizes.set(node, size);
  return size;
}

function contentSize(node: Nodes): number {
  if ("value" in node) return node.value.length;
  const inner = "children" in node ? sum(node.children.map(sizeOf)) : 0;
  if (node.type === "link") return inner + node.url.length + 1;
  if (node.type === "image") return (node.alt?.length ?? 0) + node.url.length + 1;
  return node.type === "break" ? 1 : inner;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

const PHRASES = ["text", "strong", "emphasis", "delete", "inlineCode", "break", "link", "image"];

function isPhrase(node: Nodes): boolean {
  return PHRASES.includes(node.type);
}

/** What has blocks in it; HTML in others is words. */
function hasBlocks({ type }: Nodes): boolean {
  return ["blockquote", "list", "listItem", "table", "tableRow"].includes(type);
}

/** Each child with its position. */
function* childrenOf(node: Nodes, at: number): Generator<readonly [Nodes, number]> {
  if (!("children" in node)) return;
  let place = at;
  for (const child of node.children) {
    yield [child, place];
    place += sizeOf(child);
  }
}

/** The positions in a block that stands at `at`; none at its beginning or end. */
export function cutsInTree(block: RootContent, at: number, after: number, upTo: number): readonly CutPlace[] {
  const cuts: CutPlace[] = [];
  const add = (place: number, rank: number): void => {
    if (place > after && place <= upTo && place > at) cuts.push({ at: place, rank });
  };
  const look = (node: Nodes, place: number, depth: number, isInside: boolean): void => {
    if (place > upTo || place + sizeOf(node) <= after) return;
    if ("value" in node) {
      for (const cut of cutsInText(node.value, after - place, upTo - place))
        add(place + cut.at, rankIn(node, cut.rank, isInside));
      return;
    }
    const parts = [...childrenOf(node, place)];
    for (const [index, [child, start]] of parts.entries()) {
      if (hasBlocks(node)) {
        // The head of a table stays with its first row, and a cell with its row.
        const isApart = node.type === "table" ? index > 1 : node.type !== "tableRow" && index > 0;
        if (isApart) add(start, depth === 0 && node.type !== "table" ? RANKS.item : RANKS.line);
        if (node.type !== "table" || index > 0) look(child, start, depth + 1, isInside);
      } else {
        if (parts[index - 1]?.[0].type === "break" && !isInside) add(start, RANKS.line);
        look(child, start, depth, isInside || child.type !== "text" || isTight(node));
      }
    }
  };
  look(block, at, 0, false);
  return cuts;
}

function rankIn(node: Nodes, rank: number, isInside: boolean): number {
  if (node.type === "code") return rank > RANKS.line ? RANKS.inside : rank;
  return isInside ? RANKS.inside : Math.max(rank, RANKS.line);
}

/** Words that are better not cut. */
function isTight({ type }: Nodes): boolean {
  return type === "heading" || type === "tableCell";
}

/** The end of a character in a block: the last one behind `start` and up to `reach`, else the next one. */
export function characterCutInTree(block: RootContent, at: number, start: number, reach: number): number {
  let node: Nodes = block;
  let place = at;
  let upTo = reach;
  for (;;) {
    const table = node.type === "table" ? node : undefined;
    const [head] = table?.children ?? [];
    if (head) upTo = Math.max(upTo, place + sizeOf(head) + 1);
    const inner: readonly [Nodes, number] | undefined = [...childrenOf(node, place)].find(
      ([child, from]) => upTo > from && upTo <= from + sizeOf(child),
    );
    if (inner === undefined) break;
    [node, place] = inner;
    // What people click or copy stays in one piece, if that has room for it.
    if (place > start && (node.type === "link" || node.type === "inlineCode")) return place;
  }
  const end = place + sizeOf(node);
  if ("value" in node && start < place + node.value.length)
    return place + characterCut(node.value, Math.max(0, start - place), upTo - place);
  return place > start ? place : end;
}

/** What stands before the rest of an item that was cut. */
const GOES_ON = "…";
/** A longer language is none. */
const MAX_LANGUAGE = 50;

/** What is between two positions of a block that stands at `at`; null if nothing is. */
export function sliced<T extends Nodes>(node: T, at: number, from: number, to: number): Nodes | null {
  const end = at + sizeOf(node);
  if (from <= at && end <= to) return node;
  if (end <= from || to <= at) return null;
  switch (node.type) {
    case "text":
      return { type: "text", value: node.value.slice(Math.max(0, from - at), to - at) };
    case "inlineCode": {
      const value = node.value.slice(Math.max(0, from - at), to - at).trim();
      return value === "" ? null : { type: "inlineCode", value };
    }
    case "html": {
      const text = { type: "text" as const, value: node.value.slice(Math.max(0, from - at), to - at).trim() };
      return text.value === "" ? null : text;
    }
    case "code": {
      const value = node.value.slice(Math.max(0, from - at), to - at).replace(/\n$/, "");
      const lang = (node.lang ?? "").length > MAX_LANGUAGE ? null : (node.lang ?? null);
      return value === "" ? null : { type: "code", lang, value };
    }
    case "paragraph":
    case "heading":
    case "tableCell": {
      const children = trimmed(slicedChildren(node, at, from, to) as PhrasingContent[]);
      return children.length === 0 && node.type !== "tableCell" ? null : { ...node, children };
    }
    case "table":
      return tableBetween(node, at, from, to);
    case "tableRow": {
      const cells = [...childrenOf(node, at)].map(
        ([cell, place]) => sliced(cell, place, from, to) ?? { type: "tableCell", children: [] },
      );
      return { ...node, children: cells as typeof node.children };
    }
    case "list": {
      const children = slicedChildren(node, at, from, to) as ListItem[];
      const skipped = [...childrenOf(node, at)].filter(
        ([item, place]) => place + sizeOf(item) <= from,
      ).length;
      const start = node.ordered ? (node.start ?? 1) + skipped : null;
      return children.length === 0 ? null : { ...node, start, children };
    }
    case "listItem": {
      const children = slicedChildren(node, at, from, to) as RootContent[];
      if (children.length === 0) return null;
      return from > at ? goingOn(node, children) : ({ ...node, children } as ListItem);
    }
    default: {
      if (!("children" in node)) return from <= at ? node : null;
      const children = slicedChildren(node, at, from, to);
      return children.length === 0 ? null : ({ ...node, children } as Nodes);
    }
  }
}

function slicedChildren(node: Nodes, at: number, from: number, to: number): Nodes[] {
  return [...childrenOf(node, at)].flatMap(([child, place]) => {
    const part = sliced(child, place, from, to);
    if (part === null) return [];
    // Of HTML that is cut, the words are left.
    return hasBlocks(node) && part.type === "text"
      ? [{ type: "paragraph", children: [part] } as Paragraph]
      : [part];
  });
}

function tableBetween(table: Table, at: number, from: number, to: number): Nodes | null {
  const [head] = table.children;
  const rows = slicedChildren(table, at, from, to).filter((row) => row !== head) as Table["children"];
  return head === undefined || rows.length === 0 ? null : { ...table, children: [head, ...rows] };
}

function goingOn(item: ListItem, [first, ...rest]: RootContent[]): ListItem {
  const { checked: _, ...plain } = item;
  if (first?.type === "paragraph") {
    const words = [{ type: "text" as const, value: `${GOES_ON} ` }, ...first.children];
    return { ...plain, children: [{ ...first, children: words }, ...rest] } as ListItem;
  }
  const sign = { type: "paragraph" as const, children: [{ type: "text" as const, value: GOES_ON }] };
  // Behind the sign nothing else begins without a blank line.
  const isClose = first?.type === "code" || (first?.type === "list" && !first.ordered);
  return {
    ...plain,
    spread: item.spread === true || !isClose,
    children: [sign, ...(first ? [first] : []), ...rest],
  } as ListItem;
}

/** Without blanks and breaks at either end, which would be written out there. */
function trimmed(words: readonly PhrasingContent[]): PhrasingContent[] {
  const left = [...words];
  for (const side of ["first", "last"] as const) {
    for (;;) {
      const index = side === "first" ? 0 : left.length - 1;
      const word = left[index];
      const kept = word && trimmedWord(word, side);
      if (word === undefined || kept === word) break;
      left.splice(index, 1, ...(kept ? [kept] : []));
      if (kept) break;
    }
  }
  return left;
}

function trimmedWord(word: PhrasingContent, side: "first" | "last"): PhrasingContent | null {
  if (word.type === "break") return null;
  if (word.type === "text") {
    const value = side === "first" ? word.value.trimStart() : word.value.trimEnd();
    return value === word.value ? word : value === "" ? null : { type: "text", value };
  }
  if (!("children" in word)) return word;
  const children = trimmed(word.children);
  const isSame =
    children.length === word.children.length && children.every((each, n) => each === word.children[n]);
  if (isSame) return word;
  return children.length === 0 && word.type !== "link" ? null : ({ ...word, children } as PhrasingContent);
}
