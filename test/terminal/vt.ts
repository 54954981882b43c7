/**
 * A small terminal for tests: shows what a person would see, and writes down every sequence that is not one of the few
 * the chat may use. Narrowing breaks long rows in two, as most terminals do.
 */
import stringWidth from "string-width";

/** Cursor up, down and right, clearing, and colours. */
const SEQUENCE = /^\u001b\[(?:([0-9]*)([ABCJKH])|[0-9;]*m)/;
const MODE = /^\u001b\[\?2004([hl])/;

/** One piece of a picture, as kitty takes them. */
const PICTURE = /^\u001b_G([^;\u001b]*);([^\u001b]*)\u001b\\/;

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });

export class Vt {
  columns: number;
  rows: number;
  /** Sequences and controls that should not have come. */
  readonly foreign: string[] = [];
  /** The pictures that were shown, as their Base64. */
  readonly pictures: string[] = [];
  /** Bracketed paste, as set last. */
  marksPaste = false;
  #lines: string[][] = [[]];
  /** The first line on the screen; those before have scrolled away. */
  #top = 0;
  #row = 0;
  #column = 0;
  #held = "";
  /** What was put last, while nothing else came since: a read may end inside a character. */
  #last: { readonly text: string; readonly column: number } | null = null;

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
  }

  write(data: string): void {
    let text = this.#held + data;
    const unfinished = /\u001b(?:\[[0-?]*|_[^\u001b]*\u001b?)?$/.exec(text);
    this.#held = unfinished?.[0] ?? "";
    text = text.slice(0, text.length - this.#held.length);
    while (text !== "") text = text.slice(this.#take(text));
  }

  /** Everything, scrolled away or not, without spaces at the ends. */
  text(): string {
    return this.#lines
      .map((line) => line.join("").trimEnd())
      .join("\n")
      .trimEnd();
  }

  cursor(): { readonly line: string; readonly column: number } {
    return { line: (this.#lines[this.#row] ?? []).join("").trimEnd(), column: this.#column };
  }

  resize(columns: number, rows: number): void {
    const broken: string[][] = [];
    let place: [number, number] = [0, 0];
    this.#lines.forEach((line, index) => {
      const pieces = Math.max(1, Math.ceil(line.length / columns));
      if (index === this.#row) {
        place = [broken.length + Math.floor(this.#column / columns), this.#column % columns];
      }
      for (let piece = 0; piece < pieces; piece++)
        broken.push(line.slice(piece * columns, (piece + 1) * columns));
    });
    [this.#row, this.#column] = place;
    this.#lines = broken;
    this.columns = columns;
    this.rows = rows;
    this.#top = Math.max(0, broken.length - rows);
  }

  /** Acts on what comes first, and returns how long it was. */
  #take(text: string): number {
    if (/^\p{Cc}/u.test(text)) this.#last = null;
    const mode = MODE.exec(text);
    if (mode) {
      this.marksPaste = mode[1] === "h";
      return mode[0].length;
    }
    const picture = PICTURE.exec(text);
    if (picture) {
      const [whole, head = "", base64 = ""] = picture;
      if (head.includes("a=T")) this.pictures.push(base64);
      else this.pictures.push(`${this.pictures.pop()}${base64}`);
      return whole.length;
    }
    const sequence = SEQUENCE.exec(text);
    if (sequence) {
      if (sequence[2]) this.#obey(sequence[2], sequence[1] ?? "");
      return sequence[0].length;
    }
    if (text.startsWith("\r")) {
      this.#column = 0;
      return 1;
    }
    if (text.startsWith("\n")) {
      this.#down();
      return 1;
    }
    const printable = /^[^\p{Cc}]+/u.exec(text)?.[0];
    if (printable === undefined) {
      this.foreign.push(JSON.stringify(text.slice(0, 12)));
      return 1;
    }
    for (const { segment } of graphemes.segment(printable)) this.#put(this.#continued(segment));
    return printable.length;
  }

  #obey(letter: string, parameter: string): void {
    const count = Number(parameter || 1);
    const line = this.#lines[this.#row] ?? [];
    if (letter === "A") this.#row = Math.max(this.#top, this.#row - count);
    if (letter === "B") this.#row = Math.min(this.#top + this.rows - 1, this.#row + count);
    if (letter === "C") this.#column = Math.min(this.columns - 1, this.#column + count);
    if (letter === "K" || (letter === "J" && parameter === ""))
      line.length = Math.min(line.length, this.#column);
    if (letter === "J" && parameter === "") this.#lines.length = this.#row + 1;
    if (letter === "J" && parameter === "2") {
      for (let row = this.#top; row < this.#lines.length; row++) this.#lines[row] = [];
    }
    if (letter === "H") [this.#row, this.#column] = [this.#top, 0];
    this.#fill();
  }

  /** The whole character, where the last read ended inside it: it is put again in its place. */
  #continued(grapheme: string): string {
    const whole = (this.#last?.text ?? "") + grapheme;
    if (!this.#last || [...graphemes.segment(whole)].length > 1) return grapheme;
    this.#column = this.#last.column;
    return whole;
  }

  #put(grapheme: string): void {
    const width = stringWidth(grapheme);
    if (this.#column + width > this.columns) {
      this.#column = 0;
      this.#down();
    }
    this.#last = { text: grapheme, column: this.#column };
    const line = this.#lines[this.#row] ?? [];
    while (line.length < this.#column) line.push(" ");
    line[this.#column] = grapheme;
    for (let extra = 1; extra < width; extra++) line[this.#column + extra] = "";
    this.#column += width;
  }

  #down(): void {
    this.#row += 1;
    this.#fill();
    this.#top = Math.max(this.#top, this.#row - this.rows + 1);
  }

  #fill(): void {
    while (this.#lines.length <= this.#row) this.#lines.push([]);
  }
}
