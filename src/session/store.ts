/**
 * The port that `Sessions` needs. Each method is one atomic step: it happens completely or not at all, also across
 * processes and after a kill. If a rule must be decided inside the step, the caller passes the pure function. A read
 * that fails throws; it never answers "nothing there".
 */
import type { Belonging, Viewer } from "./access.js";
import type { Asker, Handoff, HandoffOutcome, HandoffStep } from "./handoff.js";
import type { HandoffId, SessionId } from "./ids.js";
import type { Platform } from "./platform.js";
import type { ExpiryRule, ResetReason } from "./reset-policy.js";
import type { EndReason, SessionEntry, SessionPatch, Usage } from "./session.js";
import type { SessionKey } from "./session-key.js";
import type { SessionSource } from "./source.js";
import type { Summary } from "./summary.js";
import type { Message, StoredMessage } from "./transcript.js";

/** A lane: its key, and the place and people behind it. */
export interface LanePlace extends Belonging {
  readonly key: SessionKey;
  readonly origin: SessionSource;
  readonly displayName: string;
}

export interface OccupiedLane extends LanePlace {
  readonly sessionId: SessionId;
}

/** A session that is about to start; the caller creates its id, because it has the clock and the randomness. */
export interface NewSession extends LanePlace {
  readonly sessionId: SessionId;
}

export interface ResolveRequest {
  readonly fresh: NewSession;
  readonly now: number;
  /** False for internal and scheduled events: they never refresh a person's idle clock. */
  readonly touch: boolean;
  readonly forceNew: boolean;
  /** What waits in the lane for this process goes on in a session that is forced. */
  readonly holder?: string;
  /** The policy, applied to the session as it is inside the step. */
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
  readonly sessionId?: SessionId;
  /** Only sessions that are on this platform now. */
  readonly platform?: Platform;
  /** Only messages of this role, or of one of these. */
  readonly role?: Message["role"] | readonly Message["role"][];
  /** Only messages from this time on, and before that one, in milliseconds. */
  readonly after?: number;
  readonly before?: number;
  /** How many messages on each side of a hit are shown with it: 0 to 3; default 0. */
  readonly neighbours?: number;
}

/** A message beside a hit, in one line. */
export interface Neighbour {
  readonly seq: number;
  readonly role: Message["role"];
  readonly at: number;
  readonly text: string;
}

export interface SearchHit {
  readonly sessionId: SessionId;
  readonly title: string | null;
  readonly displayName: string;
  readonly platform: Platform;
  readonly seq: number;
  readonly role: Message["role"];
  readonly at: number;
  /** The matching text, with a little around it. */
  readonly snippet: string;
  /** The nearest messages of its session, as many as were asked for, oldest first. */
  readonly before: readonly Neighbour[];
  readonly after: readonly Neighbour[];
}

/** A session that has ended, that no lane leads to, and in which nothing runs. */
export interface EndedSession {
  readonly entry: SessionEntry;
  /** The bytes of its messages' texts. */
  readonly bytes: number;
}

/** Sessions and the routes from keys to them. */
export interface RouteStore {
  resolve(request: ResolveRequest): Promise<Resolved>;
  /** Starts a session with this id under the key and ends the current one; null if the key has none. */
  reset(key: SessionKey, freshId: SessionId, now: number): Promise<SessionEntry | null>;
  /**
   * Binds the lane to a session; if the lane is given by its key only, its place stays the same. With `answering`,
   * messages that wait for an answer in the session's old lane come along, and those that wait in this one for that process
   * go on in the session. A turn that runs there goes on.
   */
  bind(
    lane: LanePlace | SessionKey,
    sessionId: SessionId,
    now: number,
    answering?: Answerer,
  ): Promise<SessionEntry>;
  update(key: SessionKey, patch: SessionPatch, touch: boolean, now: number): Promise<SessionEntry | null>;
  setTitle(sessionId: SessionId, title: string | null): Promise<SessionEntry>;
  /** With `onlyIn`, nothing happens to a session that has moved to another lane. */
  end(sessionId: SessionId, reason: EndReason, onlyIn: SessionKey | null, now: number): Promise<SessionEntry>;
  /**
   * Ends an open session by policy, if it is still due and nothing runs in it; its lane begins a fresh one with the next
   * message of a person. False if it goes on.
   */
  expire(
    sessionId: SessionId,
    dueReset: (entry: SessionEntry) => ResetReason | null,
    now: number,
  ): Promise<boolean>;
  /** Removes sessions that ended before this time, with their messages; at most `limit` in one step. */
  prune(endedBefore: number, limit: number): Promise<{ sessionIds: SessionId[]; messages: number }>;
  /**
   * Removes a session that has ended, if it is still as this entry says, no lane leads to it, and nothing runs in it. Returns
   * how many messages it had; null if it stays.
   */
  remove(entry: SessionEntry): Promise<number | null>;
  /**
   * Deletes finished inbox and outbox rows of before this time that belong to no session. Returns the largest number of
   * rows that it deleted from one table.
   */
  forget(before: number, limit: number): Promise<number>;
}

export interface SessionReader {
  /** Open sessions that this rule concerns, the longest idle first, in pages. */
  idleSince(rule: ExpiryRule, limit: number, cursor?: string): Promise<Page<SessionEntry>>;
  get(sessionId: SessionId): Promise<SessionEntry | null>;
  current(key: SessionKey): Promise<SessionEntry | null>;
  /** The lanes in a chat, `platform:id` as in a session's `chat`, each with the session it has. */
  lanesIn(chat: string): Promise<readonly OccupiedLane[]>;
  list(filter: ListFilter, viewer: Viewer, now: number): Promise<Page<SessionEntry>>;
  /**
   * The sessions that this names, among those the viewer may see; at most `limit`. The first of these that fits any counts:
   * an id, a title, the beginning of an id, the name of the chat of one that has no title (a terminal has none), a title in
   * other case, a part of a title in any case.
   */
  find(which: string, viewer: Viewer, limit: number): Promise<SessionEntry[]>;
  /** Those of these beginnings of ids by which `find` gives one session alone, each with its id. */
  alone(beginnings: readonly string[], viewer: Viewer): Promise<ReadonlyMap<string, string>>;
  /** What keeps a session from starting fresh, as far as the store knows. */
  holdsOn(sessionId: SessionId): Promise<readonly ("turn" | "handoff")[]>;
  /** How many sessions there are, counted no further than `atMost`. */
  count(atMost: number): Promise<number>;
  prunable(endedBefore: number): Promise<{ sessions: number; messages: number }>;
  /** Sessions that ended before this time and can be removed, the oldest end first, after a given one. */
  ended(before: number, after: SessionEntry | null, limit: number): Promise<EndedSession[]>;
  /**
   * The bytes of the texts of messages, tool calls and reasoning: of those whose ids follow this one, in a range of so many
   * ids. `next` is where the next range begins; null after the last.
   */
  messageBytes(afterId: number, range: number): Promise<{ bytes: number; next: number | null }>;
}

export interface AppendRequest {
  readonly sessionId: SessionId;
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
  readonly parentId?: SessionId;
  readonly title?: string;
  readonly usage?: Usage;
  readonly consolidatedThrough?: number;
  /** A summary of the messages up to `consolidatedThrough`. */
  readonly summary?: string;
  readonly standing?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Make it the current session of its key, if that key has none. */
  readonly bind: boolean;
}

/** Some messages of a transcript: at most so many, before or after that one. */
export interface PartWish {
  readonly side: "before" | "after";
  readonly seq: number;
  readonly limit: number;
}

/** The end of a transcript, as of one moment. */
export interface TranscriptEnd {
  /** Null if nothing is hidden. */
  readonly summary: Summary | null;
  /** Oldest first. */
  readonly messages: readonly Message[];
  /** The `seq` of each. */
  readonly seqs: readonly number[];
  /** When each was written. */
  readonly times: readonly number[];
}

export interface TranscriptStore {
  /** Returns the `seq` of the first message, or of the next one if there are none. */
  append(request: AppendRequest): Promise<number>;
  rewrite(sessionId: SessionId, messages: readonly Message[], touch: boolean, now: number): Promise<void>;
  /** Active messages after `afterSeq`, oldest first; superseded ones too if asked for. */
  messages(
    sessionId: SessionId,
    page: { afterSeq: number; limit: number; superseded: boolean },
  ): Promise<StoredMessage[]>;
  /** The active messages nearest to a number, on one side of it, oldest first. */
  part(sessionId: SessionId, wish: PartWish): Promise<StoredMessage[]>;
  /** The last active messages after the session's cursor, and the summary of what is before it. */
  recent(sessionId: SessionId, limit: number): Promise<TranscriptEnd>;
  /** False if a session with this id is already here; nothing is changed then. */
  adopt(session: AdoptedSession, messages: readonly Message[]): Promise<boolean>;
}

export interface SearchStore {
  search(query: string, viewer: Viewer, options: SearchOptions): Promise<Page<SearchHit>>;
  /** Updates the index at once, until the signal aborts; otherwise that happens in the background. */
  indexAll(signal?: AbortSignal): Promise<void>;
}

/** Who answers in a lane what waited for an answer in another: an account of its platform, and the process that has it. */
export interface Answerer {
  readonly account: string;
  readonly holder: string;
}

export interface HandoffRequest extends Pick<Handoff, "id" | "sessionId" | "target"> {
  readonly asker?: Asker | null;
  readonly waitMs?: number;
}

/** What a step commits beside the handoff itself. */
export interface HandoffEffects {
  /** The lane that a completed handoff binds to the session. */
  readonly place?: LanePlace;
  /** Without it, messages that wait for an answer stay in the old lane. */
  readonly answering?: Answerer;
}

/** Handoffs, each with all that was done of it so far. A layer above may commit more with a step. */
export interface HandoffStore<Effects extends HandoffEffects = HandoffEffects> {
  /** Null if the session already has a pending or running handoff. */
  request(asked: HandoffRequest, now: number, effects?: Effects): Promise<Handoff | null>;
  /** The pending and running ones, oldest first. */
  open(now: number): Promise<Handoff[]>;
  find(id: HandoffId, now: number): Promise<Handoff | null>;
  /** Applies `stepHandoff`; null if there is no such handoff. A refused step has no effects. */
  step(id: HandoffId, step: HandoffStep, now: number, effects?: Effects): Promise<HandoffOutcome | null>;
  /** The last one that left this lane, also if somebody took the session elsewhere without asking for a handoff. */
  lastFrom(key: SessionKey): Promise<Handoff | null>;
  /** The last one that took this session to this target. */
  lastTo(sessionId: SessionId, target: string): Promise<Handoff | null>;
}

export interface SessionStore {
  readonly routes: RouteStore;
  readonly reader: SessionReader;
  readonly transcript: TranscriptStore;
  readonly search: SearchStore;
  readonly handoffs: HandoffStore;
  /** Calls back for each session that a commit of this process changed. Returns a function that ends it. */
  changes(onChange: (sessionId: SessionId) => void): () => void;
  close(): Promise<void>;
}
