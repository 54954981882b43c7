/** The agent's thoughts: dim, line by line, without any Markdown and without empty lines. */
import type { Look } from "./markdown.js";
import { PrintableStream } from "./printable-stream.js";
import { type Row, span } from "./style.js";
import { wrapWords } from "./wrap.js";

export class DimStream {
  readonly #printable = new PrintableStream();
  #text = "";

  push(delta: string): void {
    this.#text += this.#printable.push(delta);
  }

  take(look: Look): Row[] {
    const end = this.#text.lastIndexOf("\n");
    if (end < 0) return [];
    const lines = this.#text.slice(0, end);
    this.#text = this.#text.slice(end + 1);
    return dim(lines, look);
  }

  pending(look: Look): Row[] {
    return dim(this.#text, look);
  }

  end(look: Look): Row[] {
    this.#text += this.#printable.end();
    const rows = this.pending(look);
    this.#text = "";
    return rows;
  }
}

function dim(text: string, look: Look): Row[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.flatMap((line) => wrapWords([span(line, { dim: true, italic: true })], look.width));
}
