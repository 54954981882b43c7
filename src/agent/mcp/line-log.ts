/** What a server prints beside its messages, for the log: complete, clean, short lines, and only so many a minute. */
import type { Clock } from "../../util/clock.js";
import { cleanLine, shorten } from "../../util/text.js";

const LINES_A_MINUTE = 60;
const LONGEST_LINE = 500;

export class LineLog {
  readonly #write: (line: string) => void;
  readonly #clock: Clock;
  #begun = "";
  #minute = 0;
  #written = 0;
  #leftOut = false;

  constructor(write: (line: string) => void, clock: Clock) {
    this.#write = write;
    this.#clock = clock;
  }

  add(text: string): void {
    const minute = Math.floor(this.#clock() / 60_000);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#written = 0;
      this.#leftOut = false;
    }
    let start = 0;
    // A flood costs nothing: after enough lines, the rest is not even read.
    while (this.#written < LINES_A_MINUTE) {
      const end = text.indexOf("\n", start);
      if (end === -1) {
        this.#begin(text.slice(start));
        return;
      }
      this.#begin(text.slice(start, end));
      this.flush();
      start = end + 1;
    }
    this.#begun = "";
    if (this.#leftOut || start >= text.length) return;
    this.#leftOut = true;
    this.#write("… more lines in this minute are not shown");
  }

  /** Writes the unfinished line. */
  flush(): void {
    const line = shorten(cleanLine(this.#begun), LONGEST_LINE);
    this.#begun = "";
    if (line === "") return;
    this.#written += 1;
    this.#write(line);
  }

  #begin(text: string): void {
    // Escape sequences are removed later, so this stores somewhat more than is shown.
    if (this.#begun.length < LONGEST_LINE * 4) this.#begun += text.slice(0, LONGEST_LINE * 4);
  }
}
