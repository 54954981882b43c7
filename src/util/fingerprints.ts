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
/** Shorter names stand in too many texts by chance. */
const SHORTEST_NAME = 6;
/** Of a longer name this much of its end counts. */
const LONGEST_NAME = 64;
const FILTER_BITS = 24;

export class Fingerprints {
  readonly #words = new Pieces(WIDTH, false);
  /** By their length. */
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
    const bytes = Buffer.from(name).subarray(-LONGEST_NAME);
    if (bytes.length < SHORTEST_NAME) return;
    const pieces = this.#names.get(bytes.length) ?? new Pieces(bytes.length, true);
    this.#names.set(bytes.length, pieces);
    pieces.add(bytes);
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
      part.pieces.find(bytes, bytes.length - 1, (hash) => this.#found.add(`${part.pieces.width} ${hash}`));
      part.rest = Buffer.from(bytes.subarray(Math.max(0, bytes.length - part.pieces.width)));
    }
  }

  end(): void {
    for (const { pieces, rest } of this.#parts)
      pieces.find(rest, rest.length, (hash) => this.#found.add(`${pieces.width} ${hash}`));
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
  readonly #firstOut: number;
  readonly #secondOut: number;
  readonly #hashes = new Set<string>();
  /** By the first half of a hash: most windows are none of ours, and this tells so at once. */
  readonly #filter = new Uint8Array(2 ** (FILTER_BITS - 3));

  constructor(width: number, isWhole: boolean) {
    this.width = width;
    this.#isWhole = isWhole;
    this.#firstOut = power(this.#first, width);
    this.#secondOut = power(this.#second, width);
  }

  get size(): number {
    return this.#hashes.size;
  }

  add(piece: Buffer): void {
    let [one, two] = [0, 0];
    for (const byte of piece) {
      one = (Math.imul(one, this.#first) + byte + 1) | 0;
      two = (Math.imul(two, this.#second) + byte + 1) | 0;
    }
    this.#hashes.add(`${one}.${two}`);
    const bit = one >>> (32 - FILTER_BITS);
    this.#filter[bit >>> 3] = (this.#filter[bit >>> 3] ?? 0) | (1 << (bit & 7));
  }

  remove(hash: string): void {
    this.#hashes.delete(hash);
  }

  /** Tells the pieces that end at or before a place. */
  find(bytes: Buffer, through: number, onFound: (hash: string) => void): void {
    const { width } = this;
    const [first, second, firstOut, secondOut] = [this.#first, this.#second, this.#firstOut, this.#secondOut];
    const filter = this.#filter;
    let [one, two] = [0, 0];
    for (let at = 0; at < through; at++) {
      const byte = (bytes[at] ?? 0) + 1;
      one = (Math.imul(one, first) + byte) | 0;
      two = (Math.imul(two, second) + byte) | 0;
      if (at >= width) {
        const gone = (bytes[at - width] ?? 0) + 1;
        one = (one - Math.imul(gone, firstOut)) | 0;
        two = (two - Math.imul(gone, secondOut)) | 0;
      }
      if (at < width - 1) continue;
      const bit = one >>> (32 - FILTER_BITS);
      if (((filter[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) continue;
      const hash = `${one}.${two}`;
      if (this.#hashes.has(hash) && !(this.#isWhole && isOfName(bytes[at + 1]))) onFound(hash);
    }
  }
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
