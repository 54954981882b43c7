/** Text that is cut as it stands: after a line, else after a sentence, else after a word, and never inside a visible character. */
import { graphemes } from "../util/text.js";

/** A text that can be cut. Positions in it are numbers from 0 to `length`. */
export interface CutText {
  readonly length: number;
  /** The best position to cut after `start` and up to `reach`; the next one behind it if there is none. */
  bestCut(start: number, reach: number): number;
  /** What is sent for this part of the text; empty if it shows nothing. */
  between(start: number, end: number): string;
}

/** How good a position is to cut at: the lower, the better. */
export const RANKS = { block: 0, item: 1, line: 2, sentence: 3, word: 4, inside: 5 } as const;

export interface CutPlace {
  readonly at: number;
  readonly rank: number;
}

/**
 * The last of the best positions in the second half of the reach, so that no piece is a crumb. For the price of a short
 * piece, links, marks and words stay whole. Undefined if only a character's end is left.
 */
export function bestOf(
  cutsIn: (after: number, upTo: number) => readonly CutPlace[],
  start: number,
  reach: number,
): number | undefined {
  const [half, quarter, eighth] = [1, 2, 3].map((n) => start + ((reach - start) >> n)) as [
    number,
    number,
    number,
  ];
  const second = cutsIn(half, reach);
  const isBeside = ({ rank }: CutPlace): boolean => rank < RANKS.inside;
  const found = best(second.filter(isBeside)) ?? best(cutsIn(quarter, half).filter(isBeside)) ?? best(second);
  return (found ?? best(cutsIn(eighth, quarter).filter(isBeside)))?.at;
}

function best(cuts: readonly CutPlace[]): CutPlace | undefined {
  return cuts.reduce<CutPlace | undefined>(
    (one, next) => (one && one.rank < next.rank ? one : next),
    undefined,
  );
}

const BREAKS = /\n[ \t]*\n+|\n|[^\S\n]+|[。！？]/g;
const SENTENCE = /[.!?…]["'”’)\]*_]{0,3}$/;
/** Belongs to the character before it, even if that is a blank. */
const JOINED = /^(?:\p{M}|\u200d)/u;

/** The positions in a text behind which a line, a sentence or a word begins. */
export function cutsInText(text: string, after: number, upTo: number): readonly CutPlace[] {
  const cuts: CutPlace[] = [];
  // One character more than is looked at: it may belong to the last one.
  const from = Math.max(0, after - 1);
  for (const { 0: gap, index } of text.slice(from, upTo).matchAll(BREAKS)) {
    const at = from + index + gap.length;
    if (at <= after || at >= text.length || JOINED.test(text.slice(at, at + 2))) continue;
    cuts.push({ at, rank: rankOf(gap, text.slice(Math.max(0, from + index - 4), from + index)) });
  }
  return cuts;
}

function rankOf(gap: string, before: string): number {
  if (gap.includes("\n")) return gap.indexOf("\n") < gap.lastIndexOf("\n") ? RANKS.item : RANKS.line;
  return /\S/.test(gap) || SENTENCE.test(before) ? RANKS.sentence : RANKS.word;
}

/** How far to look around a position for the character that it is in; anything longer is not a character but an attack. */
const AROUND = 256;

/** The end of a character: the last one behind `start` and up to `reach`, else the next one. */
export function characterCut(text: string, start: number, reach: number): number {
  if (reach >= text.length) return text.length;
  const from = Math.max(start, reach - AROUND);
  const found = graphemes()
    .segment(text.slice(from, reach + AROUND))
    .containing(reach - from);
  const at = found ? from + found.index : reach;
  if (at > start) return at;
  // A character with thousands of marks has to be cut somewhere, but never inside a code point.
  const end = at + (found?.segment.length ?? 1);
  if (end - start < AROUND) return Math.max(end, start + 1);
  return /[\udc00-\udfff]/.test(text[reach] ?? "") && reach - 1 > start ? reach - 1 : reach;
}

export class PlainText implements CutText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get length(): number {
    return this.#text.length;
  }

  bestCut(start: number, reach: number): number {
    if (reach >= this.length) return this.length;
    const best = bestOf((after, upTo) => cutsInText(this.#text, after, upTo), start, reach);
    return best ?? characterCut(this.#text, start, reach);
  }

  between(start: number, end: number): string {
    return this.#text
      .slice(start, end)
      .replace(/^(?:[ \t]*\n)+/, "")
      .trimEnd();
  }
}
