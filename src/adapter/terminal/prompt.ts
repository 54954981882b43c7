/** The foot of the screen: the line being written, and under it what fits it, or the status. */
import type { SessionId } from "../../session/ids.js";
import type { TurnFacts } from "../../session/turn-facts.js";
import { cleanLine } from "../../util/text.js";
import type { Completion } from "./completion.js";
import type { Draft } from "./editor.js";
import { layOut, rowsAround } from "./layout.js";
import { menuRows, searchRow } from "./menu-rows.js";
import type { NextQuestion } from "./open-questions.js";
import type { HistorySearch } from "./search.js";
import { type ScreenRow, span } from "./style.js";
import { type UsedStatus, usedWords } from "./used-words.js";
import { cutTo, widthOf, wrapWords } from "./wrap.js";

export interface PromptStatus extends UsedStatus {
  readonly sessionId?: SessionId;
  readonly title?: string;
  /** Where the conversation is on its way to. */
  readonly moving?: string;
}

export interface Foot {
  readonly draft: Draft;
  readonly hints: readonly Completion[];
  /** The place of the hint that is chosen. */
  readonly chosen?: number | null;
  /** The search through earlier lines that is under way. */
  readonly search?: HistorySearch | null;
  readonly status: PromptStatus;
  /** The last turn that was seen here; null before the first. */
  readonly turn: TurnFacts | null;
  readonly isRunning: boolean;
  /** Another terminal waits for an answer in this conversation. */
  readonly areOthersAtWork: boolean;
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

export function footFrame(foot: Foot, width: number, height: number): Frame {
  const asked = questionRows(foot, width);
  const left = Math.max(0, height - asked.length - 1);
  const below = belowRows(foot, width, left).slice(0, left);
  const room = Math.max(1, height - asked.length - below.length);
  const { lines, row, column, isBeginning } = rowsAround(foot.draft, width - PROMPT.length, room);
  return {
    rows: [...asked, ...lines.map((line, index) => promptRow(line, isBeginning && index === 0)), ...below],
    cursor: { row: asked.length + row, column: column + PROMPT.length },
  };
}

/** What was said, as it stays on the screen. */
export function saidRows(text: string, width: number, by: "us" | "other" = "us"): ScreenRow[] {
  const { lines } = layOut({ text, cursor: 0 }, width - PROMPT.length);
  const mark = by === "us" ? PROMPT : OTHER;
  return lines.map((line, index) => promptRow(line, index === 0, mark));
}

function promptRow(line: string, isFirst: boolean, mark = PROMPT): ScreenRow {
  return [span(isFirst ? mark : INDENT, { bold: true, color: "cyan" }), span(line)];
}

/** Above the line being written: what would be done, and the keys. More may have been printed since it was asked. */
function questionRows({ question, draft, search }: Foot, width: number): ScreenRow[] {
  if (!question) return [];
  const { what, keys, isHeld } = question;
  const isEmpty = (draft.text === "" || isHeld) && !search;
  const how = keys === null ? "" : `: ${keys}${isEmpty ? "" : ", once your line is empty"}`;
  return [what, `waiting for you${how}`].map((words) => [
    span(cutTo(words, width), { bold: true, color: "yellow" }),
  ]);
}

function belowRows(foot: Foot, width: number, room: number): ScreenRow[] {
  if (foot.notice !== null) return [[span(cutTo(foot.notice, width), { color: "yellow" })]];
  if (foot.search) return [searchRow(foot.search, width)];
  if (foot.hints.length > 0) return menuRows(foot.hints, foot.chosen ?? null, width, room);
  if (foot.retry !== null) return retryRows(cleanLine(foot.retry), width);
  const words = statusLine(workingWords(foot), foot.status, foot.turn, width);
  return words === "" ? [] : [[span(words, { dim: true })]];
}

function workingWords({ question, isRunning, areOthersAtWork }: Foot): string {
  if (question) return "waiting for you";
  if (isRunning) return "working, Ctrl-C stops";
  return areOthersAtWork ? "another terminal is working" : "";
}

/** Its end is what counts down. */
function retryRows(words: string, width: number): ScreenRow[] {
  const rows = wrapWords([span(words)], width);
  return rows.map((row) => [span(row.map(({ text }) => text).join(""), { color: "yellow" })]);
}

const SHORTEST_TITLE = 12;

/** A long title leaves room for the rest; if too little of it would be left, it gives way. */
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
  const surplus = Math.max(0, widthOf(line(title)) - width);
  const room = widthOf(cleanLine(title)) - surplus;
  const isCut = surplus > 0 && line("") !== "";
  return cutTo(line(isCut && room < SHORTEST_TITLE ? "" : cutTo(cleanLine(title), room)), width);
}
