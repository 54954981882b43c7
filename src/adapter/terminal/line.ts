/**
 * The line being written: its draft, the menu that fits it, and the lines written before. Keys come in; what is more than
 * a change of the line comes out. Knows nothing of the screen.
 */
import { printableText } from "../../util/text.js";
import type { Completion, CompletionSources } from "./completion.js";
import { type Draft, draftOf, EMPTY_DRAFT, edit, type Motion, target } from "./editor.js";
import { type HistoryFile, InputHistory } from "./history.js";
import type { KeyCommand } from "./keys.js";
import { Menu } from "./menu.js";
import { SavedLines } from "./saved-lines.js";
import { type HistorySearch, NEW_SEARCH, placeIn, searchFor, searchOn } from "./search.js";
import { UndoSteps } from "./undo.js";

/** The keys that are the line's own business. */
export type LineKey = Exclude<KeyCommand, { kind: "interrupt" | "redraw" | "suspend" | "unfold" }>;

/**
 * What a key asks of the others: this text is said, the person wants to go, to stop the answer, or to write this text in
 * their editor.
 */
export type LineWish =
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "leave" }
  | { readonly kind: "stop" }
  | { readonly kind: "edit elsewhere"; readonly text: string };

export interface LineOptions extends CompletionSources {
  /** Where the lines of earlier runs are kept, if they are. */
  readonly history?: HistoryFile;
  /** Something went wrong, in a sentence. */
  readonly onProblem: (text: string) => void;
}

export class InputLine {
  readonly #options: LineOptions;
  readonly #history = new InputHistory();
  readonly #menu: Menu;
  readonly #undo = new UndoSteps();
  readonly #saved: SavedLines;
  #draft: Draft = EMPTY_DRAFT;
  /** The search that is under way. */
  #search: HistorySearch | null = null;

  constructor(options: LineOptions) {
    this.#options = options;
    this.#menu = new Menu(options);
    this.#saved = new SavedLines(options.history, options.onProblem);
  }

  /** What stands in the line: during a search, the line that was found. */
  get draft(): Draft {
    const { query = "", at = null } = this.#search ?? {};
    const entry = at === null ? undefined : this.#history.entries[at];
    return entry === undefined
      ? this.#draft
      : { text: entry, cursor: placeIn(entry, query), cut: this.#draft.cut };
  }

  /** Nothing is being written, nor searched for. */
  get isEmpty(): boolean {
    return this.#draft.text === "" && this.#search === null;
  }

  get search(): HistorySearch | null {
    return this.#search;
  }

  get hints(): readonly Completion[] {
    return this.#search ? [] : this.#menu.items(this.#draft);
  }

  /** The place of the hint that is chosen. */
  get chosen(): number | null {
    return this.#search ? null : this.#menu.chosen(this.#draft);
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
    await this.#saved.settled();
  }

  press(key: LineKey): LineWish | null {
    if (this.#search && this.#searched(key, this.#search)) return null;
    switch (key.kind) {
      case "submit":
        return this.#enter();
      case "end of input":
        if (this.isEmpty) return { kind: "leave" };
        this.#change(edit(this.#draft, { kind: "delete", to: "right" }));
        return null;
      case "complete":
        this.#change(this.#menu.complete(this.#draft));
        return null;
      case "complete before":
        this.#menu.step(this.#draft, -1);
        return null;
      case "up":
        if (!this.#menu.step(this.#draft, -1)) this.#vertical("line up", -1);
        return null;
      case "down":
        if (!this.#menu.step(this.#draft, 1)) this.#vertical("line down", 1);
        return null;
      case "older":
        this.#recall(-1);
        return null;
      case "newer":
        this.#recall(1);
        return null;
      case "search older":
        this.#search = NEW_SEARCH;
        return null;
      case "search newer":
        return null;
      case "escape":
        return this.#menu.close(this.#draft) ? null : { kind: "stop" };
      case "undo":
        this.#draft = { ...(this.#undo.back() ?? this.#draft), cut: this.#draft.cut };
        return null;
      case "edit elsewhere":
        return { kind: "edit elsewhere", text: this.#draft.text };
      default:
        this.#change(edit(this.#draft, key), key.kind === "insert" ? key.text : null);
        return null;
    }
  }

  /** The up arrow brings back what was there. */
  clear(): void {
    const text = this.#draft.text.trim();
    if (text !== "") this.#history.add(text);
    this.#change({ ...EMPTY_DRAFT, cut: this.#draft.cut });
  }

  /** Another text, which can be taken back. */
  replace(text: string): void {
    this.#change(draftOf(text, this.#draft.cut));
  }

  /** Ends a search, with the line as it was before; false if there is none. */
  endSearch(): boolean {
    const wasSearching = this.#search !== null;
    this.#search = null;
    return wasSearching;
  }

  /** More may be completed now. */
  arrived(): void {
    if (!this.#search) this.#change(this.#menu.arrived(this.#draft));
  }

  #change(draft: Draft, typed: string | null = null): void {
    this.#undo.changed(this.#draft, draft, typed);
    this.#draft = draft;
  }

  /** Returns whether the key was for the search. Any other key takes the found line, and acts on that. */
  #searched(key: LineKey, search: HistorySearch): boolean {
    const { entries } = this.#history;
    if (key.kind === "search older") this.#search = searchOn(entries, search, -1);
    else if (key.kind === "search newer") this.#search = searchOn(entries, search, 1);
    else if (key.kind === "insert") this.#search = searchFor(entries, search, search.query + key.text);
    else if (key.kind === "delete" && key.to === "left")
      this.#search = searchFor(entries, search, [...search.query].slice(0, -1).join(""));
    else if (
      key.kind === "escape" ||
      key.kind === "edit elsewhere" ||
      (key.kind === "submit" && search.at === null)
    )
      this.#search = null; // Enter sends only what was found.
    else {
      this.#change(this.draft);
      this.#search = null;
      this.#menu.close(this.#draft);
      return key.kind === "complete";
    }
    return true;
  }

  /** Enter takes what is chosen in the menu, and sends the line unless more has to follow. */
  #enter(): LineWish | null {
    const taken = this.#menu.take(this.#draft);
    if (taken) this.#change(taken.draft);
    return taken && !taken.ends ? null : this.#submit();
  }

  #submit(): LineWish | null {
    const { text, cursor } = this.#draft;
    if (cursor === text.length && text.endsWith("\\")) {
      this.#change(draftOf(`${text.slice(0, -1)}\n`, this.#draft.cut));
      return null;
    }
    this.#draft = { ...EMPTY_DRAFT, cut: this.#draft.cut };
    this.#undo.forget();
    const said = text.trim();
    if (said === "") return null;
    if (this.#history.add(said)) this.#saved.add(said);
    return { kind: "say", text: said };
  }

  /** Within the text where it has lines, else through what was written before. */
  #vertical(motion: Motion, by: -1 | 1): void {
    const to = target(this.#draft, motion);
    if (to === this.#draft.cursor) this.#recall(by);
    else this.#draft = { ...this.#draft, cursor: to };
  }

  /** What is brought back opens no menu: the arrows go on through what was written. */
  #recall(by: -1 | 1): void {
    const entry = this.#history.move(by, this.#draft.text);
    if (entry === null) return;
    this.#draft = draftOf(entry, this.#draft.cut);
    this.#undo.forget();
    this.#menu.close(this.#draft);
  }
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
