/** The agent's thoughts: dim, line by line, without any Markdown and without empty lines. */

import { PrintableStream } from "../../util/printable-stream.js";
import type { ScreenLook } from "./markdown.js";
import { type ScreenRow, span } from "./style.js";
import { wrapWords } from "./wrap.js";

export class DimStream {
  readonly #printable = new PrintableStream();
  #text = "";

  push(delta: string): void {
    this.#text += this.#printable.push(delta);
  }

  take(look: ScreenLook): ScreenRow[] {
    const end = this.#text.lastIndexOf("\n");
    if (end < 0) return [];
    const lines = this.#text.slice(0, end);
    this.#text = this.#text.slice(end + 1);
    return dim(lines, look);
  }

  pending(look: ScreenLook): ScreenRow[] {
    return dim(this.#text, look);
  }

  end(look: ScreenLook): ScreenRow[] {
    this.#text += this.#printable.end();
    const rows = this.pending(look);
    this.#text = "";
    return rows;
  }
}

function dim(text: string, look: ScreenLook): ScreenRow[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.flatMap((line) => wrapWords([span(line, { dim: true, italic: true })], look.width));
}
