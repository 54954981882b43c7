/**
 * A scheduled job: what is done, when, for whom, and where its result goes. And its runs: each time that has come has one,
 * also a time that was skipped, with the reason.
 */
import type { JobId, RunId, SessionId } from "../session/ids.js";
import type { SessionKey } from "../session/session-key.js";
import type { SessionSource } from "../session/source.js";
import type { CatchUp } from "./due.js";
import type { Timing } from "./schedule.js";

/** What a time does that comes while the run before is not over. */
export const OVERLAPS = ["skip", "queue"] as const;
export type Overlap = (typeof OVERLAPS)[number];

/** Where a job's turns are: in a session of the job's own, or in the conversation in which it was made. */
export const JOB_SESSIONS = ["own", "origin"] as const;
export type JobSession = (typeof JOB_SESSIONS)[number];

export interface JobWork {
  /** What the agent is asked; null if the output of the command is the result. */
  readonly prompt: string | null;
  /** Runs first. With a prompt, the agent is woken only if the command prints something. */
  readonly command: string | null;
  readonly session: JobSession;
  /** Null for the agent's own. */
  readonly model: string | null;
  /** The names of the tools that it may use, of those that its person may use; null for all of them. */
  readonly tools: readonly string[] | null;
  readonly timeoutMs: number;
  /** How many tokens its runs may use in a day of its zone; null for as many as its person may use. */
  readonly dailyTokens: number | null;
}

export interface JobSetting extends JobWork {
  readonly name: string;
  readonly timing: Timing;
  readonly catchUp: CatchUp;
  readonly overlap: Overlap;
  /** Each of its times comes later by a part of this that is always the same for the job. */
  readonly jitterMs: number;
  /** How often it runs by its schedule; null without an end. */
  readonly repeat: number | null;
  /** As `targets.ts` reads it. */
  readonly deliver: string;
}

/** The chat of a job: where it was made, or where that conversation was handed to since. */
export interface JobOrigin {
  readonly key: SessionKey;
  readonly source: SessionSource;
  /** The account of the platform. */
  readonly account: string;
}

export interface NewJob extends JobSetting {
  readonly id: JobId;
  /** Who made it, and where: it runs with the rights that this person has by then. */
  readonly by: SessionSource;
  /** The identity of that person. */
  readonly owner: string;
  readonly origin: JobOrigin;
}

export interface JobSpending {
  readonly day: string;
  readonly tokens: number;
}

export const JOB_STATES = ["active", "paused", "done"] as const;

export interface Job extends NewJob {
  readonly state: (typeof JOB_STATES)[number];
  /** Why it is paused, as a sentence; null if a person paused it, or it is not. */
  readonly pausedWhy: string | null;
  /** The first time that nobody has decided about; null if there is none. */
  readonly nextAt: number | null;
  /** When that time has come for this job: with its jitter, and after a back-off. */
  readonly wakeAt: number | null;
  /** How many times by its schedule it still runs; null without an end. */
  readonly left: number | null;
  /** How many runs have failed since the last that did not. */
  readonly failures: number;
  /** What its runs have used on a day of its zone, such as `2026-11-17`: the last one on which it ran. */
  readonly spent: JobSpending;
  readonly createdAt: number;
  /** Grows with each change by a person: a change that was made without having seen it is refused. */
  readonly version: number;
}

/**
 * `due`: it is to begin. `running`: its turn is in the inbox. `ended`: the turn is over, and its result is to be delivered.
 * `silent`: it had nothing to say.
 */
export const RUN_STATES = ["due", "running", "ended", "done", "silent", "failed", "skipped"] as const;
export type RunState = (typeof RUN_STATES)[number];

export interface Run {
  readonly id: RunId;
  readonly jobId: JobId;
  /** Null if somebody asked for it: then it is not one of the job's times. */
  readonly scheduledFor: number | null;
  readonly state: RunState;
  /** Why it was skipped or failed, as a sentence. */
  readonly error: string | null;
  readonly sessionId: SessionId | null;
  readonly madeAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly tokens: number;
  /** What the agent said last; null if it has said nothing. */
  readonly said: string | null;
  /** The file with its result, below the output folder; null if there is none. */
  readonly output: string | null;
}

/**
 * `waiting`: it is in the outbox. `unknown`: it may have arrived. `said`: the run was a turn of that conversation, which said
 * it there. `kept`: it is only in the file.
 */
export const RESULT_STATES = ["waiting", "sent", "unknown", "failed", "said", "kept"] as const;
export type ResultState = (typeof RESULT_STATES)[number];

/** What became of a result at one of its targets. */
export interface RunResult {
  /** As the job names it. */
  readonly target: string;
  /** The address, once it is known. */
  readonly address: string | null;
  readonly state: ResultState;
  /** Why it could not be sent there, as a sentence. */
  readonly error: string | null;
}
