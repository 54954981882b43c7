/** The lanes of this process: one for each key that has something to answer. */
import type { SessionKey } from "../session/session-key.js";
import { Lane } from "./lane.js";
import type { Account, Amended, InboxItem, TurnToStop } from "./store.js";

export type { Answering, Lane } from "./lane.js";

export class Lanes {
  readonly #lanes = new Map<SessionKey, Lane>();

  of(key: SessionKey): Lane {
    let lane = this.#lanes.get(key);
    if (!lane) {
      lane = new Lane();
      this.#lanes.set(key, lane);
    }
    return lane;
  }

  all(): Lane[] {
    return [...this.#lanes.values()];
  }

  /** The message that a running turn answers, if it shows this one while it writes; null if none does here. */
  showing({ platform, account }: Account, { source, messageId }: Amended): InboxItem | null {
    for (const { run, answering } of this.#lanes.values()) {
      const item = answering?.item;
      if (!run?.shows(messageId) || item?.platform !== platform || item.account !== account) continue;
      if (item.source.chatId === source.chatId) return item;
    }
    return null;
  }

  /** Ends these turns soon, if they run here. */
  stop(asked: readonly TurnToStop[]): void {
    for (const { key, inboxId, wish } of asked) this.#lanes.get(key)?.stop(wish, inboxId);
  }

  /** Another process has the account now: it answers what waits there. */
  leave(account: Account): void {
    for (const lane of this.#lanes.values()) lane.leave(account);
  }

  /** Forgets the lanes that have nothing to answer: as many stay as people talk now, not as ever did. */
  sweep(): void {
    for (const [key, lane] of this.#lanes) if (lane.isEmpty) this.#lanes.delete(key);
  }
}
