/**
 * What a chat is told when its message could not be kept: once, until one is kept again. It cannot go through the
 * outbox, for it is the store that fails; so it is sent as it is, and not tried again.
 */
import type { Adapter, InboundMessage } from "../adapter/adapter.js";
import { addressOf } from "../session/source.js";

const TEXT =
  "I cannot keep messages at the moment, so I did not take this one; please write it again later. " +
  "Whoever runs me sees why with `baton doctor`.";

export class Apologies {
  readonly #told = new Set<string>();

  /** Messages are kept again. */
  over(): void {
    this.#told.clear();
  }

  /** A surface that shows turns as they happen sees the refusal itself, and says it in its own way. */
  async say(adapter: Adapter, { kind, source, messageId }: InboundMessage): Promise<void> {
    const chat = `${source.platform} ${source.chatId} ${source.threadId ?? ""}`;
    const isWords = kind !== "reaction" && kind !== "button";
    if (adapter.live || !isWords || this.#told.has(chat)) return;
    this.#told.add(chat);
    const deliveryId = `apology.${messageId}`;
    await adapter.send({ address: addressOf(source), text: TEXT, deliveryId }).catch(() => {}); // It was worth a try.
  }
}
