/**
 * Sessions as one person sees them. Everything that a person can ask for by name, number or word goes through here, so
 * nothing is shown or moved that is not theirs. Sessions that they may not see look exactly as if they did not exist.
 */
import { checkViewer, mayAccess, type Viewer } from "./access.js";
import { sessionNotFound } from "./errors.js";
import type { Handoff } from "./handoff.js";
import type { SessionId } from "./ids.js";
import type { SessionEntry } from "./session.js";
import type { Address, SessionSource } from "./source.js";
import type {
  Answerer,
  LanePlace,
  ListFilter,
  OccupiedLane,
  Page,
  PartWish,
  SearchHit,
  SearchOptions,
} from "./store.js";
import type { StoredMessage } from "./transcript.js";

/** All sessions, as a view needs them. */
interface AllSessions {
  get(sessionId: SessionId): Promise<SessionEntry | null>;
  list(filter: ListFilter, viewer: Viewer): Promise<Page<SessionEntry>>;
  find(which: string, viewer: Viewer): Promise<SessionEntry>;
  alone(beginnings: readonly string[], viewer: Viewer): Promise<ReadonlyMap<string, string>>;
  search(query: string, viewer: Viewer, options: SearchOptions): Promise<Page<SearchHit>>;
  load(sessionId: SessionId, options: { superseded?: boolean }): Promise<StoredMessage[]>;
  pages(sessionId: SessionId, options: { afterSeq?: number }): AsyncGenerator<StoredMessage[]>;
  part(sessionId: SessionId, wish: PartWish): Promise<StoredMessage[]>;
  laneOf(source: SessionSource): LanePlace;
  lanesAt(address: Address): Promise<readonly OccupiedLane[]>;
  setTitle(sessionId: SessionId, title: string): Promise<SessionEntry>;
  switchTo(source: SessionSource, sessionId: SessionId, answering?: Answerer): Promise<SessionEntry>;
  requestHandoff(sessionId: SessionId, target: string): Promise<Handoff>;
}

export class SessionsView {
  readonly #sessions: AllSessions;
  readonly #viewer: Viewer;

  constructor(sessions: AllSessions, viewer: Viewer) {
    this.#sessions = sessions;
    this.#viewer = checkViewer(viewer);
  }

  list(filter: ListFilter = {}): Promise<Page<SessionEntry>> {
    return this.#sessions.list(filter, this.#viewer);
  }

  /** The lane at an address that this person may use; null if there is none, or none of theirs. */
  async laneAt(address: Address): Promise<OccupiedLane | null> {
    const lanes = await this.#sessions.lanesAt(address);
    return lanes.find((lane) => mayAccess(this.#viewer, { ...lane, laneOwner: lane.owner })) ?? null;
  }

  find(which: string): Promise<SessionEntry> {
    return this.#sessions.find(which, this.#viewer);
  }

  alone(beginnings: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.#sessions.alone(beginnings, this.#viewer);
  }

  search(query: string, options: SearchOptions = {}): Promise<Page<SearchHit>> {
    return this.#sessions.search(query, this.#viewer, options);
  }

  async get(sessionId: SessionId): Promise<SessionEntry> {
    const entry = await this.#sessions.get(sessionId);
    if (!entry || !mayAccess(this.#viewer, entry)) throw sessionNotFound(sessionId);
    return entry;
  }

  async load(sessionId: SessionId, options: { superseded?: boolean } = {}): Promise<StoredMessage[]> {
    return this.#sessions.load((await this.get(sessionId)).sessionId, options);
  }

  /** The same in pages, starting after a `seq`. */
  async *pages(sessionId: SessionId, options: { afterSeq?: number } = {}): AsyncGenerator<StoredMessage[]> {
    yield* this.#sessions.pages((await this.get(sessionId)).sessionId, options);
  }

  /** Active messages on one side of a `seq`: the nearest ones, oldest first. */
  async part(sessionId: SessionId, wish: PartWish): Promise<StoredMessage[]> {
    return this.#sessions.part((await this.get(sessionId)).sessionId, wish);
  }

  async setTitle(sessionId: SessionId, title: string): Promise<SessionEntry> {
    return this.#sessions.setTitle((await this.get(sessionId)).sessionId, title);
  }

  /** Brings a session into the lane of this source, which must be this person's own. */
  async switchTo(source: SessionSource, sessionId: SessionId, answering?: Answerer): Promise<SessionEntry> {
    const { owner, chat } = this.#sessions.laneOf(source);
    if (!mayAccess(this.#viewer, { owner, chat, laneOwner: owner })) throw sessionNotFound(sessionId);
    await this.get(sessionId);
    return this.#sessions.switchTo(source, sessionId, answering);
  }

  async requestHandoff(sessionId: SessionId, target: string): Promise<Handoff> {
    return this.#sessions.requestHandoff((await this.get(sessionId)).sessionId, target);
  }
}
