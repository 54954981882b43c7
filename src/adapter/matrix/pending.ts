/**
 * What was taken and is not done: invitations that could not be accepted yet, messages whose keys have not come, and
 * what the homeserver has not given of a room. Remembered for the account, because the homeserver does not send them again. Bounded: the oldest go first.
 */

import type { Fields } from "../../util/json.js";
import type { Memory } from "../adapter.js";
import { listOf, record } from "../untrusted.js";
import { id } from "./ids.js";

export interface PendingEvent {
  readonly roomId: string;
  readonly event: Fields;
  /** When it came. */
  readonly at: number;
}

/** What a sync left out of a room. */
export interface Gap {
  readonly roomId: string;
  /** The token of the sync up to which all of the room was received. */
  readonly since: string;
  /** What came up to this token is missing. */
  readonly upTo: string;
  /** The last events of it that a sync has shown. */
  readonly shown: readonly Fields[];
}

const NAME = "pending";
const MAX_INVITES = 100;
/** Strangers' invitations: so many a day are accepted, and as many at once are pending; the others are left alone. */
const STRANGERS_A_DAY = 10;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** How often an invitation is tried before it is left. */
const MAX_TRIES = 10;
const MAX_EVENTS = 100;
const MAX_SHOWN = 50;
const MAX_BYTES = 1_000_000;
const KEPT_MS = 24 * 60 * 60 * 1_000;

export class Pending {
  readonly #memory: Memory;
  #invites: readonly string[] = [];
  /** When strangers' invitations were taken, within the last day. */
  #strangers: readonly number[] = [];
  readonly #tries = new Map<string, number>();
  #events: readonly PendingEvent[] = [];
  /** One a room. */
  readonly #gaps = new Map<string, Gap>();
  #saved = "";

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  get invites(): readonly string[] {
    return this.#invites;
  }

  get events(): readonly PendingEvent[] {
    return this.#events;
  }

  get gaps(): ReadonlyMap<string, Gap> {
    return this.#gaps;
  }

  async load(): Promise<void> {
    const kept = await this.#memory.read(NAME);
    this.#saved = kept ?? "";
    const { invites, events, strangers, gaps } = record(kept === null ? null : JSON.parse(kept));
    this.#strangers = listOf(strangers).filter((at) => typeof at === "number");
    this.#invites = listOf(invites).flatMap((roomId) => id(roomId, "!") ?? []);
    this.#events = listOf(events).flatMap((entry) => {
      const { roomId, event, at } = record(entry);
      const room = id(roomId, "!");
      return room && typeof at === "number" ? [{ roomId: room, event: record(event), at }] : [];
    });
    for (const entry of listOf(gaps)) {
      const { roomId, since, upTo, shown } = record(entry);
      const room = id(roomId, "!");
      if (room && typeof since === "string" && typeof upTo === "string")
        this.#gaps.set(room, { roomId: room, since, upTo, shown: listOf(shown).map(record) });
    }
  }

  /** An invitation; from a stranger, only if there were few today. */
  invited(roomId: string, isStranger: boolean, now: number): void {
    if (this.#invites.includes(roomId)) return;
    if (isStranger) {
      this.#strangers = this.#strangers.filter((at) => at > now - DAY_MS);
      if (this.#strangers.length >= STRANGERS_A_DAY) return;
      this.#strangers = [...this.#strangers, now];
    }
    this.#invites = [...this.#invites.filter((known) => known !== roomId), roomId].slice(-MAX_INVITES);
  }

  /** It could not be accepted: it is tried again, but not forever. */
  failed(roomId: string): void {
    const tries = (this.#tries.get(roomId) ?? 0) + 1;
    if (tries >= MAX_TRIES) this.answered(roomId);
    else this.#tries.set(roomId, tries);
  }

  answered(roomId: string): void {
    this.#tries.delete(roomId);
    this.#invites = this.#invites.filter((known) => known !== roomId);
  }

  keep(roomId: string, event: Fields, at: number): void {
    const others = this.#events.filter((known) => known.event.event_id !== event.event_id);
    this.#events = [...others, { roomId, event, at }].slice(-MAX_EVENTS);
  }

  done({ event }: PendingEvent): void {
    this.#events = this.#events.filter((known) => known.event.event_id !== event.event_id);
  }

  lacks(gap: Gap): void {
    this.#gaps.set(gap.roomId, { ...gap, shown: gap.shown.slice(-MAX_SHOWN) });
  }

  filled(roomId: string): void {
    this.#gaps.delete(roomId);
  }

  async save(now: number): Promise<void> {
    this.#events = this.#events.filter(({ at }) => now - at < KEPT_MS);
    let text = this.#text();
    if (text.length > MAX_BYTES) {
      for (const gap of this.#gaps.values()) this.lacks({ ...gap, shown: [] }); // The homeserver has them.
      text = this.#text();
    }
    while (text.length > MAX_BYTES && this.#events.length > 0) {
      this.#events = this.#events.slice(1);
      text = this.#text();
    }
    if (text === this.#saved || (this.#saved === "" && text === EMPTY)) return;
    await this.#memory.write(NAME, text);
    this.#saved = text;
  }

  #text(): string {
    return textOf(this.#invites, this.#events, this.#strangers, [...this.#gaps.values()]);
  }
}

function textOf(
  invites: readonly string[],
  events: readonly PendingEvent[],
  strangers: readonly number[],
  gaps: readonly Gap[],
): string {
  return JSON.stringify({ invites, events, strangers, gaps });
}

const EMPTY = textOf([], [], [], []);
