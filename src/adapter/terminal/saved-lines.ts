/**
 * Saves what was typed for later runs, one line after the other. If one can't be saved, the person hears why, and the chat
 * goes on.
 */
import type { HistoryFile } from "./history.js";

export class SavedLines {
  readonly #file: HistoryFile | undefined;
  readonly #onProblem: (text: string) => void;
  #saved: Promise<void> = Promise.resolve();

  constructor(file: HistoryFile | undefined, onProblem: (text: string) => void) {
    this.#file = file;
    this.#onProblem = onProblem;
  }

  add(line: string): void {
    this.#saved = this.#saved
      .then(() => this.#file?.add(line))
      .catch((error: Error) => this.#onProblem(`The line was not kept for later runs: ${error.message}`));
  }

  /** All of them are saved when this settles. */
  settled(): Promise<void> {
    return this.#saved;
  }
}
