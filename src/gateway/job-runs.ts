/**
 * The runs of jobs, as the scheduler moves them on: a time has come, its turn is in the inbox, the turn is over, its result
 * is in the outbox. Each method is one atomic step, and happens once, also after a crash.
 */
import type { JobDecision } from "../schedule/decide.js";
import type { Job, JobSpending, Run, RunResult, RunState } from "../schedule/job.js";
import type { JobClock } from "../schedule/store.js";
import type { InboxId, RunId, SessionId } from "../session/ids.js";
import type { Address } from "../session/source.js";
import type { Message } from "../session/transcript.js";
import type { NewDelivery } from "./delivery.js";
import type { NewInboxItem } from "./inbox-item.js";

export interface JobRun {
  readonly job: Job;
  readonly run: Run;
}

/** What becomes of a job with the end of a run. */
export interface JobAfter {
  readonly failures: number;
  /** Null if it does not have to wait. */
  readonly notBefore: number | null;
  /** Why it is paused from now on; null if it goes on. */
  readonly pausedWhy: string | null;
  readonly spent: JobSpending;
}

/** The targets at which the result of a run failed, and nobody has told its person. */
export interface UntoldResults extends JobRun {
  readonly results: readonly RunResult[];
}

export interface RunEffects {
  readonly state: Extract<RunState, "done" | "silent" | "failed">;
  readonly error: string | null;
  readonly output: string | null;
  readonly results: readonly RunResult[];
  readonly deliveries: readonly NewDelivery[];
  /** The transcripts to which the result is added, so that people can answer it there. */
  readonly said: readonly { readonly sessionId: SessionId; readonly messages: readonly Message[] }[];
}

export interface JobRuns {
  /** Jobs whose time has come, oldest first. */
  due(now: number, limit: number): Promise<Job[]>;
  /** When the next job is to be looked at; null if there is none. */
  nextWake(): Promise<number | null>;
  /**
   * For each: false if another process was faster, or the job was changed meanwhile. One commit for all. If the job does not
   * let runs wait for each other, and one is not over, the times are skipped.
   */
  decided(decisions: readonly (readonly [Job, JobDecision])[], now: number): Promise<readonly boolean[]>;
  /** Pauses a job that can't be decided about; false if it is not active any more. */
  giveUp(job: Job, why: string, now: number): Promise<boolean>;
  /** The clock was set back: times that have not come are decided about again, unless they have run. */
  rearm(next: (job: Job) => JobClock, now: number): Promise<void>;
  /** The oldest runs that are to begin, one of a job, as many as may run beside those that run. */
  waiting(mostRunning: number): Promise<JobRun[]>;
  /** Puts the turn of a run into the inbox; false if it no longer waits. */
  begin(id: RunId, item: NewInboxItem, holder: string, now: number): Promise<boolean>;
  skip(id: RunId, why: string, now: number): Promise<boolean>;
  /** Skips it and pauses its job. The notices are sent only if the job was not paused already. */
  halt(run: JobRun, why: string, deliveries: readonly NewDelivery[], now: number): Promise<boolean>;
  /** The run that asked for a message of the inbox, while it goes on; null if none did. */
  of(id: InboxId): Promise<JobRun | null>;
  /** Runs whose turn is over, oldest first. `error`: why it failed. */
  ended(limit: number): Promise<JobRun[]>;
  /** False if another process was faster. */
  settle(ended: JobRun, effects: RunEffects, after: JobAfter, now: number): Promise<boolean>;
  /** Removes jobs that were done before that time, with their runs; returns how many. */
  forgetDone(before: number, limit: number): Promise<number>;
  /** The last runs whose result went to an address within that time, oldest first. */
  delivered(address: Address, after: number, before: number, limit: number): Promise<JobRun[]>;
  untold(limit: number): Promise<UntoldResults[]>;
  /** From now on they are told: with these notices, or in none if nobody can be told. */
  told(untold: UntoldResults, deliveries: readonly NewDelivery[], now: number): Promise<boolean>;
}
