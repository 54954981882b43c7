/**
 * The text being written, and what keys do to it: a pure step from one state to the next. The cursor stands between
 * graphemes; lines are those of the text, not of the screen.
 */
import { graphemes } from "./wrap.js";

export interface Draft {
  readonly text: string;
  /** In UTF-16 units. */
  readonly cursor: number;
  /** What was last cut, for pasting it back. */
  readonly cut: string;
}

export type Motion =
  | "left"
  | "right"
  | "word left"
  | "word right"
  | "line start"
  | "line end"
  | "line up"
  | "line down";

export type Edit =
  | { readonly kind: "insert"; readonly text: string }
  | { readonly kind: "move"; readonly to: Motion }
  | { readonly kind: "delete"; readonly to: Motion }
  | { readonly kind: "paste cut" };

const IN_WORD = /^[\p{L}\p{N}\p{M}_]$/u;
const WORD_AFTER = /^[^\p{L}\p{N}\p{M}_]*[\p{L}\p{N}\p{M}_]*/u;
/** How far a word is looked for. */
const FARTHEST = 1_000;

export const EMPTY_DRAFT: Draft = { text: "", cursor: 0, cut: "" };

export function draftOf(text: string, cut = ""): Draft {
  return { text, cursor: text.length, cut };
}

export function edit(draft: Draft, step: Edit): Draft {
  switch (step.kind) {
    case "insert":
      return inserted(draft, step.text);
    case "paste cut":
      return inserted(draft, draft.cut);
    case "move":
      return { ...draft, cursor: target(draft, step.to) };
    case "delete":
      return deleted(draft, step.to);
    default:
      return step satisfies never;
  }
}

/** Where a motion leads; the cursor itself where there is no way. */
export function target({ text, cursor }: Draft, motion: Motion): number {
  const start = lineStart(text, cursor);
  const end = lineEnd(text, cursor);
  switch (motion) {
    case "left":
      if (cursor === start) return Math.max(0, cursor - 1);
      return cursor - (graphemes(text.slice(start, cursor)).at(-1)?.length ?? 0);
    case "right":
      if (cursor === end) return Math.min(text.length, cursor + 1);
      return cursor + (graphemes(text.slice(cursor, end))[0]?.length ?? 0);
    case "word left":
      return cursor - wordBefore(text.slice(Math.max(0, cursor - FARTHEST), cursor));
    case "word right":
      return cursor + (WORD_AFTER.exec(text.slice(cursor, cursor + FARTHEST))?.[0].length ?? 0);
    case "line start":
      return start;
    case "line end":
      return end;
    case "line up":
      return start === 0 ? cursor : inLine(text, lineStart(text, start - 1), text.slice(start, cursor));
    case "line down":
      return end === text.length ? cursor : inLine(text, end + 1, text.slice(start, cursor));
    default:
      return motion satisfies never;
  }
}

/** As many graphemes into the line as `before` has, or its end. */
function inLine(text: string, start: number, before: string): number {
  const line = graphemes(text.slice(start, lineEnd(text, start)));
  return start + line.slice(0, graphemes(before).length).join("").length;
}

function lineStart(text: string, from: number): number {
  return from === 0 ? 0 : text.lastIndexOf("\n", from - 1) + 1;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

function inserted({ text, cursor, cut }: Draft, piece: string): Draft {
  return { text: text.slice(0, cursor) + piece + text.slice(cursor), cursor: cursor + piece.length, cut };
}

/** More than one character deleted at once can be pasted back. */
function deleted(draft: Draft, motion: Motion): Draft {
  const other = target(draft, motion);
  const [from, to] = other < draft.cursor ? [other, draft.cursor] : [draft.cursor, other];
  const isCut = motion !== "left" && motion !== "right" && to > from;
  return {
    text: draft.text.slice(0, from) + draft.text.slice(to),
    cursor: from,
    cut: isCut ? draft.text.slice(from, to) : draft.cut,
  };
}

/** How long the last word of the text is, with what stands behind it. */
function wordBefore(text: string): number {
  const characters = [...text];
  let from = characters.length;
  while (from > 0 && !IN_WORD.test(characters[from - 1] ?? "")) from -= 1;
  while (from > 0 && IN_WORD.test(characters[from - 1] ?? "")) from -= 1;
  return characters.slice(from).join("").length;
}
