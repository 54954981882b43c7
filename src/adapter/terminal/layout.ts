/** A text being written, in the rows of the screen: those around the cursor, so that a long text costs no more. */
import type { Draft } from "./editor.js";
import { graphemes, widthOf } from "./wrap.js";

export interface LaidOut {
  readonly lines: readonly string[];
  /** Where the cursor stands. */
  readonly row: number;
  readonly column: number;
}

/** At most `room` rows, and whether the first of them is the first of the text. */
export function rowsAround(
  { text, cursor }: Pick<Draft, "text" | "cursor">,
  width: number,
  room: number,
): LaidOut & { readonly isBeginning: boolean } {
  let start = cursor === 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1;
  let end = endOfLine(text, cursor);
  const own = layOut({ text: text.slice(start, end), cursor: cursor - start }, width);
  const above: string[][] = [];
  for (let rows = 0; start > 0 && rows < room; rows += above.at(-1)?.length ?? 0) {
    const from = start > 1 ? text.lastIndexOf("\n", start - 2) + 1 : 0;
    above.push([...layOut({ text: text.slice(from, start - 1), cursor: 0 }, width).lines]);
    start = from;
  }
  const below: string[] = [];
  while (end < text.length && below.length < room) {
    const to = endOfLine(text, end + 1);
    below.push(...layOut({ text: text.slice(end + 1, to), cursor: 0 }, width).lines);
    end = to;
  }
  const before = above.reverse().flat();
  const lines = [...before, ...own.lines, ...below];
  const row = before.length + own.row;
  const top = Math.max(0, Math.min(row - (room >> 1), lines.length - room));
  return {
    lines: lines.slice(top, top + room),
    row: row - top,
    column: own.column,
    isBeginning: start === 0 && top === 0,
  };
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

/** All rows of a text, and where in them the cursor stands. */
export function layOut({ text, cursor }: Pick<Draft, "text" | "cursor">, width: number): LaidOut {
  const lines = [""];
  let used = 0;
  let place = { row: 0, column: 0 };
  const next = () => {
    lines.push("");
    used = 0;
  };
  let index = 0;
  for (const line of text.split(/(\n)/)) {
    for (const grapheme of line === "\n" ? ["\n"] : graphemes(line)) {
      const shown = grapheme === "\t" ? "  " : grapheme;
      const wide = widthOf(shown);
      const isFull = grapheme === "\n" ? index === cursor && used >= width : used + wide > width && used > 0;
      if (isFull) next(); // A cursor at the end of a full row stands on the next one.
      if (index === cursor) place = { row: lines.length - 1, column: used };
      index += grapheme.length;
      if (grapheme === "\n") {
        next();
      } else {
        lines[lines.length - 1] += shown;
        used += wide;
      }
    }
  }
  if (index === cursor) {
    if (used >= width) next();
    place = { row: lines.length - 1, column: used };
  }
  return { lines, ...place };
}
