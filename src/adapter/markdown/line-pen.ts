/**
 * A pen for platforms that show text line by line, with signs for what they have no markup for: lists, tables and rules,
 * and quotes unless the platform's own pen knows better. Code and quotes begin their lines also in a list, where other
 * lines are indented: code can be copied as it is, and a quote is seen as one.
 */
import type { Align, Around, Cell, Item, LinkTarget, Pen, TextMark } from "./render.js";
import { type Columns, OPEN_COLUMNS, textTable, widthOf } from "./text-table.js";

/**
 * The widest table that is shown in columns. A phone shows about 50 of them in a line; in a wider table each row would
 * break into several lines, and nobody could tell which column is which. As a list it is read on any screen.
 */
const MAX_TABLE = 50;

export interface PenLine<Text> {
  readonly text: Text;
  readonly kind: "words" | "heading" | "code" | "quote" | "blank";
}

export type PenLines<Text> = readonly PenLine<Text>[];

/** `Words` as they are put together, `Text` as a line has it. */
export abstract class LinePen<Words, Text> implements Pen<Words, PenLines<Text>> {
  abstract text(text: string): Words;
  abstract mark(mark: TextMark, words: Words, around: Around): Words;
  abstract code(code: string): Words;
  abstract link(words: Words, target: LinkTarget): Words;
  abstract join(parts: readonly Words[]): Words;
  abstract fence(code: string, language: string): PenLines<Text>;

  /** What begins an item of a list that has no numbers. */
  protected readonly bullet: string = "•";
  /** Before the other lines of an item; as wide as its sign unless the platform wants another width. */
  protected readonly indent: string | null = null;
  /** A task's box stands in the place of the bullet. */
  protected readonly isBoxBullet: boolean = false;
  /** Items stand without blank lines, however they were written. */
  protected readonly isTight: boolean = false;
  /** What follows a heading stands right below it. */
  protected readonly isBelowHeading: boolean = false;
  protected readonly columns: Columns = OPEN_COLUMNS;

  /** A sign before a line, as it is. */
  protected abstract behind(sign: string, text: Text): Text;
  /** None for words that are empty. */
  protected abstract linesOf(words: Words): readonly Text[];
  protected abstract readonly empty: Text;

  paragraph(words: Words): PenLines<Text> {
    return this.linesOf(words).map((text) => ({ text, kind: "words" }));
  }

  heading(words: Words, _level: number, around: Around): PenLines<Text> {
    return this.linesOf(this.mark("strong", words, around)).map((text) => ({ text, kind: "heading" }));
  }

  quote(inner: PenLines<Text>, _around: Around): PenLines<Text> {
    return inner.map(({ text }) => ({ text: this.behind("> ", text), kind: "quote" }));
  }

  list(items: readonly Item<PenLines<Text>>[], isLoose: boolean): PenLines<Text> {
    return this.#below(
      items.map((item) => this.#item(item)),
      isLoose && !this.isTight,
    );
  }

  #item({ number, isDone, block }: Item<PenLines<Text>>): PenLines<Text> {
    const bullet = number === null ? this.bullet : `${number}.`;
    const box = isDone === null ? "" : isDone ? "☑" : "☐";
    const sign = box === "" ? bullet : this.isBoxBullet ? box : `${bullet} ${box}`;
    const [first, ...rest] = block;
    if (first === undefined || !isIndented(first))
      return [{ text: this.behind(sign, this.empty), kind: "words" }, ...this.#indented(block, bullet)];
    return [{ ...first, text: this.behind(`${sign} `, first.text) }, ...this.#indented(rest, bullet)];
  }

  #indented(lines: PenLines<Text>, bullet: string): PenLines<Text> {
    const indent = this.indent ?? " ".repeat(bullet.length + 1);
    return lines.map((line) => (isIndented(line) ? { ...line, text: this.behind(indent, line.text) } : line));
  }

  table(rows: readonly (readonly Cell<Words>[])[], align: readonly Align[]): PenLines<Text> {
    const plain = rows.map((row) => row.map((cell) => cell.plain));
    if (plain.flat().join("") === "") return [];
    const text = textTable(plain, align, this.columns);
    return rows.length > 1 && widthOf(text) > MAX_TABLE ? this.#rows(rows) : this.fence(text, "");
  }

  /** A row is an item, and each cell a line of it, behind the head of its column. */
  #rows([head = [], ...rows]: readonly (readonly Cell<Words>[])[]): PenLines<Text> {
    const items = rows.map((row) => {
      const lines = row.flatMap(({ words, plain }, column) => {
        const label = head[column]?.plain ?? "";
        if (plain === "") return [];
        return this.linesOf(label === "" ? words : this.join([this.text(`${label}: `), words]));
      });
      return lines.map((text): PenLine<Text> => ({ text, kind: "words" }));
    });
    const block = { number: null, isDone: null };
    return this.list(
      items.filter((lines) => lines.length > 0).map((lines) => ({ ...block, block: lines })),
      false,
    );
  }

  rule(): PenLines<Text> {
    return [{ text: this.behind("———", this.empty), kind: "words" }];
  }

  blocks(blocks: readonly PenLines<Text>[], { item }: Around): PenLines<Text> {
    return this.#below(blocks, item === null || (item === "loose" && !this.isTight));
  }

  #below(blocks: readonly PenLines<Text>[], isApart: boolean): PenLines<Text> {
    const lines: PenLine<Text>[] = [];
    for (const block of blocks) {
      const last = lines.at(-1);
      const isClose = !isApart || (this.isBelowHeading && last?.kind === "heading");
      if (block.length > 0 && last && !isClose) lines.push({ text: this.empty, kind: "blank" });
      lines.push(...block);
    }
    return lines;
  }
}

function isIndented({ kind }: PenLine<unknown>): boolean {
  return kind === "words" || kind === "heading";
}

/** For platforms whose markup is in the text itself. */
export abstract class TextPen extends LinePen<string, string> {
  protected readonly empty = "";

  join(parts: readonly string[]): string {
    return parts.join("");
  }

  protected behind(sign: string, text: string): string {
    return sign + text;
  }

  protected linesOf(words: string): readonly string[] {
    return words === "" ? [] : words.split("\n");
  }
}

/** Text that is written as it is, neither indented nor changed. */
export function codeLines(text: string): PenLines<string> {
  return text === "" ? [] : text.split("\n").map((line) => ({ text: line, kind: "code" }));
}

export function textOf(lines: PenLines<string>): string {
  return lines.map(({ text }) => text).join("\n");
}
