/**
 * What this process knows of its own sends, by their nonces. Discord tells a nonce with the event of a new message, and
 * not any more when the message is read later. For a few minutes it takes a nonce once: the same message sent again is
 * the message that is there.
 */

/** For so long Discord certainly knows a nonce: it says "a few minutes". */
const NONCE_MS = 2 * 60 * 1_000;
const MOST = 1_000;

export class OwnSends {
  /** The message of a nonce. */
  readonly #messages = new Map<string, string>();
  readonly #known = new Map<string, true>();
  /** When a message was first sent of which nobody knows whether it is there. */
  readonly #doubts = new Map<string, number>();

  /** A call for it was answered. */
  sent(nonce: string, messageId: string): void {
    this.hear(nonce, messageId);
    this.#doubts.delete(nonce);
  }

  /** An event told of it. */
  hear(nonce: string, messageId: string): void {
    remember(this.#messages, nonce, messageId);
    remember(this.#known, messageId, true);
  }

  doubt(nonce: string, sentAt: number): void {
    if (!this.#doubts.has(nonce)) remember(this.#doubts, nonce, sentAt);
  }

  messageOf(nonce: string): string | undefined {
    return this.#messages.get(nonce);
  }

  /** Whether it is known which send this message is of. */
  isKnown(messageId: string): boolean {
    return this.#known.has(messageId);
  }

  doubtedSince(nonce: string): number | undefined {
    return this.#doubts.get(nonce);
  }

  /** Whether Discord still knows the nonce of what was first sent then. */
  isFresh(sentAt: number): boolean {
    return Date.now() - sentAt < NONCE_MS;
  }
}

/** The oldest go first. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MOST && oldest !== undefined) map.delete(oldest);
}
