/**
 * The lines of a file, one at a time, however large the file is. Only a line feed ends a line: text inside JSON may
 * hold U+2028 and its kin raw. Symbolic links are not followed, so nothing outside a given folder is ever read.
 */
import { openRegular } from "./regular-file.js";

export interface FileLine {
  /** Counted from 1. */
  readonly number: number;
  /** Without its ending; null where it is too long to be held. */
  readonly text: string | null;
  /** False for a last line that nobody finished. */
  readonly ended: boolean;
  /** Bytes that are no UTF-8 stand replaced in `text`. */
  readonly damaged: boolean;
}

/** Longer lines are skipped: no message is that long, and a string has its limits. */
const MAX_LINE_BYTES = 128 * 1024 * 1024;
const BOM = "\ufeff";
const LF = 0x0a;

/** Every line that is not blank. */
export async function* readLines(path: string): AsyncGenerator<FileLine> {
  const file = await openRegular(path);
  let number = 0;
  let held: Buffer[] = [];
  let heldBytes = 0;
  const take = (ended: boolean): FileLine | null => {
    number += 1;
    const tooLong = heldBytes > MAX_LINE_BYTES;
    const line = tooLong
      ? { number, text: null, ended, damaged: false }
      : { number, ended, ...decode(Buffer.concat(held), number === 1) };
    held = [];
    heldBytes = 0;
    return line.text?.trim() === "" ? null : line;
  };
  const hold = (piece: Buffer): void => {
    heldBytes += piece.length;
    if (heldBytes <= MAX_LINE_BYTES) held.push(piece);
    else held = [];
  };
  try {
    for await (const chunk of file.createReadStream({ autoClose: false, highWaterMark: 256 * 1024 })) {
      const bytes = chunk as Buffer;
      let from = 0;
      for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, from)) {
        hold(bytes.subarray(from, end));
        from = end + 1;
        const line = take(true);
        if (line) yield line;
      }
      if (from < bytes.length) hold(bytes.subarray(from));
    }
    if (heldBytes > 0) {
      const line = take(false);
      if (line) yield line;
    }
  } finally {
    await file.close();
  }
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(bytes: Buffer, first: boolean): { text: string; damaged: boolean } {
  let text: string;
  let damaged = false;
  try {
    text = strict.decode(bytes);
  } catch {
    text = bytes.toString("utf8");
    damaged = true;
  }
  if (first && text.startsWith(BOM)) text = text.slice(1);
  return { text: text.endsWith("\r") ? text.slice(0, -1) : text, damaged };
}
