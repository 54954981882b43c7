/**
 * Markdown as rows for a terminal. Without colour, marks that only a colour would replace (`#`, backquotes, fences) stay.
 * A name that other lines explain (`[1]: address`) stays text: what a later line explains cannot change a printed row.
 */
import { printableText } from "../../util/text.js";
import { parseGrowing } from "../markdown/read.js";
import {
  type Align,
  type Around,
  type Cell,
  type Item,
  type LinkTarget,
  type Pen,
  renderTree,
  type TextMark,
} from "../markdown/render.js";
import { styled } from "../markdown/spans.js";
import { HighlightedCode } from "./code-highlight.js";
import { clickable } from "./link-target.js";
import { type ScreenRow, type ScreenSpan, type ScreenStyle, span } from "./style.js";
import { tableRows } from "./table.js";
import { cutTo, rowWidth, widthOf, wrapAnywhere, wrapWords } from "./wrap.js";

export interface ScreenLook {
  readonly width: number;
  readonly color: boolean;
}

const NARROWEST = 8;
const LONGEST_RULE = 40;
const QUOTE_MARK = "│ ";
const MARGIN = "  ";

/** No row is wider than may be, however deep it is nested. */
export function renderRows(markdown: string, look: ScreenLook): ScreenRow[] {
  const rows = renderTree(parseGrowing(markdown).children, look.color ? COLORED : PLAIN)(look.width);
  return rows.flatMap((row) => (rowWidth(row) > look.width ? wrapAnywhere(row, look.width) : [row]));
}

/** The line that opens a fence: its language, or nothing where there is nothing to say. */
export function fenceOpening(language: string, look: ScreenLook): ScreenRow[] {
  const label = fenceLabel(language);
  if (!look.color) return [[span(cutTo(`\`\`\`${label}`, look.width))]];
  return label === "" ? [] : [[span(cutTo(MARGIN + label, look.width), { dim: true })]];
}

/** The word behind the opening of a fence that names the language. */
export function fenceLabel(language: string): string {
  return language.trim().split(/\s/, 1)[0] ?? "";
}

/** A line of code in its colours. */
export function fenceLine(line: readonly ScreenSpan[], look: ScreenLook): ScreenRow[] {
  if (!look.color) return wrapAnywhere(line, look.width);
  return wrapAnywhere(line, narrower(look.width, MARGIN)).map((row) => [span(MARGIN), ...row]);
}

export function fenceClosing(look: ScreenLook): ScreenRow[] {
  return look.color ? [] : [[span("```")]];
}

type ScreenWords = readonly ScreenSpan[];
/** The rows of a block in so many columns. */
type Block = (width: number) => ScreenRow[];

const STYLES = { strong: { bold: true }, emphasis: { italic: true }, delete: { strike: true } } as const;

class TerminalPen implements Pen<ScreenWords, Block> {
  readonly #color: boolean;

  constructor(color: boolean) {
    this.#color = color;
  }

  /** A character reference can spell what a terminal acts on. */
  text(text: string): ScreenWords {
    return [span(printableText(text))];
  }

  mark(mark: TextMark, words: ScreenWords): ScreenWords {
    return styled(words, STYLES[mark]);
  }

  code(code: string): ScreenWords {
    if (this.#color) return [span(code, { color: "cyan" })];
    return [span(code.includes("`") ? `\`\` ${code} \`\`` : `\`${code}\``)];
  }

  /** The address is always seen: a text alone could say anything. */
  link(words: ScreenWords, { url, isSaid }: LinkTarget): ScreenWords {
    const target = clickable(url);
    const link: ScreenStyle = target === null ? {} : { link: target };
    const label = styled(words, { underline: true, ...link });
    return isSaid ? label : [...label, span(printableText(` (${url})`), { dim: true, ...link })];
  }

  join(parts: readonly ScreenWords[]): ScreenWords {
    return parts.flat();
  }

  paragraph(words: ScreenWords): Block {
    return (width) => (words.every(({ text }) => text === "") ? [] : wrapWords(words, width));
  }

  heading(words: ScreenWords, level: number): Block {
    const marks = this.#color ? [] : [span(`${"#".repeat(level)} `)];
    const style: ScreenStyle = level === 1 ? { bold: true, underline: true } : { bold: true };
    return this.paragraph([...marks, ...styled(words, style)]);
  }

  fence(code: string, language: string): Block {
    const lines = code === "" ? [] : code.split("\n");
    return (width) => {
      const look = { width, color: this.#color };
      const code = new HighlightedCode(fenceLabel(language));
      const rows = lines.flatMap((line) => fenceLine(code.line(line), look));
      return [...fenceOpening(language, look), ...rows, ...fenceClosing(look)];
    };
  }

  quote(inner: Block): Block {
    return (width) =>
      inner(narrower(width, QUOTE_MARK)).map((row) => [span(QUOTE_MARK, { dim: true }), ...row]);
  }

  list(items: readonly Item<Block>[], isLoose: boolean): Block {
    const last = `${items.at(-1)?.number}. `;
    const blocks = items.map(({ number, isDone, block }) => {
      const sign = number === null ? "• " : `${number}. `.padStart(last.length);
      return hanging(isDone === null ? sign : isDone ? "☑ " : "☐ ", block);
    });
    return below(blocks, isLoose);
  }

  table(rows: readonly (readonly Cell<ScreenWords>[])[], align: readonly Align[]): Block {
    const cells = rows.map((row, index) =>
      row.map(({ words }) => (index === 0 ? styled(words, STYLES.strong) : words)),
    );
    return (width) => tableRows(cells, align, width);
  }

  rule(): Block {
    return (width) => [[span("─".repeat(Math.min(width, LONGEST_RULE)), { dim: true })]];
  }

  blocks(blocks: readonly Block[], { item }: Around): Block {
    return below(blocks, item !== "tight");
  }
}

const COLORED = new TerminalPen(true);
const PLAIN = new TerminalPen(false);

function below(blocks: readonly Block[], isApart: boolean): Block {
  return (width) => {
    const rows: ScreenRow[] = [];
    for (const block of blocks) {
      const more = block(width);
      if (isApart && rows.length > 0 && more.length > 0) rows.push([]);
      rows.push(...more);
    }
    return rows;
  };
}

/** Rows behind a sign, the later ones under the first. */
function hanging(sign: string, block: Block): Block {
  const indent = span(" ".repeat(widthOf(sign)));
  return (width) => {
    const [first = [], ...rest] = block(narrower(width, sign));
    const others = rest.map((row) => (row.length === 0 ? row : [indent, ...row]));
    return [[span(sign, { color: "cyan" }), ...first], ...others];
  };
}

function narrower(width: number, by: string): number {
  return Math.max(NARROWEST, width - widthOf(by));
}
