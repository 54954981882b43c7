/** A table as plain lines with columns of one width, for platforms that have none but can show it monospaced. */
import stringWidth from "string-width";
import type { Align } from "./render.js";

/** A wider column is not filled up: one long cell must not make every row as long. */
const MAX_COLUMN = 60;

/** What stands between two columns, and what the line below the head is made of. */
export interface Columns {
  readonly between: string;
  readonly line: string;
  readonly crossing: string;
}

export const OPEN_COLUMNS: Columns = { between: "  ", line: "─", crossing: "  " };
export const RULED_COLUMNS: Columns = { between: " | ", line: "-", crossing: "-|-" };

export function textTable(
  rows: readonly (readonly string[])[],
  align: readonly Align[],
  { between, line, crossing }: Columns,
): string {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.min(MAX_COLUMN, Math.max(...rows.map((row) => stringWidth(row[column] ?? "")))),
  );
  const shown = (row: readonly string[]): string =>
    widths
      .map((width, column) => padded(row[column] ?? "", width, align[column] ?? null))
      .join(between)
      .trimEnd();
  const [head = [], ...body] = rows;
  const rule = widths.map((width) => line.repeat(width)).join(crossing);
  return [shown(head), rule, ...body.map(shown)].join("\n");
}

export function widthOf(text: string): number {
  return Math.max(0, ...text.split("\n").map((line) => stringWidth(line)));
}

function padded(cell: string, width: number, align: Align): string {
  const space = Math.max(0, width - stringWidth(cell));
  const before = align === "right" ? space : align === "center" ? space >> 1 : 0;
  return " ".repeat(before) + cell + " ".repeat(space - before);
}
