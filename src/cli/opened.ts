/** What a command gets that opens a chat, the people, the handoffs, the jobs or the lanes of the store; it closes them. */
import type { ErasedAmounts } from "../gateway/eraser.js";
import type { ErasedPerson, Holdings } from "../gateway/erasure.js";
import type { Gateway } from "../gateway/gateway.js";
import type { HandoffDesk } from "../gateway/handoff/desk.js";
import type { Homes } from "../gateway/homes.js";
import type { JobDesk } from "../gateway/jobs/desk.js";
import type { LaneDesk } from "../gateway/lane-desk.js";
import type { People } from "../gateway/people.js";
import type { RescopeDesk } from "../gateway/rescope-desk.js";
import type { Stranded } from "../gateway/scope-memory.js";
import type { Spending } from "../gateway/store.js";
import type { UsageStore } from "../gateway/usage-store.js";
import type { MemoryCounts, MemoryNotes } from "../memory/store.js";
import type { JobOrigin } from "../schedule/job.js";
import type { JobStore } from "../schedule/store.js";
import type { Handoff } from "../session/handoff.js";
import type { RetentionAmount, RetentionRules } from "../session/retention.js";
import type { SessionKey } from "../session/session-key.js";
import type { Sessions } from "../session/sessions.js";
import type { SessionSource } from "../session/source.js";
import type { HandoffStore } from "../session/store.js";
import type { OnProblem } from "../util/problem.js";

/** What a chat hears from its gateway. */
export interface ChatEvents {
  /** A session has changed. */
  readonly onChange?: () => void;
  readonly onProblem: OnProblem;
  /** A handoff that was requested here made progress or ended. */
  readonly onHandoff?: (handoff: Handoff) => void;
  /** The places for completing a line have changed. */
  readonly onPlaces?: () => void;
  /** A conversation is offered to the terminal; the text says so. */
  readonly onOffer?: (text: string) => void;
  /** Called again and again while a message in this lane waits for another process. */
  readonly onElsewhere?: (key: SessionKey) => void;
}

export interface OpenPeople {
  readonly people: People;
  readonly spending: Spending;
  readonly usage: UsageStore;
  readonly memory: MemoryNotes;
  readonly memoryCounts: MemoryCounts;
  readonly jobs: Pick<JobStore, "list">;
  readonly sessions: Pick<Sessions, "get">;
  close(): Promise<void>;
}

export interface OpenHandoffs {
  readonly desk: HandoffDesk;
  readonly sessions: Sessions;
  readonly handoffs: HandoffStore;
  close(): Promise<void>;
}

/** What went, what the scan saw, and which files Baton does not touch. */
interface PersonErased extends ErasedAmounts {
  /** Null if the store is a server's: its files can't be read from here. */
  readonly scanned: { readonly files: number; readonly bytes: number } | null;
  /** Backups, archives and logs that still have something of theirs. */
  readonly byHand: readonly string[];
}

export interface OpenErasure {
  survey(whose: ErasedPerson): Promise<Holdings>;
  erase(whose: ErasedPerson, onProgress: (text: string) => void): Promise<PersonErased>;
}

export interface OpenRetention {
  /** Only counts. */
  plan(rules: RetentionRules): Promise<RetentionAmount>;
  /** Without a folder, nothing is archived. */
  apply(
    rules: RetentionRules,
    archive: string | null,
    onProgress: (done: RetentionAmount) => void,
  ): Promise<RetentionAmount>;
  close(): Promise<void>;
}

export interface OpenJobs {
  readonly desk: JobDesk;
  readonly homes: Pick<Homes, "all">;
  /** The chat of this terminal, for a job that is made here. */
  readonly origin: JobOrigin;
  close(): Promise<void>;
}

export interface OpenLanes {
  readonly sessions: Sessions;
  readonly moves: LaneDesk;
  rescope(fromAgents: readonly string[]): Promise<RescopeDesk>;
  /** Lanes that do not fit the configured scopes. */
  stranded(): Promise<Stranded>;
  close(): Promise<void>;
}

/** What a chat in the terminal needs of the gateway behind it. */
export interface OpenChat {
  readonly gateway: Gateway;
  readonly sessions: Sessions;
  /** Where this terminal is, and its lane. */
  readonly source: SessionSource;
  readonly key: SessionKey;
  readonly agent: string;
  complete(line: string): readonly { readonly name: string; readonly description: string }[];
  /** The next chat continues a turn that is still running. */
  close(): Promise<void>;
}
