/** Tables that fit the terminal: cells are cleaned here, and shortened if they are too wide. */
import stringWidth from "string-width";
import { cleanLine, graphemes } from "../util/text.js";
import type { Terminal } from "./terminal.js";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  readonly align?: "right";
  /** May be shortened if the table is too wide. */
  readonly flexible?: boolean;
  readonly paint?: (text: string, row: Row) => string;
}

const GAP = "  ";
const NARROWEST = 8;

export function printTable<Row>(
  terminal: Terminal,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): void {
  const cells = rows.map((row) => columns.map((column) => cleanLine(column.cell(row))));
  const widths = fitted(
    columns.map((column, index) =>
      Math.max(stringWidth(column.title), ...cells.map((line) => stringWidth(line[index] ?? ""))),
    ),
    columns.map((column) => column.flexible === true),
    terminal.columns,
  );
  const titles = columns.map((column) => column.title);
  terminal.line(joined(columns, titles, widths, (text) => terminal.paint.dim(text)));
  rows.forEach((row, index) => {
    const line = cells[index] ?? [];
    terminal.line(joined(columns, line, widths, (text, column) => column.paint?.(text, row) ?? text));
  });
}

function joined<Row>(
  columns: readonly Column<Row>[],
  cells: readonly string[],
  widths: readonly number[],
  paint: (text: string, column: Column<Row>) => string,
): string {
  const shown = columns.map((column, index) => {
    const width = widths[index] ?? 0;
    const text = shortenTo(cells[index] ?? "", width);
    const space = " ".repeat(Math.max(0, width - stringWidth(text)));
    const painted = text === "" ? "" : paint(text, column);
    if (column.align === "right") return space + painted;
    return index === columns.length - 1 ? painted : painted + space;
  });
  return shown
    .filter((_, index) => (widths[index] ?? 0) > 0)
    .join(GAP)
    .trimEnd();
}

/** Shortens flexible columns, the widest first; if that is not enough, drops the last columns. */
function fitted(natural: readonly number[], flexible: readonly boolean[], columns: number): number[] {
  const widths = [...natural];
  const excess = () => {
    const shown = widths.filter((width) => width > 0);
    return shown.reduce((sum, width) => sum + width, GAP.length * (shown.length - 1)) - columns;
  };
  while (excess() > 0) {
    const widest = Math.max(...widths.filter((_, index) => flexible[index]));
    if (!(widest > NARROWEST)) break;
    widths[widths.findIndex((width, index) => flexible[index] && width === widest)] = widest - 1;
  }
  for (let last = widths.length - 1; last > 0 && excess() > 0; last--) {
    widths[last] = Math.max(0, (widths[last] ?? 0) - excess());
    if ((widths[last] ?? 0) < NARROWEST) widths[last] = 0;
  }
  return widths;
}

/** At most this many columns of a line, cut between characters, with … for the rest. */
function shortenTo(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = "";
  let used = 1;
  for (const { segment } of graphemes().segment(text)) {
    used += stringWidth(segment);
    if (used > width) break;
    kept += segment;
  }
  return width > 0 ? `${kept}…` : "";
}
