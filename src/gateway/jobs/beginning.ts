/** Begins a run: its turn goes into the inbox, with the rights that its person has now, or the run says why it can't. */
import type { Job } from "../../schedule/job.js";
import { jobSource } from "../../schedule/job-source.js";
import { zonedDay } from "../../schedule/words.js";
import { deliveryIdOf } from "../../session/ids.js";
import type { Sessions } from "../../session/sessions.js";
import { addressOf } from "../../session/source.js";
import type { Clock } from "../../util/clock.js";
import type { OnProblem } from "../../util/problem.js";
import { grouped } from "../../util/words.js";
import type { Who } from "../authorize.js";
import type { Notices } from "../notices.js";
import type { People } from "../people.js";
import type { Account, JobRun, JobRuns, NewDelivery, NewInboxItem } from "../store.js";
import { SCHEDULER } from "./surface.js";
import { jobName, pausedText, runText } from "./words.js";

export interface BeginningSetting {
  readonly runs: Pick<JobRuns, "begin" | "skip" | "halt">;
  readonly sessions: Pick<Sessions, "laneOf">;
  readonly people: Pick<People, "access">;
  readonly mayHaveJobs: (who: Who) => boolean;
  readonly mayRunCommands: (who: Who) => boolean;
  readonly notices: Notices;
  /** The process that answers in this account: this one, or "" for the one that has it. */
  readonly senderOf: (account: Account) => string;
  readonly clock: Clock;
  readonly onProblem: OnProblem;
}

const NO_ACCESS = "The person who made it has no access any more.";
const NO_JOBS = "The person who made it may not have scheduled jobs any more.";
const NO_COMMANDS = "The person who made it may not run commands any more.";

export class RunBeginning {
  readonly #setting: BeginningSetting;

  constructor(setting: BeginningSetting) {
    this.#setting = setting;
  }

  async begin(due: JobRun): Promise<void> {
    const { runs, people, mayHaveJobs, mayRunCommands, senderOf, clock } = this.#setting;
    const { job, run } = due;
    const who = await people.access(job.by);
    if (!who.allowed) return this.#halt(due, NO_ACCESS, []); // Nobody may be told there.
    if (!mayHaveJobs(who)) return this.#halt(due, NO_JOBS, await this.#notice(due, NO_JOBS));
    if (job.command !== null && !mayRunCommands(who))
      return this.#halt(due, NO_COMMANDS, await this.#notice(due, NO_COMMANDS));
    const spent = budgetSpent(job, clock());
    if (spent !== null) return void (await runs.skip(run.id, spent, clock()));
    const item = this.#itemOf(due);
    await runs.begin(run.id, item, senderOf(item), clock());
  }

  async #halt(due: JobRun, why: string, told: readonly NewDelivery[]): Promise<void> {
    const { runs, clock, onProblem } = this.#setting;
    if (await runs.halt(due, why, told, clock())) onProblem(`The job ${jobName(due.job)} is paused: ${why}`);
  }

  #notice({ job, run }: JobRun, why: string): Promise<NewDelivery[]> {
    const { account, source } = job.origin;
    const where = { account, address: addressOf(source) };
    return this.#setting.notices.to(where, deliveryIdOf("job", run.id, "halted"), pausedText(job, why));
  }

  #itemOf({ job, run }: JobRun): NewInboxItem {
    const asked = {
      kind: "message",
      messageId: String(run.id),
      made: "job",
      text: runText(job, run),
      inBackground: true,
      by: job.by,
    } as const;
    if (job.session === "own") {
      const { key, origin } = this.#setting.sessions.laneOf(jobSource(job));
      return { ...asked, ...SCHEDULER, key, source: origin };
    }
    const { key, source, account } = job.origin;
    return { ...asked, platform: source.platform, account, key, source };
  }
}

function budgetSpent({ dailyTokens, spent, timing }: Job, now: number): string | null {
  if (dailyTokens === null || spent.day !== zonedDay(now, timing.timeZone)) return null;
  return spent.tokens < dailyTokens ? null : `It has used its ${grouped(dailyTokens)} tokens for this day.`;
}
