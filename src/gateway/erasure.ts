/**
 * Erasing a person: the port to the store. Every step is bounded and may be repeated: an erase that was killed is finished
 * by the next one. The person's identities stay in the store until the last step, without a role, so that the next one
 * finds all of them. `hear` is told what goes, before it goes: by it the eraser checks afterwards that it is gone.
 */
import type { JobId, ProcessId, SessionId } from "../session/ids.js";

/** Whose things. */
export interface ErasedPerson {
  /** Null if the store knows nobody with this identity. */
  readonly id: string | null;
  readonly identities: readonly string[];
}

/** How much the store has of a person. */
export interface Holdings {
  readonly sessions: number;
  readonly messages: number;
  /** Messages that they wrote in conversations of others. */
  readonly shared: number;
  readonly files: number;
  readonly jobs: number;
  readonly processes: number;
  /** What is remembered about them. */
  readonly notes: number;
  /** What they have used of each day's limits. */
  readonly usage: number;
}

/** A text that goes. `id`: something that names the person or what was theirs, and must stand nowhere afterwards. */
export type Hear = (kind: "words" | "id", text: string) => void;

/** A background process of theirs. */
export interface ErasedProcess {
  readonly id: ProcessId;
  readonly home: string;
  readonly isLive: boolean;
}

/** A conversation of others that changed, and how many messages of the person it had. */
export interface SharedRest {
  readonly sessionIds: readonly SessionId[];
  readonly messages: number;
}

/** What the engine did so that what was deleted is not in its files any more. */
export interface Scrubbed {
  /** What is left to do, in whole sentences; none if all is done. */
  readonly problems: readonly string[];
}

/** A text that the store has, and where. */
export type SeeText = (text: string, table: string, column: string) => void;

export interface ErasureStore {
  survey(whose: ErasedPerson): Promise<Holdings>;
  /** From now on they have no access by the store, and nothing of theirs waits or is allowed. */
  lockOut(whose: ErasedPerson, hear: Hear): Promise<void>;
  /**
   * Asks the processes that run turns in their sessions, or answer them, to end these. Returns how many a process still
   * has: others were left behind by one that ended.
   */
  stopTurns(whose: ErasedPerson, now: number): Promise<number>;
  /** Ends those turns, whoever has them: that process can write nothing more. */
  endTurns(whose: ErasedPerson, now: number): Promise<number>;
  /** Those in their sessions, and those that they started elsewhere. */
  processes(whose: ErasedPerson): Promise<readonly ErasedProcess[]>;
  jobs(whose: ErasedPerson): Promise<readonly JobId[]>;
  /** The next of their own sessions; none if all are gone. */
  sessions(whose: ErasedPerson, limit: number): Promise<readonly SessionId[]>;
  /** Takes them out of what belongs to others. */
  eraseShared(whose: ErasedPerson, now: number, hear: Hear): Promise<SharedRest>;
  /** Removes one of their sessions, with all that belongs to it. Returns how many messages it had. */
  eraseSession(sessionId: SessionId, hear: Hear): Promise<number>;
  /** Removes their jobs, and the processes that have ended. */
  eraseWork(whose: ErasedPerson, hear: Hear): Promise<void>;
  /** The last step: from now on the store does not know them. */
  forgetPerson(whose: ErasedPerson, hear: Hear): Promise<void>;
  /** Makes the engine drop what was deleted from its files. */
  scrub(): Promise<Scrubbed>;
  /** Shows every text of the store, also of those tables that Baton seldom reads. */
  texts(see: SeeText): Promise<void>;
}
