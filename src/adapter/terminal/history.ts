/**
 * What was written before, newest last, each text once. Going back keeps what stood in the line, and changes to an entry
 * are its own.
 */
export interface HistoryFile {
  /** Oldest first. */
  load(): Promise<readonly string[]>;
  add(entry: string): Promise<void>;
}

const LONGEST = 1_000;

export class InputHistory {
  #entries: string[] = [];
  /** The entries and, after them, the line itself, as changed while going back and forth. */
  #shown: string[] = [""];
  #at = 0;

  /** Oldest first. */
  get entries(): readonly string[] {
    return this.#entries;
  }

  /** What was written in earlier runs: older than everything here. */
  prepend(entries: readonly string[]): void {
    this.#keep([...entries, ...this.#entries]);
  }

  /** Returns whether that changes anything: the same twice in a row is one. */
  add(entry: string): boolean {
    const isNew = entry !== "" && this.#entries.at(-1) !== entry;
    this.#keep(isNew ? [...this.#entries, entry] : this.#entries);
    return isNew;
  }

  /** The entry before or after this one, or null at the end. */
  move(by: -1 | 1, current: string): string | null {
    const entry = this.#shown[this.#at + by];
    if (entry === undefined) return null;
    this.#shown[this.#at] = current;
    this.#at += by;
    return entry;
  }

  /** A text that was written again stands where it was written last. */
  #keep(entries: readonly string[]): void {
    this.#entries = [...new Set(entries.toReversed())].toReversed().slice(-LONGEST);
    this.#shown = [...this.#entries, ""];
    this.#at = this.#entries.length;
  }
}
