/** Gathers the entries of a tree transcript, from the lines of a file or the rows of a table. */
import { type Fields, isFields } from "../../util/json.js";
import { type EntryReader, readEntry } from "./entry-json.js";
import type { Problems } from "./problems.js";
import type { TreeEntry } from "./tree-transcript.js";

export class TreeReading {
  readonly entries: TreeEntry[] = [];
  /** The first line, if it is JSON. */
  first: Fields | null = null;
  readonly #reader: EntryReader;
  readonly #problems: Problems;
  readonly #seen = new Map<string, number | null>();
  #count = 0;

  constructor(reader: EntryReader, problems: Problems) {
    this.#reader = reader;
    this.#problems = problems;
  }

  /** `problem` if it is not even JSON. */
  take(file: string, line: number | null, json: unknown, problem: string | null): void {
    this.#count += 1;
    if (this.#count === 1 && isFields(json)) this.first = json;
    const read =
      problem === null ? readEntry(json, this.#reader) : ({ kind: "problem", reason: problem } as const);
    if (read.kind === "problem") {
      this.#problems.add(file, line, read.reason);
      return;
    }
    const { entry } = read;
    const before = entry.id === undefined ? undefined : this.#seen.get(entry.id);
    if (before !== undefined) {
      const where = before === null ? "an entry before it" : `line ${before}`;
      this.#problems.add(file, line, `It repeats ${where} and was left out.`);
      return;
    }
    if (entry.id !== undefined) this.#seen.set(entry.id, line);
    if (entry.messages.length === 0) this.#problems.bookkeeping += 1;
    this.entries.push(entry);
  }
}
