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
import { errno } from "./regular-file.js";
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
    for await (const line of readLines(file.path)) {
      reading.take(line);
      if (reading.isOver) break;
    }
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
  /** What follows is of another session. */
  isOver = false;
  readonly messages: Message[] = [];
  readonly places: number[] = [];
  readonly #file: TranscriptFile;
  readonly #problems: Problems;
  #place = 0;

  constructor(file: TranscriptFile, problems: Problems) {
    this.#file = file;
    this.#problems = problems;
  }

  take(line: FileLine): void {
    const { json, problem } = parseLine(line);
    if (isHeader(json)) {
      this.#head(line, json);
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

  /** Damage may stand before the line of metadata, but no message: several sessions in one file would run together. */
  #head(line: FileLine, json: Fields): void {
    if (this.header === null && this.messages.length === 0) {
      this.header = json;
      this.#place = 0;
    } else if (
      this.header === null || // Some programs write theirs at the end.
      (this.header.key === json.key && this.header.session_id === json.session_id)
    ) {
      this.#problems.bookkeeping += 1;
    } else {
      this.isOver = true;
      this.#report(line, "Another session begins here. Only the first session in a file comes in.");
    }
  }

  #report(line: FileLine, reason: string): void {
    this.#problems.add(this.#file.name, line.number, reason);
  }
}

/** Programs begin a file with settings and snapshots, sometimes many. */
const PEEKED_LINES = 1_000;

/** What a file holds, by the first line that says so. */
export type Peeked =
  | { readonly kind: "metadata"; readonly header: Fields }
  | { readonly kind: "messages" | "claude-code" | "openclaw" }
  /** No transcript, as far as can be seen. */
  | { readonly kind: "none"; readonly reason: string };

/** Damaged lines say nothing: a transcript may begin with any number of them. */
export async function peek(path: string): Promise<Peeked> {
  let isEmpty = true;
  let sound = 0;
  try {
    for await (const line of readLines(path)) {
      isEmpty = false;
      const { json, problem } = parseLine(line);
      if (problem !== null) continue;
      if (isHeader(json)) return { kind: "metadata", header: json };
      if (isSessionHeader(json)) return { kind: "openclaw" };
      if (isFields(json) && isClaudeLine(json)) return { kind: "claude-code" };
      const isMessage = readMessage(json).kind === "message";
      if (isMessage || (isFields(json) && json.role === "session_meta")) return { kind: "messages" };
      sound += 1;
      if (sound === PEEKED_LINES) break;
    }
  } catch (error) {
    return { kind: "none", reason: `It cannot be read (${errno(error)}).` };
  }
  const reason = isEmpty ? "It is empty." : "It holds neither a line of metadata nor a message.";
  return { kind: "none", reason };
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
