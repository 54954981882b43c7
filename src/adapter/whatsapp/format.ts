/**
 * Markdown as WhatsApp has it: `*bold*`, `_italic_`, `~struck~`, `` `code` ``, fences, lists and quotes. WhatsApp has no
 * escape character: a mark that would be taken for one is kept from it by an invisible word joiner before it.
 */
import type { List, ListItem, Nodes, PhrasingContent, RootContent } from "mdast";
import { parseMarkdown, plainText } from "../markdown.js";
import { withoutReferences } from "../references.js";
import { textTable } from "../text-table.js";

/** Takes no room, and keeps a mark from standing at the edge of a word. */
const JOINER = "\u2060";
const FENCE = "```";

export function formatText(markdown: string): string {
  const text = blocks(withoutReferences(parseMarkdown(markdown)).children);
  // A text that Markdown shows nothing of is said as it is.
  return text.trim() === "" ? markdown : text;
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
      return marked(phrases(node.children, "*"), "*");
    case "paragraph":
      return phrases(node.children);
    case "blockquote":
      return indented(blocks(node.children), "> ", "> ");
    case "list":
      return list(node);
    case "code":
      return fenced(node.value);
    case "table":
      return fenced(textTable(node));
    case "thematicBreak":
      return "———";
    case "html":
      return escaped(node.value);
    case "footnoteDefinition":
      return indented(blocks(node.children), `[${node.identifier}] `, "    ");
    case "definition":
      return "";
    default:
      return phrases([node as PhrasingContent]);
  }
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
  return `${FENCE}\n${code.replaceAll(FENCE, `\`${JOINER}\`${JOINER}\``)}\n${FENCE}`;
}

/** `active`: the marks that are open around it. */
function phrases(nodes: readonly PhrasingContent[], active = ""): string {
  let text = "";
  for (const [index, node] of nodes.entries()) {
    const next = nodes[index + 1];
    const isInWord = isWord(text.at(-1)) || isWord(next ? plainText(next as RootContent)[0] : undefined);
    text += phrase(node, active, isInWord);
  }
  return text;
}

/** Marks inside a word are no marks to WhatsApp: there the words go without. */
function phrase(node: PhrasingContent, active: string, isInWord: boolean): string {
  const within = (children: readonly PhrasingContent[], mark: string): string => {
    const isMarked = !isInWord && !active.includes(mark);
    return marked(phrases(children, active + mark), isMarked ? mark : "");
  };
  switch (node.type) {
    case "text":
      return escaped(node.value);
    case "html":
      return escaped(node.value);
    case "strong":
      return within(node.children, "*");
    case "emphasis":
      return within(node.children, "_");
    case "delete":
      return within(node.children, "~");
    case "inlineCode":
      return node.value.includes("`") ? escaped(node.value) : `\`${node.value.replaceAll("\n", " ")}\``;
    case "break":
      return "\n";
    case "link":
      return link(node.children, node.url, active);
    case "image":
      return link([{ type: "text", value: node.alt ?? "" }], node.url, active);
    case "footnoteReference":
      return `[${node.identifier}]`;
    default:
      return escaped(plainText(node as RootContent));
  }
}

/** A mark reaches no further than its line, and stands right beside what it marks. */
function marked(text: string, mark: string): string {
  return text.replace(/^([ \t]*)(.*?\S)([ \t]*)$/gm, `$1${mark}$2${mark}$3`);
}

/** Where it leads stands beside it, unless that is what it says. An address is left exactly as it is. */
function link(children: readonly PhrasingContent[], url: string, active: string): string {
  const said = children.map((child) => plainText(child as Nodes as RootContent)).join("");
  const plainUrl = url.replace(/^mailto:/, "");
  if (said === "" || said === url || said === plainUrl || url === `http://${said}`) return said || url;
  return `${phrases(children, active)} (${url})`;
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}

/** Literal marks at the edge of a word, and quotes at the beginning of a line. */
function escaped(text: string): string {
  return text
    .replace(/(?<![\p{L}\p{N}*_~`\u2060])([*_~`]+)(?=[^\s*_~`])/gu, `${JOINER}$1`)
    .replace(/^>/gm, `${JOINER}>`);
}
