/** What it takes to read one entry of a tree transcript, whichever program wrote it. */
import { BatonError } from "../../session/errors.js";
import { type Message, parseMessage } from "../../session/transcript.js";
import { type Fields, isFields } from "../../util/json.js";
import type { TreeEntry } from "./tree-transcript.js";

export type ReadEntry =
  | { readonly kind: "entry"; readonly entry: TreeEntry }
  | { readonly kind: "problem"; readonly reason: string };

/** How a program's entries are read, from JSON that is already parsed. */
export type EntryReader = (json: Fields) => TreeEntry | { readonly problem: string };

export function readEntry(json: unknown, read: EntryReader): ReadEntry {
  if (!isFields(json)) return { kind: "problem", reason: "It is not a JSON object." };
  try {
    const entry = read(json);
    return "problem" in entry ? { kind: "problem", reason: entry.problem } : { kind: "entry", entry };
  } catch (error) {
    if (error instanceof BatonError) return { kind: "problem", reason: error.message };
    if (error instanceof RangeError) return { kind: "problem", reason: "It is nested too deeply." };
    throw error;
  }
}

/** The message as a transcript stores it. */
export function messageOf(role: Message["role"], fields: Fields, at: number | undefined): Message {
  return parseMessage({ ...fields, role, ...(at === undefined ? {} : { at }) });
}
