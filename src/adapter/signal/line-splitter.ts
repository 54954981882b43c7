/**
 * Bytes as lines, however they were cut. A line that is too long is passed over: it takes no memory, and costs nobody but
 * who waits for it.
 */
const LINE_END = 10;

export class LineSplitter {
  readonly #longest: number;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(longestBytes: number) {
    this.#longest = longestBytes;
  }

  /** The lines that end in this piece. */
  push(piece: Uint8Array): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let at = piece.indexOf(LINE_END); at >= 0; at = piece.indexOf(LINE_END, from)) {
      this.#keep(piece.subarray(from, at));
      if (this.#bytes <= this.#longest) lines.push(Buffer.concat(this.#pieces, this.#bytes).toString());
      this.#pieces = [];
      this.#bytes = 0;
      from = at + 1;
    }
    this.#keep(piece.subarray(from));
    return lines;
  }

  #keep(piece: Uint8Array): void {
    this.#bytes += piece.byteLength;
    if (this.#bytes > this.#longest) this.#pieces = [];
    else if (piece.byteLength > 0) this.#pieces.push(piece);
  }
}
