/** The text of a file, if it is text and not too long. */
import type { BigIntStats } from "node:fs";
import { attempt, type OpenFile } from "./open-folder.js";
import { Refused } from "./refused.js";

export const MOST_BYTES = 10_000_000;

export interface TextFile {
  readonly path: string;
  readonly stats: BigIntStats;
  /** In bytes, as they were read. */
  readonly size: number;
  readonly text: string;
  /** Whether the text is the file, byte for byte. */
  readonly faithful: boolean;
}

/** Reads and closes the file. */
export async function readText(file: OpenFile): Promise<TextFile> {
  const { path, handle, stats } = file;
  try {
    const bytes = await boundedBytes(file, MOST_BYTES);
    if (bytes === null) {
      throw new Refused(
        `${path} is too large: ${sizeText(stats.size)}, and at most ${sizeText(MOST_BYTES)} can be read. Use search_files or the terminal.`,
      );
    }
    const kind = binaryKind(bytes);
    if (kind) throw new Refused(`${path} is not text but ${kind}, ${sizeText(bytes.length)}.`);
    const text = bytes.toString("utf8");
    const faithful = !text.includes("\ufffd") || Buffer.from(text).equals(bytes);
    return { path, stats, size: bytes.length, text, faithful };
  } finally {
    await handle.close();
  }
}

/** All bytes; null if there are more than `most`, also if the size says otherwise. */
export async function boundedBytes({ path, handle, stats }: OpenFile, most: number): Promise<Buffer | null> {
  if (stats.size > most) return null;
  const pieces: Buffer[] = [];
  let total = 0;
  return attempt(path, async () => {
    for (;;) {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(65_536), 0, 65_536, null);
      if (bytesRead === 0) return Buffer.concat(pieces, total);
      total += bytesRead;
      if (total > most) return null;
      pieces.push(buffer.subarray(0, bytesRead));
    }
  });
}

const LOOK_BYTES = 8_192;

const SIGNATURES: readonly (readonly [string, string])[] = [
  ["\x89PNG", "a PNG image"],
  ["\xff\xd8\xff", "a JPEG image"],
  ["GIF8", "a GIF image"],
  ["%PDF-", "a PDF document"],
  ["PK\x03\x04", "a ZIP archive or an office document"],
  ["\x1f\x8b", "gzip data"],
  ["BZh", "bzip2 data"],
  ["\xfd7zXZ", "xz data"],
  ["(\xb5/\xfd", "zstd data"],
  ["\x7fELF", "a program"],
  ["SQLite format 3\0", "a SQLite database"],
  ["OggS", "Ogg media"],
  ["ID3", "MP3 audio"],
  ["RIFF", "RIFF media"],
  ["\xff\xfe", "UTF-16 text"],
  ["\xfe\xff", "UTF-16 text"],
];

/** What kind of data bytes are that are not text; null for text. */
export function binaryKind(bytes: Buffer): string | null {
  const look = bytes.subarray(0, LOOK_BYTES).toString("latin1");
  const known = SIGNATURES.find(([signature]) => look.startsWith(signature));
  // Text may begin with the letters of a signature; data with a NUL, or that is not UTF-8 at all, is not text.
  const isBinary = look.includes("\0") || (known !== undefined && /[\x80-\xff]/.test(known[0]));
  if (!isBinary && known?.[0] !== "%PDF-") return null;
  return known?.[1] ?? "binary data";
}

/** `812 bytes`, `12.3 kB`, `4.5 MB`. */
export function sizeText(bytes: number | bigint): string {
  const size = Number(bytes);
  if (size < 1_000) return size === 1 ? "1 byte" : `${size} bytes`;
  const [divisor, unit] =
    size < 1e6 ? ([1e3, "kB"] as const) : size < 1e9 ? ([1e6, "MB"] as const) : ([1e9, "GB"] as const);
  return `${(size / divisor).toFixed(1)} ${unit}`;
}
