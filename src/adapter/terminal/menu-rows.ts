/** The rows of the menu and of a search, under the line. */
import { cleanLine } from "../../util/text.js";
import type { Completion } from "./completion.js";
import type { HistorySearch } from "./search.js";
import { type ScreenRow, span } from "./style.js";
import { cutTo, widthOf } from "./wrap.js";

const MOST_ROWS = 8;
const CHOSEN = "> ";
const OTHER = " ".repeat(CHOSEN.length);
/** The names leave so much of a row to what they mean. */
const NAME_SHARE = 0.6;

/** At most `room` rows: those around what is chosen, and how many more there are. */
export function menuRows(
  items: readonly Completion[],
  chosen: number | null,
  width: number,
  room = MOST_ROWS,
): ScreenRow[] {
  const most = Math.max(1, Math.min(room, MOST_ROWS));
  const count = items.length > most ? Math.max(1, most - 1) : items.length;
  const top = Math.max(0, Math.min((chosen ?? 0) - (count >> 1), items.length - count));
  const shown = items.slice(top, top + count);
  const names = shown.map(({ text, label = text }) => cleanLine(label));
  const widest = Math.max(1, Math.floor((width - CHOSEN.length) * NAME_SHARE));
  const column = Math.min(widest, Math.max(...names.map(widthOf)));
  const rows: ScreenRow[] = shown.map(({ description }, index) => {
    const isChosen = top + index === chosen;
    const name = cutTo(names[index] ?? "", column);
    const gap = " ".repeat(Math.max(0, column - widthOf(name)));
    const mark = isChosen ? CHOSEN : OTHER;
    const left = width - CHOSEN.length - column - 2;
    const words = left > 0 ? `  ${cutTo(cleanLine(description), left)}` : "";
    return isChosen
      ? [span(cutTo(`${mark}${name}${gap}${words}`.trimEnd(), width), { bold: true, color: "cyan" })]
      : [span(cutTo(`${mark}${name}${gap}`, width)), span(words, { dim: true })];
  });
  const rest = items.length - shown.length;
  if (rest === 0 || most === 1) return rows;
  return [...rows, [span(cutTo(`${OTHER}… ${rest} more`, width), { dim: true })]];
}

export function searchRow({ query, at, isOver }: HistorySearch, width: number): ScreenRow {
  const words = cleanLine(query);
  const found = isOver
    ? at === null
      ? "nothing found"
      : "no more found"
    : "Ctrl-R older, Enter sends, Esc goes back";
  const typed = words === "" ? "search: type a part of an earlier line" : `search: ${words}`;
  return [span(cutTo(`${typed} · ${found}`, width), { color: isOver ? "yellow" : "cyan" })];
}
