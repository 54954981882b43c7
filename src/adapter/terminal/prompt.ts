/** The foot of the screen: the line being written, and under it what fits it, or the status. */
import type { SessionId } from "../../session/ids.js";
import type { TurnFacts } from "../../session/turn-facts.js";
import { cleanLine } from "../../util/text.js";
import type { Completion } from "./completion.js";
import type { Draft } from "./editor.js";
import type { NextQuestion } from "./open-questions.js";
import { type ScreenRow, span } from "./style.js";
import { type UsedStatus, usedWords } from "./used-words.js";
import { cutTo, graphemes, widthOf } from "./wrap.js";

export interface PromptStatus extends UsedStatus {
  readonly sessionId?: SessionId;
  readonly title?: string;
  /** Where the conversation is on its way to. */
  readonly moving?: string;
}

export interface Foot {
  readonly draft: Draft;
  readonly hints: readonly Completion[];
  readonly status: PromptStatus;
  /** The last turn that was seen here; null before the first. */
  readonly turn: TurnFacts | null;
  readonly isRunning: boolean;
  /** That the model is asked again, in words; null if it is not. */
  readonly retry: string | null;
  /** The question that a key answers; null if none waits. */
  readonly question: NextQuestion | null;
  /** Said instead of the status. */
  readonly notice: string | null;
}

export interface Frame {
  readonly rows: readonly ScreenRow[];
  readonly cursor: { readonly row: number; readonly column: number };
}

const PROMPT = "› ";
/** Before what another terminal says. */
const OTHER = "» ";
const INDENT = " ".repeat(PROMPT.length);
const MOST_HINTS = 8;

export function footFrame(foot: Foot, width: number, height: number): Frame {
  const asked = questionRows(foot, width);
  const below = belowRows(foot, width).slice(0, Math.max(0, height - asked.length - 1));
  const room = Math.max(1, height - asked.length - below.length);
  const { lines, row, column } = layOut(foot.draft, width - PROMPT.length);
  const top = Math.max(0, Math.min(row - (room >> 1), lines.length - room));
  const shown = lines.slice(top, top + room);
  return {
    rows: [...asked, ...shown.map((line, index) => promptRow(line, top + index === 0)), ...below],
    cursor: { row: asked.length + row - top, column: column + PROMPT.length },
  };
}

/** What was said, as it stays on the screen. */
export function saidRows(text: string, width: number, by: "us" | "other" = "us"): ScreenRow[] {
  const { lines } = layOut({ text, cursor: 0, cut: "" }, width - PROMPT.length);
  const mark = by === "us" ? PROMPT : OTHER;
  return lines.map((line, index) => promptRow(line, index === 0, mark));
}

function promptRow(line: string, isFirst: boolean, mark = PROMPT): ScreenRow {
  return [span(isFirst ? mark : INDENT, { bold: true, color: "cyan" }), span(line)];
}

/** The lines of the screen, and where in them the cursor stands. */
function layOut({ text, cursor }: Draft, width: number): { lines: string[]; row: number; column: number } {
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
      if (grapheme !== "\n" && used + wide > width && used > 0) next();
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

/** Above the line being written: what would be done, and the keys. More may have been printed since it was asked. */
function questionRows({ question, draft }: Foot, width: number): ScreenRow[] {
  if (!question) return [];
  const how = draft.text === "" ? question.keys : `${question.keys}, once your line is empty`;
  return [question.what, `waiting for you: ${how}`].map((words) => [
    span(cutTo(words, width), { bold: true, color: "yellow" }),
  ]);
}

function belowRows(foot: Foot, width: number): ScreenRow[] {
  if (foot.notice !== null) return [[span(cutTo(foot.notice, width), { color: "yellow" })]];
  if (foot.hints.length > 0) return hintRows(foot.hints, width);
  if (foot.retry !== null) return [[span(cutTo(cleanLine(foot.retry), width), { color: "yellow" })]];
  const working = foot.question ? "waiting for you" : foot.isRunning ? "working, Ctrl-C stops" : "";
  const words = statusLine(working, foot.status, foot.turn, width);
  return words === "" ? [] : [[span(words, { dim: true })]];
}

function hintRows(hints: readonly Completion[], width: number): ScreenRow[] {
  const shown = hints.slice(0, hints.length > MOST_HINTS ? MOST_HINTS - 1 : MOST_HINTS);
  const names = shown.map(({ name }) => `/${cleanLine(name)}`);
  const longest = Math.max(...names.map(widthOf));
  const rows: ScreenRow[] = shown.map(({ description }, index) => {
    const name = cutTo((names[index] ?? "").padEnd(longest), width);
    const room = width - widthOf(name) - 2;
    return [span(name), span(room > 0 ? `  ${cutTo(cleanLine(description), room)}` : "", { dim: true })];
  });
  const rest = hints.length - shown.length;
  return rest === 0 ? rows : [...rows, [span(cutTo(`… ${rest} more`, width), { dim: true })]];
}

const SHORTEST_TITLE = 12;

/** A long title leaves room for the rest. */
function statusLine(
  working: string,
  { title = "", moving = "", ...status }: PromptStatus,
  turn: TurnFacts | null,
  width: number,
): string {
  const isOfThis = turn !== null && turn.sessionId === status.sessionId;
  const used = usedWords(status, isOfThis ? turn : null);
  const line = (name: string): string =>
    [working, moving, name, ...used]
      .map(cleanLine)
      .filter((word) => word !== "")
      .join(" · ");
  const surplus = widthOf(line(title)) - width;
  const room = widthOf(cleanLine(title)) - Math.max(0, surplus);
  return cutTo(line(cutTo(cleanLine(title), Math.max(SHORTEST_TITLE, room))), width);
}
