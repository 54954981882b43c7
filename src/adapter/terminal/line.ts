/**
 * The line being written: its draft, the commands that fit it, and the lines written before. Keys come in; what is more
 * than a change of the line comes out. Knows nothing of the screen.
 */
import { printableText } from "../../util/text.js";
import { type Completion, completed, fitting } from "./completion.js";
import { type Draft, draftOf, type Edit, EMPTY_DRAFT, edit, type Motion, target } from "./editor.js";
import { type HistoryFile, InputHistory } from "./history.js";
import type { KeyCommand } from "./keys.js";

/** The keys that are the line's own business. */
export type LineKey = Exclude<KeyCommand, { kind: "interrupt" | "redraw" | "suspend" | "unfold" }>;

/** What a key asks of the others: this text is said, or the person wants to go. */
export type LineWish = { readonly kind: "say"; readonly text: string } | { readonly kind: "leave" };

export interface LineOptions {
  /** The commands that may complete a line that begins with a slash. */
  readonly complete: (line: string) => readonly Completion[];
  /** Where the lines of earlier runs are kept, if they are. */
  readonly history?: HistoryFile;
  /** Something went wrong, in a sentence. */
  readonly onProblem: (text: string) => void;
}

export class InputLine {
  readonly #options: LineOptions;
  readonly #history = new InputHistory();
  #draft: Draft = EMPTY_DRAFT;
  #kept: Promise<void> = Promise.resolve();

  constructor(options: LineOptions) {
    this.#options = options;
  }

  get draft(): Draft {
    return this.#draft;
  }

  get isEmpty(): boolean {
    return this.#draft.text === "";
  }

  get hints(): readonly Completion[] {
    return fitting(this.#draft.text, this.#options.complete);
  }

  /** The lines of earlier runs are there from now on. */
  async open(): Promise<void> {
    try {
      this.#history.prepend(((await this.#options.history?.load()) ?? []).map(printableText));
    } catch (error) {
      this.#options.onProblem(`The lines of earlier runs could not be read: ${reasonOf(error)}`);
    }
  }

  /** What was said is kept for later runs when this returns. */
  async close(): Promise<void> {
    await this.#kept;
  }

  press(key: LineKey): LineWish | null {
    switch (key.kind) {
      case "submit":
        return this.#submit();
      case "end of input":
        if (this.isEmpty) return { kind: "leave" };
        this.#edit({ kind: "delete", to: "right" });
        return null;
      case "complete":
        this.#draft = draftOf(completed(this.#draft.text, this.hints), this.#draft.cut);
        return null;
      case "up":
        this.#vertical("line up", -1);
        return null;
      case "down":
        this.#vertical("line down", 1);
        return null;
      case "older":
        this.#recall(-1);
        return null;
      case "newer":
        this.#recall(1);
        return null;
      default:
        this.#edit(key);
        return null;
    }
  }

  /** The up arrow brings back what was there. */
  clear(): void {
    const text = this.#draft.text.trim();
    if (text !== "") this.#history.add(text);
    this.#empty();
  }

  #empty(): void {
    this.#draft = { ...EMPTY_DRAFT, cut: this.#draft.cut };
  }

  #edit(step: Edit): void {
    this.#draft = edit(this.#draft, step);
  }

  #submit(): LineWish | null {
    const { text, cursor } = this.#draft;
    if (cursor === text.length && text.endsWith("\\")) {
      this.#edit({ kind: "delete", to: "left" });
      this.#edit({ kind: "insert", text: "\n" });
      return null;
    }
    this.#empty();
    const said = text.trim();
    if (said === "") return null;
    if (this.#history.add(said)) this.#keep(said);
    return { kind: "say", text: said };
  }

  #keep(entry: string): void {
    const { history, onProblem } = this.#options;
    if (!history) return;
    this.#kept = this.#kept
      .then(() => history.add(entry))
      .catch((error: unknown) => onProblem(`The line was not kept for later runs: ${reasonOf(error)}`));
  }

  /** Within the text where it has lines, else through what was written before. */
  #vertical(motion: Motion, by: -1 | 1): void {
    const to = target(this.#draft, motion);
    if (to === this.#draft.cursor) this.#recall(by);
    else this.#draft = { ...this.#draft, cursor: to };
  }

  #recall(by: -1 | 1): void {
    const entry = this.#history.move(by, this.#draft.text);
    if (entry !== null) this.#draft = draftOf(entry, this.#draft.cut);
  }
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
