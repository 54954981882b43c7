/**
 * What a gateway has in hand, for the people who look after it: which turns run, what waits, and how old it is. It only
 * reads, a page at a time. Each row says whose it is, so that whoever shows it can leave out the words of others.
 */
import type { Handoff } from "../session/handoff.js";
import type { InboxId, SessionId } from "../session/ids.js";
import type { SessionEntry } from "../session/session.js";
import type { SessionSource } from "../session/source.js";
import type { Page } from "../session/store.js";
import type { INBOX_KINDS, MadeBy } from "./inbox-item.js";

/** A turn that runs, in any process. */
export interface WorkingTurn {
  readonly entry: SessionEntry;
  readonly startedAt: number;
  readonly holder: string;
  /** It was asked to end. */
  readonly isStopping: boolean;
}

/** An accepted message or command that is not answered yet. */
export interface OpenItem {
  readonly id: InboxId;
  readonly kind: (typeof INBOX_KINDS)[number];
  readonly made: MadeBy | null;
  /** Where it is answered. */
  readonly source: SessionSource;
  /** Who it is from, if that is somebody else. */
  readonly by: SessionSource | null;
  readonly text: string;
  readonly at: number;
  readonly isBegun: boolean;
}

/** When the oldest that waits was accepted or written; null if nothing waits. */
export interface WaitingSince {
  readonly inbox: number | null;
  readonly outbox: number | null;
}

export interface Overview {
  /** Those of these sessions in which a turn runs. */
  working(sessionIds: readonly SessionId[]): Promise<ReadonlySet<SessionId>>;
  /** The longest first. */
  turns(limit: number): Promise<WorkingTurn[]>;
  /** Oldest first. */
  open(limit: number, cursor?: string): Promise<Page<OpenItem>>;
  waitingSince(): Promise<WaitingSince>;
  /** The last handoff of each of these sessions. */
  lastHandoffs(sessionIds: readonly SessionId[], now: number): Promise<Handoff[]>;
  /** How large the store is. */
  bytes(): Promise<number>;
}
