/** What was written before, newest last. Going back keeps what stood in the line, and changes to an entry are its own. */
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

  /** What was written in earlier runs: older than everything here. */
  prepend(entries: readonly string[]): void {
    this.#entries = [...entries, ...this.#entries].slice(-LONGEST);
    this.#rewind();
  }

  /** Returns whether it is new: the same twice in a row is one. */
  add(entry: string): boolean {
    const isNew = entry !== "" && this.#entries.at(-1) !== entry;
    if (isNew) this.#entries = [...this.#entries, entry].slice(-LONGEST);
    this.#rewind();
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

  #rewind(): void {
    this.#shown = [...this.#entries, ""];
    this.#at = this.#entries.length;
  }
}
