/** Windows of sessions, bounded in what they hold: sessions that nobody has used for the longest time go first. */
import type { SessionId } from "../../session/ids.js";
import type { MessageWindow } from "./message-window.js";

/** About how many bytes. */
const MOST = 64 * 2 ** 20;
const MOST_OF_A_SESSION = 8 * 2 ** 20;

export class WindowMemory {
  /** The one used longest ago is first. */
  readonly #windows = new Map<SessionId, { readonly window: MessageWindow; readonly size: number }>();
  #size = 0;

  /** Gives it away, to be changed; `set` puts it back. */
  take(sessionId: SessionId): MessageWindow | undefined {
    const window = this.#windows.get(sessionId)?.window;
    this.#forget(sessionId);
    return window;
  }

  set(sessionId: SessionId, window: MessageWindow): void {
    this.#forget(sessionId);
    const { size } = window;
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
