/**
 * Markdown as rows for a terminal, over marked's lexer. Total: a text that the lexer cannot take is shown as it is.
 * Without colour, marks that only a colour would replace (`#`, backquotes, fences) stay.
 */
import { Lexer, type Token, Tokenizer, type Tokens } from "marked";
import { printableText } from "../../util/text.js";
import { isTooDeep } from "../markdown-cost.js";
import { type Row, type Span, type Style, span } from "./style.js";
import { tableRows } from "./table.js";
import { cutTo, rowWidth, widthOf, wrapAnywhere, wrapWords } from "./wrap.js";

export interface Look {
  readonly width: number;
  readonly color: boolean;
}

const NARROWEST = 8;
const LONGEST_RULE = 40;
const QUOTE_MARK = "│ ";
const MARGIN = "  ";

/** `[1]: address` stays text: what a later line defines cannot change a block that is printed. */
class WithoutDefinitions extends Tokenizer {
  override def(): undefined {}
}

/** The blocks of a text; their `raw` texts, joined, are the text. */
export function blocksOf(text: string): Token[] {
  if (isTooDeep(text)) return [plainBlock(text)];
  try {
    return new Lexer({ gfm: true, tokenizer: new WithoutDefinitions() }).lex(text);
  } catch {
    return [plainBlock(text)];
  }
}

/** What the lexer cannot take, or what is too long for it. */
export function plainBlock(text: string): Tokens.Text {
  return { type: "text", raw: text, text: text.trimEnd(), escaped: false };
}

/** One block, no row wider than may be, however deep it is nested. */
export function renderBlock(token: Token, look: Look): Row[] {
  return rowsOf(token, look).flatMap((row) =>
    rowWidth(row) > look.width ? wrapAnywhere(row, look.width) : [row],
  );
}

function rowsOf(token: Token, look: Look): Row[] {
  try {
    return blockRows(token, look);
  } catch {
    // Nested deeper than the stack.
    return blockRows(plainBlock(token.raw), look);
  }
}

function joinBlocks(tokens: readonly Token[], look: Look): Row[] {
  const rows: Row[] = [];
  for (const token of tokens) {
    const block = blockRows(token, look);
    if (rows.length > 0 && block.length > 0) rows.push([]);
    rows.push(...block);
  }
  return rows;
}

function blockRows(token: Token, look: Look): Row[] {
  switch (token.type) {
    case "space":
    case "checkbox":
      return [];
    case "heading":
      return headingRows(token as Tokens.Heading, look);
    case "code":
      return codeRows(token as Tokens.Code, look);
    case "blockquote": {
      const inner = joinBlocks((token as Tokens.Blockquote).tokens, narrower(look, QUOTE_MARK));
      return inner.map((row) => [span(QUOTE_MARK, { dim: true }), ...row]);
    }
    case "list":
      return listRows(token as Tokens.List, look);
    case "table":
      return tableRows(token as Tokens.Table, look.width, (tokens, style) => inline(tokens, style, look));
    case "hr":
      return [[span("─".repeat(Math.min(look.width, LONGEST_RULE)), { dim: true })]];
    case "html":
      return wrapWords([span(token.raw.trimEnd())], look.width);
    default:
      return wrapWords(inline([token], {}, look), look.width);
  }
}

/** The line that opens a fence: its language, or nothing where there is nothing to say. */
export function fenceOpening(language: string, look: Look): Row[] {
  const label = language.trim().split(/\s/, 1)[0] ?? "";
  if (!look.color) return [[span(cutTo(`\`\`\`${label}`, look.width))]];
  return label === "" ? [] : [[span(cutTo(MARGIN + label, look.width), { dim: true })]];
}

export function fenceLine(line: string, look: Look): Row[] {
  if (!look.color) return wrapAnywhere([span(line)], look.width);
  return wrapAnywhere([span(line, { color: "cyan" })], narrower(look, MARGIN).width).map((row) => [
    span(MARGIN),
    ...row,
  ]);
}

export function fenceClosing(look: Look): Row[] {
  return look.color ? [] : [[span("```")]];
}

function codeRows(token: Tokens.Code, look: Look): Row[] {
  const lines = token.text === "" ? [] : token.text.split("\n");
  return [
    ...fenceOpening(token.lang ?? "", look),
    ...lines.flatMap((line) => fenceLine(line, look)),
    ...fenceClosing(look),
  ];
}

function headingRows(token: Tokens.Heading, look: Look): Row[] {
  const marks = look.color ? [] : [span(`${"#".repeat(token.depth)} `)];
  const style: Style = token.depth === 1 ? { bold: true, underline: true } : { bold: true };
  return wrapWords([...marks, ...inline(token.tokens, style, look)], look.width);
}

function listRows(list: Tokens.List, look: Look): Row[] {
  const first = typeof list.start === "number" ? list.start : 1;
  const last = `${first + list.items.length - 1}. `;
  const rows: Row[] = [];
  list.items.forEach((item, index) => {
    const number = `${first + index}. `.padStart(last.length);
    const mark = item.task ? (item.checked ? "☑ " : "☐ ") : list.ordered ? number : "• ";
    if (list.loose && index > 0) rows.push([]);
    rows.push(...hanging(mark, itemRows(item, list.loose, narrower(look, mark))));
  });
  return rows;
}

/** A task's box is its mark; the token that repeats it shows nothing. */
function itemRows(item: Tokens.ListItem, loose: boolean, look: Look): Row[] {
  if (loose) return joinBlocks(item.tokens, look);
  return item.tokens.flatMap((token) => blockRows(token, look));
}

/** Rows behind a mark, the later ones under the first. */
function hanging(mark: string, rows: readonly Row[]): Row[] {
  const [first = [], ...rest] = rows;
  const indent = " ".repeat(widthOf(mark));
  return [
    [span(mark, { color: "cyan" }), ...first],
    ...rest.map((row) => (row.length === 0 ? row : [span(indent), ...row])),
  ];
}

function inline(tokens: readonly Token[], style: Style, look: Look): Span[] {
  return tokens.flatMap((token) => inlineSpans(token, style, look));
}

function inlineSpans(token: Token, style: Style, look: Look): Span[] {
  switch (token.type) {
    case "strong":
      return inline((token as Tokens.Strong).tokens, { ...style, bold: true }, look);
    case "em":
      return inline((token as Tokens.Em).tokens, { ...style, italic: true }, look);
    case "del":
      return inline((token as Tokens.Del).tokens, { ...style, strike: true }, look);
    case "codespan":
      return look.color ? [span(token.text, { ...style, color: "cyan" })] : [span(token.raw, style)];
    case "br":
      return [span("\n", style)];
    case "checkbox":
      return [];
    case "link":
    case "image":
      return linkSpans(token as Tokens.Link | Tokens.Image, style, look);
    case "html":
      return [span(token.raw, style)];
    default:
      return "tokens" in token && token.tokens
        ? inline(token.tokens, style, look)
        : [span(withoutEntities("text" in token ? token.text : token.raw), style)];
  }
}

/** The address is always seen: a text alone could say anything. */
function linkSpans(token: Tokens.Link | Tokens.Image, style: Style, look: Look): Span[] {
  const label = inline(token.tokens, { ...style, underline: true }, look);
  const shown = label.map(({ text }) => text).join("");
  const address = token.href.replace(/^mailto:/, "");
  if (shown === token.href || shown === address) return label;
  return [...label, span(`${shown === "" ? "" : " "}(${token.href})`, { ...style, dim: true })];
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', amp: "&", nbsp: " " };

/** The lexer resolves numbers, which can spell an escape character, but leaves names as they are. */
function withoutEntities(text: string): string {
  return printableText(text).replace(/&(lt|gt|quot|amp|nbsp);/g, (_, name: string) => ENTITIES[name] ?? "");
}

function narrower(look: Look, by: string): Look {
  return { ...look, width: Math.max(NARROWEST, look.width - rowWidth([span(by)])) };
}
