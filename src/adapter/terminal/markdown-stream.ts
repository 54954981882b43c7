/**
 * Markdown that comes in pieces. Blocks that no later text can change are given out once, for good; the one that is
 * still growing is rendered anew each time it is asked for. The lines of a fence are final as they come. However a text
 * is cut into pieces, the rows are the same (but for single blocks that are too long to wait for their end).
 */
import { type Fence, fenceAfter, openedFence } from "../../util/markdown-fence.js";
import { PrintableStream } from "../../util/printable-stream.js";
import { partsOfMarkdown } from "../markdown/parts.js";
import { HighlightedCode } from "./code-highlight.js";
import {
  fenceClosing,
  fenceLabel,
  fenceLine,
  fenceOpening,
  renderRows,
  type ScreenLook,
} from "./markdown.js";
import type { ScreenRow } from "./style.js";

/** A longer block is given out before its end: all of it would be rendered with each drawing. */
const LONGEST_BLOCK = 16_384;

const MAYBE_CLOSING = /^ {0,3}[`~]* *$/;

export class MarkdownStream {
  readonly #printable = new PrintableStream();
  /** What is not given out yet. */
  #text = "";
  #fence: Fence | null = null;
  /** The code in the fence. */
  #code = new HighlightedCode("");
  #isFirst = true;
  /** How much of the text was looked at in vain, so that nothing is cut twice for the same lines. */
  #seen = 0;

  push(delta: string): void {
    this.#text += this.#printable.push(delta);
  }

  /** The rows that became final since the last call. */
  take(look: ScreenLook): ScreenRow[] {
    const rows: ScreenRow[] = [];
    for (let more: ScreenRow[] | null = []; more !== null; more = this.#step(look)) rows.push(...more);
    return rows;
  }

  /** The rows of the block that still grows. */
  pending(look: ScreenLook): ScreenRow[] {
    if (this.#fence)
      return MAYBE_CLOSING.test(this.#text) ? [] : fenceLine(this.#code.beginning(this.#text), look);
    const rows = renderRows(this.#text, look);
    return this.#isFirst || rows.length === 0 ? rows : [[], ...rows];
  }

  /** The rows of all that is left. */
  end(look: ScreenLook): ScreenRow[] {
    this.#text += this.#printable.end();
    if (!/(?:^|\n)$/.test(this.#text)) this.#text += "\n";
    const rows = this.take(look);
    return [...rows, ...(this.#fence ? fenceClosing(look) : this.#giveOut(this.#text, look))];
  }

  /** Gives out one more piece, or null where nothing more is final. */
  #step(look: ScreenLook): ScreenRow[] | null {
    const lines = this.#text.lastIndexOf("\n") + 1;
    if (lines === 0 || lines === this.#seen) return null;
    return this.#fence ? this.#stepInFence(this.#fence, lines, look) : this.#stepOutside(lines, look);
  }

  /** Up to the first fence: its lines are given out in another way, whether it is closed already or not. */
  #stepOutside(lines: number, look: ScreenLook): ScreenRow[] | null {
    const blocks = blocksOf(this.#text.slice(0, lines));
    const fenceAt = blocks.findIndex((block) => openedFence(firstLine(block)) !== null);
    if (fenceAt === 0) return this.#open(firstLine(this.#text), look);
    const isLong = (blocks.at(-1) ?? "").length > LONGEST_BLOCK;
    const finished = fenceAt > 0 ? blocks.slice(0, fenceAt) : isLong ? blocks : blocks.slice(0, -1);
    if (finished.length > 0) return this.#giveOut(finished.join(""), look);
    this.#seen = lines;
    return null;
  }

  #open(opening: string, look: ScreenLook): ScreenRow[] {
    this.#fence = openedFence(opening);
    this.#consume(opening.length + 1);
    const language = opening.slice(this.#fence?.marks.length);
    this.#code = new HighlightedCode(fenceLabel(language));
    return [...this.#gap(), ...fenceOpening(language, look)];
  }

  #stepInFence(fence: Fence, lines: number, look: ScreenLook): ScreenRow[] {
    const complete = this.#text.slice(0, lines - 1).split("\n");
    const end = complete.findIndex((line) => fenceAfter(line, fence, false) === null);
    const inside = end < 0 ? complete : complete.slice(0, end);
    const rows = inside.flatMap((line) => fenceLine(this.#code.line(line), look));
    if (end < 0) {
      this.#consume(lines);
      return rows;
    }
    this.#fence = null;
    this.#consume(complete.slice(0, end + 1).reduce((sum, line) => sum + line.length + 1, 0));
    return [...rows, ...fenceClosing(look)];
  }

  #consume(length: number): void {
    this.#text = this.#text.slice(length);
    this.#seen = 0;
  }

  #giveOut(block: string, look: ScreenLook): ScreenRow[] {
    this.#consume(block.length);
    const rows = renderRows(block, look);
    return rows.length === 0 ? rows : [...this.#gap(), ...rows];
  }

  /** An empty row before every block but the first. */
  #gap(): ScreenRow[] {
    const gap: ScreenRow[] = this.#isFirst ? [] : [[]];
    this.#isFirst = false;
    return gap;
  }
}

/** Whole lines as blocks, each with its blank lines. The items of a list are one block: they look alike. */
function blocksOf(lines: string): string[] {
  const blocks: string[] = [];
  for (const { text, goesOn } of partsOfMarkdown(lines.slice(0, -1))) {
    if (goesOn === "no") blocks.push(`${text}\n`);
    else blocks.push(`${blocks.pop()}${text}\n`);
  }
  return blocks;
}

function firstLine(block: string): string {
  return block.slice(0, block.indexOf("\n"));
}
