/** What tools gave, folded: the first and the last lines of a long result. The last few can be shown whole. */
import type { ToolCall } from "../../session/transcript.js";
import { printableText } from "../../util/text.js";
import { counted } from "../../util/words.js";
import { type ScreenRow, span } from "./style.js";
import { toolCallRows } from "./tool-lines.js";
import { cutTo, wrapAnywhere } from "./wrap.js";

/** A result of so many lines is shown whole; a longer one by its first and its last. */
const FEW = 5;
const FIRST = 2;
const LAST = 2;
/** Enough for these lines at each end; the rest is only counted. */
const LONGEST_LOOK = 4_096;
/** What is kept of the results that can be shown whole. */
const MOST_KEPT = 10;
const LONGEST_KEPT = 200_000;
/** A person does not scroll through more. */
const MOST_ROWS = 1_000;
const INDENT = "  ";
const DIM = { dim: true };

export class FoldedResults {
  #kept: { readonly call: ToolCall; readonly content: string }[] = [];

  /** The result in a few rows; `took` stands at the end of the first. */
  fold(call: ToolCall, content: string, took: string, width: number): ScreenRow[] {
    const { lines, hidden } = foldedLines(content, "Ctrl-O shows all");
    if (hidden > 0) {
      this.#kept.push({ call, content: content.slice(0, LONGEST_KEPT) });
      this.#kept = this.#kept.slice(-MOST_KEPT);
    }
    const [first = "(no output)", ...others] = lines;
    const shown = [took === "" ? first : `${first} (${took})`, ...others];
    return shown.map((line) => [span(cutTo(INDENT + line, width), DIM)]);
  }

  /** The last one that was not shown whole yet; null if there is none. */
  unfold(width: number): ScreenRow[] | null {
    const last = this.#kept.pop();
    if (!last) return null;
    const text = printableText(last.content).trim();
    const rows: ScreenRow[] = [];
    for (const line of text.split("\n")) {
      if (rows.length >= MOST_ROWS) break;
      rows.push(...wrapAnywhere([span(line)], width));
    }
    const isWhole = rows.length < MOST_ROWS && last.content.length < LONGEST_KEPT;
    const note: ScreenRow = [span("… the rest is in `baton sessions show`", DIM)];
    return [...toolCallRows(last.call, width), ...rows.slice(0, MOST_ROWS), ...(isWhole ? [] : [note])];
  }
}

/** The lines to show, and how many are not; `where` says how to see those. */
export function foldedLines(
  content: string,
  where: string,
): { readonly lines: readonly string[]; readonly hidden: number } {
  const count = content.split("\n").filter((line) => line.trim() !== "").length;
  const first = plainLines(content.slice(0, LONGEST_LOOK));
  if (count <= FEW && content.length <= LONGEST_LOOK) return { lines: first, hidden: 0 };
  const hidden = Math.max(1, count - FIRST - LAST);
  const more = `… ${counted(hidden, "more line")} (${where})`;
  const last = count > FIRST ? plainLines(content.slice(-LONGEST_LOOK)).slice(-LAST) : [];
  return { lines: [...first.slice(0, FIRST), more, ...last], hidden };
}

function plainLines(text: string): string[] {
  return printableText(text)
    .replaceAll("\t", INDENT)
    .split("\n")
    .filter((line) => line.trim() !== "");
}
