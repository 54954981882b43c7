/**
 * Whether a platform takes messages at all. If calls fail in two chats and none works in between, the platform is down:
 * then one message is tried at a time, with growing pauses, until one is sent. A chat that alone can't be reached holds
 * up no other.
 */
import { backoff, type Pauses } from "../util/backoff.js";

const PROBES: Pauses = { firstMs: 1_000, longestMs: 60_000 };

export class Outage {
  /** In which calls failed since the last one that worked. */
  readonly #chats = new Set<string>();
  #failures = 0;
  #nextProbe = 0;

  get isDown(): boolean {
    return this.#chats.size > 1;
  }

  /** How long nothing is tried; 0 if something may be tried now. */
  waitMs(now: number): number {
    return this.isDown ? Math.max(0, this.#nextProbe - now) : 0;
  }

  /** A call failed, and not because of what this chat may get. Calls that were under way together are one failure. */
  failed(chat: string, now: number): void {
    this.#chats.add(chat);
    if (!this.isDown || now < this.#nextProbe) return;
    this.#failures += 1;
    this.#nextProbe = now + backoff(this.#failures, PROBES);
  }

  /** The platform answered. */
  answered(): void {
    this.#chats.clear();
    this.#failures = 0;
    this.#nextProbe = 0;
  }
}
