/**
 * What the store keeps of background processes: whose they are, what was promised about them, and how they ended. Each
 * method is one atomic step.
 */
import type { ProcessId, SessionId } from "../session/ids.js";
import type { SessionKey } from "../session/session-key.js";
import type { SessionSource } from "../session/source.js";
import type { ProcessEnd } from "./process.js";

/** What the agent asked to hear of. */
export interface Watch {
  /** How often new output is sent to the chat; null for never. */
  readonly checkIntervalMs: number | null;
  /** Wakes the agent when the process has ended. */
  readonly notifyOnComplete: boolean;
  /** Wakes the agent when a line contains one of these texts. */
  readonly patterns: readonly string[];
}

export interface NewProcess {
  readonly id: ProcessId;
  /** The home folder whose host keeps it: only processes of that machine and home can reach it. */
  readonly home: string;
  readonly sessionId: SessionId;
  /** Who asked for it: notices about it run with this person's rights. */
  readonly by: SessionSource;
  /** As the person sees them. */
  readonly command: string;
  readonly workdir: string;
  readonly environment: string;
  readonly pty: boolean;
  /** True if a sandbox confines it, whatever is typed into it. */
  readonly walled: boolean;
  readonly watch: Watch;
}

/** `starting`: it may or may not have been started. */
export const PROCESS_STATES = ["starting", "running", "ended"] as const;

export interface KeptProcess extends NewProcess {
  readonly state: (typeof PROCESS_STATES)[number];
  readonly startedAt: number;
  readonly end: ProcessEnd | null;
  readonly endedAt: number | null;
  /** How far its output was reported to the chat, in bytes. */
  readonly reportedThrough: number;
  /** The same for the lines that match, and when that was last. */
  readonly matchedThrough: number;
  readonly matchedAt: number | null;
}

export interface ProcessCaps {
  /** How many may run in one session, and in one home. */
  readonly perSession: number;
  readonly inAll: number;
}

export type ProcessAdded = "added" | "session full" | "all full";

/** For how long after its start a live process keeps its session from being reset. */
export const HOLDS_SESSION_MS = 24 * 60 * 60 * 1_000;

/** After so long without a gateway of its home, nobody expects to hear of a process any more. */
export const SILENT_HOME_MS = 24 * 60 * 60 * 1_000;

/** For how long a process is not forgotten because something about it was not said yet: its chat may be gone for good. */
export const UNSAID_MS = 7 * 24 * 60 * 60 * 1_000;

export interface ProcessStore {
  /** Adds it as `starting`, unless its session or its home already has as many running as it may. */
  add(process: NewProcess, caps: ProcessCaps, now: number): Promise<ProcessAdded>;
  /** It runs. */
  started(id: ProcessId, now: number): Promise<void>;
  /**
   * How it ended. Only the first end counts: false if one is known. From then on the promised notice is due. `startedAt` is for
   * one that ends before it was saved that it runs.
   */
  ended(id: ProcessId, end: ProcessEnd, at: number, startedAt?: number): Promise<boolean>;
  /**
   * One that was called lost at that time is known to its host all the same: it counts as running again, and its true end is
   * told when it comes, also if it was said that it is lost. False if it is not as it was.
   */
  reopen(id: ProcessId, lostAt: number): Promise<boolean>;
  /** What it left behind has ended, too. */
  leftNothing(id: ProcessId): Promise<void>;
  find(id: ProcessId): Promise<KeptProcess | null>;
  /** Newest first. */
  list(which: { readonly sessionId?: SessionId; readonly home?: string }): Promise<KeptProcess[]>;
  /** True if a process of the key's session runs that was started after this time: then the session is not reset. */
  holds(key: SessionKey, startedAfter: number): Promise<boolean>;
  /**
   * A gateway of this home is there. Processes of other homes of which nobody was there for long are lost, and forgotten
   * later: such a home may be gone for good, like the one of a container. To be called often; it writes seldom.
   */
  attend(home: string, now: number): Promise<void>;
  /** Forgets those of a home that ended before, unless something about them is still to be said. Returns them. */
  forget(home: string, endedBefore: number): Promise<readonly ProcessId[]>;
}
