/**
 * Finds any of many texts in another one, in one pass: an automaton after Aho and Corasick. The work is one step a
 * character, whatever the text is made of. Line breaks are passed over, and blanks after them that do not carry on what
 * has begun, so a text that was wrapped is found as well, also with an indent.
 */

export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** A text that is read piece by piece, from its first character on. */
export interface TextReading {
  /** What was found so far and may still grow or be asked for. In order; what overlaps is one span. */
  spans: TextSpan[];
  state: number;
  beginsLine: boolean;
  /** How many characters were read. */
  length: number;
  /** Where the last characters stand that were not passed over, at least those that led to the state. */
  places: number[];
}

/** A long text is read in pieces of this size: the places of its characters are remembered for one piece only. */
const PIECE = 65_536;
const LINE_FEED = 10;
const RETURN = 13;
const TAB = 9;
const SPACE = 32;

export class TextFinder {
  /** The class of each character that stands in one of the texts; 0 for all others. */
  readonly #classOf = new Uint16Array(65_536);
  readonly #classes: number;
  /** The next state, by state and class. */
  readonly #next: Int32Array;
  /** How many characters led to a state: so much at the end may be the beginning of one of the texts. */
  readonly #depth: Int32Array;
  /** The length of the longest of them, without line breaks. */
  readonly longest: number;
  /** The length of the longest of the texts that ends in a state; 0 where none does. */
  readonly #found: Int32Array;

  constructor(texts: readonly string[]) {
    const words = texts.map((text) => text.replace(/[\r\n]/g, "")).filter((text) => text !== "");
    this.longest = words.reduce((most, word) => Math.max(most, word.length), 0);
    let classes = 1;
    for (const word of words) {
      for (let at = 0; at < word.length; at++) {
        const code = word.charCodeAt(at);
        if (this.#classOf[code] === 0) this.#classOf[code] = classes++;
      }
    }
    this.#classes = classes;
    const most = 1 + words.reduce((sum, word) => sum + word.length, 0);
    this.#next = new Int32Array(most * classes);
    this.#depth = new Int32Array(most);
    this.#found = new Int32Array(most);
    this.#plant(words);
    this.#connect();
  }

  /** Where any of them stands; what overlaps is one span. In order. */
  find(text: string): readonly TextSpan[] {
    if (this.longest === 0) return [];
    const reading = this.begin();
    for (let at = 0; at < text.length; at += PIECE) this.read(reading, text.slice(at, at + PIECE));
    return reading.spans;
  }

  begin(): TextReading {
    return { spans: [], state: 0, beginsLine: false, length: 0, places: [] };
  }

  /** Where the end begins that may be the beginning of one of them. */
  openFrom({ state, places, length }: TextReading): number {
    const depth = this.#depth[state] ?? 0;
    return depth === 0 ? length : (places[places.length - depth] ?? 0);
  }

  /** The next piece. */
  read(reading: TextReading, piece: string): void {
    const { spans, places } = reading;
    let { state, beginsLine } = reading;
    for (let index = 0; index < piece.length; index++) {
      const at = reading.length + index;
      const code = piece.charCodeAt(index);
      if (code === LINE_FEED || code === RETURN) {
        beginsLine = true;
        continue;
      }
      const next = this.#next[state * this.#classes + (this.#classOf[code] ?? 0)] ?? 0;
      const isBlank = code === SPACE || code === TAB;
      if (beginsLine && isBlank && this.#depth[next] !== (this.#depth[state] ?? 0) + 1) continue;
      beginsLine &&= isBlank;
      state = next;
      if (state === 0) continue; // Nothing has begun: nobody asks for this place.
      places.push(at);
      const length = this.#found[state] ?? 0;
      if (length === 0) continue;
      let start = places[places.length - length] ?? 0;
      for (let last = spans.at(-1); last && last.end > start; last = spans.at(-1)) {
        start = Math.min(start, last.start);
        spans.pop();
      }
      spans.push({ start, end: at + 1 });
    }
    const depth = this.#depth[state] ?? 0;
    // Trimmed only now and then: small pieces should not copy the places for each of them.
    if (places.length > 2 * depth + 1_000) places.splice(0, places.length - depth);
    Object.assign(reading, { state, beginsLine, length: reading.length + piece.length });
  }

  #plant(words: readonly string[]): void {
    let states = 1;
    for (const word of words) {
      let state = 0;
      for (let at = 0; at < word.length; at++) {
        const edge = state * this.#classes + (this.#classOf[word.charCodeAt(at)] ?? 0);
        if (this.#next[edge] === 0) {
          this.#depth[states] = at + 1;
          this.#next[edge] = states++;
        }
        state = this.#next[edge] ?? 0;
      }
      this.#found[state] = word.length;
    }
  }

  /** Where a text breaks off, the search goes on with the longest end of it that begins another one. */
  #connect(): void {
    const fallBack = new Int32Array(this.#depth.length);
    const queue: number[] = [0];
    for (let head = 0; head < queue.length; head++) {
      const state = queue[head] ?? 0;
      const back = fallBack[state] ?? 0;
      this.#found[state] = Math.max(this.#found[state] ?? 0, this.#found[back] ?? 0);
      for (let kind = 1; kind < this.#classes; kind++) {
        const edge = state * this.#classes + kind;
        const child = this.#next[edge] ?? 0;
        const elsewhere = state === 0 ? 0 : (this.#next[back * this.#classes + kind] ?? 0);
        if (child === 0) {
          this.#next[edge] = elsewhere;
        } else {
          fallBack[child] = elsewhere;
          queue.push(child);
        }
      }
    }
  }
}
