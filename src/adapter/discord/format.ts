/**
 * Markdown in Discord's own: most of it is the same, and what is not (tables, deep headings, quotes in quotes, pictures,
 * HTML) is said in what there is. What was plain text stays plain text: every character that Discord would read as
 * markup, a mention or an emoji is escaped.
 */
import type {
  Definition,
  List,
  ListItem,
  Nodes,
  Parents,
  PhrasingContent,
  Root,
  RootContent,
  Table,
} from "mdast";
import stringWidth from "string-width";
import { plainText, rendered } from "../markdown.js";
import { MAX_COLUMN } from "../text-table.js";

/** As a message's content; never empty where the text is not blank. */
export function formatMarkdown(text: string): string {
  const clean = text.replace(CONTROLS, "");
  const shown = rendered(clean, (root) => blocks(root.children, { definitions: definitionsOf(root) }));
  if (shown.trim() !== "") return shown;
  return escapeLines(escapeText(clean.trim())) || "…"; // Discord takes no empty text.
}

/** Beyond this nobody looks: it does not fit anyway. */
const CERTAINLY_TOO_LONG = 5_000;

export function lengthOf(text: string): number {
  return text.length > CERTAINLY_TOO_LONG ? text.length : formatMarkdown(text).length;
}

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

interface Context {
  readonly definitions: ReadonlyMap<string, Definition>;
  readonly inQuote?: boolean;
  readonly inBold?: boolean;
  readonly inSlant?: boolean;
  readonly inItem?: boolean;
  readonly inLink?: boolean;
}

function blocks(nodes: readonly RootContent[], context: Context): string {
  let text = "";
  let last: RootContent | undefined;
  for (const node of nodes) {
    const block = renderBlock(node, context);
    if (block === "") continue;
    const gap = last === undefined ? "" : last.type === "heading" ? "\n" : "\n\n";
    text += gap + block;
    last = node;
  }
  return text;
}

function renderBlock(node: RootContent, context: Context): string {
  switch (node.type) {
    case "paragraph":
      return escapeLines(inlines(node.children, context));
    case "heading": {
      const text = inlines(node.children, context).replaceAll("\n", " ").trim();
      // A heading begins a line, which an item's does not.
      if (context.inItem) return escapeLines(marked(text, "**"));
      return text === "" ? "" : `${"#".repeat(Math.min(node.depth, 3))} ${text}`;
    }
    case "code":
      return fence(node.value, node.lang ?? "");
    case "table":
      return fence(tableText(node), "");
    case "list":
      return renderList(node, context);
    case "blockquote": {
      const inner = blocks(node.children, { ...context, inQuote: true });
      return context.inQuote || inner === "" ? inner : prefixed(inner, "> ", "> ");
    }
    case "thematicBreak":
      return "───";
    case "footnoteDefinition":
      return `${escapeText(`[${node.identifier}]`)} ${blocks(node.children, context)}`;
    case "definition":
      return "";
    case "html":
      return escapeLines(escapeText(node.value));
    default:
      return escapeLines(renderInline(node as PhrasingContent, context));
  }
}

function renderList(list: List, context: Context): string {
  const first = list.start ?? 1;
  return list.children
    .map((item, n) => renderItem(item, list.ordered ? `${first + n}. ` : "- ", context))
    .join("\n");
}

function renderItem({ children, checked }: ListItem, marker: string, context: Context): string {
  const box = typeof checked === "boolean" ? (checked ? "☑ " : "☐ ") : "";
  const parts = children.map((child) => {
    const text = renderBlock(child, { ...context, inItem: true });
    return child.type === "list" ? prefixed(text, "  ", "  ") : text;
  });
  const [head = "", ...rest] = parts.filter((part) => part !== "");
  const isPlain = children[0]?.type === "paragraph";
  const lines = isPlain || head === "" ? [head, ...rest] : ["", head, ...rest];
  return `${marker}${box}${lines.join("\n")}`.trimEnd();
}

function inlines(nodes: readonly PhrasingContent[], context: Context): string {
  return nodes
    .map((node) => renderInline(node, context))
    .reduce((text, next) => text + (isApart(text, next) ? "" : APART) + next, "");
}

function renderInline(node: PhrasingContent, context: Context): string {
  switch (node.type) {
    case "text":
      return escapeText(node.value);
    case "strong":
      return context.inBold
        ? inlines(node.children, context)
        : wrapped(node, "**", { ...context, inBold: true });
    case "emphasis":
      return context.inSlant
        ? inlines(node.children, context)
        : emphasis(inlines(node.children, { ...context, inSlant: true }), context);
    case "delete":
      return wrapped(node, "~~", context);
    case "inlineCode":
      return inlineCode(node.value);
    case "break":
      return "\n";
    case "link":
      return link(labelOf(node, context), plainText(node), node.url, context);
    case "linkReference": {
      const definition = context.definitions.get(node.identifier);
      const text = labelOf(node, context);
      return definition ? link(text, plainText(node), definition.url, context) : text;
    }
    case "image":
      return link(escapeText(node.alt ?? ""), node.alt ?? "", node.url, context);
    case "imageReference": {
      const definition = context.definitions.get(node.identifier);
      const alt = node.alt ?? "";
      return definition ? link(escapeText(alt), alt, definition.url, context) : escapeText(alt);
    }
    case "footnoteReference":
      return escapeText(`[${node.identifier}]`);
    case "html":
      return escapeText(node.value);
    default:
      return escapeText(plainText(node));
  }
}

function wrapped(node: Parents, mark: string, context: Context): string {
  const inner = inlines(node.children as PhrasingContent[], context);
  return marked(inner, mark);
}

/** Marks right at blanks would not be read as marks, and the same ones inside, as in code, would end them. */
function marked(inner: string, mark: string): string {
  const core = inner.trim();
  const at = inner.indexOf(core);
  const [before, after] = [inner.slice(0, at), inner.slice(at + core.length)];
  // Of what is struck out an escaped one would be the end, too.
  const inside = mark === "~~" ? core : unescaped(core);
  const isMarked = core !== "" && !inside.includes(mark.slice(0, 1));
  return isMarked ? `${before}${mark}${core}${mark}${after}` : inner;
}

function emphasis(inner: string, { inBold }: Context): string {
  return marked(inner, inBold || unescaped(inner).includes("*") ? "_" : "*");
}

/** What is left where every escaped character is taken out. */
function unescaped(text: string): string {
  return text.replace(/\\[^0-9A-Za-z\s]/g, "");
}

/** Nobody sees it; it keeps marks from each other, and from letters that would undo them. */
const APART = "\u200b";

function isApart(text: string, next: string): boolean {
  const mark = /[*_~`]$/.exec(unescaped(text))?.[0];
  if (mark === undefined || text.endsWith(`\\${mark}`)) return true;
  return !(mark === "_" ? /^[\w*~`]/ : /^[*_~`]/).test(next);
}

/** Three backticks would open a block, so runs of them are kept apart by something that nobody sees. */
function inlineCode(value: string): string {
  const code = value.replaceAll("\n", " ").replace(/`(?=`)/g, "`\u200b");
  if (!code.includes("`")) return `\`${code}\``;
  return `\`\`${code.startsWith("`") ? " " : ""}${code}${code.endsWith("`") ? " " : ""}\`\``;
}

function fence(code: string, language: string): string {
  const name = /^[\w+#.-]{1,30}$/.test(language) ? language : "";
  const body = code.replace(/`(?=`)/g, "`\u200b");
  return `\`\`\`${name}\n${body.trim() === "" ? "\u200b" : body}\n\`\`\``;
}

function labelOf(node: Parents, context: Context): string {
  const text = inlines(node.children as PhrasingContent[], { ...context, inLink: true });
  // Brackets in code cannot be escaped.
  return /[[\]]/.test(unescaped(text)) ? escapeText(plainText(node as Nodes as RootContent)) : text;
}

/** `text` is rendered, `plain` is not. A link has no link in it. */
function link(text: string, plain: string, target: string, { inLink }: Context): string {
  const url = inLink ? null : webAddress(target);
  const shown = plain.trim();
  if (url === null) return text || escapeText(target);
  const isItself =
    shown === "" || shown === target || `http://${shown}` === target || `https://${shown}` === target;
  return isItself ? `<${url}>` : `[${text}](<${url}>)`;
}

/** Null for what is no address of the web; nothing in it ends a link early. */
function webAddress(target: string): string | null {
  if (!URL.canParse(target) || !/^https?:\/\/[^\s/]/i.test(target)) return null;
  return target.replace(/[\s<>\\()[\]]/g, (character) =>
    [...new TextEncoder().encode(character)].map((byte) => `%${byte.toString(16).toUpperCase()}`).join(""),
  );
}

function tableText({ children, align }: Table): string {
  const rows = children.map((row) => row.children.map((cell) => plainText(cell as Nodes as RootContent)));
  const columns = Math.max(...rows.map((row) => row.length), 0);
  const widths = Array.from({ length: columns }, (_, n) =>
    Math.min(MAX_COLUMN, Math.max(3, ...rows.map((row) => stringWidth(row[n] ?? "")))),
  );
  const line = (row: readonly string[]): string =>
    widths
      .map((width, n) => padded(row[n] ?? "", width, align?.[n] === "right"))
      .join("  ")
      .trimEnd();
  const [head = [], ...body] = rows;
  return [line(head), widths.map((width) => "─".repeat(width)).join("  "), ...body.map(line)].join("\n");
}

function padded(text: string, width: number, right: boolean): string {
  const blanks = " ".repeat(Math.max(0, width - stringWidth(text)));
  return right ? blanks + text : text + blanks;
}

function prefixed(text: string, first: string, others: string): string {
  return text
    .split("\n")
    .map((line, n) => (n === 0 ? first : others) + line)
    .join("\n");
}

/** Discord takes the backslash off any character that is neither a letter, a digit nor a blank. */
function escapeText(text: string): string {
  return text.replace(/[\\*_~`|<>[\]]/g, "\\$&");
}

/** What makes a heading, a list, a quote or small print only where a line begins. */
function escapeLines(text: string): string {
  return text.replace(
    /^([ \t]*)(?:([#+-])|(\d+)(\.))/gm,
    (_, blanks: string, mark = "", number = "", dot = "") =>
      mark ? `${blanks}\\${mark}` : `${blanks}${number}\\${dot}`,
  );
}

function definitionsOf(root: Root): Map<string, Definition> {
  const found = new Map<string, Definition>();
  const look = (node: Nodes): void => {
    if (node.type === "definition" && !found.has(node.identifier)) found.set(node.identifier, node);
    if ("children" in node) for (const child of node.children) look(child);
  };
  look(root);
  return found;
}
