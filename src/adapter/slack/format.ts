/**
 * Markdown as Slack's mrkdwn. `&`, `<` and `>` are escaped wherever they stand for themselves, so no text of a model's
 * can name a person, a channel or everybody; only links to the web and to mail addresses are made. What mrkdwn does not
 * have becomes what comes closest: headings are bold, tables are code, a fence loses its language.
 */
import type {
  BlockContent,
  Definition,
  DefinitionContent,
  ListItem,
  PhrasingContent,
  Root,
  RootContent,
  Table,
} from "mdast";
import stringWidth from "string-width";
import { JOINER, literalMarks, takesMark } from "../literal-marks.js";
import { plainText, rendered } from "../markdown.js";
import { MAX_COLUMN } from "../text-table.js";

/** Stands beside a mark where a letter, a joiner or the same mark would keep Slack from seeing it, and between backticks in code. */
const GAP = "\u200b";
const NEEDLESS_GAP = /(?<![\p{L}\p{N}\u2060])\u200b(?![\p{L}\p{N}\u2060])(?!(?<=([*_~`])\u200b)\1)/gu;
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** A line of the result. Code is never indented or quoted: Slack would show the marks. */
interface Line {
  readonly text: string;
  readonly isCode: boolean;
}

interface Context {
  readonly definitions: ReadonlyMap<string, Definition>;
  /** The marks that are open: Slack does not see one inside itself. */
  readonly open: string;
}

export function toMrkdwn(markdown: string): string {
  const text = markdown.toWellFormed().replace(/\r\n?/g, "\n").replace(CONTROLS, "");
  const lines = rendered(text, (root) =>
    blocks(root.children, { definitions: definitionsOf(root), open: "" }),
  );
  const shown = lines
    .map((line) => line.text)
    .join("\n")
    .trim();
  return shown || escaped(text).trim() || "…"; // Slack takes no empty text.
}

/** The most of one message: Slack advises to stay below 4,000, and truncates in silence far above. */
export const MAX_TEXT = 3_900;

/** In UTF-16 units, as it is sent. A text whose words alone are too long is not rendered to find out: that takes a while. */
export function mrkdwnLength(markdown: string): number {
  const least = markdown.replace(NO_WORDS, "").length;
  return least > MAX_TEXT ? least : toMrkdwn(markdown).length;
}

const NO_WORDS = /[^\p{L}\p{N} ]+|(?<= ) +/gu;

/** Text that stands for itself. A quote is one however its sign is written, so that is kept from beginning a line. */
export function escaped(text: string): string {
  return literalMarks(entities(text)).replace(/^([ \t]*)(?=&gt;)/gm, `$1${JOINER}`);
}

/** Text that stands for itself, bold where it can be. */
export function bold(text: string): string {
  const said = escaped(text);
  return takesMark(said) ? `*${said}*` : said;
}

function entities(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function definitionsOf(root: Root): Map<string, Definition> {
  const found = new Map<string, Definition>();
  const look = (node: Root | RootContent): void => {
    if (node.type === "definition" && !found.has(node.identifier)) found.set(node.identifier, node);
    if ("children" in node) node.children.forEach(look);
  };
  look(root);
  return found;
}

function blocks(nodes: readonly RootContent[], context: Context): Line[] {
  const parts = nodes.map((node) => block(node, context)).filter((lines) => lines.length > 0);
  return parts.flatMap((lines, n) => (n === 0 ? lines : [line(""), ...lines]));
}

function block(node: RootContent, context: Context): Line[] {
  switch (node.type) {
    case "heading":
      return linesOf(marked("*", node.children, context));
    case "paragraph":
      return linesOf(inline(node.children, context));
    case "blockquote":
      return prefixed(blocks(node.children, context), "> ", "> ");
    case "list":
      return node.children.flatMap((item, n) =>
        listItem(item, node.ordered ? `${(node.start ?? 1) + n}.` : "•", context),
      );
    case "code":
      return code(node.value);
    case "table":
      return code(tableText(node));
    case "thematicBreak":
      return [line("———")];
    case "html":
      return linesOf(escaped(node.value));
    case "footnoteDefinition":
      return prefixed(blocks(node.children, context), `[${escaped(node.label ?? node.identifier)}] `, "    ");
    case "definition":
    case "yaml":
      return [];
    default:
      return "children" in node
        ? blocks(node.children as RootContent[], context)
        : linesOf(inline([node], context));
  }
}

function listItem(item: ListItem, bullet: string, context: Context): Line[] {
  const box = item.checked === true ? "☑ " : item.checked === false ? "☐ " : "";
  const children: readonly (BlockContent | DefinitionContent)[] = item.children;
  // What belongs to one item stands without empty lines, as lists in chats do.
  const lines = children.flatMap((child) => block(child, context));
  return prefixed(lines.length > 0 ? lines : [line("")], `${bullet} ${box}`, "    ");
}

function prefixed(lines: readonly Line[], first: string, others: string): Line[] {
  return lines.map((each, n) => (each.isCode ? each : line((n === 0 ? first : others) + each.text)));
}

function code(value: string): Line[] {
  if (value.trim() === "") return [];
  return [
    "```",
    ...entities(value)
      .replace(/``(?=`)/g, `\`\`${GAP}`)
      .split("\n"),
    "```",
  ].map((text) => ({
    text,
    isCode: true,
  }));
}

function tableText({ children }: Table): string {
  const rows = children.map((row) =>
    row.children.map((cell) => oneLine(plainText(cell as unknown as RootContent))),
  );
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, n) =>
    Math.min(MAX_COLUMN, Math.max(0, ...rows.map((row) => stringWidth(row[n] ?? "")))),
  );
  const shown = rows.map((row) =>
    widths
      .map((width, n) => (row[n] ?? "") + " ".repeat(Math.max(0, width - stringWidth(row[n] ?? ""))))
      .join(" | ")
      .trimEnd(),
  );
  const [head = "", ...body] = shown;
  return [head, widths.map((width) => "-".repeat(width)).join("-|-"), ...body].join("\n");
}

function inline(nodes: readonly RootContent[], context: Context): string {
  return nodes.map((node) => phrase(node as PhrasingContent, context)).join("");
}

function phrase(node: PhrasingContent, context: Context): string {
  switch (node.type) {
    case "text":
      return escaped(node.value);
    case "strong":
      return marked("*", node.children, context);
    case "emphasis":
      return marked("_", node.children, context);
    case "delete":
      return marked("~", node.children, context);
    case "inlineCode":
      return inlineCode(node.value);
    case "break":
      return "\n";
    case "link":
      return link(node.url, oneLine(node.children.map(plainText).join("")));
    case "linkReference":
      return reference(node.identifier, oneLine(node.children.map(plainText).join("")), context);
    case "image":
      return link(node.url, oneLine(node.alt ?? ""));
    case "imageReference":
      return reference(node.identifier, oneLine(node.alt ?? ""), context);
    case "footnoteReference":
      return `[${escaped(node.label ?? node.identifier)}]`;
    case "html":
      return escaped(node.value);
    default:
      return node satisfies never;
  }
}

/** A mark holds within one line, and beside a letter only with a gap. */
function marked(mark: string, nodes: readonly RootContent[], context: Context): string {
  if (context.open.includes(mark)) return inline(nodes, context);
  return inline(nodes, { ...context, open: context.open + mark })
    .split("\n")
    .map((text) => {
      const inner = withoutGaps(text);
      return takesMark(inner) ? text.replace(inner, () => GAP + mark + inner + mark + GAP) : text;
    })
    .join("\n");
}

function withoutGaps(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s\u200b]/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end).replace(/^[\s\u200b]+/, "");
}

function inlineCode(value: string): string {
  const text = oneLine(value);
  // There is no inline code with a backtick in it.
  return !takesMark(text) || text.includes("`") ? escaped(value) : `${GAP}\`${entities(text)}\`${GAP}`;
}

function reference(identifier: string, label: string, { definitions }: Context): string {
  const found = definitions.get(identifier);
  return found ? link(found.url, label) : escaped(label);
}

/** Only what is surely an address becomes one: `<!channel>` would call everybody. */
function link(url: string, label: string): string {
  const address = webAddress(url);
  if (address === null) return escaped(label && label !== url ? `${label} (${url})` : url || label);
  const shown = address.replace(/^mailto:|\/$/g, "");
  if (label === "" || entities(label).replace(/\/$/, "") === shown) return `<${address}>`;
  return `<${address}|${entities(label)
    .replaceAll("|", "¦")
    .replace(/`(?=`)/g, `\`${GAP}`)}>`;
}

function webAddress(url: string): string | null {
  if (!/^(?:https?:\/\/|mailto:)\S/i.test(url) || !URL.canParse(url)) return null;
  return new URL(url).href.replaceAll("&", "&amp;").replace(/[<>|`]/g, encodeURIComponent);
}

function oneLine(text: string): string {
  return text.replaceAll(GAP, "").replace(/\s+/g, " ").trim();
}

function linesOf(text: string): Line[] {
  return text === "" ? [] : text.split("\n").map(line);
}

function line(text: string): Line {
  return { text: text.replace(/\u200b+/g, GAP).replace(NEEDLESS_GAP, ""), isCode: false };
}
