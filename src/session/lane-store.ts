/**
 * Lanes as the person who runs Baton moves them: one conversation into another lane, or all of them to the keys of other
 * scopes. Each step is one transaction. It changes nothing if a lane has another session than the caller saw, or if
 * something runs there.
 */
import type { SessionId } from "./ids.js";
import type { Platform } from "./platform.js";
import type { LaneStep, SeenLane } from "./rescope.js";
import type { SessionEntry } from "./session.js";
import type { SessionKey } from "./session-key.js";
import type { SessionSource } from "./source.js";
import type { Answerer, LanePlace } from "./store.js";

/** `changed`: a lane has another session by now. `busy`: something runs or is being answered there. */
export type LaneOutcome = "done" | "changed" | "busy";

/** What goes on in a lane. */
export interface LaneWork {
  readonly turn: boolean;
  /** A handoff of its session, or one that is about to arrive. */
  readonly handoff: boolean;
  /** Messages that wait for an answer. */
  readonly waiting: number;
}

/** A move as somebody agreed to it. */
export interface SeenMove {
  readonly sessionId: SessionId;
  /** The lane that the session is in; null if it is in none. */
  readonly from: SessionKey | null;
  /** The session that the destination has; null if it has none. */
  readonly present: SessionId | null;
}

/** The key that a source has now, if it had this one; null if it has none, or keeps the old one. */
export type KeyOf = (source: SessionSource, before: SessionKey) => SessionKey | null;

export interface LaneStore {
  /** Lanes in the order of their keys, after this one. */
  page(after: string, limit: number): Promise<readonly SeenLane[]>;
  at(key: SessionKey): Promise<SeenLane | null>;
  /** The place and the people of a lane that has no session now, as its last session knew them. */
  formerPlace(key: SessionKey): Promise<LanePlace | null>;
  /** The platforms on which sessions were DMs of more than one person. */
  severalInDms(): Promise<readonly Platform[]>;
  /** What goes on in the lane with this key, and with this session. */
  work(key: SessionKey, sessionId: SessionId | null): Promise<LaneWork>;
  /**
   * One step of a plan. With the lane go the messages that wait in it, the jobs that were made in it, and the memory of
   * what was handed off from it; `keyOf` says which key each of them has now.
   */
  take(step: LaneStep, keyOf: KeyOf, now: number): Promise<LaneOutcome>;
  /** The same for messages and jobs whose lane has no session. Returns how many it changed. */
  rekeyStrays(keyOf: KeyOf, now: number): Promise<number>;
  /**
   * Brings a session into a lane, as `/resume` does there. Without `answering`, it is `changed` if a message waits for an
   * answer in the old lane, because that would stay behind.
   */
  move(
    to: LanePlace,
    seen: SeenMove,
    now: number,
    answering?: Answerer,
  ): Promise<SessionEntry | Exclude<LaneOutcome, "done">>;
}
