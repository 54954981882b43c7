/** What a command gets that opens the people, the handoffs, the jobs or the lanes of the store; it closes them. */
import type { ErasedAmounts } from "../gateway/eraser.js";
import type { ErasedPerson, Holdings } from "../gateway/erasure.js";
import type { HandoffDesk } from "../gateway/handoff/desk.js";
import type { Homes } from "../gateway/homes.js";
import type { JobDesk } from "../gateway/jobs/desk.js";
import type { LaneDesk } from "../gateway/lane-desk.js";
import type { People } from "../gateway/people.js";
import type { RescopeDesk } from "../gateway/rescope-desk.js";
import type { Stranded } from "../gateway/scope-memory.js";
import type { Spending, WebDevices } from "../gateway/store.js";
import type { UsageStore } from "../gateway/usage-store.js";
import type { MemoryCounts, MemoryNotes } from "../memory/store.js";
import type { JobOrigin } from "../schedule/job.js";
import type { JobStore } from "../schedule/store.js";
import type { RetentionAmount, RetentionRules } from "../session/retention.js";
import type { Sessions } from "../session/sessions.js";
import type { HandoffStore } from "../session/store.js";

export interface OpenPeople {
  readonly people: People;
  readonly devices: Pick<WebDevices, "list" | "revoke" | "revokeAll">;
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
