/**
 * What the webhook told of messages of ours. A send that nobody answered is reconciled by it: the word of a message
 * carries the id of the delivery that it was made for.
 */
import { timerMs } from "../../util/timer-ms.js";

const MOST = 1_000;

export class Sightings {
  /** By delivery id; the oldest go first. */
  readonly #seen = new Map<string, string>();
  readonly #waiting = new Map<string, (messageId: string) => void>();

  add(deliveryId: string, messageId: string): void {
    this.#seen.set(deliveryId, messageId);
    for (const oldest of this.#seen.keys()) {
      if (this.#seen.size <= MOST) break;
      this.#seen.delete(oldest);
    }
    this.#waiting.get(deliveryId)?.(messageId);
  }

  find(deliveryId: string): string | null {
    return this.#seen.get(deliveryId) ?? null;
  }

  /** The message's id, or null where no word of it came in that time. */
  wait(deliveryId: string, ms: number, end: AbortSignal): Promise<string | null> {
    const seen = this.find(deliveryId);
    if (seen !== null || end.aborted) return Promise.resolve(seen);
    return new Promise((resolve) => {
      const settle = (messageId: string | null): void => {
        clearTimeout(timer);
        end.removeEventListener("abort", stop);
        this.#waiting.delete(deliveryId);
        resolve(messageId);
      };
      const stop = (): void => settle(null);
      const timer = setTimeout(stop, timerMs(ms)).unref();
      end.addEventListener("abort", stop);
      this.#waiting.set(deliveryId, settle);
    });
  }
}
