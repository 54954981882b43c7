/**
 * The session that a terminal shows. It changes with the lane if this process changed the lane, or a reset policy did.
 * If somebody else gave the lane another session, the terminal's own was taken away, and the terminal stays bound to it:
 * what is typed there reaches no other session.
 */
import type { SessionId } from "../../session/ids.js";
import { type SessionEntry, standsFor } from "../../session/session.js";
import type { SessionKey } from "../../session/session-key.js";
import type { Sessions } from "../../session/sessions.js";
import { Looks } from "../../util/looks.js";
import type { OnProblem } from "../../util/problem.js";
import type { Fact } from "../facts.js";

export interface BoundSessionSetting {
  readonly key: SessionKey;
  readonly sessions: Pick<Sessions, "current" | "get">;
  /** The lane has this session, or it has changed; null if there is none yet. */
  readonly onChange: (entry: SessionEntry | null) => void;
  /** It is no longer in the lane: where it is now; null if it is gone. */
  readonly onTaken: (entry: SessionEntry | null) => void;
  readonly onProblem: OnProblem;
}

export class BoundSession {
  readonly #setting: BoundSessionSetting;
  readonly #looks = new Looks(
    () => this.#look(),
    () => !this.#isStopped,
  );
  /** Sessions that this process changed since the last look. */
  #own = new Set<SessionId>();
  #id: SessionId | null = null;
  #isTaken = false;
  #isStopped = false;

  constructor(setting: BoundSessionSetting) {
    this.#setting = setting;
  }

  get id(): SessionId | null {
    return this.#id;
  }

  /** The session that the lane has now is the terminal's; or the one that was named, which may have left already. */
  async bind(named: SessionId | null = null): Promise<void> {
    const { sessions, key } = this.#setting;
    const entry = await sessions.current(key);
    if (named === null || entry?.sessionId === named) return this.#is(entry);
    this.#is(await sessions.get(named));
    this.#id = named;
  }

  /** Something was committed. */
  hear(fact: Fact): void {
    if (fact.kind === "session") this.#own.add(fact.sessionId);
    const isElsewhere = fact.kind === "elsewhere" && (this.#id === null || fact.sessionId === this.#id);
    if (fact.kind === "session" || fact.kind === "unknown" || isElsewhere) this.#wake();
  }

  /** Waits until it has seen what this process has committed. */
  seen(): Promise<void> {
    return this.#looks.rest();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#looks.stop();
  }

  #wake(): void {
    this.#looks.wake().catch((cause: Error) => {
      this.#setting.onProblem(`Can't read which session this terminal has: ${cause.message}`, { cause });
      this.#looks.wakeAfter(1_000);
    });
  }

  async #look(): Promise<void> {
    const { sessions, key } = this.#setting;
    const before = this.#own;
    this.#own = new Set();
    const entry = await sessions.current(key).catch((error) => {
      for (const id of before) this.#own.add(id);
      throw error;
    });
    const isOwn = entry !== null && (before.has(entry.sessionId) || this.#own.has(entry.sessionId));
    if (follows(this.#id, entry, isOwn)) return this.#is(entry);
    if (this.#isTaken || this.#id === null) return;
    this.#isTaken = true;
    this.#setting.onTaken(await sessions.get(this.#id));
  }

  #is(entry: SessionEntry | null): void {
    this.#id = entry?.sessionId ?? null;
    this.#isTaken = false;
    this.#setting.onChange(entry);
  }
}

/** Whether a terminal that is bound to a session goes along with what its lane has now. */
export function follows(
  bound: SessionId | null,
  entry: Pick<SessionEntry, "sessionId" | "parentId" | "resetReason"> | null,
  isOwn: boolean,
): boolean {
  return bound === null || isOwn || (entry !== null && standsFor(entry).includes(bound));
}
