/**
 * What it costs to read Markdown, estimated in one pass. Every parser there is takes far longer than a linear time for
 * some texts, and what is nested deep enough ends the stack: what a person never writes is not read as Markdown at all.
 */
import { type Fence, fenceAfter } from "./markdown-parts.js";

/** Quotes and lists in one another, as they begin a line. */
const TOO_DEEP = /^(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])){16}/;
/** Marks and lines of one part; the work grows with the square of them. A full screen of Markdown has some two hundred. */
const MAX_WEIGHT = 1_000;
const MAX_LENGTH = 16_384;

/** Every character that may begin or end something. */
const MARKS = /[*_~`[\]()!<>&\\|#@:=]/g;

/** The same for whoever reads Markdown in another way. */
export function isTooDeep(text: string): boolean {
  return text.split("\n").some((line) => TOO_DEEP.test(line));
}

export function isTooCostly(part: string): boolean {
  if (part.length > MAX_LENGTH) return true;
  let weight = 0;
  let fence: Fence | null = null;
  for (const line of part.split("\n")) {
    const within: Fence | null = fence;
    fence = fenceAfter(line, fence);
    if (within && fence) continue; // Code is not read.
    if (TOO_DEEP.test(line)) return true;
    weight += 1 + (line.match(MARKS)?.length ?? 0);
    if (weight > MAX_WEIGHT) return true;
  }
  return false;
}
