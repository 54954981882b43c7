/** Reads a transcript of one message a line, perhaps headed by a line of metadata. The file is never written to. */
import { stat } from "node:fs/promises";
import type { Message } from "../../session/transcript.js";
import { type Fields, isFields } from "../../util/json.js";
import { type FileLine, readLines } from "./lines.js";
import { readMessage } from "./message-json.js";
import type { Problems } from "./problems.js";

/** A file inside the imported folder, and what problems call it. */
export interface TranscriptFile {
  readonly path: string;
  readonly name: string;
}

/** The messages of a source in its order. */
export interface ReadTranscript {
  readonly messages: Message[];
  /** How many of the source's own messages stood before each one, also those that could not be read. */
  readonly places: number[];
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
    if (read.kind === "other") return;
    this.#place += 1;
    if (read.kind === "problem") {
      this.#report(line, read.reason);
      return;
    }
    this.messages.push(read.message);
    this.places.push(this.#place - 1);
    if (read.problem) this.#report(line, read.problem);
    if (line.damaged) this.#report(line, "It holds bytes that are not UTF-8; they stand replaced.");
  }

  #report(line: FileLine, reason: string): void {
    this.#problems.add(this.#file.name, line.number, reason);
  }
}

const PEEKED_LINES = 20;

/** What a file begins with, without reading on. One that cannot be read counts as recognised: reading it says why. */
export async function peek(path: string): Promise<{ header: Fields | null; recognised: boolean }> {
  let seen = 0;
  try {
    for await (const line of readLines(path)) {
      const { json } = parseLine(line);
      if (isHeader(json)) return { header: seen === 0 ? json : null, recognised: true };
      const read = readMessage(json);
      if (read.kind === "message" || (isFields(json) && json.role === "session_meta")) {
        return { header: null, recognised: true };
      }
      seen += 1;
      if (seen === PEEKED_LINES) break;
    }
  } catch (error) {
    errno(error);
    return { header: null, recognised: true };
  }
  return { header: null, recognised: false };
}

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
