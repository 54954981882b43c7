/**
 * Splits a long text into pieces that a platform accepts. Each piece is Markdown that stands by itself, and together they
 * say what the text says. The text offers places to cut (`CutText`), the best of them first; this file finds the last
 * one that still fits, measuring a piece only a few times, because to measure is to render.
 */
import { InTurns } from "../util/in-turns.js";
import { type CutText, PlainText } from "./plain-text.js";

/** The space in one message: how the platform counts the length of a text, and the most that it accepts. */
export interface PieceRoom {
  readonly max: number;
  readonly lengthOf: (text: string) => number;
  /** Does the slow part of measuring a text, in parallel to other work. */
  readonly prepare?: (text: string) => Promise<void>;
}

/** Loaded with the first text that needs it: it has the parser, which a short answer does without. */
let markdown: typeof import("./markdown-text.js") | undefined;

export async function loadMarkdown(): Promise<void> {
  markdown ??= await import("./markdown-text.js");
}

/**
 * Every piece fits, as long as one character does; a text of blanks gives no pieces. Until the parser is loaded, it cuts
 * between lines and words, whatever they mean: enough for Baton's own notices.
 */
export function split(text: string, room: PieceRoom): readonly string[] {
  const steps = splitting(text, room);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The same for a long text, in parallel to other work, and always as Markdown. */
export async function splitInTurns(text: string, room: PieceRoom): Promise<readonly string[]> {
  await loadMarkdown();
  const turns = new InTurns();
  const steps = splitting(text, room);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await room.prepare?.(value);
    await turns.next();
  }
}

/** Yields before each step that takes time, with the text that is measured next, or "". */
function* splitting(text: string, room: PieceRoom): Generator<string, readonly string[]> {
  const whole = shown(text);
  if (whole === "") return [];
  yield whole;
  if (room.lengthOf(whole) <= room.max) return [whole];
  const pieces = markdown ? yield* cutting(yield* markdown.readingText(text, room.max), room) : [];
  // What shows nothing as Markdown is shown as it is written.
  return pieces.length > 0 ? pieces : yield* cutting(new PlainText(whole), room);
}

function shown(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
}

function* cutting(text: CutText, room: PieceRoom): Generator<string, readonly string[]> {
  const pieces: string[] = [];
  let start = 0;
  let pace = 1;
  while (start < text.length) {
    const { end, length } = yield* endOfPiece(text, start, room, pace);
    const piece = text.between(start, end);
    // Blanks alone are not a message.
    if (piece.trim() !== "") pieces.push(piece);
    if (length > 0) pace = (end - start) / length;
    start = end;
  }
  return pieces;
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

/** The end is guessed from the text so far (`pace` characters for each unit of length), and then from what was measured. */
function* endOfPiece(
  text: CutText,
  start: number,
  room: PieceRoom,
  pace: number,
): Generator<string, CutPoint> {
  const furthest = Math.min(start + MAX_UNSEEN * room.max, text.length);
  let fitting: CutPoint = { end: start, length: 0 };
  let over: CutPoint | null = null;
  let reach = start + room.max * pace;
  for (let guesses = 0; ; guesses++) {
    const best = text.bestCut(start, Math.max(start + 1, Math.min(Math.floor(reach), furthest)));
    const end = Math.max(best, start + 1);
    // A shorter piece fits, too; and where nothing does, the least that can be cut off is sent all the same.
    if (end <= fitting.end) return { ...fitting, end };
    if (over !== null && end >= over.end) return fitting.end > start ? fitting : over;
    const piece = text.between(start, end);
    yield piece;
    const mark: CutPoint = { end, length: piece === "" ? 0 : room.lengthOf(piece) };
    if (mark.length <= room.max) fitting = mark;
    else over = mark;
    if (fitting.end >= furthest) return fitting;
    reach = over === null ? further(start, fitting, room.max) : between(fitting, over, room.max, guesses);
  }
}

/** How far it goes at the same pace; at most three times as far, because the following text may be longer. */
function further(start: number, { end, length }: CutPoint, max: number): number {
  const done = end - start;
  return start + Math.min((done * max) / Math.max(length, 1), 3 * done + 64);
}

function between(fitting: CutPoint, over: CutPoint, max: number, guesses: number): number {
  const share = guesses < MAX_GUESSES ? (max - fitting.length) / (over.length - fitting.length) : 0.5;
  return Math.min(fitting.end + share * (over.end - fitting.end), over.end - 1);
}
