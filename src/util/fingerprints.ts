/**
 * Recognises texts that are not kept: of each only hashes of a few pieces stay, in bounded memory. Reading goes byte by byte
 * with a rolling hash, so that any amount can be read as a stream. A hash has 64 bits and a random key: by chance it finds
 * what is not there less than once in a billion reads of a large file.
 *
 * Words are recognised by pieces of `WIDTH` bytes. A name counts only as a whole: `a:1` is not found in `a:12`.
 */
import { randomBytes } from "node:crypto";

const WIDTH = 24;
/** A piece of a text begins every so many bytes. */
const STRIDE = 64;
/** So many pieces are kept; of what comes later there are none. */
const MOST = 1_000_000;
/** Pieces of fewer different bytes say nothing: blanks, rows of dashes. */
const FEWEST_BYTES = 8;
/** Of a name this much of its end counts: few widths, because each is read for by itself. Shorter ones are in too many texts. */
const NAME_WIDTHS = [24, 16, 12, 8, 6];
/** How much of a hash the first look takes: there are many words and few names. */
const WORD_FILTER_BITS = 25;
const NAME_FILTER_BITS = 17;

export class Fingerprints {
  readonly #words = new Pieces(WIDTH, false);
  /** By their width. */
  readonly #names = new Map<number, Pieces>();

  /** How many pieces of words there are to look for. */
  get size(): number {
    return this.#words.size;
  }

  addWords(text: string): void {
    const bytes = Buffer.from(text);
    for (let at = 0; at + WIDTH <= bytes.length; at += STRIDE) this.#addPiece(bytes, at);
    if (bytes.length > WIDTH) this.#addPiece(bytes, bytes.length - WIDTH);
  }

  #addPiece(bytes: Buffer, at: number): void {
    const piece = bytes.subarray(at, at + WIDTH);
    if (this.#words.size < MOST && new Set(piece).size >= FEWEST_BYTES) this.#words.add(piece);
  }

  addName(name: string): void {
    const bytes = Buffer.from(name);
    const width = NAME_WIDTHS.find((each) => each <= bytes.length);
    if (width === undefined) return;
    const pieces = this.#names.get(width) ?? new Pieces(width, true);
    this.#names.set(width, pieces);
    pieces.add(bytes.subarray(-width));
  }

  /** Looks no more for the words that stand in this text. Returns how many pieces that were. */
  leaveOut(text: string): number {
    const found = new Set<string>();
    readWhole(this.#words, Buffer.from(text), (hash) => found.add(hash));
    for (const hash of found) this.#words.remove(hash);
    return found.size;
  }

  hasNameIn(text: string): boolean {
    const bytes = Buffer.from(text);
    let isFound = false;
    for (const pieces of this.#names.values())
      readWhole(pieces, bytes, () => {
        isFound = true;
      });
    return isFound;
  }

  hasWordsIn(text: string): boolean {
    let isFound = false;
    readWhole(this.#words, Buffer.from(text), () => {
      isFound = true;
    });
    return isFound;
  }

  /** To read a stream. */
  reading(): FingerprintReading {
    return new FingerprintReading([this.#words, ...this.#names.values()]);
  }
}

/** What was read of a stream so far, and how much of what is looked for was in it. */
export class FingerprintReading {
  readonly #parts: readonly { readonly pieces: Pieces; rest: Buffer }[];
  readonly #found = new Set<string>();
  bytes = 0;

  constructor(all: readonly Pieces[]) {
    this.#parts = all.filter(({ size }) => size > 0).map((pieces) => ({ pieces, rest: Buffer.alloc(0) }));
  }

  /** How many different pieces and names were found. */
  get found(): number {
    return this.#found.size;
  }

  read(chunk: Buffer): void {
    this.bytes += chunk.length;
    for (const part of this.#parts) {
      const bytes = Buffer.concat([part.rest, chunk]);
      // The last piece waits: whether a name ends there is known with the next byte.
      part.pieces.find(bytes, bytes.length - 1, (hash) => this.#found.add(part.pieces.nameOf(hash)));
      part.rest = Buffer.from(bytes.subarray(Math.max(0, bytes.length - part.pieces.width)));
    }
  }

  end(): void {
    for (const { pieces, rest } of this.#parts)
      pieces.find(rest, rest.length, (hash) => this.#found.add(pieces.nameOf(hash)));
  }
}

function readWhole(pieces: Pieces, bytes: Buffer, onFound: (hash: string) => void): void {
  if (pieces.size > 0) pieces.find(bytes, bytes.length, onFound);
}

/** Pieces of one width, by their hashes. */
class Pieces {
  readonly width: number;
  readonly #isWhole: boolean;
  readonly #first = oddNumber();
  readonly #second = oddNumber();
  /** What a byte that leaves the window counts. */
  readonly #out: number;
  readonly #hashes = new Set<string>();
  /** By the first half of a hash: most windows are none of ours, and this tells so at once. */
  readonly #filter: Uint32Array;
  readonly #shift: number;

  constructor(width: number, isWhole: boolean) {
    this.width = width;
    this.#isWhole = isWhole;
    this.#out = power(this.#first, width);
    const bits = isWhole ? NAME_FILTER_BITS : WORD_FILTER_BITS;
    this.#filter = new Uint32Array(2 ** (bits - 5));
    this.#shift = 32 - bits;
  }

  get size(): number {
    return this.#hashes.size;
  }

  /** Tells a hash of these from one of others. */
  nameOf(hash: string): string {
    return `${this.width} ${this.#isWhole} ${hash}`;
  }

  add(piece: Buffer): void {
    const one = hashOf(piece, 0, this.width, this.#first);
    this.#hashes.add(this.#whole(piece, 0, one));
    const bit = one >>> this.#shift;
    this.#filter[bit >>> 5] = (this.#filter[bit >>> 5] ?? 0) | (1 << (bit & 31));
  }

  remove(hash: string): void {
    this.#hashes.delete(hash);
  }

  /** Tells the pieces that end before a place. */
  find(bytes: Buffer, end: number, onFound: (hash: string) => void): void {
    const { width } = this;
    if (end < width) return;
    const [first, out, filter, shift] = [this.#first, this.#out, this.#filter, this.#shift];
    let one = hashOf(bytes, 0, width - 1, first);
    for (let last = width - 1; last < end; last++) {
      one = (Math.imul(one, first) + (bytes[last] ?? 0) + 1) | 0;
      if (last >= width) one = (one - Math.imul((bytes[last - width] ?? 0) + 1, out)) | 0;
      const bit = one >>> shift;
      if ((((filter[bit >>> 5] ?? 0) >>> (bit & 31)) & 1) === 0) continue;
      const hash = this.#whole(bytes, last - width + 1, one);
      if (this.#hashes.has(hash) && !(this.#isWhole && isOfName(bytes[last + 1]))) onFound(hash);
    }
  }

  #whole(bytes: Buffer, at: number, one: number): string {
    return `${one}.${hashOf(bytes, at, this.width, this.#second)}`;
  }
}

function hashOf(bytes: Buffer, at: number, width: number, factor: number): number {
  let hash = 0;
  for (let n = at; n < at + width; n++) hash = (Math.imul(hash, factor) + (bytes[n] ?? 0) + 1) | 0;
  return hash;
}

/** A letter, a digit, or what ids are made of besides: then the name goes on. */
function isOfName(byte: number | undefined): boolean {
  return byte !== undefined && /[\w%+-]/.test(String.fromCharCode(byte));
}

function oddNumber(): number {
  return randomBytes(4).readInt32LE() | 1;
}

function power(base: number, exponent: number): number {
  let result = 1;
  for (let n = 0; n < exponent; n++) result = Math.imul(result, base);
  return result;
}
