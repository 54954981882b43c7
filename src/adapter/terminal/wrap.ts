/** Text in the columns of a terminal: how wide it is, and rows that are never wider than they may be. */
import stringWidth from "string-width";
import { linesOf } from "../markdown/spans.js";
import { type ScreenRow, type ScreenSpan, span } from "./style.js";

const TAB = "    ";
const ASCII = /^[ -~]*$/;

const segmenter = new Intl.Segmenter("und", { granularity: "grapheme" });

export function graphemes(text: string): string[] {
  return ASCII.test(text) ? [...text] : Array.from(segmenter.segment(text), ({ segment }) => segment);
}

export function widthOf(text: string): number {
  return ASCII.test(text) ? text.length : stringWidth(text);
}

export function rowWidth(row: ScreenRow): number {
  return row.reduce((sum, { text }) => sum + widthOf(text), 0);
}

/** Breaks at spaces, and inside a word only where it is wider than a row; line breaks stay. */
export function wrapWords(spans: readonly ScreenSpan[], width: number): ScreenRow[] {
  return lines(spans).flatMap((line) => {
    const rows = new Rows(width);
    for (const word of words(line)) rows.add(word);
    return rows.done();
  });
}

/** Breaks exactly at the width, keeping every space: for code. */
export function wrapAnywhere(spans: readonly ScreenSpan[], width: number): ScreenRow[] {
  return lines(spans).flatMap((line) => {
    const rows = new Rows(width);
    for (const piece of line) rows.addPieces(piece);
    return rows.done();
  });
}

/** The first `width` columns, with … where something is missing. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let used = 1;
  for (const grapheme of graphemes(text)) {
    used += widthOf(grapheme);
    if (used > width) break;
    kept += grapheme;
  }
  return width > 0 ? `${kept}…` : "";
}

/** The same, but what is cut off is the beginning. */
export function endOf(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let used = 1;
  for (const grapheme of graphemes(text).reverse()) {
    used += widthOf(grapheme);
    if (used > width) break;
    kept = grapheme + kept;
  }
  return width > 0 ? `…${kept}` : "";
}

/** A word or a gap, in the pieces of its styles. */
interface WrapWord {
  readonly isGap: boolean;
  readonly pieces: ScreenSpan[];
}

class Rows {
  readonly #width: number;
  readonly #rows: ScreenSpan[][] = [];
  #row: ScreenSpan[] = [];
  #used = 0;

  constructor(width: number) {
    this.#width = Math.max(1, width);
  }

  add({ isGap, pieces }: WrapWord): void {
    const wide = rowWidth(pieces);
    const fits = this.#used + wide <= this.#width;
    if (!fits && (isGap || wide <= this.#width)) this.#break();
    if (!fits && isGap) return;
    if (wide <= this.#width) {
      this.#row.push(...pieces);
      this.#used += wide;
    } else {
      for (const piece of pieces) this.addPieces(piece);
    }
  }

  addPieces({ text, style }: ScreenSpan): void {
    let part = "";
    for (const grapheme of graphemes(text)) {
      const wide = widthOf(grapheme);
      if (this.#used + wide > this.#width && this.#used > 0) {
        this.#row.push(span(part, style));
        part = "";
        this.#break();
      }
      part += grapheme;
      this.#used += wide;
    }
    if (part !== "") this.#row.push(span(part, style));
  }

  done(): ScreenRow[] {
    return [...this.#rows, this.#row];
  }

  #break(): void {
    while (this.#row.length > 0 && this.#row.at(-1)?.text.trim() === "") this.#row.pop();
    this.#rows.push(this.#row);
    this.#row = [];
    this.#used = 0;
  }
}

function lines(spans: readonly ScreenSpan[]): ScreenSpan[][] {
  return linesOf(spans.map(({ text, style }) => span(text.replaceAll("\t", TAB), style)));
}

/** Words reach over the borders of styles: `**bo**ld` is one. */
function words(line: readonly ScreenSpan[]): WrapWord[] {
  const all: WrapWord[] = [];
  for (const { text, style } of line) {
    for (const [part] of text.matchAll(/ +|[^ ]+/g)) {
      const isGap = part.startsWith(" ");
      const last = all.at(-1);
      if (last && last.isGap === isGap) last.pieces.push(span(part, style));
      else all.push({ isGap, pieces: [span(part, style)] });
    }
  }
  return all;
}
