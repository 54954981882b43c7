/**
 * Sessions: which conversation a message belongs to, what is stored of it, and when it starts fresh. The methods are
 * for the program that embeds Baton and take exact keys and ids. Requests of people go through `sessions.as(viewer)`,
 * which checks every read.
 */

import type { Clock } from "../util/clock.js";
import { storableText } from "../util/text.js";
import { belongingOf, chatOf, checkViewer, type Viewer } from "./access.js";
import { checkId, checkLimit, checkScopes, checkSearch, checkText, guarded } from "./checks.js";
import { ambiguousSession, ConflictError, InputError, NotFoundError, sessionNotFound } from "./errors.js";
import type { Handoff, HandoffStep } from "./handoff.js";
import { claimOldest } from "./handoff-claim.js";
import { DEFAULT_WINDOW, type NumberedWindow, readWindow, type WindowWish } from "./history-window.js";
import { idleSessions } from "./idle-sessions.js";
import { asSessionId, type HandoffId, newHandoffId, newSessionId, type SessionId } from "./ids.js";
import { isPlatform } from "./platform.js";
import {
  checkResetConfig,
  checkTimeZone,
  expiryRules,
  nextReset,
  policyFor,
  type ResetConfig,
  type ResetPolicy,
  type ResetReason,
  resetReason,
} from "./reset-policy.js";
import {
  checkPatch,
  cleanTitle,
  completeUsage,
  displayNameOf,
  END_REASONS,
  type EndReason,
  type SessionEntry,
  type SessionPatch,
  serializeMetadata,
  type Usage,
} from "./session.js";
import {
  asKeyOfAnyPlatform,
  asSessionKey,
  buildSessionKey,
  type SessionKey,
  type SessionScopes,
} from "./session-key.js";
import { type Address, parseSource, type SessionSource } from "./source.js";
import type {
  AdoptedSession,
  Answerer,
  HandoffEffects,
  LanePlace,
  ListFilter,
  NewSession,
  OccupiedLane,
  Page,
  PartWish,
  ResolveRequest,
  SearchHit,
  SearchOptions,
  SessionStore,
  TranscriptEnd,
} from "./store.js";
import { type Message, parseMessage, parseMessages, type StoredMessage } from "./transcript.js";
import { SessionsView } from "./view.js";

export interface SessionsConfig {
  readonly scopes?: SessionScopes;
  readonly reset?: ResetConfig;
  /** IANA name; the host's zone by default. */
  readonly timezone?: string;
}

export interface SessionsOptions {
  readonly config?: SessionsConfig;
  readonly clock?: Clock;
  /** Exempts a session from reset while it has live processes. Throwing counts as active. Baton's own hold it anyway. */
  readonly hasActiveProcesses?: (key: SessionKey) => boolean | Promise<boolean>;
  /** Called after each commit that changed a session. Must not throw. */
  readonly onChange?: (sessionId: SessionId) => void;
}

export interface ResolveOptions {
  /** Start a new session even if the current one could continue. */
  readonly forceNew?: boolean;
  /** With `forceNew`: messages that wait for this process to answer them go on in the new session. */
  readonly holder?: string;
  /** False for internal and scheduled events, which never refresh a person's idle clock. Default true. */
  readonly touch?: boolean;
  /** Whose a fresh session is, where the source has no people: it belongs to those whom this source names. */
  readonly of?: SessionSource;
}

/** Why a session would or would not reset, for people. */
export interface Explanation {
  readonly entry: SessionEntry;
  readonly policy: ResetPolicy;
  readonly from: "platform" | "chat type" | "default";
  readonly timezone: string;
  readonly next: { readonly reason: ResetReason; readonly at: number } | null;
  /** What keeps the session from resetting now. */
  readonly heldBy: readonly ("turn" | "handoff" | "process")[];
}

const LOAD_PAGE = 2_000;
const PRUNE_BATCH = 200;
const DAY_MS = 86_400_000;

export class Sessions {
  #timezone: string | undefined;
  readonly #store: SessionStore;
  readonly #scopes: SessionScopes;
  readonly #reset: ResetConfig;
  readonly #clock: Clock;
  readonly #hasActiveProcesses: (key: SessionKey) => boolean | Promise<boolean>;

  constructor(store: SessionStore, options: SessionsOptions = {}) {
    const { scopes = {}, reset = {}, timezone, ...unknown } = options.config ?? {};
    for (const name of Object.keys(unknown)) {
      throw new InputError("invalid_config", `config.${name} is unknown: use scopes, reset and timezone.`);
    }
    checkScopes(scopes);
    checkResetConfig(reset, isPlatform);
    if (timezone !== undefined) checkTimeZone(timezone, "timezone");
    this.#timezone = timezone;
    this.#store = store;
    this.#scopes = scopes;
    this.#reset = reset;
    this.#clock = options.clock ?? Date.now;
    this.#hasActiveProcesses = options.hasActiveProcesses ?? (() => false);
    if (options.onChange) store.changes(guarded(options.onChange));
  }

  /** Looked up on first use: finding the host's zone takes milliseconds. */
  get timezone(): string {
    this.#timezone ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
    return this.#timezone;
  }

  /** What this person may see and do: every read is checked. */
  as(viewer: Viewer): SessionsView {
    return new SessionsView(this, viewer);
  }

  // A message comes in.

  /** The session for this source, after the reset policy; concurrent calls for one key give one session. */
  async getOrCreate(source: SessionSource, options: ResolveOptions = {}): Promise<SessionEntry> {
    return (await this.#resolve(source, options)).entry;
  }

  /** `getOrCreate` and `append` of the user's message, in one transaction. */
  async receive(
    source: SessionSource,
    message: Message,
    options: ResolveOptions = {},
  ): Promise<{ entry: SessionEntry; seq: number }> {
    const { entry, seq } = await this.#resolve(source, options, parseMessage(message));
    return { entry, seq: seq ?? 0 };
  }

  /** `appendMany` and usage, in one transaction: the end of a turn. Returns the first message's `seq`. */
  async record(
    sessionId: SessionId,
    messages: readonly Message[],
    usage?: Usage,
    options: { touch?: boolean } = {},
  ): Promise<number> {
    return this.#store.transcript.append({
      sessionId: checkId(sessionId),
      messages: parseMessages(messages),
      usage: completeUsage(usage),
      touch: options.touch ?? true,
      now: this.#clock(),
    });
  }

  /**
   * For a store whose step resolves a session and does more in one transaction: gives the step its request, and calls
   * it again if it asks whether live processes hold the session.
   */
  async resolveIn<Result extends { readonly kind: string }>(
    source: SessionSource,
    options: ResolveOptions,
    message: Message | undefined,
    step: (request: ResolveRequest) => Promise<Result>,
  ): Promise<Exclude<Result, { kind: "ask processes" }>> {
    const now = this.#clock();
    const fresh = this.#newSession(source, now, options.of);
    const request = {
      fresh,
      now,
      touch: options.touch ?? true,
      forceNew: options.forceNew ?? false,
      ...(options.holder === undefined ? {} : { holder: options.holder }),
      dueReset: (entry: SessionEntry) => this.#dueReset(entry, now),
      ...(message ? { message: parseMessage(message) } : {}),
    };
    let result = await step({ ...request, heldByProcess: null });
    if (result.kind === "ask processes") {
      result = await step({ ...request, heldByProcess: await this.#hasProcesses(fresh.key) });
    }
    return result as Exclude<Result, { kind: "ask processes" }>;
  }

  /** Adds usage, sets the rest, touches activity. Null if the key has no session. */
  async update(
    key: SessionKey,
    patch: SessionPatch,
    options: { touch?: boolean } = {},
  ): Promise<SessionEntry | null> {
    const { touch = true } = options;
    return this.#store.routes.update(asSessionKey(key), checkPatch(patch), touch, this.#clock());
  }

  // Which session a key has.

  /** A new session under the key; the old one ends with reason `reset`. Null if the key has no session. */
  async reset(key: SessionKey): Promise<SessionEntry | null> {
    const now = this.#clock();
    return this.#store.routes.reset(asSessionKey(key), newSessionId(now), now);
  }

  /**
   * Binds a lane to an existing session and reopens it; the lane's current session ends as `switched`. The lane is that
   * of a source, or of a key that was used before. With `answering`, messages that wait for an answer come along.
   */
  async switchTo(
    lane: SessionSource | SessionKey,
    sessionId: SessionId,
    answering?: Answerer,
  ): Promise<SessionEntry> {
    const to = typeof lane === "string" ? asSessionKey(lane) : this.laneOf(lane);
    return this.#store.routes.bind(to, checkId(sessionId), this.#clock(), answering);
  }

  /** The lane of a source: its key, and the place and people behind it. */
  laneOf(given: SessionSource): LanePlace {
    const { messageId: _, ...origin } = parseSource(given);
    const key = buildSessionKey(origin, this.#scopes);
    return { key, origin, displayName: displayNameOf(origin), ...belongingOf(origin, this.#scopes) };
  }

  /**
   * Ends a session; its key starts fresh with the next message. The first reason wins. Code that closes a surface
   * passes its key as `onlyIn`: a session that has moved to another lane is left alone.
   */
  async end(
    sessionId: SessionId,
    reason: EndReason = "ended",
    options: { onlyIn?: SessionKey } = {},
  ): Promise<SessionEntry> {
    if (!END_REASONS.includes(reason)) {
      throw new InputError(
        "invalid_end_reason",
        `The reason why a session ends must be one of ${END_REASONS.join(", ")}.`,
      );
    }
    return this.#store.routes.end(checkId(sessionId), reason, options.onlyIn ?? null, this.#clock());
  }

  /** Names a session; an empty text removes the name. Unique among its owner's sessions. */
  async setTitle(sessionId: SessionId, title: string): Promise<SessionEntry> {
    return this.#store.routes.setTitle(checkId(sessionId), cleanTitle(checkText(title, "title")));
  }

  /** True if the policy says that the session starts fresh with its next message. */
  async isExpired(entry: SessionEntry): Promise<boolean> {
    if (this.#dueReset(entry, this.#clock()) === null) return false;
    return (await this.#holdsOn(entry)).length === 0;
  }

  /** Open sessions that the policy says start fresh with their next message, as far as their last activity tells. */
  expired(): AsyncGenerator<SessionEntry> {
    return idleSessions(this.#store.reader, expiryRules(this.#reset, this.#clock(), this.timezone));
  }

  /** Ends a session that has expired. Its lane begins a fresh one with the next message. False if it goes on. */
  async expire(entry: SessionEntry): Promise<boolean> {
    if (!(await this.isExpired(entry))) return false;
    const now = this.#clock();
    return this.#store.routes.expire(entry.sessionId, (present) => this.#dueReset(present, now), now);
  }

  /** The reset policy that holds for a session. */
  policyFor(entry: Pick<SessionEntry, "platform" | "chatType">): ResetPolicy {
    return policyFor(this.#reset, entry.platform, entry.chatType).policy;
  }

  /** Which policy applies to a key, when the next reset is due, and what delays it. Null if it has no session. */
  async explain(key: SessionKey): Promise<Explanation | null> {
    const entry = await this.current(key);
    if (!entry) return null;
    const { policy, from } = policyFor(this.#reset, entry.platform, entry.chatType);
    const moment = { lastActivityAt: entry.updatedAt, now: this.#clock(), timeZone: this.timezone };
    const heldBy = await this.#holdsOn(entry);
    return { entry, policy, from, timezone: this.timezone, next: nextReset(policy, moment), heldBy };
  }

  // Looking.

  async get(sessionId: SessionId): Promise<SessionEntry | null> {
    return this.#store.reader.get(checkId(sessionId));
  }

  /** The current session of a key, also if its platform is registered only in the program that made it. */
  async current(key: SessionKey): Promise<SessionEntry | null> {
    return this.#store.reader.current(asKeyOfAnyPlatform(key));
  }

  /** Newest activity first, paged. */
  async list(filter: ListFilter, viewer: Viewer): Promise<Page<SessionEntry>> {
    return this.#store.reader.list(checkLimit(filter, 50, 200), checkViewer(viewer), this.#clock());
  }

  /** The one session that an id, a unique id prefix, a title, a part of one or a chat names, among those the viewer may see. */
  async find(which: string, viewer: Viewer): Promise<SessionEntry> {
    const [found, ...others] = await this.#store.reader.find(checkId(which), checkViewer(viewer), 5);
    if (!found) throw sessionNotFound(which);
    if (others.length > 0) throw ambiguousSession(which, [found, ...others]);
    return found;
  }

  /** Those of these beginnings of ids by which `find` gives one session alone, each with its id. */
  alone(beginnings: readonly string[], viewer: Viewer): Promise<ReadonlyMap<string, string>> {
    return this.#store.reader.alone(beginnings.map(checkId), checkViewer(viewer));
  }

  /** Messages with these words, newest first, paged. Quotes make a phrase, a trailing * a prefix. */
  async search(query: string, viewer: Viewer, options: SearchOptions = {}): Promise<Page<SearchHit>> {
    return this.#store.search.search(
      typeof query === "string" ? query : "",
      checkViewer(viewer),
      checkSearch(options),
    );
  }

  /** The lanes at an address, each with the session it has. */
  async lanesAt(address: Address): Promise<readonly OccupiedLane[]> {
    const lanes = await this.#store.reader.lanesIn(chatOf(address));
    return lanes.filter(({ origin }) => (origin.threadId ?? "") === (address.threadId ?? ""));
  }

  /** Updates the search index at once, for example after a large import; otherwise that happens in the background. */
  indexAll(signal?: AbortSignal): Promise<void> {
    return this.#store.search.indexAll(signal);
  }

  /** True if there is more than one session: false on an empty store and for its very first session. */
  async hasAny(): Promise<boolean> {
    return (await this.#store.reader.count(2)) > 1;
  }

  /** Removes sessions that ended longer ago than this. With `dryRun` it only counts. */
  async prune(options: {
    endedBeforeMs: number;
    dryRun?: boolean;
  }): Promise<{ sessions: number; messages: number }> {
    if (!Number.isFinite(options.endedBeforeMs) || options.endedBeforeMs < 0) {
      throw new InputError(
        "invalid_config",
        "prune: endedBeforeMs must be a number of milliseconds, 0 or more.",
      );
    }
    const before = this.#clock() - options.endedBeforeMs;
    if (options.dryRun) return this.#store.reader.prunable(before);
    const removed = { sessions: 0, messages: 0 };
    for (;;) {
      const { sessionIds, messages } = await this.#store.routes.prune(before, PRUNE_BATCH);
      removed.sessions += sessionIds.length;
      removed.messages += messages;
      if (sessionIds.length < PRUNE_BATCH) break;
    }
    // Younger ones are needed to recognise a message that arrives again.
    const forgotten = Math.min(before, this.#clock() - DAY_MS);
    while ((await this.#store.routes.forget(forgotten, PRUNE_BATCH)) === PRUNE_BATCH);
    return removed;
  }

  // The transcript.

  /** Adds one message; returns its `seq`. */
  async append(sessionId: SessionId, message: Message, options: { touch?: boolean } = {}): Promise<number> {
    return this.appendMany(sessionId, [message], options);
  }

  /** Adds messages in one transaction; returns the first one's `seq`. */
  async appendMany(
    sessionId: SessionId,
    messages: readonly Message[],
    options: { touch?: boolean } = {},
  ): Promise<number> {
    return this.record(sessionId, messages, undefined, options);
  }

  /** Replaces the active messages in one transaction; the old ones stay as superseded. An equal beginning is kept. */
  async rewrite(
    sessionId: SessionId,
    messages: readonly Message[],
    options: { touch?: boolean } = {},
  ): Promise<void> {
    const { touch = true } = options;
    await this.#store.transcript.rewrite(checkId(sessionId), parseMessages(messages), touch, this.#clock());
  }

  /** The whole active transcript, oldest first; with `superseded`, also what a rewrite removed. */
  async load(sessionId: SessionId, options: { superseded?: boolean } = {}): Promise<StoredMessage[]> {
    const all: StoredMessage[] = [];
    for await (const page of this.pages(sessionId, options)) all.push(...page);
    return all;
  }

  /** The same in pages, for transcripts that do not fit into memory. */
  async *pages(
    sessionId: SessionId,
    options: { superseded?: boolean; afterSeq?: number } = {},
  ): AsyncGenerator<StoredMessage[]> {
    if (!(await this.get(sessionId))) throw sessionNotFound(sessionId);
    let afterSeq = options.afterSeq ?? 0;
    for (;;) {
      const page = await this.#store.transcript.messages(sessionId, {
        afterSeq,
        limit: LOAD_PAGE,
        superseded: options.superseded ?? false,
      });
      if (page.length > 0) yield page;
      if (page.length < LOAD_PAGE) return;
      afterSeq = page.at(-1)?.seq ?? afterSeq;
    }
  }

  /** Active messages on one side of a `seq`: the nearest ones, oldest first. */
  part(sessionId: SessionId, wish: PartWish): Promise<StoredMessage[]> {
    return this.#store.transcript.part(checkId(sessionId), wish);
  }

  /** A valid window of the last messages, at a cost that does not grow with the transcript. To change a message, copy it. */
  async history(sessionId: SessionId, options: { maxMessages?: number } = {}): Promise<Message[]> {
    return (await this.window(sessionId, options)).messages;
  }

  /** The same, with the place of its messages in the transcript. */
  window(sessionId: SessionId, options: WindowWish = {}): Promise<NumberedWindow> {
    return readWindow((maxMessages) => this.recent(sessionId, { maxMessages }), options);
  }

  /** The last messages as they are, and the summary of what is hidden before them. */
  async recent(sessionId: SessionId, options: { maxMessages?: number } = {}): Promise<TranscriptEnd> {
    const { maxMessages = DEFAULT_WINDOW } = options;
    if (!Number.isSafeInteger(maxMessages) || maxMessages < 0) {
      throw new InputError("invalid_message", "maxMessages must be a whole number.");
    }
    return this.#store.transcript.recent(checkId(sessionId), maxMessages);
  }

  /** Brings in a session from elsewhere. False if its id is already here. */
  async adopt(session: AdoptedSession, messages: readonly Message[]): Promise<boolean> {
    asSessionId(session.sessionId);
    if (session.metadata) serializeMetadata(session.metadata);
    return this.#store.transcript.adopt(
      { ...session, usage: completeUsage(session.usage) },
      parseMessages(messages),
    );
  }

  // Handing off.

  /** Asks for a session to be moved. Refused while another handoff of it is pending or running. */
  async requestHandoff(sessionId: SessionId, target: string): Promise<Handoff> {
    const asked = storableText(checkText(target, "target").trim());
    if (!asked || asked.length > 500) {
      throw new InputError(
        "invalid_handoff",
        "Say where to hand it off: a platform, platform:chat, or the terminal.",
      );
    }
    const id = newHandoffId();
    const handoff = await this.#store.handoffs.request(
      { id, sessionId: checkId(sessionId), target: asked },
      this.#clock(),
    );
    if (!handoff) {
      throw new ConflictError(
        "handoff_active",
        "This session is already being handed off; wait for the outcome or cancel it.",
      );
    }
    return handoff;
  }

  /** Takes the oldest open handoff, with a lease and a fence; null if there is none. */
  async claimHandoff(claim: { holder: string; leaseMs?: number }): Promise<Handoff | null> {
    return claimOldest(this.#store.handoffs, claim, this.#clock());
  }

  /** Completes it and binds the destination's key to the session, in one transaction. Refused with a stale fence. */
  async completeHandoff(
    id: HandoffId,
    done: { fence: number; destination?: SessionSource },
  ): Promise<Handoff> {
    const { fence, destination } = done;
    const effects = destination && { place: this.laneOf(destination) };
    return this.#step(id, { kind: "complete", fence }, effects);
  }

  /**
   * Fails a handoff: with a fence, by the gateway that runs it; without, by the asker, only while nobody has claimed
   * it.
   */
  async failHandoff(id: HandoffId, failure: { error: string; fence?: number }): Promise<Handoff> {
    const { error, fence } = failure;
    return this.#step(id, fence === undefined ? { kind: "cancel", error } : { kind: "fail", fence, error });
  }

  async getHandoff(id: HandoffId): Promise<Handoff | null> {
    return this.#store.handoffs.find(checkText(id, "id"), this.#clock());
  }

  /** Handoffs not yet finished, oldest first. */
  listPendingHandoffs(): Promise<Handoff[]> {
    return this.#store.handoffs.open(this.#clock());
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #resolve(source: SessionSource, options: ResolveOptions, message?: Message) {
    return this.resolveIn(source, options, message, (request) => this.#store.routes.resolve(request));
  }

  #newSession(source: SessionSource, now: number, of?: SessionSource): NewSession {
    const belonging = of && belongingOf(parseSource(of), this.#scopes);
    return { sessionId: newSessionId(now), ...this.laneOf(source), ...belonging };
  }

  #dueReset(entry: SessionEntry, now: number): ResetReason | null {
    const { policy } = policyFor(this.#reset, entry.platform, entry.chatType);
    if (policy.mode === "none") return null;
    return resetReason(policy, { lastActivityAt: entry.updatedAt, now, timeZone: this.timezone });
  }

  async #holdsOn(entry: SessionEntry): Promise<Explanation["heldBy"]> {
    const held = await this.#store.reader.holdsOn(entry.sessionId);
    return (await this.#hasProcesses(entry.key)) ? [...held, "process"] : held;
  }

  async #hasProcesses(key: SessionKey): Promise<boolean> {
    try {
      return await this.#hasActiveProcesses(key);
    } catch {
      return true; // If we can't tell, the session is kept: a missed process must not cause a reset.
    }
  }

  async #step(id: HandoffId, step: HandoffStep, effects?: HandoffEffects): Promise<Handoff> {
    const outcome = await this.#store.handoffs.step(checkText(id, "id"), step, this.#clock(), effects);
    if (!outcome) throw new NotFoundError("handoff_not_found", `There is no handoff ${JSON.stringify(id)}.`);
    if (!outcome.ok)
      throw new ConflictError("handoff_refused", `The handoff was not changed: ${outcome.reason}.`);
    return outcome.handoff;
  }
}
