// What a terminal shows as an SVG picture: each run of characters of one style is one text.
import type { IBufferCell, Terminal } from "@xterm/headless";

const COLUMN = 8.4;
const ROW = 19;
const LEFT = 20;
const TOP = 52;
/** As the palette of a terminal numbers them. */
const PALETTE = ["#0f1724", "#ef6b73", "#9ccf6f", "#e6c07b", "#6ea8fe", "#c792ea", "#6cc7d9", "#d6deeb"];
const TEXT = "#d6deeb";
const DIM = "#7d8799";
const BOLD = "#fff";

interface Look {
  readonly fill: string;
  readonly isBold: boolean;
  readonly isItalic: boolean;
  readonly isUnderlined: boolean;
}

/** `rename` changes words that are different on each machine. */
export function screenSvg(terminal: Terminal, label: string, rename: (text: string) => string): string {
  const rows = Array.from({ length: terminal.buffer.active.length }, (_, row) =>
    rowOf(terminal, row, rename),
  );
  while (rows.at(-1)?.length === 0) rows.pop();
  const width = Math.round(terminal.cols * COLUMN + 2 * LEFT);
  const height = TOP + rows.length * ROW;
  const dots = ["#ff5f56", "#ffbd2e", "#27c93f"].map(
    (fill, index) => `<circle cx="${20 + index * 18}" cy="18" r="5" fill="${fill}"/>`,
  );
  const texts = rows.flatMap((runs, row) => runs.map((run) => textOf(run, TOP + row * ROW)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">`,
    "<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre}</style>",
    `<rect width="${width}" height="${height}" rx="10" fill="#0f1724"/>`,
    ...[dots.join(""), ...texts, "</svg>", ""],
  ].join("\n");
}

interface Run {
  readonly column: number;
  text: string;
  columns: number;
  readonly look: Look;
}

/** A run ends where the style changes. Blanks at its ends are left out. */
function rowOf(terminal: Terminal, row: number, rename: (text: string) => string): Run[] {
  const line = terminal.buffer.active.getLine(row);
  const runs: Run[] = [];
  for (let column = 0; line && column < terminal.cols; column++) {
    const cell = line.getCell(column);
    if (!cell || cell.getWidth() === 0) continue;
    const look = lookOf(cell);
    const last = runs.at(-1);
    const isSame = last && JSON.stringify(last.look) === JSON.stringify(look);
    if (isSame) {
      last.text += cell.getChars() || " ";
      last.columns += cell.getWidth();
    } else runs.push({ column, text: cell.getChars() || " ", columns: cell.getWidth(), look });
  }
  return runs.filter(({ text }) => text.trim() !== "").map((run) => trimmed(run, rename));
}

function trimmed({ column, text, look }: Run, rename: (text: string) => string): Run {
  const start = text.length - text.trimStart().length;
  const shown = rename(text.trim());
  return { column: column + start, text: shown, columns: shown.length, look };
}

function lookOf(cell: IBufferCell): Look {
  const isBold = cell.isBold() !== 0;
  const color = cell.isFgPalette() ? PALETTE[cell.getFgColor()] : undefined;
  return {
    fill: color ?? (cell.isDim() ? DIM : isBold ? BOLD : TEXT),
    isBold,
    isItalic: cell.isItalic() !== 0,
    isUnderlined: cell.isUnderline() !== 0,
  };
}

function textOf({ column, text, columns, look }: Run, y: number): string {
  const x = (LEFT + column * COLUMN).toFixed(1);
  const styles = [
    `fill="${look.fill}"`,
    ...(look.isBold ? ['font-weight="700"'] : []),
    ...(look.isItalic ? ['font-style="italic"'] : []),
    ...(look.isUnderlined ? ['text-decoration="underline"'] : []),
  ].join(" ");
  const length = (columns * COLUMN).toFixed(1);
  return `<text x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs" ${styles} xml:space="preserve">${escaped(text)}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
