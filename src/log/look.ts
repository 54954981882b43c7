/**
 * The log for somebody who looks again and again: its end, and then what has come since. One look reads a bounded part,
 * however long the log is, and says where the next one goes on.
 */
import {
  filesOf,
  type LogFile,
  type LogPlace,
  type LogRecord,
  linesAfter,
  recordOf,
  unread,
} from "./records.js";

export type { LogPlace } from "./records.js";

export interface LogLook {
  /** Oldest first. */
  readonly records: readonly LogRecord[];
  /** Where the next look goes on; null if there is no log yet. */
  readonly place: LogPlace | null;
}

const MOST_BYTES = 2 ** 20;

/** The last records that pass, as far as they are near the end. */
export async function logEnd(
  folder: string,
  isWanted: (record: LogRecord) => boolean,
  most: number,
  mostBytes = MOST_BYTES,
): Promise<LogLook> {
  const records: LogRecord[] = [];
  let place: LogPlace | null = null;
  let left = mostBytes;
  for (const file of (await filesOf(folder)).reverse()) {
    const begin = Math.max(0, file.size - left);
    const read = await linesAfter(file, { ino: file.ino, offset: begin });
    if (read === "moved") return logEnd(folder, isWanted, most, mostBytes);
    place ??= read.position;
    records.unshift(
      ...recordsOf(read.lines)
        .filter(isWanted)
        .slice(-(most - records.length)),
    );
    left -= file.size - begin;
    if (records.length >= most || left <= 0) break;
  }
  return { records, place };
}

/** What comes after a place, as much as one look takes. If its file is gone, the end of the log. */
export async function logAfter(folder: string, after: LogPlace, mostBytes = MOST_BYTES): Promise<LogLook> {
  const files = await unread(folder, after);
  if (!files.some(({ ino }) => ino === after.ino))
    return logEnd(folder, () => true, Number.POSITIVE_INFINITY, mostBytes);
  const records: LogRecord[] = [];
  let place = after;
  let left = mostBytes;
  for (const file of files) {
    const begin = beginIn(file, place);
    const read = await linesAfter(file, place, left);
    if (read === "moved") break; // The next look finds it under its new name.
    records.push(...recordsOf(read.lines));
    place = read.position;
    left -= place.offset - begin;
    if (left <= 0 || place.offset < file.size) break;
  }
  return { records, place };
}

function beginIn({ ino }: LogFile, place: LogPlace): number {
  return place.ino === ino ? place.offset : 0;
}

function recordsOf(lines: readonly string[]): LogRecord[] {
  return lines.flatMap((line) => recordOf(line) ?? []);
}
