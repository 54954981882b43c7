/** Reads a transcript of one message a line, perhaps headed by a line of metadata. The file is never written to. */
import { stat } from "node:fs/promises";
import type { Message } from "../../session/transcript.js";
import { type Fields, isFields } from "../../util/json.js";
import { isClaudeLine } from "./claude-entry.js";
import type { EntryReader } from "./entry-json.js";
import { type FileLine, readLines } from "./lines.js";
import { readMessage } from "./message-json.js";
import { isSessionHeader } from "./openclaw-entry.js";
import type { Problems } from "./problems.js";
import { TreeReading } from "./tree-reading.js";
import type { ReadTranscript, TreeEntry } from "./tree-transcript.js";

/** A file inside the imported folder, and what problems call it. */
export interface TranscriptFile {
  readonly path: string;
  readonly name: string;
}

export interface TranscriptInFile extends ReadTranscript {
  readonly header: Fields | null;
  /** When the file was last written. */
  readonly modifiedAt: number;
}

export async function readTranscript(file: TranscriptFile, problems: Problems): Promise<TranscriptInFile> {
  const reading = new TranscriptReading(file, problems);
  try {
    for await (const line of readLines(file.path)) reading.take(line);
  } catch (error) {
    problems.add(file.name, null, `The file cannot be read to its end (${errno(error)}).`);
  }
  const { header, messages, places } = reading;
  const modified = await stat(file.path).catch(() => null);
  return { header, messages, places, modifiedAt: Math.round(modified?.mtimeMs ?? 0) };
}

const REPLACED = "It holds bytes that are not UTF-8; they stand replaced.";

class TranscriptReading {
  header: Fields | null = null;
  readonly messages: Message[] = [];
  readonly places: number[] = [];
  readonly #file: TranscriptFile;
  readonly #problems: Problems;
  #lines = 0;
  #place = 0;

  constructor(file: TranscriptFile, problems: Problems) {
    this.#file = file;
    this.#problems = problems;
  }

  take(line: FileLine): void {
    this.#lines += 1;
    const { json, problem } = parseLine(line);
    if (isHeader(json)) {
      if (this.#lines === 1) this.header = json;
      return;
    }
    const read = problem === null ? readMessage(json) : ({ kind: "problem", reason: problem } as const);
    if (read.kind === "other") {
      this.#problems.bookkeeping += 1;
      return;
    }
    this.#place += 1;
    if (read.kind === "problem") {
      this.#report(line, read.reason);
      return;
    }
    this.messages.push(read.message);
    this.places.push(this.#place - 1);
    if (read.problem) this.#report(line, read.problem);
    if (line.damaged) this.#report(line, REPLACED);
  }

  #report(line: FileLine, reason: string): void {
    this.#problems.add(this.#file.name, line.number, reason);
  }
}

const PEEKED_LINES = 20;

/** What a file holds, by what it begins with. One that cannot be read counts as messages: reading it says why. */
export type TranscriptKind = "metadata" | "messages" | "claude-code" | "openclaw" | "empty" | "strange";

export interface Peeked {
  readonly kind: TranscriptKind;
  /** The line of metadata. */
  readonly header: Fields | null;
}

export async function peek(path: string): Promise<Peeked> {
  let seen = 0;
  try {
    for await (const line of readLines(path)) {
      const { json } = parseLine(line);
      if (isHeader(json)) return seen === 0 ? { kind: "metadata", header: json } : MESSAGES;
      if (isSessionHeader(json)) return { kind: "openclaw", header: null };
      if (isFields(json) && isClaudeLine(json)) return { kind: "claude-code", header: null };
      const isMessage = readMessage(json).kind === "message";
      if (isMessage || (isFields(json) && json.role === "session_meta")) return MESSAGES;
      seen += 1;
      if (seen === PEEKED_LINES) break;
    }
  } catch (error) {
    errno(error);
    return MESSAGES;
  }
  return { kind: seen === 0 ? "empty" : "strange", header: null };
}

const MESSAGES: Peeked = { kind: "messages", header: null };

/** When the first message that has a time was said; what cannot be read has none, and reading it whole says why. */
export async function firstTime(path: string): Promise<number | undefined> {
  try {
    for await (const line of readLines(path)) {
      const { json } = parseLine(line);
      const read = isHeader(json) ? null : readMessage(json);
      if (read?.kind === "message" && read.message.at !== undefined) return read.message.at;
    }
  } catch (error) {
    errno(error);
  }
  return undefined;
}

/** The entries of a tree, with when the file was last written. A line that is not one, or repeats one, is reported. */
export async function readTreeFile(
  file: TranscriptFile,
  reader: EntryReader,
  problems: Problems,
): Promise<{ entries: TreeEntry[]; header: Fields | null; modifiedAt: number }> {
  const entries = new TreeReading(reader, problems);
  try {
    for await (const line of readLines(file.path)) {
      const { json, problem } = parseLine(line);
      entries.take(file.name, line.number, json, problem);
      if (line.damaged) problems.add(file.name, line.number, REPLACED);
    }
  } catch (error) {
    problems.add(file.name, null, `The file cannot be read to its end (${errno(error)}).`);
  }
  const modified = await stat(file.path).catch(() => null);
  return { entries: entries.entries, header: entries.first, modifiedAt: Math.round(modified?.mtimeMs ?? 0) };
}

/** The system's name for why a file cannot be read; any other error is not about the file. */
function errno(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (!code) throw error;
  return code;
}

function isHeader(json: unknown): json is Fields {
  return isFields(json) && json._type === "metadata";
}

function parseLine(line: FileLine): { json: unknown; problem: string | null } {
  if (line.text === null) return { json: null, problem: "The line is too long to be a message." };
  try {
    return { json: JSON.parse(line.text), problem: null };
  } catch {
    return { json: null, problem: line.ended ? "It is not JSON." : "The last line is cut off." };
  }
}
