/** The menu under the line: what fits, which of it is chosen, and whether the person closed it. */
import {
  agreed,
  type Completion,
  type CompletionSources,
  type Fitting,
  fitting,
  taken,
} from "./completion.js";
import type { Draft } from "./editor.js";

const CLOSED: Fitting = { from: 0, items: [] };

export class Menu {
  readonly #sources: CompletionSources;
  /** The text for which it was closed. */
  #closedFor: string | null = null;
  /** What was chosen, while that text stood in the line. */
  #chosen: { readonly of: string; readonly index: number } | null = null;
  /** The text that is to be completed as soon as something fits it. */
  #awaited: string | null = null;

  constructor(sources: CompletionSources) {
    this.#sources = sources;
  }

  items(draft: Draft): readonly Completion[] {
    return this.#fitting(draft).items;
  }

  /** The place of what is chosen; null if nothing is. */
  chosen(draft: Draft): number | null {
    const count = this.items(draft).length;
    return this.#chosen?.of === draft.text && count > 0 ? Math.min(this.#chosen.index, count - 1) : null;
  }

  /** Chooses the next or the one before; false if there is no menu. */
  step(draft: Draft, by: -1 | 1): boolean {
    const count = this.items(draft).length;
    if (count === 0) return false;
    const before = this.chosen(draft) ?? (by === 1 ? -1 : 0);
    this.#chosen = { of: draft.text, index: (before + by + count) % count };
    return true;
  }

  /** Until the text changes. Returns whether it was open. */
  close(draft: Draft): boolean {
    const wasOpen = this.items(draft).length > 0;
    this.#closedFor = draft.text;
    this.#chosen = null;
    return wasOpen;
  }

  /** What Tab makes of the line: as far as all agree, then the choice of one, then that one. */
  complete(draft: Draft): Draft {
    const { from, items } = this.#fitting(draft, true);
    this.#closedFor = null;
    this.#awaited = items.length === 0 ? draft.text : null;
    const index = this.chosen(draft) ?? (items.length === 1 ? 0 : null);
    if (index !== null) return this.#taken(draft, from, items[index]);
    const further = agreed(draft.text.slice(from, draft.cursor), items);
    if (further !== null) return this.#taken(draft, from, { text: further, description: "", goesOn: true });
    this.step(draft, 1);
    return draft;
  }

  /** Takes what is chosen; null if nothing is. */
  take(draft: Draft): { readonly draft: Draft; readonly ends: boolean } | null {
    const index = this.chosen(draft);
    const { from, items } = this.#fitting(draft);
    const item = index === null ? undefined : items[index];
    return item ? { draft: this.#taken(draft, from, item), ends: item.ends === true } : null;
  }

  /** More may fit now: a Tab that found nothing is made good. */
  arrived(draft: Draft): Draft {
    const isAwaited = this.#awaited === draft.text;
    this.#awaited = null;
    return isAwaited && this.#fitting(draft).items.length > 0 ? this.complete(draft) : draft;
  }

  #taken(draft: Draft, from: number, item: Completion | undefined): Draft {
    return item ? { ...draft, ...taken(draft, from, item) } : draft;
  }

  #fitting({ text, cursor }: Draft, reopened = false): Fitting {
    if (text === this.#closedFor && !reopened) return CLOSED;
    return fitting(text, cursor, this.#sources);
  }
}
