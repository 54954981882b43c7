/** What the store keeps of jobs, for those who make, change and list them. Each method is one atomic step. */
import type { JobId, RunId } from "../session/ids.js";
import type { Job, JobSetting, NewJob, Run, RunResult } from "./job.js";

/** When a job is looked at next. */
export interface JobClock {
  /** The first time that nobody has decided about; null if there is none. */
  readonly nextAt: number | null;
  /** When that has come for this job: later, if it has a jitter. */
  readonly wakeAt: number | null;
}

/** What a change sets anew: when the job runs, and how often. What is absent goes on as it was. */
export interface Renewed {
  readonly clock?: JobClock;
  /** Null without an end. */
  readonly left?: number | null;
}

export interface ShownRun extends Run {
  readonly results: readonly RunResult[];
}

export interface Overdue {
  readonly job: Job;
  /** When its time came. */
  readonly since: number;
}

export interface JobStore {
  /** The identities belong to one person. False if they have `most` jobs already that are not done. */
  add(
    job: NewJob,
    clock: JobClock,
    identities: readonly string[],
    most: number,
    now: number,
  ): Promise<boolean>;
  find(id: JobId): Promise<Job | null>;
  /** Of these identities, or of everybody. Oldest first. */
  list(identities: readonly string[] | null): Promise<Job[]>;
  /** Each is false if the job has been changed since it was seen, or is gone. */
  change(seen: Job, setting: JobSetting, renewed: Renewed, now: number): Promise<boolean>;
  /** False also if it is not active. What has come, and not begun, is skipped. */
  pause(seen: Job, now: number): Promise<boolean>;
  /** It counts as if no run had ever failed. */
  resume(seen: Job, clock: JobClock, now: number): Promise<boolean>;
  /** With its runs. What it is running goes on. */
  remove(id: JobId): Promise<boolean>;
  /** Somebody wants it to run now; null if the job is gone. It uses up none of its times. One that waits already is the same. */
  ask(id: JobId, now: number): Promise<RunId | null>;
  /** The last runs of a job, newest first. */
  runs(id: JobId, limit: number): Promise<ShownRun[]>;
  /** The job that has waited longest of those whose time had come by then, and that have not begun; null if none has. */
  oldestDue(now: number): Promise<Overdue | null>;
}
