/**
 * The terminal as two parts: above, what is printed for good and scrolls away; below, a frame that is redrawn in place.
 * Each change is one write that goes to the top of what differs, writes over it and clears what is left below; so
 * nothing of an old frame stays behind. (Clearing first would, from the top of the screen, make some terminals push the
 * frame into their history.) No row is as wide as the terminal, so a row is a row until the terminal becomes narrower.
 */
import type { WriteStream } from "node:tty";
import type { Frame } from "./prompt.js";
import { type Painter, painter, type ScreenRow } from "./style.js";
import { rowWidth } from "./wrap.js";

const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;
const NARROWEST = 4;

const CLEAR_ROW = "\u001b[K";
const CLEAR_BELOW = "\u001b[J";
const CLEAR_ALL = "\u001b[2J\u001b[H";
const NO_FRAME: Frame = { rows: [], cursor: { row: 0, column: 0 } };

export class Screen {
  readonly #output: WriteStream;
  readonly #paint: Painter;
  /** What is drawn, as painted, and how wide each row is. */
  #drawn: readonly string[] = [];
  #widths: readonly number[] = [];
  #cursor = NO_FRAME.cursor;

  constructor(output: WriteStream, color: boolean, links = false) {
    this.#output = output;
    this.#paint = painter(color, links);
  }

  /** How wide a row may be. */
  get width(): number {
    return Math.max(NARROWEST, (this.#output.columns || DEFAULT_COLUMNS) - 1);
  }

  get height(): number {
    return this.#output.rows || DEFAULT_ROWS;
  }

  update(printed: readonly ScreenRow[], frame: Frame): void {
    const rows = frame.rows.map(this.#paint);
    const same = this.#unchanged(rows);
    const isSame = printed.length === 0 && same === rows.length && same === this.#drawn.length;
    const from =
      printed.length > 0 ? 0 : Math.max(0, Math.min(same, this.#drawn.length - 1, rows.length - 1));
    const fresh = [...printed.map(this.#paint), ...rows.slice(from)];
    const drawing = isSame ? "" : this.#moveTo(from) + joined(fresh) + CLEAR_BELOW;
    const at = isSame ? this.#cursor.row : rows.length - 1;
    this.#drawn = rows;
    this.#widths = frame.rows.map(rowWidth);
    this.#cursor = frame.cursor;
    this.#output.write(drawing + moved(at, frame.cursor.row) + toColumn(frame.cursor.column));
  }

  /** Prints a picture, by the bytes that this terminal takes for one. The frame is drawn again below it. */
  picture(printed: readonly ScreenRow[], sequence: string): void {
    const above = printed.map((row) => `${this.#paint(row)}${CLEAR_ROW}\r\n`).join("");
    this.#output.write(`${this.#moveTo(0)}${CLEAR_BELOW}${above}${sequence}\r\n`);
    this.forget();
  }

  /** Prints, and takes the frame away. */
  close(printed: readonly ScreenRow[]): void {
    const empty: string[] = Array(Math.max(1, this.#drawn.length)).fill("");
    const back = moved(empty.length, 1);
    this.#output.write(`${this.#moveTo(0)}${joined([...printed.map(this.#paint), ...empty])}\r${back}`);
    this.forget();
  }

  clear(): void {
    this.#output.write(CLEAR_ALL);
    this.forget();
  }

  /** What was drawn is no longer there: somebody else had the terminal. */
  forget(): void {
    this.#drawn = [];
    this.#widths = [];
    this.#cursor = NO_FRAME.cursor;
  }

  /** A narrower terminal has broken the rows of the frame in two: the cursor is further from its top. */
  resized(): void {
    const columns = this.#output.columns || DEFAULT_COLUMNS;
    const above = this.#widths.slice(0, this.#cursor.row);
    const row = above.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    this.#cursor = { row: row + Math.floor(this.#cursor.column / columns), column: 0 };
    this.#drawn = [];
    this.#widths = [];
  }

  #unchanged(rows: readonly string[]): number {
    let same = 0;
    while (same < rows.length && rows[same] === this.#drawn[same]) same++;
    return same;
  }

  #moveTo(row: number): string {
    return `\r${moved(this.#cursor.row, row)}`;
  }
}

function joined(rows: readonly string[]): string {
  return rows.map((row) => row + CLEAR_ROW).join("\r\n");
}

function moved(from: number, to: number): string {
  if (from === to) return "";
  return from > to ? `\u001b[${from - to}A` : `\u001b[${to - from}B`;
}

function toColumn(column: number): string {
  return column === 0 ? "\r" : `\r\u001b[${column}C`;
}
