/** Windows of sessions, bounded in what they hold: sessions that nobody has used for the longest time go first. */
import type { SessionId } from "../../session/ids.js";
import type { StoredMessage } from "../../session/transcript.js";

export interface Window {
  /** Every active message from this number on is here. */
  readonly from: number;
  /** Oldest first. */
  readonly messages: readonly StoredMessage[];
  /** The id of the last one. */
  readonly lastId: number;
  /** Messages before this number do not count now. */
  readonly start: number;
}

/** About how many bytes. */
const MESSAGE = 200;
const MOST = 64 * 2 ** 20;
const MOST_OF_A_SESSION = 8 * 2 ** 20;

export class WindowMemory {
  /** The one used longest ago is first. */
  readonly #windows = new Map<SessionId, { readonly window: Window; readonly size: number }>();
  #size = 0;

  /** Gives it away; `set` puts it back. */
  take(sessionId: SessionId): Window | undefined {
    const window = this.#windows.get(sessionId)?.window;
    this.#forget(sessionId);
    return window;
  }

  set(sessionId: SessionId, window: Window): void {
    this.#forget(sessionId);
    const size = window.messages.reduce((sum, message) => sum + sizeOf(message), 0);
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

function sizeOf(message: StoredMessage): number {
  const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
  const called = calls.reduce((sum, call) => sum + MESSAGE + call.arguments.length, 0);
  const reasoning = message.role === "assistant" ? (message.reasoning ?? "") : "";
  return MESSAGE + message.content.length + reasoning.length + called;
}
