/** Windows of sessions, bounded in what they hold: sessions that nobody has used for the longest time go first. */
import type { SessionId } from "../../session/ids.js";
import type { StoredMessage } from "../../session/transcript.js";
import type { Row } from "../db.js";

/** A message with its row: more secrets may be known when it is needed again. */
export interface KnownMessage {
  readonly row: Row;
  readonly message: StoredMessage;
  /** About how many bytes it takes. */
  readonly size: number;
}

export interface Window {
  /** Every active message from this number on is in `known`. */
  readonly from: number;
  /** Oldest first. */
  readonly known: readonly KnownMessage[];
  /** Messages before this number do not count now. */
  readonly start: number;
}

const MOST = 64_000_000;
const MOST_OF_A_SESSION = 8_000_000;

export class WindowMemory {
  /** The one used longest ago is first. */
  readonly #windows = new Map<SessionId, { readonly window: Window; readonly size: number }>();
  #size = 0;

  get(sessionId: SessionId): Window | undefined {
    return this.#windows.get(sessionId)?.window;
  }

  set(sessionId: SessionId, window: Window): void {
    this.#forget(sessionId);
    const size = window.known.reduce((sum, { size }) => sum + size, 0);
    if (size > MOST_OF_A_SESSION) return;
    this.#windows.set(sessionId, { window, size });
    this.#size += size;
    for (const oldest of this.#windows.keys()) {
      if (this.#size <= MOST) return;
      this.#forget(oldest);
    }
  }

  #forget(sessionId: SessionId): void {
    this.#size -= this.#windows.get(sessionId)?.size ?? 0;
    this.#windows.delete(sessionId);
  }
}
