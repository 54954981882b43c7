/**
 * Whether what a platform shows of a document is its text: every word of it, in order and as it stands there, with
 * nothing between but signs of lists, quotes and tables, and where a link leads.
 */
import type { Definition, Nodes, Root, Table } from "mdast";
import { parseMarkdown, plainText } from "../../src/adapter/markdown/read.js";
import { storableText } from "../../src/util/text.js";

/** One of these stands there; null: or nothing. */
type Expected = readonly (string | null)[];

/** Blanks, and the signs that stand for markup that a platform does not have. */
const SIGN = /[\s>•☐☑─—|.\d¦-]/u;

function withoutControls(text: string): string {
  return text.toWellFormed().replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
}

/** Without what nobody sees, or no platform takes. */
function visible(text: string): string {
  return withoutControls(text).replace(/[\u200b\u2060\ufffd]/g, "");
}

/** Undefined where it is shown; else the first word that is not, or what stands there instead. */
export function notShown(markdown: string, shown: string): string | undefined {
  const problem = missing(markdown, shown);
  // Control characters are not read; where they can't be kept either, what is kept for them is.
  const isShown = problem === undefined || missing(storableText(markdown), shown) === undefined;
  return isShown ? undefined : problem;
}

function missing(markdown: string, shown: string): string | undefined {
  const text = visible(shown);
  if (shown.trim() === "") return "nothing is shown";
  const root = parseMarkdown(markdown);
  const tables = Math.min(4, JSON.stringify(root).match(/"type":"table"/g)?.length ?? 0);
  let problem: string | undefined;
  // A table is shown in columns, or as a list if it is wide.
  for (let lists = 0; lists < 1 << tables; lists++) {
    const found = missingOf(expectedOf(root, lists), text);
    if (found === undefined) return undefined;
    problem ??= found;
  }
  return problem;
}

function missingOf(all: readonly Expected[], text: string): string | undefined {
  // What shows nothing as Markdown is shown as it is written.
  if (all.every((words) => words.includes(null))) return undefined;
  let places = new Set([0]);
  let furthest = 0;
  for (const expected of all) {
    const next = new Set<number>();
    for (const place of places) {
      for (const word of expected) {
        if (word === null || visible(word) === "") next.add(place);
        else for (const at of found(text, visible(word), place)) next.add(at + visible(word).length);
      }
    }
    if (next.size === 0) return `${JSON.stringify(expected[0])} at ${JSON.stringify(text.slice(furthest))}`;
    places = next;
    furthest = Math.max(...places);
  }
  const ends = [...places].some((place) => [...text.slice(place)].every((each) => SIGN.test(each)));
  return ends ? undefined : `too much: ${JSON.stringify(text.slice(furthest))}`;
}

/** Where the word stands after this place, behind nothing but signs. */
function found(text: string, word: string, from: number): number[] {
  const places: number[] = [];
  for (let at = from; at <= text.length; at++) {
    if (text.startsWith(word, at)) places.push(at);
    if (!SIGN.test(text[at] ?? "")) break;
  }
  return places;
}

/** `lists`: which tables are shown as lists, bit by bit. */
function expectedOf(root: Root, lists: number): Expected[] {
  const definitions = new Map<string, Definition>();
  const look = (node: Nodes): void => {
    if (node.type === "definition" && !definitions.has(node.identifier))
      definitions.set(node.identifier, node);
    if ("children" in node) node.children.forEach(look);
  };
  look(root);
  let tables = 0;
  return wordsOf(root, definitions, () => ((lists >> tables++) & 1) === 1);
}

function wordsOf(
  node: Nodes,
  definitions: ReadonlyMap<string, Definition>,
  isList: () => boolean,
): Expected[] {
  const within = (): Expected[] =>
    "children" in node ? node.children.flatMap((child: Nodes) => wordsOf(child, definitions, isList)) : [];
  switch (node.type) {
    case "text":
    case "html":
    case "code":
    case "inlineCode":
      return words(node.value);
    case "table":
      return isList() ? rowsOf(node, definitions, isList) : within();
    case "definition":
      return [];
    case "footnoteReference":
      return [[`[${node.identifier}]`, `[${node.label}]`]];
    case "footnoteDefinition":
      return [[`[${node.identifier}]`, `[${node.label}]`], ...within()];
    case "link":
      return link(within(), plainText(node), node.url);
    case "image":
      return link(words(node.alt ?? ""), node.alt ?? "", node.url);
    case "linkReference":
      return link(within(), plainText(node), definitions.get(node.identifier)?.url ?? "");
    case "imageReference":
      return link(words(node.alt ?? ""), node.alt ?? "", definitions.get(node.identifier)?.url ?? "");
    default:
      return within();
  }
}

/** Each cell behind the head of its column. */
function rowsOf(
  { children: [head, ...rows] }: Table,
  definitions: ReadonlyMap<string, Definition>,
  isList: () => boolean,
): Expected[] {
  return rows.flatMap((row) =>
    row.children.flatMap((cell, column) => {
      const own = wordsOf(cell, definitions, isList);
      const label = head?.children[column];
      const said = label ? wordsOf(label, definitions, isList) : [];
      // A cell may have nothing but what nobody sees.
      return own.length === 0
        ? [...said.map((each) => [...each, null]), [":", null]]
        : [...said, [":", null], ...own];
    }),
  );
}

function words(text: string): Expected[] {
  return (
    visible(text)
      .split(/\s+/)
      .filter((word) => word !== "")
      // A list's sign with nothing behind it is text or an empty item, as the parser has it.
      .map((word) => (/^(?:[-*+]|\d{1,9}[.)])$/.test(word) ? [word, null] : [word]))
  );
}

/** Where it leads may stand beside it, and may stand for it where it says the same or nothing. */
function link(said: Expected[], label: string, url: string): Expected[] {
  const forms = [
    url,
    url.replace(/^mailto:/, ""),
    encoded(url),
    URL.canParse(url) ? new URL(url).href : url,
    url.replaceAll("`", "%60"),
  ];
  const isItself = forms.includes(label) || forms.includes(`http://${label}`);
  if (visible(label).trim() === "") return [...said, [...forms, ...forms.map((form) => `(${form})`), null]];
  if (isItself) return [[label, ...forms]];
  return [...said, [...forms.map((form) => `(${form})`), null]];
}

function encoded(url: string): string {
  return url.replace(
    /[\s<>\\()[\]]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
