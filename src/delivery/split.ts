/**
 * A long text in pieces that a platform takes: cut at a paragraph, else a line, else a word, never inside a character as
 * people see it. A code fence that is cut is closed and opened again. What was added for that stands apart: the pieces'
 * bodies, joined, are the text.
 */
import { graphemes } from "../util/text.js";

export interface Piece {
  /** A part of the text, every character of it. */
  readonly body: string;
  /** What is sent: the body without the blank edges, with its fences closed. */
  readonly text: string;
}

/** Whether a platform takes a text as one message. */
export type Fits = (text: string) => boolean;

/** An open code fence: the line that opened it, and what closes it. */
interface Fence {
  readonly opening: string;
  readonly closing: string;
}

/** Every piece fits, as long as one character does; a text of nothing but blanks has none. */
export function split(text: string, fits: Fits): readonly Piece[] {
  const pieces: Piece[] = [];
  let fence: Fence | null = null;
  let start = 0;
  while (start < text.length) {
    const end = endOfPiece(text, start, fence, fits);
    const body = text.slice(start, end);
    const open: Fence | null = fenceAfter(body, fence);
    const shown = sent(body, fence, open);
    const last = pieces.at(-1);
    // Blanks alone are no message: they go with their neighbour, where nobody sees them.
    if (shown === "" && last) pieces[pieces.length - 1] = { ...last, body: last.body + body };
    else pieces.push({ body, text: shown });
    fence = open;
    start = end;
  }
  const [first, second, ...rest] = pieces;
  if (first?.text !== "") return pieces;
  return second ? [{ ...second, body: first.body + second.body }, ...rest] : [];
}

function endOfPiece(text: string, start: number, fence: Fence | null, fits: Fits): number {
  const fitsTo = (end: number): boolean => {
    const body = text.slice(start, end);
    return fits(sent(body, fence, fenceAfter(body, fence)));
  };
  if (fitsTo(text.length)) return text.length;
  const longest = longestThatFits(text, start, fitsTo);
  const earliest = start + Math.floor((longest - start) / 2);
  for (const places of [PARAGRAPHS, LINES, WORDS]) {
    const end = lastBreak(
      text,
      places,
      earliest,
      longest,
      (at) => fitsTo(at) && isGoodBreak(text, start, at, fence),
    );
    if (end !== null) return end;
  }
  return longest;
}

/** The furthest place between two characters up to which it fits; at least one character. */
function longestThatFits(text: string, start: number, fitsTo: (end: number) => boolean): number {
  let step = 64;
  while (start + step < text.length && fitsTo(start + step)) step *= 2;
  let [low, high] = [start, Math.min(start + step, text.length)];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (fitsTo(middle)) low = middle;
    else high = middle;
  }
  let end = characterStart(text, start, low);
  // Closing a fence earlier can take more room than going on: then a little less fits.
  while (end > start && !fitsTo(end)) end = characterStart(text, start, end - 1);
  return end > start ? end : characterEnd(text, start);
}

/** How far to look around a place for the character it is in; longer ones are no characters but an attack. */
const AROUND = 256;

function characterStart(text: string, start: number, place: number): number {
  if (place >= text.length) return text.length;
  const from = Math.max(start, place - AROUND);
  const found = graphemes()
    .segment(text.slice(from, place + AROUND))
    .containing(place - from);
  const at = found ? from + found.index : place;
  return at > start || place === start ? at : surrogateStart(text, place);
}

/** A character of thousands of marks has to be cut somewhere, but never inside a code point. */
function surrogateStart(text: string, place: number): number {
  return /[\udc00-\udfff]/.test(text[place] ?? "") ? place - 1 : place;
}

function characterEnd(text: string, start: number): number {
  const found = graphemes()
    .segment(text.slice(start, start + AROUND))
    .containing(0);
  return start + Math.max(1, found?.segment.length ?? 1);
}

const PARAGRAPHS = /\n[ \t]*\n+/g;
const LINES = /\n/g;
const WORDS = /\s+/g;

/** The end of the last of these places within the bounds that is good. */
function lastBreak(
  text: string,
  places: RegExp,
  earliest: number,
  latest: number,
  isGood: (at: number) => boolean,
): number | null {
  const ends = [...text.slice(earliest, latest).matchAll(places)].map(
    (found) => earliest + found.index + found[0].length,
  );
  return ends.findLast((end) => end <= latest && isGood(end)) ?? null;
}

/** Between two characters, and not right after a fence was opened: what is in it would begin in the next piece. */
function isGoodBreak(text: string, start: number, at: number, fence: Fence | null): boolean {
  if (characterStart(text, start, at) !== at) return false;
  const body = text.slice(start, at);
  const open = fenceAfter(body, fence);
  return open === null || open === fence || !body.trimEnd().endsWith(open.opening.trimEnd());
}

const FENCE = /^([ \t>]*)(`{3,}|~{3,})(.*)$/;

/** The fence that is open at the end of the body, given the one before it. */
function fenceAfter(body: string, before: Fence | null): Fence | null {
  let open = before;
  for (const line of body.split("\n")) {
    const [, indent = "", marks = "", info = ""] = FENCE.exec(line) ?? [];
    if (marks === "") continue;
    if (!open) {
      if (marks.startsWith("`") && info.includes("`")) continue; // Inline code.
      open = { opening: line, closing: indent + marks };
    } else if (info.trim() === "" && closes(marks, open)) {
      open = null;
    }
  }
  return open;
}

function closes(marks: string, { closing }: Fence): boolean {
  const opened = closing.replace(/^[ \t>]*/, "");
  return marks[0] === opened[0] && marks.length >= opened.length;
}

function sent(body: string, before: Fence | null, after: Fence | null): string {
  const inner = body.replace(before ? /^\n/ : /^(?:[ \t]*\n)+/, "").trimEnd();
  if (inner === "") return "";
  const opening = before ? `${before.opening}\n` : "";
  const closing = after ? `\n${after.closing}` : "";
  return opening + inner + closing;
}
