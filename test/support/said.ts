/**
 * What a Markdown text says, character by character, with all that is around each: marks, links, quotes, lists and their
 * numbers, rows, code. To compare a text with its pieces.
 */
import type { Definition, ImageReference, LinkReference, Nodes } from "mdast";
import { parseMarkdown, plainText } from "../../src/adapter/markdown/read.js";

/** Characters without blanks, and what is around them. */
export interface Said {
  readonly around: string;
  readonly words: string;
  /** Which table it is the head of. */
  readonly headOf?: Nodes;
}

/** Of the text as a whole. */
export function said(markdown: string): readonly Said[] {
  return runs(saidIn(markdown));
}

/** Of its pieces, without what each repeats: the head of a table, and the sign that an item goes on. */
export function saidInAll(pieces: readonly string[]): readonly Said[] {
  const all: Said[] = [];
  let head = "";
  for (const piece of pieces) {
    const own = all.length > 0 ? withoutSigns([...saidIn(piece)]) : [...saidIn(piece)];
    const ownHead = own.filter(({ headOf }) => headOf !== undefined && headOf === own[0]?.headOf);
    // The rows before may be blank.
    const isInTable = /\b(?:cell|top) \d/.test(all.at(-1)?.around ?? "");
    const isRepeated = ownHead.length > 0 && isInTable && textOf(ownHead) === head;
    all.push(...(isRepeated ? own.slice(ownHead.length) : own));
    const last = own.findLast(({ headOf }) => headOf !== undefined)?.headOf;
    if (last) head = textOf(own.filter(({ headOf }) => headOf === last));
  }
  return runs(all);
}

/** Without one sign for each item that it begins in. */
function withoutSigns([first, ...rest]: readonly Said[]): Said[] {
  if (!first?.around.includes("item") || !first.words.startsWith("…")) return first ? [first, ...rest] : [];
  const words = first.words.slice(1);
  return words === "" ? withoutSigns(rest) : [{ ...first, words }, ...rest];
}

function textOf(all: readonly Said[]): string {
  return all.map(({ words }) => words).join("|");
}

function runs(all: Iterable<Said>): readonly Said[] {
  const joined: Said[] = [];
  for (const { around, words } of all) {
    const last = joined.at(-1);
    if (last?.around === around) joined[joined.length - 1] = { around, words: last.words + words };
    else joined.push({ around, words });
  }
  return joined;
}

function* saidIn(markdown: string): Generator<Said> {
  const root = parseMarkdown(markdown);
  const definitions = new Map<string, Definition>();
  const look = (node: Nodes): void => {
    if (node.type === "definition" && !definitions.has(node.identifier))
      definitions.set(node.identifier, node);
    if ("children" in node) node.children.forEach(look);
  };
  look(root);
  yield* saidBy(root, [], definitions);
}

function* saidBy(
  node: Nodes,
  around: readonly string[],
  definitions: Map<string, Definition>,
): Generator<Said> {
  const inside = around.includes(node.type) ? around : [...around, node.type];
  const within = function* (outer: readonly string[]): Generator<Said> {
    if ("children" in node) for (const child of node.children) yield* saidBy(child, outer, definitions);
  };
  switch (node.type) {
    case "text":
    case "html":
      return yield* words(node.value, around);
    case "inlineCode":
      return yield* words(node.value, inside);
    case "code":
      // A longer language is none.
      return yield* words(node.value, [
        ...around,
        `code ${(node.lang ?? "").length > 50 ? "" : (node.lang ?? "")}`,
      ]);
    case "thematicBreak":
      return yield* words("—", inside);
    case "footnoteReference":
      return yield* words(`[${node.label}]`, around);
    case "footnoteDefinition":
      yield* words(`[${node.label}]`, around);
      return yield* within(around);
    case "link":
      if (plainText(node) === node.url) return yield* within(around);
      return yield* within([...around, `link ${node.url}`]);
    case "linkReference":
    case "imageReference":
      return yield* reference(node, around, definitions);
    case "image":
      return yield* words(`!${altOf(node)}`, [...around, `link ${node.url}`]);
    case "heading":
      return yield* within([...around, `heading ${node.depth}`]);
    case "blockquote":
      return yield* within([...around, "quote"]);
    case "list":
      for (const [index, item] of node.children.entries()) {
        const sign = node.ordered ? `item ${(node.start ?? 1) + index}` : "item";
        if (typeof item.checked === "boolean")
          yield { around: [...around, sign].join(), words: item.checked ? "☑" : "☐" };
        for (const child of item.children) yield* saidBy(child, [...around, sign], definitions);
      }
      return;
    case "table":
      for (const [index, row] of node.children.entries())
        for (const [column, cell] of row.children.entries())
          for (const child of cell.children)
            for (const each of saidBy(
              child,
              [...around, `${index === 0 ? "top" : "cell"} ${column}`],
              definitions,
            ))
              yield index === 0 ? { ...each, headOf: node } : each;
      return;
    case "strong":
    case "emphasis":
    case "delete":
      return yield* within(inside);
    default:
      return yield* within(around);
  }
}

/** Marks of notes and names of links are left out of it, if the same text explains them. */
function altOf({ alt }: { readonly alt?: string | null }): string {
  return (alt ?? "").replace(/\[\^\w+\]/g, "").replace(/!?\[([^[\]]*)\]\[r\]/g, "$1");
}

/** A name that nobody explains is text. */
function* reference(
  node: ImageReference | LinkReference,
  around: readonly string[],
  definitions: Map<string, Definition>,
): Generator<Said> {
  const url = definitions.get(node.identifier)?.url;
  const outer = url === undefined ? around : [...around, `link ${url}`];
  if (node.type === "imageReference") {
    const end = { full: `][${node.label}]`, collapsed: "][]", shortcut: "]" }[node.referenceType];
    return yield* words(url === undefined ? `![${altOf(node)}${end}` : `!${altOf(node)}`, outer);
  }
  if (url === undefined) yield* words("[", around);
  for (const child of node.children) yield* saidBy(child, outer, definitions);
  if (url === undefined)
    yield* words({ full: `][${node.label}]`, collapsed: "][]", shortcut: "]" }[node.referenceType], around);
}

function* words(text: string, around: readonly string[]): Generator<Said> {
  const seen = text.replace(/\s+/g, "");
  if (seen !== "") yield { around: around.join(), words: seen };
}
