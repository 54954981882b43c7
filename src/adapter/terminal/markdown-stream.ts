/**
 * Markdown that comes in pieces. Blocks that no later text can change are given out once, for good; the one that is
 * still growing is rendered anew each time it is asked for. The lines of a fence are final as they come. However a text
 * is cut into pieces, the rows are the same (but for single blocks that are too long to be lexed).
 */
import type { Token } from "marked";
import {
  blocksOf,
  fenceClosing,
  fenceLine,
  fenceOpening,
  type Look,
  plainBlock,
  renderBlock,
} from "./markdown.js";
import { PrintableStream } from "./printable-stream.js";
import type { Row } from "./style.js";

/** A longer block is shown as it is: the lexer's worst case grows with the square. */
const LONGEST_BLOCK = 16_384;

const MAYBE_CLOSING = /^ {0,3}[`~]* *$/;
const FENCE = /^( {0,3})(`{3,}(?=[^`\n]*\n)|~{3,}(?!~))([^\n]*)\n/;

interface OpenFence {
  readonly indent: RegExp;
  readonly closing: RegExp;
}

export class MarkdownStream {
  readonly #printable = new PrintableStream();
  /** What is not given out yet. */
  #text = "";
  #fence: OpenFence | null = null;
  #isFirst = true;
  /** How much of the text was looked at in vain, so that nothing is lexed twice for the same lines. */
  #seen = 0;

  push(delta: string): void {
    this.#text += this.#printable.push(delta);
  }

  /** The rows that became final since the last call. */
  take(look: Look): Row[] {
    const rows: Row[] = [];
    for (let more: Row[] | null = []; more !== null; more = this.#step(look)) rows.push(...more);
    return rows;
  }

  /** The rows of the block that still grows. */
  pending(look: Look): Row[] {
    if (this.#fence) return MAYBE_CLOSING.test(this.#text) ? [] : this.#fenceLines([this.#text], look);
    return this.#separated(this.#blocks(this.#text), look).rows;
  }

  /** The rows of all that is left. */
  end(look: Look): Row[] {
    this.#text += this.#printable.end();
    if (!/(?:^|\n)$/.test(this.#text)) this.#text += "\n";
    const rows = this.take(look);
    if (this.#fence) return [...rows, ...fenceClosing(look)];
    return [...rows, ...this.#giveOut(this.#blocks(this.#text), look)];
  }

  /** Gives out one more piece, or null where nothing more is final. */
  #step(look: Look): Row[] | null {
    const lines = this.#text.lastIndexOf("\n") + 1;
    if (lines === 0 || lines === this.#seen) return null;
    if (this.#fence) return this.#stepInFence(this.#fence, lines, look);
    if (lines <= LONGEST_BLOCK) return this.#stepOutside(lines, look);
    const within = this.#text.lastIndexOf("\n", LONGEST_BLOCK) + 1 || this.#text.indexOf("\n") + 1;
    return this.#stepOutside(within, look) ?? this.#giveOut([plainBlock(this.#text.slice(0, within))], look);
  }

  /** The first fence is opened, whether it is closed already or not: its lines go one way only. */
  #stepOutside(lines: number, look: Look): Row[] | null {
    const tokens = this.#blocks(this.#text.slice(0, lines));
    const fenceAt = tokens.findIndex(({ type, raw }) => type === "code" && FENCE.test(raw));
    const last = fenceAt < 0 ? tokens.findLastIndex(({ type }) => type !== "space") : fenceAt;
    const finished = tokens.slice(0, Math.max(0, last));
    const rows = this.#giveOut(finished, look);
    const fence = fenceAt < 0 ? null : FENCE.exec(this.#text);
    if (fence) {
      const [opening, indent = "", marks = "", language = ""] = fence;
      this.#fence = {
        indent: new RegExp(`^ {0,${indent.length}}`),
        closing: new RegExp(`^ {0,3}${marks[0]}{${marks.length},} *$`),
      };
      this.#consume(opening.length);
      const gap: Row[] = this.#isFirst ? [] : [[]];
      this.#isFirst = false;
      return [...rows, ...gap, ...fenceOpening(language, look)];
    }
    if (finished.length > 0) return rows;
    this.#seen = lines;
    return null;
  }

  #stepInFence(fence: OpenFence, lines: number, look: Look): Row[] {
    const complete = this.#text.slice(0, lines - 1).split("\n");
    const end = complete.findIndex((line) => fence.closing.test(line));
    const inside = end < 0 ? complete : complete.slice(0, end);
    const rows = this.#fenceLines(inside, look);
    if (end < 0) {
      this.#consume(lines);
      return rows;
    }
    this.#fence = null;
    this.#consume(complete.slice(0, end + 1).reduce((sum, line) => sum + line.length + 1, 0));
    return [...rows, ...fenceClosing(look)];
  }

  #fenceLines(lines: readonly string[], look: Look): Row[] {
    return lines.flatMap((line) => fenceLine(line.replace(this.#fence?.indent ?? "", ""), look));
  }

  #consume(length: number): void {
    this.#text = this.#text.slice(length);
    this.#seen = 0;
  }

  #giveOut(tokens: readonly Token[], look: Look): Row[] {
    const { rows, isFirst } = this.#separated(tokens, look);
    this.#isFirst = isFirst;
    this.#consume(tokens.reduce((sum, { raw }) => sum + raw.length, 0));
    return rows;
  }

  /** An empty row before every block but the first. */
  #separated(tokens: readonly Token[], look: Look): { rows: Row[]; isFirst: boolean } {
    const rows: Row[] = [];
    let isFirst = this.#isFirst;
    for (const token of tokens) {
      const block = renderBlock(token, look);
      if (block.length === 0) continue;
      if (!isFirst) rows.push([]);
      rows.push(...block);
      isFirst = false;
    }
    return { rows, isFirst };
  }

  #blocks(text: string): Token[] {
    return text.length > LONGEST_BLOCK * 2 ? [plainBlock(text)] : blocksOf(text);
  }
}
