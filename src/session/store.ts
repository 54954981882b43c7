/**
 * The port that `Sessions` needs. Each method is one atomic step: it happens whole or not at all, also across
 * processes and when killed. Where a rule must be judged inside the step, the pure function comes along.
 * A read that fails throws; it never answers "nothing there".
 */
import type { Belonging, Viewer } from "./access.js";
import type { Handoff, HandoffOutcome, HandoffStep } from "./handoff.js";
import type { Platform } from "./platform.js";
import type { ResetReason } from "./reset-policy.js";
import type { EndReason, SessionEntry, SessionPatch, Usage } from "./session.js";
import type { SessionKey } from "./session-key.js";
import type { SessionSource } from "./source.js";
import type { Message, StoredMessage } from "./transcript.js";

/** A lane: its key, and the place and people behind it. */
export interface LanePlace extends Belonging {
  readonly key: SessionKey;
  readonly origin: SessionSource;
  readonly displayName: string;
}

export interface OccupiedLane extends LanePlace {
  readonly sessionId: string;
}

/** A session about to begin; its id is minted by the caller, who has the clock and the randomness. */
export interface NewSession extends LanePlace {
  readonly sessionId: string;
}

export interface ResolveRequest {
  readonly fresh: NewSession;
  readonly now: number;
  /** False for internal and scheduled events: they never refresh a person's idle clock. */
  readonly touch: boolean;
  readonly forceNew: boolean;
  /** The policy, judged on the session as it is inside the step. */
  readonly dueReset: (entry: SessionEntry) => ResetReason | null;
  /** Whether live processes exempt the session; null while nobody has asked. */
  readonly heldByProcess: boolean | null;
  /** Appended in the same step. */
  readonly message?: Message;
}

export type Resolved =
  | { readonly kind: "resolved"; readonly entry: SessionEntry; readonly seq: number | null }
  /** A reset is due and `heldByProcess` is null: ask, then resolve again. Nothing was changed. */
  | { readonly kind: "ask processes" };

export interface Page<Item> {
  readonly items: Item[];
  /** Pass it on to get the next page; null on the last. */
  readonly nextCursor: string | null;
}

export interface ListFilter {
  readonly activeWithinMs?: number;
  readonly platform?: Platform;
  /** 1 to 200; default 50. */
  readonly limit?: number;
  readonly cursor?: string;
}

export interface SearchOptions {
  /** 1 to 100; default 20. */
  readonly limit?: number;
  readonly cursor?: string;
  /** Only this session. */
  readonly sessionId?: string;
}

export interface SearchHit {
  readonly sessionId: string;
  readonly title: string | null;
  readonly displayName: string;
  readonly platform: Platform;
  readonly seq: number;
  readonly role: Message["role"];
  readonly at: number;
  /** The place of the match, with a little around it. */
  readonly snippet: string;
}

/** Sessions and the routes from keys to them. */
export interface RouteStore {
  resolve(request: ResolveRequest): Promise<Resolved>;
  /** Begins a session with this id under the key, whose present one ends; null if the key has none. */
  reset(key: SessionKey, freshId: string, now: number): Promise<SessionEntry | null>;
  /** Binds the lane to a session; of a lane given by its key alone, the place is the one it had. */
  bind(lane: LanePlace | SessionKey, sessionId: string, now: number): Promise<SessionEntry>;
  update(key: SessionKey, patch: SessionPatch, touch: boolean, now: number): Promise<SessionEntry | null>;
  setTitle(sessionId: string, title: string | null): Promise<SessionEntry>;
  /** With `onlyIn`, nothing happens to a session that has moved to another lane. */
  end(sessionId: string, reason: EndReason, onlyIn: SessionKey | null, now: number): Promise<SessionEntry>;
  /** Removes sessions that ended before this time, with their messages; at most `limit` in one step. */
  prune(endedBefore: number, limit: number): Promise<{ sessionIds: string[]; messages: number }>;
  /** Removes what came in and was said before this time, is over and of no session; gives how many of what it removed most. */
  forget(before: number, limit: number): Promise<number>;
}

export interface SessionReader {
  get(sessionId: string): Promise<SessionEntry | null>;
  current(key: SessionKey): Promise<SessionEntry | null>;
  /** The lanes in a chat, `platform:id` as in a session's `chat`, each with the session it has. */
  lanesIn(chat: string): Promise<readonly OccupiedLane[]>;
  list(filter: ListFilter, viewer: Viewer, now: number): Promise<Page<SessionEntry>>;
  /** Sessions whose id, id prefix or title this is, among those the viewer may see; at most `limit`. */
  find(which: string, viewer: Viewer, limit: number): Promise<SessionEntry[]>;
  /** What keeps a session from starting fresh, as far as the store knows. */
  holdsOn(sessionId: string): Promise<readonly ("turn" | "handoff")[]>;
  /** How many sessions there are, counted no further than `atMost`. */
  count(atMost: number): Promise<number>;
  prunable(endedBefore: number): Promise<{ sessions: number; messages: number }>;
}

export interface AppendRequest {
  readonly sessionId: string;
  readonly messages: readonly Message[];
  readonly usage?: Usage;
  readonly touch: boolean;
  readonly now: number;
}

/** A session that comes from elsewhere, with its own id, times and totals. */
export interface AdoptedSession extends NewSession {
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly endedAt?: number;
  readonly endReason?: EndReason;
  readonly parentId?: string;
  readonly title?: string;
  readonly usage?: Usage;
  readonly consolidatedThrough?: number;
  /** What the messages up to `consolidatedThrough` say, summed up. */
  readonly summary?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Make it the current session of its key, if that key has none. */
  readonly bind: boolean;
}

export interface TranscriptStore {
  /** Returns the `seq` of the first message, or of the next one where there are none. */
  append(request: AppendRequest): Promise<number>;
  rewrite(sessionId: string, messages: readonly Message[], touch: boolean, now: number): Promise<void>;
  /** Active messages after `afterSeq`, oldest first; superseded ones too where asked. */
  messages(
    sessionId: string,
    page: { afterSeq: number; limit: number; superseded: boolean },
  ): Promise<StoredMessage[]>;
  /** The last active messages after the session's cursor, oldest first. */
  recent(sessionId: string, limit: number): Promise<StoredMessage[]>;
  /** False if a session with this id is already here; nothing is changed then. */
  adopt(session: AdoptedSession, messages: readonly Message[]): Promise<boolean>;
}

export interface SearchStore {
  search(query: string, viewer: Viewer, options: SearchOptions): Promise<Page<SearchHit>>;
  /** Brings the index up to date, which otherwise happens behind. */
  indexAll(): Promise<void>;
}

export interface HandoffStore {
  /** Null if the session already has a pending or running handoff. */
  request(handoff: { id: string; sessionId: string; target: string }, now: number): Promise<Handoff | null>;
  /** The oldest handoff that can be claimed, claimed; those out of claims are failed on the way. */
  claim(owner: string, leaseMs: number, now: number): Promise<Handoff | null>;
  /** Applies a step; a completed handoff binds the destination in the same step. */
  step(
    id: string,
    step: HandoffStep,
    destination: LanePlace | null,
    now: number,
  ): Promise<HandoffOutcome | null>;
  get(id: string, now: number): Promise<Handoff | null>;
  active(now: number): Promise<Handoff[]>;
}

export interface SessionStore {
  readonly routes: RouteStore;
  readonly reader: SessionReader;
  readonly transcript: TranscriptStore;
  readonly search: SearchStore;
  readonly handoffs: HandoffStore;
  /** Tells of each session that a commit of this process changed. Returns how to end it. */
  changes(onChange: (sessionId: string) => void): () => void;
  close(): Promise<void>;
}
