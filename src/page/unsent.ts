/** What was written and is not confirmed: its order, and which of it a transcript shows already. */
import type { WireMessage } from "../web/wire.js";

export interface UnsentFile {
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
  readonly bytes: Blob;
  /** Set once it is uploaded. */
  readonly ref?: string;
}

export interface Unsent {
  readonly id: string;
  readonly identity: string;
  readonly thread: string | null;
  readonly text: string;
  readonly files: readonly UnsentFile[];
  readonly at: number;
  /** Grows with each that is written, also over tabs. */
  readonly order: number;
  /** How often it was tried. */
  readonly tried: number;
  /** The last message of the conversation that the person saw when they wrote it. */
  readonly after: number;
  /** Why the server does not take it; null while it may. */
  readonly refused: string | null;
}

export function inOrder(items: readonly Unsent[]): readonly Unsent[] {
  return [...items].sort((one, other) => one.order - other.order || (one.id < other.id ? -1 : 1));
}

/** The one to send now: nothing overtakes what was written before it, except what the server refused. */
export function nextToSend(items: readonly Unsent[]): Unsent | null {
  return inOrder(items).find(({ refused }) => refused === null) ?? null;
}

/** When something was written, by the server's clock: that of the browser may be wrong. `here` and `there` are one moment by both. */
export function serverTime(at: number, now: { readonly here: number; readonly there: number }): number {
  return now.there - Math.max(0, now.here - at);
}

/**
 * Those that are not in the transcript: one that was tried may have arrived, though nobody confirmed it. `accepted`: the ids
 * of those that were confirmed.
 */
export function notArrived(
  items: readonly Unsent[],
  messages: readonly WireMessage[],
  accepted: ReadonlySet<string> = new Set(),
): readonly Unsent[] {
  const used = new Set<number>();
  return items.filter(({ id, text, after, tried, files }) => {
    if ((tried === 0 && !accepted.has(id)) || files.length > 0) return true;
    const found = messages.find(
      ({ seq, role, isMine, content }) =>
        role === "user" && isMine && seq > after && !used.has(seq) && content.trim() === text.trim(),
    );
    if (found) used.add(found.seq);
    return !found;
  });
}
