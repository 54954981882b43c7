/**
 * Markdown as WhatsApp has it: `*bold*`, `_italic_`, `~struck~`, `` `code` ``, fences, lists and quotes. WhatsApp has no
 * escape character: a mark that would be taken for one is kept from it by invisible word joiners around it.
 */
import type { List, ListItem, Nodes, PhrasingContent, RootContent, Text } from "mdast";
import { JOINER, literalMarks, takesMark } from "../literal-marks.js";
import { plainText, rendered } from "../markdown.js";
import { withoutReferences } from "../references.js";
import { textTable } from "../text-table.js";

const FENCE = "```";

export function formatText(markdown: string): string {
  const text = rendered(markdown, (root) => blocks(withoutReferences(root).children));
  // A text that Markdown shows nothing of is said as it is.
  return text.trim() === "" ? plainLines(literalMarks(markdown)) : text;
}

function blocks(nodes: readonly RootContent[], between = "\n\n"): string {
  return nodes
    .map(block)
    .filter((text) => text !== "")
    .join(between);
}

function block(node: RootContent): string {
  switch (node.type) {
    case "heading":
      return plainLines(marked(phrases(node.children, "*"), "*"));
    case "paragraph":
      return plainLines(phrases(node.children));
    case "blockquote":
      return quoted(blocks(node.children));
    case "list":
      return list(node);
    case "code":
      return fenced(node.value);
    case "table":
      return fenced(textTable(node));
    case "thematicBreak":
      return "———";
    case "html":
      return plainLines(literalMarks(node.value));
    case "footnoteDefinition":
      return indented(blocks(node.children), `[${node.identifier}] `, "    ");
    case "definition":
      return "";
    default:
      return phrases([node as PhrasingContent]);
  }
}

function quoted(text: string): string {
  return text === "" ? "" : indented(text, "> ", "> ");
}

function indented(text: string, first: string, others: string): string {
  return text
    .split("\n")
    .map((line, index) => {
      const prefix = index === 0 ? first : others;
      return line === "" ? prefix.trimEnd() : prefix + line;
    })
    .join("\n");
}

function list({ children, ordered, start, spread }: List): string {
  return children
    .map((item, index) => {
      const marker = ordered ? `${(start ?? 1) + index}. ` : "- ";
      return indented(listItem(item), marker, " ".repeat(marker.length));
    })
    .join(spread ? "\n\n" : "\n");
}

function listItem({ children, checked, spread }: ListItem): string {
  const box = checked === true ? "☑ " : checked === false ? "☐ " : "";
  return box + blocks(children, spread ? "\n\n" : "\n");
}

function fenced(code: string): string {
  if (code.trim() === "") return "";
  return `${FENCE}\n${code.replace(/`(?=`)/g, `\`${JOINER}`)}\n${FENCE}`;
}

/** `active`: the marks that are open around it. */
function phrases(nodes: readonly PhrasingContent[], active = ""): string {
  let text = "";
  for (const [index, node] of nodes.entries()) {
    const next = nodes[index + 1];
    const isInWord =
      isWord(text.at(-1)) ||
      endsInAddress(text) ||
      isWord(next ? plainText(next as RootContent)[0] : undefined);
    text += isInAddress(node, text) ? restOfAddress(node.value) : phrase(node, active, isInWord);
  }
  return text;
}

function isInAddress(node: PhrasingContent, before: string): node is Text {
  return node.type === "text" && endsInAddress(before);
}

function restOfAddress(text: string): string {
  const [rest = ""] = /^[^\s`]*/.exec(text) ?? [];
  return rest + literalMarks(text.slice(rest.length));
}

const ALL_MARKS = "*_~`";

/** Marks inside a word are no marks to WhatsApp: there the words go without, and all that is in them. */
function phrase(node: PhrasingContent, active: string, isInWord: boolean): string {
  const within = (children: readonly PhrasingContent[], mark: string): string => {
    const inner = phrases(children, isInWord ? ALL_MARKS : active + mark);
    const isMarked = !isInWord && !active.includes(mark);
    return marked(inner, isMarked ? mark : "");
  };
  switch (node.type) {
    case "text":
      return literalMarks(node.value);
    case "html":
      return literalMarks(node.value);
    case "strong":
      return within(node.children, "*");
    case "emphasis":
      return within(node.children, "_");
    case "delete":
      return within(node.children, "~");
    case "inlineCode":
      return inlineCode(node.value, isInWord || active.includes("`"));
    case "break":
      return "\n";
    case "link":
      return link(node.children, node.url, isInWord ? ALL_MARKS : active);
    case "image":
      return link([{ type: "text", value: node.alt ?? "" }], node.url, active);
    case "footnoteReference":
      return `[${node.identifier}]`;
    default:
      return literalMarks(plainText(node as RootContent));
  }
}

function inlineCode(value: string, isBare: boolean): string {
  const code = value.replaceAll("\n", " ").trim();
  return isBare || !takesMark(code) || code.includes("`") ? literalMarks(value) : `\`${code}\``;
}

/** A mark reaches no further than its line, and stands right beside what it marks. */
function marked(text: string, mark: string): string {
  return text
    .split("\n")
    .map((line) => {
      const inner = line.trim();
      const at = line.indexOf(inner);
      const isMarked = takesMark(inner) && !endsInAddress(inner);
      return isMarked ? line.slice(0, at) + mark + inner + mark + line.slice(at + inner.length) : line;
    })
    .join("\n");
}

/** Where it leads stands beside it, unless that is what it says. An address of the web is left exactly as it is. */
function link(children: readonly PhrasingContent[], url: string, active: string): string {
  const said = children.map((child) => plainText(child as Nodes as RootContent)).join("");
  const plainUrl = url.replace(/^mailto:/, "");
  if (url === "") return phrases(children, active);
  if (said === "" || said === url || said === plainUrl || url === `http://${said}`)
    return address(said || url);
  return `${phrases(children, active)} (${address(url)})`;
}

function address(url: string): string {
  return /^https?:\/\/[^\s/]/.test(url) ? url.replaceAll("`", "%60") : literalMarks(url);
}

/** What stands right behind an address would be taken for a part of it. */
function endsInAddress(text: string): boolean {
  let from = text.length;
  while (from > 0 && /\S/.test(text.charAt(from - 1))) from -= 1;
  return /https?:\/\//.test(text.slice(from));
}

/** A letter, or a mark, which will stand between joiners. */
function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}*_~`\u2060]/u.test(character);
}

/** What would be a quote or a list where a line begins. */
function plainLines(text: string): string {
  return text.replace(/^([^\S\r\n\u2028\u2029]*)(?=>|[-*] )/gm, `$1${JOINER}`);
}
