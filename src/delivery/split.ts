/**
 * Splits a long text into pieces that a platform accepts: at a paragraph, else a line, else a word, never inside a
 * visible character. A code fence that is cut is closed and opened again. These additions are separate: the pieces'
 * bodies, joined, are the text.
 */
import { InTurns } from "../util/in-turns.js";
import { type Fence, fenceAfter } from "../util/markdown-fence.js";
import { graphemes } from "../util/text.js";

export interface Piece {
  /** A part of the text, with every character of it. */
  readonly body: string;
  /** What is sent: the body without blank edges, with its fences closed. */
  readonly text: string;
}

/** The space in one message: how the platform counts the length of a text, and the most that it accepts. */
export interface PieceRoom {
  readonly max: number;
  readonly lengthOf: (text: string) => number;
  /** Does the slow part of measuring a text, in parallel to other work. */
  readonly prepare?: (text: string) => Promise<void>;
}

/** An open code fence, with the line that opened it and the one that closes it. */
interface OpenFence {
  readonly fence: Fence;
  readonly opening: string;
  readonly closing: string;
}

/** Every piece fits, as long as one character does; a text of blanks gives no pieces. */
export function split(text: string, room: PieceRoom): readonly Piece[] {
  const steps = splitting(text, room);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The same for a long text, in parallel to other work. */
export async function splitInTurns(text: string, room: PieceRoom): Promise<readonly Piece[]> {
  const turns = new InTurns();
  const steps = splitting(text, room);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await room.prepare?.(value);
    await turns.next();
  }
}

/** Yields before each measurement, with the text to measure: measuring is what takes time. */
function* splitting(text: string, room: PieceRoom): Generator<string, readonly Piece[]> {
  const pieces: Piece[] = [];
  const longest = room.max / LEAST_OPENINGS;
  let fence: OpenFence | null = null;
  let start = 0;
  let pace = 1;
  while (start < text.length) {
    const { end, length } = yield* endOfPiece({ text, start, fence, longest }, room, pace);
    const body = text.slice(start, end);
    const open: OpenFence | null = fenceAtEnd(body, fence, longest);
    const shown = sent(body, fence, open);
    const last = pieces.at(-1);
    // Blanks alone are not a message: they go with their neighbour, where nobody sees them.
    if (shown === "" && last) pieces[pieces.length - 1] = { ...last, body: last.body + body };
    else pieces.push({ body, text: shown });
    if (length > 0 && shown !== "") pace = body.trimEnd().length / length;
    fence = open;
    start = end;
  }
  const [first, second, ...rest] = pieces;
  if (first?.text !== "") return pieces;
  return second ? [{ ...second, body: first.body + second.body }, ...rest] : [];
}

/** The text that is left to cut: from `start`, with this fence open. */
interface Rest {
  readonly text: string;
  readonly start: number;
  readonly fence: OpenFence | null;
  /** The longest line that is repeated to open a fence again, in bytes. */
  readonly longest: number;
}

/** A position in the text, and the length of the piece up to there for the platform. */
interface CutPoint {
  readonly end: number;
  readonly length: number;
}

/** After this many guesses it uses bisection: lengths that jump can't be guessed. */
const MAX_GUESSES = 6;
/** No piece is more than this many times as long as its visible text, so that none takes long to render. */
const MAX_UNSEEN = 4;

/**
 * Measuring means rendering, which is slow, so a piece is measured only a few times: its end is guessed from the text
 * so far (`pace` characters for each unit of length), and then from what was measured.
 */
function* endOfPiece(rest: Rest, room: PieceRoom, pace: number): Generator<string, CutPoint> {
  const { text, start } = rest;
  const furthest = Math.min(start + MAX_UNSEEN * room.max, text.length);
  let fitting: CutPoint = { end: start, length: 0 };
  let over: CutPoint | null = null;
  let reach = start + room.max * pace;
  for (let guesses = 0; ; guesses++) {
    const end = bestEnd(rest, Math.max(start + 1, Math.min(Math.floor(reach), furthest)));
    if (end <= fitting.end) return fitting;
    const shown = shownUpTo(rest, end);
    yield shown;
    const mark: CutPoint = { end, length: room.lengthOf(shown) };
    if (mark.length <= room.max) {
      fitting = mark;
      if (end === furthest) return fitting;
    } else {
      over = mark;
    }
    // Not even one character fits: it is sent alone, because it has to be sent.
    if (over !== null && over.end <= characterEnd(text, start)) return over;
    reach = over === null ? further(rest, fitting, room.max) : between(fitting, over, room.max, guesses);
  }
}

/** How far it goes at the same pace; at most three times as far, because the following text may be longer. */
function further({ text, start }: Rest, { end, length }: CutPoint, max: number): number {
  const done = text.slice(start, end).trimEnd().length;
  return start + Math.min((done * max) / Math.max(length, 1), 3 * done + 64);
}

function between(fitting: CutPoint, over: CutPoint, max: number, guesses: number): number {
  const share = guesses < MAX_GUESSES ? (max - fitting.length) / (over.length - fitting.length) : 0.5;
  return Math.min(fitting.end + share * (over.end - fitting.end), over.end - 1);
}

function shownUpTo({ text, start, fence, longest }: Rest, end: number): string {
  const body = text.slice(start, end);
  return sent(body, fence, fenceAtEnd(body, fence, longest));
}

/** The best position to cut: in the second half a paragraph, else a line, else a word, else any character. */
function bestEnd(rest: Rest, reach: number): number {
  const { text, start } = rest;
  if (reach >= text.length) return text.length;
  const earliest = start + ((reach - start) >> 1);
  for (const places of [PARAGRAPHS, LINES, WORDS]) {
    const end = lastBreak(rest, places, earliest, reach);
    if (end !== null) return end;
  }
  return Math.max(characterStart(text, start, reach), characterEnd(text, start));
}

/**
 * How far to look around a position for the character that it is in; anything longer is not a character but an attack.
 */
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

/** A character with thousands of marks has to be cut somewhere, but never inside a code point. */
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

/** The last good one of this many positions is used: if none is good, the text is unusual. */
const MAX_PLACES = 64;

/** The end of the last good one of these positions within the bounds. */
function lastBreak(rest: Rest, places: RegExp, earliest: number, latest: number): number | null {
  const found = [...rest.text.slice(earliest, latest).matchAll(places)].slice(-MAX_PLACES);
  if (found.length === 0) return null;
  const openings = openingsUpTo(rest, latest);
  const isGood = (end: number): boolean =>
    characterStart(rest.text, rest.start, end) === end &&
    !openings.some(([from, to]) => end > from && end <= to);
  return found.map((each) => earliest + each.index + each[0].length).findLast(isGood) ?? null;
}

/**
 * The spans in which fences are opened, each from the start of its line to the first line inside: nothing is cut there,
 * or the fence's content would begin in the next piece.
 */
function openingsUpTo(
  { text, start, fence, longest }: Rest,
  latest: number,
): readonly (readonly [number, number])[] {
  const openings: [number, number][] = [];
  let open = fence;
  let opening: [number, number] | null = null;
  let at = start;
  for (const line of text.slice(start, latest).split("\n")) {
    const before: OpenFence | null = open;
    open = fenceAfterLine(line, before, longest);
    if (open && open !== before) {
      opening = [at, at];
      openings.push(opening);
    } else if (line.trim() !== "") opening = null;
    at += line.length + 1;
    if (opening) opening[1] = at;
  }
  return openings;
}

/** The fence that is open at the end of the body, given the one before it. */
function fenceAtEnd(body: string, before: OpenFence | null, longest: number): OpenFence | null {
  return body
    .split("\n")
    .reduce((open: OpenFence | null, line) => fenceAfterLine(line, open, longest), before);
}

/** A longer line opens no fence: every piece would have to repeat it. */
const LONGEST_OPENING = 200;
/** Of a line that does not fit this often into a message, counted in bytes, only the marks are repeated. */
const LEAST_OPENINGS = 2;

function fenceAfterLine(line: string, open: OpenFence | null, longest: number): OpenFence | null {
  if (line.length > LONGEST_OPENING) return open;
  const before = open?.fence ?? null;
  const fence = fenceAfter(line, before, true);
  if (fence === before) return open;
  if (!fence) return null;
  const opening = Buffer.byteLength(line) > longest ? line.slice(0, fence.margin) + fence.marks : line;
  return { fence, opening, closing: closingOf(line, fence) };
}

/** As far in as the opening, and in the same quote; the sign of an item is not repeated. */
function closingOf(line: string, { margin, marks }: Fence): string {
  return line.slice(0, margin).replace(/[^\s>]/g, " ") + marks;
}

function sent(body: string, before: OpenFence | null, after: OpenFence | null): string {
  const inner = body.replace(before ? /^\n/ : /^(?:[ \t]*\n)+/, "").trimEnd();
  if (inner === "") return "";
  const opening = before ? `${before.opening}\n` : "";
  const closing = after ? `\n${after.closing}` : "";
  return opening + inner + closing;
}
