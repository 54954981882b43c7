/** The end of what a server printed on its error output: the lines that say why it failed. Bounded, and safe to show. */
import type { Hide } from "../../util/redact.js";
import { cleanLine, shorten } from "../../util/text.js";

const MOST_KEPT = 8_000;
const MOST_LINES = 5;
const LONGEST_LINE = 300;

export class LastWords {
  #text = "";
  #isCut = false;

  add(text: string): void {
    this.#text += text;
    if (this.#text.length <= MOST_KEPT) return;
    this.#text = this.#text.slice(-MOST_KEPT);
    this.#isCut = true;
  }

  /** Without the first line if its beginning was lost, as a part of a secret could not be found in it. */
  lines(hide: Hide): string[] {
    const lines = this.#text.split("\n").slice(this.#isCut ? 1 : 0);
    return lines
      .map((line) => shorten(cleanLine(hide(line)), LONGEST_LINE))
      .filter((line) => line !== "")
      .slice(-MOST_LINES);
  }
}
