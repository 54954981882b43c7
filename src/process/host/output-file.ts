/**
 * The output of a process, in a file that the process itself writes, so that nothing of it depends on the host. A position
 * counts all bytes since the start. What holds:
 * - the file is bounded: when it has grown long, its end is copied into a second file and it is emptied. The process
 *   appends, so it goes on at the beginning. What it wrote between the copy and that would be lost, so this waits for a
 *   pause; only if the process prints much more without one, a few of its lines may be missing there;
 * - the last `KEPT` bytes can always be read; a part that is read begins and ends between two characters;
 * - the file is the process's own: whatever that does to it, positions only grow, and stay numbers that can be stored.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import type { OutputPart } from "../process.js";

/** 200,000 characters, however long each is. */
const KEPT = 1024 * 1024;
const LONG = 4 * KEPT;
const TOO_LONG = 16 * KEPT;
/** Holds what a process writes while its output is copied. */
const REST = Buffer.allocUnsafe(7 * KEPT);
const MOST_ATTEMPTS = 5;
/** Nobody prints as much between two looks: the process has set the size. */
const INCREDIBLE = 2 ** 40;
/** From here on positions no longer grow. Nobody gets here by printing. */
const LAST_POSITION = 2 ** 52;
/** What the file may take on the disk, though it is short: a process can reserve space. */
const MOST_ON_DISK = 4 * TOO_LONG;
/** The unit of the system. */
const BLOCK = 512;

export interface OutputPlace {
  /** The position at which the file begins. */
  readonly base: number;
  /** The position at which the second file begins; it ends at `base`. */
  readonly olderFrom: number;
}

export class OutputFile {
  readonly #path: string;
  readonly #file: number;
  #base: number;
  #olderFrom: number;
  #isClosed = false;
  /** Its size at the last look, and at the last look of `trim`. */
  #sizeSeen = 0;
  #sizeBefore = 0;

  constructor(path: string, place: OutputPlace = { base: 0, olderFrom: 0 }) {
    this.#path = path;
    this.#file = openSync(path, "a+", 0o600);
    this.#base = place.base;
    this.#olderFrom = place.olderFrom;
  }

  get place(): OutputPlace {
    return { base: this.#base, olderFrom: this.#olderFrom };
  }

  /** The first position that is kept, and the end. */
  get range(): { readonly from: number; readonly to: number } {
    const size = this.#size; // First: it may move the base.
    return { from: this.#olderFrom, to: this.#base + size };
  }

  /**
   * A process can empty its own output, as `tee /dev/stderr` does, which opens the file anew. If that is seen, positions
   * go on from where the output ended.
   */
  get #size(): number {
    const size = this.#credibleSize();
    if (size < this.#sizeSeen) {
      this.#base = Math.min(this.#base + this.#sizeSeen, LAST_POSITION);
      this.#olderFrom = this.#base;
    }
    this.#sizeSeen = size;
    return size;
  }

  #credibleSize(): number {
    const { size } = fstatSync(this.#file);
    if (size <= INCREDIBLE) return size;
    ftruncateSync(this.#file, 0);
    return 0;
  }

  /** A descriptor for the process. The caller closes it. */
  openForProcess(): number {
    return openSync(this.#path, "a", 0o600);
  }

  /** What does not fit on the disk is lost. */
  append(data: Buffer): void {
    if (this.#isClosed) return;
    try {
      writeSync(this.#file, data);
    } catch {
      // The disk is full: the process goes on.
    }
  }

  /** From a position, or, if it is negative, that many bytes before the end. `isOver`: nothing more will come. */
  read(from: number, limit: number, isOver: boolean): OutputPart {
    const range = this.range;
    const wanted = from < 0 ? range.to + from : from;
    const start = Math.min(Math.max(wanted, range.from), range.to);
    const end = Math.min(start + limit, range.to);
    const border = Math.min(Math.max(this.#base, start), end);
    const newer = readAt(this.#file, border - this.#base, end - border);
    const bytes = Buffer.concat([this.#readOlder(start, border), newer]);
    const skipped = start > 0 ? continuationAt(bytes) : 0;
    const cut = end === range.to && isOver ? 0 : unfinishedAt(bytes);
    const text = bytes.subarray(skipped, bytes.length - cut).toString("utf8");
    return { text, from: start + skipped, to: end - cut };
  }

  #readOlder(from: number, to: number): Buffer {
    if (from === to) return Buffer.alloc(0);
    const file = openSync(this.#older, "r");
    try {
      return readAt(file, from - this.#olderFrom, to - from);
    } finally {
      closeSync(file);
    }
  }

  get #older(): string {
    return `${this.#path}.older`;
  }

  /** Empties the file if it is long and the process pauses, or if it is too long. */
  trim(isOver: boolean): void {
    const size = this.#size;
    const pauses = isOver || size === this.#sizeBefore;
    this.#sizeBefore = size;
    const onDisk = fstatSync(this.#file).blocks * BLOCK;
    if (size <= (pauses ? LONG : TOO_LONG) && onDisk <= MOST_ON_DISK) return;
    const older = openSync(this.#older, "a", 0o600);
    try {
      const { rest, to } = this.#copyEnd(older, size);
      ftruncateSync(this.#file, 0); // Nothing may come in between.
      this.#base = Math.min(this.#base + to, LAST_POSITION);
      this.#sizeSeen = 0;
      this.#olderFrom = Math.max(0, this.#base - append(older, rest));
    } finally {
      closeSync(older);
    }
  }

  /**
   * Copies the end of the file, and returns what the process wrote meanwhile, and up to where everything was read. If that is
   * more than can be held, the process was faster, and this starts over: what is missing could be its last words.
   */
  #copyEnd(older: number, size: number): { readonly rest: Buffer; readonly to: number } {
    for (let attempt = 1; ; attempt++) {
      ftruncateSync(older, 0);
      const kept = Math.min(KEPT, size);
      append(older, fill(REST.subarray(0, kept), this.#file, size - kept));
      const rest = fill(REST, this.#file, size);
      if (rest.length < REST.length || attempt === MOST_ATTEMPTS) return { rest, to: size + rest.length };
      size = Math.min(fstatSync(this.#file).size, INCREDIBLE);
    }
  }

  close(): void {
    if (!this.#isClosed) closeSync(this.#file);
    this.#isClosed = true;
  }

  remove(): void {
    for (const path of [this.#path, this.#older]) rmSync(path, { force: true }); // First: it may fail.
    this.close();
  }
}

function readAt(file: number, position: number, length: number): Buffer {
  return fill(Buffer.allocUnsafe(length), file, position);
}

/** Returns how long the file is then. What does not fit on the disk is lost. */
function append(file: number, data: Buffer): number {
  try {
    for (let done = 0; done < data.length; ) done += writeSync(file, data, done);
  } catch {
    // The disk is full: that the other file is emptied counts more.
  }
  return fstatSync(file).size;
}

/** Reads until the buffer is full or the file ends; returns what was read. */
function fill(buffer: Buffer, file: number, position: number): Buffer {
  let filled = 0;
  while (filled < buffer.length) {
    const count = readSync(file, buffer, filled, buffer.length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}

/** How many bytes at the beginning belong to a character that began before. */
function continuationAt(bytes: Buffer): number {
  let count = 0;
  while (count < 3 && count < bytes.length && isContinuation(bytes[count])) count += 1;
  return count;
}

/** How many bytes at the end belong to a character that is not complete. */
function unfinishedAt(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? back : 0;
  }
  return 0;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
