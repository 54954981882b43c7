/** Reads the log back: its last lines, and the lines that follow, across its files. */
import { type FileHandle, open, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { LOG_LEVELS, type LogLevel } from "./log.js";
import { archivedLogs, currentLog } from "./rotating-file.js";

const POLL_MS = 200;
const CHUNK_BYTES = 2 ** 20;

export interface LogRecord {
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly level: LogLevel;
  readonly by: string;
  readonly pid: number;
  readonly msg: string;
  /** What it was about, if it was a problem with one of these. */
  readonly session?: string;
  readonly turn?: string;
  readonly delivery?: string;
  readonly cause?: string;
}

const DETAILS = ["session", "turn", "delivery", "cause"] as const;

export interface LogFilter {
  readonly level: LogLevel;
  /** Milliseconds UTC; what is older is left out. */
  readonly since: number;
}

/** How far the log has been read: which file, and where in it. */
export interface LogPlace {
  readonly ino: number;
  readonly offset: number;
}

/** Null if the line is not one of ours, for example because it was cut when the disk was full. */
export function recordOf(line: string): LogRecord | null {
  let value: Partial<Record<keyof LogRecord, unknown>>;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  const { time, level, by, pid, msg } = value ?? {};
  const known = LOG_LEVELS.find((name) => name === level);
  if (!known || typeof time !== "string" || Number.isNaN(Date.parse(time)) || typeof msg !== "string") {
    return null;
  }
  const details = DETAILS.flatMap((name) => (typeof value[name] === "string" ? [[name, value[name]]] : []));
  return { time, level: known, by: String(by), pid: Number(pid), msg, ...Object.fromEntries(details) };
}

export function passes(record: LogRecord, { level, since }: LogFilter): boolean {
  return LOG_LEVELS.indexOf(record.level) >= LOG_LEVELS.indexOf(level) && Date.parse(record.time) >= since;
}

/** The last matching records, oldest first; `after` is where `follow` continues. */
export async function lastRecords(
  folder: string,
  filter: LogFilter,
  most: number,
): Promise<{ records: LogRecord[]; after: LogPlace | null }> {
  const found: LogRecord[] = [];
  let after: LogPlace | null = null;
  for (const file of (await filesOf(folder)).reverse()) {
    const read = await linesAfter(file, null);
    if (read === "moved") return lastRecords(folder, filter, most);
    after ??= read.position;
    const passing = read.lines
      .flatMap((line) => recordOf(line) ?? [])
      .filter((record) => passes(record, filter));
    found.unshift(...passing.slice(-(most - found.length)));
    if (found.length >= most) break;
  }
  return { records: found, after };
}

/** Records as they are written, from that position on, until the signal aborts. */
export async function* follow(
  folder: string,
  from: LogPlace | null,
  signal: AbortSignal,
): AsyncGenerator<LogRecord, void, undefined> {
  let position = from;
  while (!signal.aborted) {
    for (const file of await unread(folder, position)) {
      const read = await linesAfter(file, position);
      if (read === "moved") break;
      for (const line of read.lines) {
        const record = recordOf(line);
        if (record) yield record;
      }
      position = read.position;
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => {});
  }
}

export interface LogFile {
  readonly path: string;
  readonly ino: number;
  readonly size: number;
}

/** The current files of the log, oldest first. */
export async function filesOf(folder: string): Promise<LogFile[]> {
  const archived = archivedLogs(folder);
  const files: LogFile[] = [];
  for (const path of [...archived, currentLog(folder)]) {
    const found = await stat(path).catch(() => null);
    if (found) files.push({ path, ino: found.ino, size: found.size });
  }
  return archivedLogs(folder).join() === archived.join() ? files : filesOf(folder);
}

/** The file that we are in and those after it; all files if ours is gone. */
export async function unread(folder: string, position: LogPlace | null): Promise<LogFile[]> {
  const files = await filesOf(folder);
  return files.slice(
    Math.max(
      0,
      files.findIndex(({ ino }) => ino === position?.ino),
    ),
  );
}

/** The complete lines after that position if it is in this file, else from its beginning; of about so many bytes. */
export async function linesAfter(
  { path, ino }: LogFile,
  position: LogPlace | null,
  most = Number.POSITIVE_INFINITY,
): Promise<{ lines: string[]; position: LogPlace } | "moved"> {
  let file: FileHandle;
  try {
    file = await open(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "moved";
    throw error;
  }
  try {
    const found = await file.stat();
    if (found.ino !== ino) return "moved";
    const begin = position?.ino === ino && position.offset <= found.size ? position.offset : 0;
    const bytes = await bytesFrom(file, begin, most);
    const whole = bytes.lastIndexOf("\n") + 1;
    // No line of ours is as long as a part: it is passed over.
    const end = whole === 0 && bytes.length >= most ? bytes.length : whole;
    const text = bytes.subarray(0, end).toString("utf8");
    return { lines: text.split("\n").slice(0, -1), position: { ino, offset: begin + end } };
  } finally {
    await file.close();
  }
}

/** At least so many if there are as many, and less than a chunk more. */
async function bytesFrom(file: FileHandle, begin: number, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let offset = begin; offset - begin < most; ) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, offset);
    if (bytesRead === 0) break;
    parts.push(buffer.subarray(0, bytesRead));
    offset += bytesRead;
  }
  return Buffer.concat(parts);
}
