/** Tables that fit the terminal: cells are cleaned here, and shortened if they are too wide. Programs get them whole. */
import { cleanLine, graphemes } from "../util/text.js";
import type { Terminal } from "./terminal.js";
import { wrapLine } from "./wrap-line.js";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  readonly align?: "right";
  /** May be shortened if the table is too wide. */
  readonly flexible?: boolean;
  /** Takes several rows then, instead of being shortened: for what people want to read whole. */
  readonly wraps?: boolean;
  readonly paint?: (text: string, row: Row) => string;
}

const GAP = "  ";
const NARROWEST = 8;
/** In a pipe: otherwise one long cell would put as many spaces into every line. */
const MOST_PADDED = 100;

/** How many columns of the terminal a text takes. */
type Measure = (text: string) => number;

/** Most tables are plain ASCII: those do without the table of all characters, which takes long to load. */
async function measureFor(texts: readonly string[]): Promise<Measure> {
  if (texts.every((text) => /^[ -~]*$/.test(text))) return (text) => text.length;
  return (await import("string-width")).default;
}

export async function printTable<Row>(
  terminal: Terminal,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Promise<void> {
  const cells = rows.map((row) => columns.map((column) => cleanLine(column.cell(row))));
  const measure = await measureFor(cells.flat());
  const natural = columns.map((column, index) =>
    Math.max(measure(column.title), ...cells.map((line) => measure(line[index] ?? ""))),
  );
  const flexible = columns.map((column) => column.flexible === true);
  const isCut = terminal.isSeen;
  const widths = isCut
    ? fitted(natural, flexible, terminal.columns)
    : natural.map((width) => Math.min(width, MOST_PADDED));
  const layout = { columns, widths, measure, isCut };
  const titles = columns.map((column) => column.title);
  terminal.line(joined(layout, titles, (text) => terminal.paint.dim(text)));
  for (const [index, row] of rows.entries()) {
    for (const line of await wrapped(layout, cells[index] ?? []))
      terminal.row(joined(layout, line, (text, column) => column.paint?.(text, row) ?? text));
  }
}

/** A row in one line, or in several if a cell that wraps is too wide. */
async function wrapped<Row>(
  { columns, widths, measure, isCut }: TableLayout<Row>,
  cells: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const parts = await Promise.all(
    cells.map((cell, index) => {
      const width = widths[index] ?? 0;
      return isCut && columns[index]?.wraps && width > 0 && measure(cell) > width
        ? wrapLine(cell, width)
        : [cell];
    }),
  );
  const height = Math.max(...parts.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) => parts.map((part) => part[line] ?? ""));
}

interface TableLayout<Row> {
  readonly columns: readonly Column<Row>[];
  readonly widths: readonly number[];
  readonly measure: Measure;
  /** False if cells are shown whole, even if they are wider than their column. */
  readonly isCut: boolean;
}

function joined<Row>(
  { columns, widths, measure, isCut }: TableLayout<Row>,
  cells: readonly string[],
  paint: (text: string, column: Column<Row>) => string,
): string {
  const shown = columns.map((column, index) => {
    const width = widths[index] ?? 0;
    const cell = cells[index] ?? "";
    const text = isCut ? shortenTo(cell, width, measure) : cell;
    const space = " ".repeat(Math.max(0, width - measure(text)));
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
function shortenTo(text: string, width: number, measure: Measure): string {
  if (measure(text) <= width) return text;
  let kept = "";
  let used = 1;
  for (const { segment } of graphemes().segment(text)) {
    used += measure(segment);
    if (used > width) break;
    kept += segment;
  }
  return width > 0 ? `${kept}…` : "";
}
