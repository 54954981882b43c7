/** A Markdown table as rows: columns aligned, the widest giving way and wrapping where the terminal is too narrow. */
import type { Align } from "../markdown/render.js";
import { type ScreenRow, type ScreenSpan, span } from "./style.js";
import { rowWidth, wrapWords } from "./wrap.js";

const GAP = 2;
const NARROWEST = 3;

export function tableRows(
  rows: readonly (readonly (readonly ScreenSpan[])[])[],
  align: readonly Align[],
  width: number,
): ScreenRow[] {
  const [header = [], ...body] = rows;
  const natural = header.map((_, column) => Math.max(1, ...rows.map((row) => rowWidth(row[column] ?? []))));
  const widths = fitted(natural, width);
  const lines = (cells: readonly (readonly ScreenSpan[])[]) => lineRows(cells, widths, align);
  const rule = widths.map((wide, column) => [
    ...(column > 0 ? [span(" ".repeat(GAP))] : []),
    span("─".repeat(wide), { dim: true }),
  ]);
  return [...lines(header), rule.flat(), ...body.flatMap(lines)];
}

/** One line of the table: as many rows as its tallest cell. */
function lineRows(
  cells: readonly (readonly ScreenSpan[])[],
  widths: readonly number[],
  align: readonly Align[],
): ScreenRow[] {
  const wrapped = widths.map((width, column) => wrapWords(cells[column] ?? [], width));
  const height = Math.max(...wrapped.map((rows) => rows.length));
  return Array.from({ length: height }, (_, line) =>
    widths.flatMap((width, column) => {
      const row = wrapped[column]?.[line] ?? [];
      const space = Math.max(0, width - rowWidth(row));
      const before = align[column] === "right" ? space : align[column] === "center" ? space >> 1 : 0;
      const after = column === widths.length - 1 ? 0 : space - before + GAP;
      return [span(" ".repeat(before)), ...row, span(" ".repeat(after))];
    }),
  );
}

function fitted(natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, wide) => sum + wide + GAP, -GAP) - width;
  while (excess > 0) {
    const widest = Math.max(...widths);
    if (widest <= NARROWEST) break;
    widths[widths.indexOf(widest)] = widest - 1;
    excess -= 1;
  }
  return widths;
}
