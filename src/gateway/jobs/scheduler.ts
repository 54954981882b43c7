/**
 * Runs jobs when their time has come. What is to be done is in the store: so a look at it, after each commit about jobs and
 * when the next time comes, is all that it takes, and after a crash the next look goes on. Only the process that has the
 * scheduler's account looks. What holds:
 * - each time of a job is decided about once, in one commit with its run;
 * - a clock that jumps makes no storm and no stall: many missed times are decided about at once, and if the clock was set
 *   back, times that have not come yet are decided about again.
 */
import { setImmediate as nextRound } from "node:timers/promises";
import { clockSetBack, decide, type JobDecision } from "../../schedule/decide.js";
import type { Job } from "../../schedule/job.js";
import type { RunId } from "../../session/ids.js";
import type { Clock } from "../../util/clock.js";
import { Looks } from "../../util/looks.js";
import type { OnProblem } from "../../util/problem.js";
import type { Accounts, JobRun, JobRuns, UntoldResults } from "../store.js";
import { SCHEDULER } from "./surface.js";
import { jobName } from "./words.js";

export interface SchedulerSetting {
  readonly runs: JobRuns;
  readonly accounts: Pick<Accounts, "read" | "write">;
  /** True if this process has the scheduler's account. */
  readonly isOurs: () => boolean;
  /** Puts a run into the inbox, or says why it can't run. */
  readonly begin: (run: JobRun) => Promise<void>;
  /** Delivers the result of a run whose turn is over. */
  readonly settle: (run: JobRun) => Promise<void>;
  /** Ends a run whose result can't be delivered, with the reason. */
  readonly settleWithout: (run: JobRun, why: string) => Promise<unknown>;
  /** Says that a result did not arrive. */
  readonly tell: (untold: UntoldResults) => Promise<void>;
  /** Removes what is kept of jobs that are gone. */
  readonly tidy: () => Promise<void>;
  /** How many runs may go on at the same time. */
  readonly mostRunning: number;
  readonly clock: Clock;
  readonly onProblem: OnProblem;
}

/** The name under which the account stores when a scheduler last looked. */
export const LOOKED = "looked";
/** It looks at least so often, because a clock may jump while it sleeps. */
const LONGEST_SLEEP_MS = 60_000;
/** It writes down that it looked no more often than this. */
const SIGN_MS = 30_000;
/** A clock that was set back by less is waited for. */
const BACK_MS = 90_000;
/** So many are decided about in one commit, and settled in one look. */
const BATCH = 50;
const RETRY_MS = 1_000;
/** A run that can't go on for so long is given up. */
const LONGEST_TROUBLE_MS = 60_000;
const TIDY_MS = 3_600_000;
/** A job that is done is shown that long. */
const KEEP_DONE_MS = 30 * 86_400_000;

/** Null if it failed, which is then a trouble. */
type Attempt = <Result>(step: () => Promise<Result>) => Promise<Result | null>;

export class Scheduler {
  readonly #setting: SchedulerSetting;
  readonly #looks = new Looks(
    () => this.#lookAndReport(),
    () => this.#mayLook,
  );
  /** When it last looked, as the store has it; null until it has read that. */
  #looked: number | null = null;
  #tidied = Number.NEGATIVE_INFINITY;
  /** What went wrong in the last look: it is reported once, and tried again and again. */
  #troubles: ReadonlySet<string> = new Set();
  /** Since when each of the runs could not go on that are tried again. */
  readonly #troubled = new Map<RunId, number>();
  #isStopped = false;

  constructor(setting: SchedulerSetting) {
    this.#setting = setting;
  }

  /** This process has the scheduler's account now, or still. */
  taken(): void {
    this.#looked = null; // Another process may have looked since.
    this.wake();
  }

  /** Something may have changed. However often this is called during a look, one more look follows. */
  wake(): void {
    void this.#looks.wake();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#looks.stop();
  }

  async #lookAndReport(): Promise<void> {
    const troubles = new Map<string, unknown>();
    const isMore = await this.#look(troubles);
    this.#report(troubles);
    if (troubles.size > 0) this.#looks.wakeAfter(RETRY_MS);
    else if (isMore) this.wake();
    if (isMore) await nextRound(); // Others have their turn.
  }

  get #mayLook(): boolean {
    return !this.#isStopped && this.#setting.isOurs();
  }

  #report(troubles: ReadonlyMap<string, unknown>): void {
    for (const [message, cause] of troubles)
      if (!this.#troubles.has(message))
        this.#setting.onProblem(`Can't run scheduled jobs: ${message}`, { cause });
    this.#troubles = new Set(troubles.keys());
  }

  /** True if there is more of the same to do. What fails does not keep the rest from being done. */
  async #look(troubles: Map<string, unknown>): Promise<boolean> {
    const { runs, settle, settleWithout, begin, tell, mostRunning, clock } = this.#setting;
    const attempt: Attempt = async (step) => {
      try {
        return await step();
      } catch (error) {
        troubles.set((error as Error).message, error);
        return null;
      }
    };
    const each = async <One>(read: () => Promise<readonly One[]>, step: (one: One) => Promise<void>) => {
      const found = (await attempt(read)) ?? [];
      for (const one of found) if (this.#mayLook) await attempt(() => step(one));
      return found.length === BATCH;
    };
    await attempt(() => this.#checkClock());
    const moreEnded = await each(
      () => runs.ended(BATCH),
      (ended) =>
        this.#step(
          ended,
          () => settle(ended),
          (why) => settleWithout(ended, `Its result could not be sent: ${why}`),
        ),
    );
    const moreDue = await attempt(() => this.#decide(attempt));
    await each(
      () => runs.waiting(mostRunning),
      (waiting) =>
        this.#step(
          waiting,
          () => begin(waiting),
          (why) => runs.skip(waiting.run.id, `It could not begin: ${why}`, clock()),
        ),
    );
    const moreUntold = await each(() => runs.untold(BATCH), tell);
    await attempt(() => this.#tidy());
    await attempt(() => this.#sleep(troubles.size > 0 ? RETRY_MS : 0));
    return moreEnded || moreDue === true || moreUntold;
  }

  /** A run that can't go on does not keep its place forever. */
  async #step(
    { run: { id } }: JobRun,
    step: () => Promise<void>,
    giveUp: (why: string) => Promise<unknown>,
  ): Promise<void> {
    try {
      await step();
    } catch (error) {
      const now = this.#setting.clock();
      const since = this.#troubled.get(id) ?? now;
      this.#troubled.set(id, since);
      if (now - since < LONGEST_TROUBLE_MS) throw error;
      await giveUp((error as Error).message);
    }
    this.#troubled.delete(id);
  }

  /** True if there may be more. */
  async #decide(attempt: Attempt): Promise<boolean> {
    const { runs, clock } = this.#setting;
    const now = clock();
    const due = await runs.due(now, BATCH);
    const decisions: [Job, JobDecision][] = [];
    for (const job of due) {
      try {
        decisions.push([job, decide(job, now)]);
      } catch (error) {
        await attempt(() => this.#giveUp(job, (error as Error).message, now));
      }
    }
    if (decisions.length > 0) await runs.decided(decisions, now);
    return due.length === BATCH;
  }

  /** Its zone or its schedule is no longer known here. */
  async #giveUp(job: Job, message: string, now: number): Promise<void> {
    const why = `Its next time can't be found: ${message}`;
    if (await this.#setting.runs.giveUp(job, why, now))
      this.#setting.onProblem(`The job ${jobName(job)} is paused. ${why}`);
  }

  async #sleep(leastMs: number): Promise<void> {
    const { runs, clock } = this.#setting;
    const next = await runs.nextWake();
    const sleepMs = next === null ? LONGEST_SLEEP_MS : next - clock();
    this.#looks.wakeAfter(Math.max(leastMs, Math.min(sleepMs, LONGEST_SLEEP_MS)));
  }

  async #tidy(): Promise<void> {
    const { runs, tidy, clock } = this.#setting;
    const now = clock();
    if (Math.abs(now - this.#tidied) < TIDY_MS) return;
    this.#tidied = now;
    await runs.forgetDone(now - KEEP_DONE_MS, BATCH);
    await tidy();
  }

  async #checkClock(): Promise<void> {
    const { runs, accounts, clock } = this.#setting;
    const now = clock();
    this.#looked ??= Number((await accounts.read(SCHEDULER, LOOKED)) ?? Number.NEGATIVE_INFINITY);
    const isSetBack = now < this.#looked - BACK_MS;
    if (isSetBack) await runs.rearm((job) => clockSetBack(job, now), now);
    if (isSetBack || now >= this.#looked + SIGN_MS) {
      await accounts.write(SCHEDULER, LOOKED, String(now));
      this.#looked = now;
    }
  }
}
