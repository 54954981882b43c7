/**
 * The end of what a command prints, line by line, as a terminal would show it: a carriage return begins its line again.
 * It stays small, however much is printed.
 */

/** So many lines are kept, and so much of each. */
const MOST_LINES = 200;
const LONGEST_LINE = 1_000;

export class OutputTail {
  #lines: string[] = [];
  /** The line that is being printed. */
  #open = "";
  /** A carriage return came: what follows is written over the line, unless it is a line break. */
  #isAtStart = false;
  #count = 0;

  push(text: string): void {
    for (const [part] of text.matchAll(/[^\r\n]+|\r|\n/g)) {
      if (part === "\n") this.#break();
      else if (part === "\r") this.#isAtStart = true;
      else this.#write(part);
    }
  }

  /** Something was left out here: how the line that was being printed went on is not known. */
  skip(): void {
    this.#open = "";
    this.#isAtStart = false;
  }

  /** How many lines there were, of those that came here. */
  get count(): number {
    return this.#count + (this.#open === "" ? 0 : 1);
  }

  /** The last lines that are not blank, at most so many. The one that is being printed is shown by its end. */
  last(most: number, width: number): string[] {
    const open = this.#open.length > width ? `…${this.#open.slice(1 - width)}` : this.#open;
    const lines = [...this.#lines, open].filter((line) => line.trim() !== "");
    return lines.slice(-most);
  }

  #write(part: string): void {
    const before = this.#isAtStart ? "" : this.#open;
    this.#isAtStart = false;
    this.#open = (before + part).slice(-LONGEST_LINE).toWellFormed();
  }

  #break(): void {
    this.#lines.push(this.#open);
    this.#count += 1;
    if (this.#lines.length > 2 * MOST_LINES) this.#lines = this.#lines.slice(-MOST_LINES);
    this.#open = "";
    this.#isAtStart = false;
  }
}
