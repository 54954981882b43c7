/** What the line was before: a step back for each change, and one for a word that was typed. */
import type { Draft } from "./editor.js";

const MOST = 200;
/** Of all steps together: a long text is kept less often. */
const MOST_CHARACTERS = 5_000_000;

export class UndoSteps {
  #steps: Draft[] = [];
  /** Where the next typed character would continue the same word. */
  #typedTo: number | null = null;

  /** Called with each change; moves of the cursor are none. `typed`: the text that a key inserted. */
  changed(before: Draft, after: Draft, typed: string | null): void {
    if (before.text === after.text) return;
    const isOfWord = typed !== null && /^\S$/u.test(typed);
    if (!(isOfWord && this.#typedTo === before.cursor)) this.#keep(before);
    this.#typedTo = isOfWord ? after.cursor : null;
  }

  /** The line before the last change; null if there was none. */
  back(): Draft | null {
    this.#typedTo = null;
    return this.#steps.pop() ?? null;
  }

  #keep(step: Draft): void {
    this.#steps.push(step);
    let characters = 0;
    const from = this.#steps.findLastIndex(({ text }) => {
      characters += text.length;
      return characters > MOST_CHARACTERS;
    });
    this.#steps = this.#steps.slice(Math.max(from + 1, this.#steps.length - MOST));
  }

  forget(): void {
    this.#steps = [];
    this.#typedTo = null;
  }
}
