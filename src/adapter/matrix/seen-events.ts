/** Events that were seen or sent lately: whose they are and what they said. Others are asked for. */

import type { Fields } from "../../util/json.js";
import { record } from "../untrusted.js";
import type { MatrixApi } from "./api.js";
import { isMissing } from "./failure.js";
import { id } from "./ids.js";

const MAX_EVENTS = 2_000;

export class SeenEvents {
  readonly #api: MatrixApi;
  /** An event as it is in the clear; null where that cannot be had. */
  readonly #decrypted: (roomId: string, event: Fields) => Promise<Fields | null>;
  readonly #events = new Map<string, Fields>();

  constructor(api: MatrixApi, decrypted: (roomId: string, event: Fields) => Promise<Fields | null>) {
    this.#api = api;
    this.#decrypted = decrypted;
  }

  see(roomId: string, event: Fields): void {
    const eventId = id(event.event_id, "$");
    if (!eventId) return;
    this.#events.set(keyOf(roomId, eventId), event);
    const [oldest] = this.#events.keys();
    if (this.#events.size > MAX_EVENTS && oldest !== undefined) this.#events.delete(oldest);
  }

  /** It was deleted: nobody is shown it any more. */
  forget(roomId: string, eventId: string): void {
    this.#events.delete(keyOf(roomId, eventId));
  }

  /** Null where the room has no such event, or does not show it to us. */
  async find(roomId: string, eventId: string): Promise<Fields | null> {
    const seen = this.#events.get(keyOf(roomId, eventId));
    if (seen) return seen;
    try {
      const event = await this.#api.event(roomId, eventId);
      const clear = event.type === "m.room.encrypted" ? await this.#decrypted(roomId, event) : event;
      this.see(roomId, clear ?? event);
      return clear ?? record(event);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }
}

function keyOf(roomId: string, eventId: string): string {
  return `${roomId} ${eventId}`;
}
