/**
 * What Baton remembers about a person or a group chat: small notes of one line each. A note belongs to one owner, as
 * access.ts writes them: `person:<identity>` or `chat:<chat>`. Pure: what a note may be, which notes fit, and how the
 * agent reads them.
 */
import { cleanLine, shorten, storableText } from "../util/text.js";

export interface MemoryNote {
  /** People and agents name a note by it. No other note ever gets the same one. */
  readonly id: number;
  readonly owner: string;
  /** One line. */
  readonly text: string;
  /** When it was written, or changed last. */
  readonly madeAt: number;
  readonly by: NoteMaker;
}

/** The agent by its tool, the person, or Baton itself before it ends or shortens a conversation. */
export const NOTE_MAKERS = ["agent", "person", "flush"] as const;
export type NoteMaker = (typeof NOTE_MAKERS)[number];

/** How many characters a note has at most. */
export const LONGEST_NOTE = 500;
/** More than this is not even cleaned. */
const MOST_READ = 20 * LONGEST_NOTE;

export type CheckedNote =
  | { readonly kind: "good"; readonly text: string }
  | { readonly kind: "empty" }
  | { readonly kind: "long"; readonly length: number };

/** The text as it is kept, in one line; or why it can't be a note. */
export function checkNote(text: string): CheckedNote {
  if (text.length > MOST_READ) return { kind: "long", length: text.length };
  const line = storableText(cleanLine(text));
  if (line === "") return { kind: "empty" };
  return line.length > LONGEST_NOTE ? { kind: "long", length: line.length } : { kind: "good", text: line };
}

/** How many characters these notes have together. */
export function charactersOf(notes: readonly Pick<MemoryNote, "text">[]): number {
  return notes.reduce((sum, { text }) => sum + text.length, 0);
}

/** True if there is room for `added` characters after `removed` ones are gone. What becomes smaller always fits. */
export function hasRoom(used: number, removed: number, added: number, most: number): boolean {
  return added <= removed || used - removed + added <= most;
}

/** The newest notes that fit into so many characters, oldest first: two accounts that were linked may have more. */
export function notesThatFit(notes: readonly MemoryNote[], most: number): readonly MemoryNote[] {
  let from = notes.length;
  for (let used = 0; from > 0; from -= 1) {
    used += notes[from - 1]?.text.length ?? 0;
    if (used > most) break;
  }
  return notes.slice(from);
}

/** As the agent reads them: the heading, and a line for each note, whatever is in it. Null if there are none. */
export function notesText(notes: readonly Pick<MemoryNote, "text">[], heading: string): string | null {
  if (notes.length === 0) return null;
  const lines = notes.map(({ text }) => `- ${shorten(cleanLine(text.slice(0, MOST_READ)), LONGEST_NOTE)}`);
  return [`[${heading}]`, ...lines].join("\n");
}
