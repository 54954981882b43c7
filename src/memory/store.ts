/**
 * The port to the notes. Every method begins with the owners that it may touch: all identities of one person, or one
 * chat. There is no default, and no call reaches a note of anybody else: with an empty list it finds nothing.
 */
import type { MemoryNote, NoteMaker } from "./notes.js";

export type NoteSaved =
  | { readonly kind: "saved"; readonly note: MemoryNote }
  /** It was there already; nothing changed. */
  | { readonly kind: "same"; readonly note: MemoryNote }
  | MemoryFull
  /** These owners have no such note, or the new note would be of somebody else. */
  | { readonly kind: "none" };

/** There is no room: so many characters are used. Nothing changed. */
export interface MemoryFull {
  readonly kind: "full";
  readonly used: number;
}

export type NotesEdited =
  | { readonly kind: "edited"; readonly added: number; readonly removed: number }
  | MemoryFull
  | { readonly kind: "none" };

export interface NotesEdit {
  /** The numbers of notes that go. */
  readonly remove: readonly number[];
  /** What becomes a note, unless it is one already. */
  readonly add: readonly string[];
}

/** Texts are as `checkNote` gives them. `most`: how many characters all notes of these owners may have together. */
export interface MemoryNotes {
  /** Oldest first. */
  of(owners: readonly string[]): Promise<MemoryNote[]>;
  add(
    owners: readonly string[],
    owner: string,
    text: string,
    by: NoteMaker,
    most: number,
    now: number,
  ): Promise<NoteSaved>;
  /** The note keeps its number, place and owner. If that owner has another note with this text, that one stays alone. */
  replace(
    owners: readonly string[],
    id: number,
    text: string,
    by: NoteMaker,
    most: number,
    now: number,
  ): Promise<NoteSaved>;
  /** Several changes in one step: all of them, or none. */
  edit(
    owners: readonly string[],
    owner: string,
    edit: NotesEdit,
    by: NoteMaker,
    most: number,
    now: number,
  ): Promise<NotesEdited>;
  /** Returns the notes that were removed. */
  remove(owners: readonly string[], ids: readonly number[]): Promise<MemoryNote[]>;
  /** Removes all their notes; returns how many. */
  forget(owners: readonly string[]): Promise<number>;
}

/** How many notes an owner has. */
export interface NoteCount {
  readonly owner: string;
  readonly notes: number;
  readonly lastAt: number;
}

/** Who has notes, for the one who runs the gateway. It says nothing of what is in them. */
export interface MemoryCounts {
  counts(): Promise<NoteCount[]>;
}
