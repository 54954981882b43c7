/**
 * What a sync left out of a room, and the homeserver does not give yet. Only that room waits: what is said there
 * meanwhile belongs to its gap, which ends at the newest batch. A gap is among what is pending, so it is remembered
 * before the sync's token is. It is tried again with the batches that come, after pauses that grow, for as long as the
 * homeserver merely fails; what it refuses for good is given up, and the log says so.
 */

import { backoff, type Pauses } from "../../util/backoff.js";
import type { Fields } from "../../util/json.js";
import { listOf, record, textOf } from "../untrusted.js";
import type { MatrixApi } from "./api.js";
import { sentenceOf } from "./failure.js";
import { eventsOf, ourPart, type Stretch } from "./history.js";
import type { Pending } from "./pending.js";

export interface GapsOptions {
  readonly api: MatrixApi;
  readonly userId: string;
  readonly pending: Pending;
  /** For the log. */
  readonly problem: (sentence: string) => void;
}

const PAUSES: Pauses = { firstMs: 5_000, longestMs: 10 * 60_000 };

export class Gaps {
  readonly #options: GapsOptions;
  /** How often each was tried again, and from when on it may be. */
  readonly #tries = new Map<string, { readonly count: number; readonly nextAt: number }>();

  constructor(options: GapsOptions) {
    this.#options = options;
  }

  isOpen(roomId: string): boolean {
    return this.#options.pending.gaps.has(roomId);
  }

  /** The new events of a room that waits for nothing, with those that the sync left out; fails if they cannot be had. */
  async newEvents(roomId: string, given: unknown, since: string): Promise<readonly Fields[]> {
    const { api, userId } = this.#options;
    const timeline = record(given);
    const shown = listOf(timeline.events).map(record);
    const upTo = timeline.limited === true ? textOf(timeline.prev_batch) : undefined;
    if (upTo === undefined) return ourPart({ events: shown }, userId).events;
    return this.#told(roomId, await eventsOf(api, { roomId, since, upTo, shown }, userId));
  }

  /** The room lacks what came up to this token: from here on, or from where its gap begins already. */
  open(roomId: string, since: string, upTo: string, shown: readonly Fields[]): void {
    const { pending } = this.#options;
    const gap = pending.gaps.get(roomId) ?? { roomId, since, shown: [] };
    pending.lacks({ ...gap, upTo, shown: [...gap.shown, ...shown] });
  }

  close(roomId: string): void {
    this.#options.pending.filled(roomId);
    this.#tries.delete(roomId);
  }

  /** The rooms whose gap is to be tried now; by elapsed time, which no clock moves. */
  due(now: number): readonly string[] {
    const rooms = [...this.#options.pending.gaps.keys()].filter(
      (roomId) => (this.#tries.get(roomId)?.nextAt ?? now) <= now,
    );
    for (const roomId of rooms) {
      const count = this.#tries.get(roomId)?.count ?? 0;
      const pauseMs = backoff(count + 1, PAUSES);
      this.#tries.set(roomId, { count: count + 1, nextAt: now + pauseMs });
    }
    return rooms;
  }

  /** What the room lacked; null if it still cannot be had. */
  async events(roomId: string): Promise<readonly Fields[] | null> {
    const { api, userId, pending, problem } = this.#options;
    const gap = pending.gaps.get(roomId);
    if (!gap) return [];
    try {
      const stretch = await eventsOf(api, gap, userId);
      problem(`Room ${roomId} waits no more: the homeserver gave ${stretch.events.length} events.`);
      return this.#told(roomId, stretch);
    } catch (error) {
      problem(
        `Room ${roomId} still waits for messages that the homeserver does not give. ${sentenceOf(error)}`,
      );
      return null;
    }
  }

  #told(roomId: string, { events, missing }: Stretch): readonly Fields[] {
    if (missing !== undefined)
      this.#options.problem(`I gave up on older messages in room ${roomId}. ${missing}`);
    return events;
  }
}
