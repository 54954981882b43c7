/**
 * Markdown as a tree of the few elements that the page shows. What holds: every word of the text is in the tree or is markup;
 * raw HTML is text; links lead to the web or to mail; nothing is loaded; a text of any length and depth takes a time that
 * grows with its length, because it is read in pieces, and a piece that is too long or too deep is shown as it is written.
 */
import { Lexer, type Token, type Tokens } from "marked";

type Leaf =
  | { readonly tag: "code-block"; readonly lang: string; readonly text: string }
  | { readonly tag: "plain"; readonly text: string }
  | { readonly tag: "task"; readonly isDone: boolean }
  | { readonly tag: "br" | "hr" };

export interface Branch {
  readonly tag:
    | ("p" | "h2" | "h3" | "h4" | "h5" | "h6" | "blockquote" | "ul" | "ol" | "li" | "task-list")
    | ("strong" | "em" | "del" | "code" | "a" | "table" | "tr" | "th" | "td" | "span");
  readonly href?: string;
  readonly start?: number;
  readonly align?: "left" | "center" | "right";
  readonly children: readonly TextTree[];
}

export type TextTree = string | Leaf | Branch;

const LONGEST_PIECE = 8_000;
const DEEPEST = 12;
/** With more signs or lines, or so many nested quotes and lists, a piece is no text for people, and slow to read. */
const MOST_MARKS = 600;
const MOST_LINES = 1_000;
const MOST_NESTED = 24;

/** One block for each piece: while a text grows, only the last one changes. */
export function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  let lines: string[] = [];
  let fence: string | null = null;
  let isList = false;
  let wasBlank = false;
  const end = (): void => {
    const piece = lines.join("\n");
    if (piece.trim() !== "") pieces.push(piece);
    lines = [];
  };
  for (const line of text.split("\n")) {
    const mark = fenceOf(line);
    if (fence !== null) {
      lines.push(line);
      if (mark?.startsWith(fence) && line.trim() === mark) {
        fence = null;
        end();
      }
      continue;
    }
    const isIndented = line.startsWith("  ") || line.startsWith("\t");
    if (mark !== null && !isIndented) {
      end();
      fence = mark;
      lines.push(line);
      isList = false;
      wasBlank = false;
      continue;
    }
    const isItem = beginsItem(line);
    if (wasBlank && line.trim() !== "" && !isIndented && !(isList && isItem)) {
      end();
      isList = false;
    }
    if (isItem && lines.length === 0) isList = true;
    wasBlank = line.trim() === "";
    lines.push(line);
  }
  end();
  return pieces;
}

/** The backticks or tildes with which a line opens or closes a block of code. */
function fenceOf(line: string): string | null {
  const text = line.trimStart();
  const sign = text[0];
  if (sign !== "`" && sign !== "~") return null;
  let length = 1;
  while (text[length] === sign) length += 1;
  if (length < 3 || (sign === "`" && text.includes("`", length))) return null;
  return sign.repeat(length);
}

function beginsItem(line: string): boolean {
  return /^(?:[-*+]|\d{1,9}[.)])(?: |$)/.test(line);
}

/** A piece as a tree. `breaks`: each line stands by itself. */
export function treeOf(piece: string, breaks = false): readonly TextTree[] {
  const block = codeBlock(piece);
  if (block) return [block];
  if (isTooMuch(piece)) return [{ tag: "plain", text: piece }];
  try {
    return blocks(new Lexer({ gfm: true, breaks }).lex(piece), 0);
  } catch {
    return [{ tag: "plain", text: piece }];
  }
}

function isTooMuch(piece: string): boolean {
  if (piece.length > LONGEST_PIECE) return true;
  let marks = 0;
  for (const sign of piece) if ("[]*_~`<&\\!@".includes(sign)) marks += 1;
  const lines = piece.split("\n");
  return marks > MOST_MARKS || lines.length > MOST_LINES || lines.some(isDeep);
}

function isDeep(line: string): boolean {
  let nested = 0;
  for (const sign of line.slice(0, 400)) {
    if (">-*+.)".includes(sign)) nested += 1;
    else if (!" \t0123456789".includes(sign)) break;
  }
  const isRule = nested === line.replaceAll(" ", "").length && !line.includes(">");
  return nested > MOST_NESTED && !isRule;
}

/** Code of any length needs no reading. */
function codeBlock(piece: string): Leaf | null {
  const [first = "", ...rest] = piece.split("\n");
  const fence = first.startsWith("  ") ? null : fenceOf(first);
  if (fence === null) return null;
  const lang = first.trim().slice(fence.length).trim().split(" ")[0] ?? "";
  const last = rest.at(-1) ?? "";
  const mark = fenceOf(last);
  const isClosed = rest.length > 0 && mark !== null && mark.startsWith(fence) && last.trim() === mark;
  return {
    tag: "code-block",
    lang: lang.slice(0, 40),
    text: (isClosed ? rest.slice(0, -1) : rest).join("\n"),
  };
}

function blocks(tokens: readonly Token[], depth: number): TextTree[] {
  return tokens.flatMap((token) => blockOf(token, depth));
}

function blockOf(token: Token, depth: number): TextTree[] {
  if (depth > DEEPEST) return [{ tag: "plain", text: token.raw }];
  switch (token.type) {
    case "space":
      return [];
    case "def":
      return [token.raw];
    case "heading": {
      const { depth: level, tokens } = token as Tokens.Heading;
      const tag = (["h2", "h3", "h4", "h5", "h6", "h6"] as const)[level - 1] ?? "h6";
      return [{ tag, children: inlines(tokens, depth + 1) }];
    }
    case "paragraph":
      return [{ tag: "p", children: inlines((token as Tokens.Paragraph).tokens, depth + 1) }];
    case "text": {
      const { tokens, text } = token as Tokens.Text;
      return tokens ? inlines(tokens, depth + 1) : [text];
    }
    case "blockquote":
      return [{ tag: "blockquote", children: blocks((token as Tokens.Blockquote).tokens, depth + 1) }];
    case "code": {
      const { lang = "", text } = token as Tokens.Code;
      return [{ tag: "code-block", lang: lang.split(" ")[0]?.slice(0, 40) ?? "", text }];
    }
    case "hr":
      return [{ tag: "hr" }];
    case "list":
      return [listOf(token as Tokens.List, depth)];
    case "table":
      return [tableOf(token as Tokens.Table, depth)];
    default:
      return [{ tag: "p", children: [token.raw.trimEnd()] }];
  }
}

function listOf({ ordered, start, items }: Tokens.List, depth: number): Branch {
  const children = items.map(
    (item): Branch => ({
      tag: "li",
      children: [
        ...(item.task ? [{ tag: "task", isDone: item.checked === true } as const] : []),
        ...blocks(
          item.tokens.filter(({ type }) => type !== "checkbox"),
          depth + 1,
        ),
      ],
    }),
  );
  if (ordered) return { tag: "ol", ...(start === "" || start === 1 ? {} : { start }), children };
  return { tag: items.some(({ task }) => task) ? "task-list" : "ul", children };
}

function tableOf({ header, rows }: Tokens.Table, depth: number): Branch {
  const row = (cells: readonly Tokens.TableCell[], tag: "th" | "td"): Branch => ({
    tag: "tr",
    children: cells.map(({ tokens, align }) => ({
      tag,
      ...(align ? { align } : {}),
      children: inlines(tokens, depth + 1),
    })),
  });
  return { tag: "table", children: [row(header, "th"), ...rows.map((cells) => row(cells, "td"))] };
}

function inlines(tokens: readonly Token[], depth: number): TextTree[] {
  return tokens.flatMap((token) => inlineOf(token, depth));
}

function inlineOf(token: Token, depth: number): TextTree[] {
  if (depth > DEEPEST) return [token.raw];
  switch (token.type) {
    case "strong":
    case "em":
    case "del":
      return [{ tag: token.type, children: inlines((token as Tokens.Strong).tokens, depth + 1) }];
    case "codespan":
      return [{ tag: "code", children: [(token as Tokens.Codespan).text] }];
    case "br":
      return [{ tag: "br" }];
    case "link": {
      const { href, tokens, raw } = token as Tokens.Link;
      const safe = safeAddress(href);
      return safe === null ? [raw] : [{ tag: "a", href: safe, children: inlines(tokens, depth + 1) }];
    }
    case "image": {
      const { href, text, raw } = token as Tokens.Image;
      const safe = safeAddress(href);
      return safe === null ? [raw] : [{ tag: "a", href: safe, children: [text || href] }];
    }
    case "text": {
      const { tokens, text } = token as Tokens.Text;
      return tokens ? inlines(tokens, depth + 1) : [text];
    }
    case "escape":
      return [(token as Tokens.Escape).text];
    default:
      return [token.raw]; // HTML, too.
  }
}

/** Null for what leads anywhere but to the web or to mail. */
function safeAddress(href: string): string | null {
  try {
    const { protocol, href: whole } = new URL(href);
    return ["http:", "https:", "mailto:"].includes(protocol) ? whole : null;
  } catch {
    return null;
  }
}
