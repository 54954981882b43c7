/**
 * The output of a command, bounded: its beginning and its end, cut between characters, with a line that says how much
 * is missing.
 */
export class BoundedOutput {
  readonly #headMax: number;
  readonly #tailMax: number;
  #head = "";
  #tail = "";
  #leftOut = 0;

  /** `max` in UTF-16 units; the stored text may be one unit shorter on each side. */
  constructor(max: number) {
    this.#headMax = Math.ceil(max / 2);
    this.#tailMax = Math.max(1, Math.floor(max / 2));
  }

  add(text: string): void {
    const room = this.#headMax - this.#head.length;
    this.#head += text.slice(0, Math.max(0, room));
    this.#tail += text.slice(Math.max(0, room));
    // Trimmed only now and then, so that output in small pieces does not copy the tail for each piece.
    if (this.#tail.length > this.#tailMax * 2) this.#trim();
  }

  /** The stored text; `clean` gets each part as a whole. */
  text(clean: (text: string) => string): string {
    this.#trim();
    if (this.#leftOut === 0) return clean(this.#head + this.#tail);
    const head = endsInPair(this.#head) ? this.#head.slice(0, -1) : this.#head;
    const tail = startsInPair(this.#tail) ? this.#tail.slice(1) : this.#tail;
    const missing = this.#leftOut + (this.#head.length - head.length) + (this.#tail.length - tail.length);
    return `${clean(head)}\n… ${missing} characters not shown …\n${clean(tail)}`;
  }

  #trim(): void {
    const surplus = Math.max(0, this.#tail.length - this.#tailMax);
    this.#tail = this.#tail.slice(surplus);
    this.#leftOut += surplus;
  }
}

function endsInPair(text: string): boolean {
  return /[\ud800-\udbff]$/.test(text);
}

function startsInPair(text: string): boolean {
  return /^[\udc00-\udfff]/.test(text);
}
