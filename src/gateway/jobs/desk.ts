/**
 * Makes, changes and removes jobs for a person: their own, and in a shared chat only those that deliver there, because
 * the others would see them. The operator at the command line has all of them.
 */
import { clockFrom } from "../../schedule/decide.js";
import type { Job, JobOrigin, JobSetting } from "../../schedule/job.js";
import { nextRuns } from "../../schedule/schedule.js";
import type { JobStore, Overdue, Renewed, ShownRun } from "../../schedule/store.js";
import { parseTargets, TARGET_FORMS } from "../../schedule/targets.js";
import type { JobWish, WishContext } from "../../schedule/wish.js";
import { BatonError, ConflictError, InputError, NotFoundError } from "../../session/errors.js";
import { newJobId, type RunId } from "../../session/ids.js";
import type { SessionSource } from "../../session/source.js";
import type { Clock } from "../../util/clock.js";
import { cleanLine } from "../../util/text.js";
import { counted } from "../../util/words.js";
import { senderOf, type Who } from "../authorize.js";
import type { Places } from "../places.js";
import type { Accounts } from "../store.js";
import type { JobLimits } from "./options.js";
import { LOOKED } from "./scheduler.js";
import { SCHEDULER } from "./surface.js";

export interface JobDeskSetting extends JobLimits {
  readonly jobs: JobStore;
  readonly accounts: Pick<Accounts, "read">;
  readonly places: Pick<Places, "named">;
  readonly mayRunCommands: (who: Who) => boolean;
  readonly clock: Clock;
}

/** Who asks, and in which chat; null for the operator. */
export type JobAsker = { readonly who: Who; readonly source: SessionSource } | null;

/** Whether the scheduler does its work. */
export interface SchedulerState {
  /** When it last looked; null if it never has. */
  readonly lookedAt: number | null;
  /** The job that has waited longest, if its time came some minutes ago; null if none has. */
  readonly overdue: Overdue | null;
}

/** What was understood of a wish, before it is a job. */
export interface Understood {
  readonly setting: JobSetting;
  /** Its next times. */
  readonly next: readonly number[];
}

export interface Made {
  readonly job: Job;
  /** Its next times. */
  readonly next: readonly number[];
}

const SHOWN_TIMES = 3;
/** So long after its time a job is overdue: a scheduler that works begins it within seconds. */
const LATE_MS = 120_000;

export class JobDesk {
  readonly #setting: JobDeskSetting;

  constructor(setting: JobDeskSetting) {
    this.#setting = setting;
  }

  /** A job that does not exist yet, or is not changed yet; fails with a sentence if it can't be. */
  async preview(wish: JobWish, asker: JobAsker, before?: Job): Promise<Understood> {
    if (before) mustNotBeDone(before);
    const setting = await this.#settingOf(wish, asker, before);
    const usual = before ? before.left : setting.repeat;
    const { left = usual } = before ? renewedBy(wish, before, setting, this.#setting.clock()) : {};
    return { setting, next: this.#next(setting, left) };
  }

  /** Its results go to `origin`, if it names no other place. */
  async make(wish: JobWish, asker: JobAsker, by: SessionSource, origin: JobOrigin): Promise<Made> {
    const { jobs, clock, mostPerPerson } = this.#setting;
    const now = clock();
    const id = newJobId();
    const owner = senderOf(by) ?? "";
    const job = { ...(await this.#settingOf(wish, asker)), id, by, owner, origin };
    const identities = asker?.who.identities ?? [owner];
    if (!(await jobs.add(job, clockFrom(id, job, now), identities, mostPerPerson, now)))
      throw new ConflictError(
        "job_limit",
        `You have ${counted(mostPerPerson, "job")}, which is the most that \`jobs.maxPerPerson\` allows. Remove one first.`,
      );
    return this.#made(id);
  }

  /** Oldest first. */
  async list(asker: JobAsker): Promise<Job[]> {
    if (asker === null) return this.#setting.jobs.list(null);
    const { who, source } = asker;
    const theirs = await this.#setting.jobs.list(who.identities);
    if (source.chatType === "dm") return theirs;
    return theirs.filter(({ origin }) => isSameChat(origin.source, source));
  }

  /** By its id, the beginning of its id, or its name. */
  async find(asker: JobAsker, given: string): Promise<Job> {
    return jobMeant(await this.list(asker), given);
  }

  async change(job: Job, wish: JobWish, asker: JobAsker): Promise<Made> {
    const { jobs, clock } = this.#setting;
    mustNotBeDone(job);
    const setting = await this.#settingOf(wish, asker, job);
    const now = clock();
    mustBeDone(await jobs.change(job, setting, renewedBy(wish, job, setting, now), now));
    return this.#made(job.id);
  }

  async pause(job: Job): Promise<void> {
    if (job.state !== "active") throw new ConflictError("job_changed", `The job is already ${job.state}.`);
    mustBeDone(await this.#setting.jobs.pause(job, this.#setting.clock()));
  }

  /** A time that came while it was paused does not run. */
  async resume(job: Job): Promise<Made> {
    const { jobs, clock } = this.#setting;
    if (job.state !== "paused") throw new ConflictError("job_changed", "The job is not paused.");
    const now = clock();
    const from = clockFrom(job.id, job, now);
    if (from.nextAt === null) throw passed();
    mustBeDone(await jobs.resume(job, from, now));
    return this.#made(job.id);
  }

  async remove(job: Job): Promise<void> {
    mustBeDone(await this.#setting.jobs.remove(job.id));
  }

  async runNow(job: Job): Promise<RunId> {
    const asked = await this.#setting.jobs.ask(job.id, this.#setting.clock());
    if (asked === null) throw gone();
    return asked;
  }

  runs(job: Job, limit: number): Promise<ShownRun[]> {
    return this.#setting.jobs.runs(job.id, limit);
  }

  async #made(id: Job["id"]): Promise<Made> {
    const job = await this.#setting.jobs.find(id);
    if (!job) throw gone();
    return { job, next: this.#next(job, job.left) };
  }

  #next({ timing }: Pick<JobSetting, "timing">, left: number | null): readonly number[] {
    return nextRuns(timing, this.#setting.clock(), Math.min(SHOWN_TIMES, left ?? SHOWN_TIMES));
  }

  async scheduler(): Promise<SchedulerState> {
    const { jobs, accounts, clock } = this.#setting;
    const looked = await accounts.read(SCHEDULER, LOOKED);
    return {
      lookedAt: looked === null ? null : Number(looked),
      overdue: await jobs.oldestDue(clock() - LATE_MS),
    };
  }

  async #settingOf(wish: JobWish, asker: JobAsker, before?: Job): Promise<JobSetting> {
    const { settingOf } = await import("../../schedule/wish.js"); // Loaded only now: it reads times in words.
    const { clock, timeZone, timeoutMs, places, mayRunCommands } = this.#setting;
    const context: WishContext = { now: clock(), timeZone, timeoutMs };
    const who = asker?.who ?? null;
    if (wish.command && who && !mayRunCommands(who))
      throw new InputError("invalid_job", "You may not run commands here, so a job of yours can't either.");
    const setting = settingOf(wish, context, before);
    for (const { kind, word } of parseTargets(wish.deliver ?? "origin"))
      if (kind === "place") await places.named(word, who).catch(refuseTarget);
    return setting;
  }
}

/** Another name or prompt leaves its times alone: one that has come, and nobody has decided about, still runs. */
function renewedBy(wish: JobWish, job: Job, setting: JobSetting, now: number): Renewed {
  const isTimed = [wish.schedule, wish.timeZone, wish.jitter].some((given) => given !== undefined);
  return {
    ...(isTimed || job.failures > 0 ? { clock: clockFrom(job.id, setting, now) } : {}),
    ...(wish.repeat !== undefined ? { left: setting.repeat } : {}),
  };
}

function refuseTarget(error: unknown): never {
  if (!(error instanceof BatonError)) throw error;
  throw new InputError("invalid_target", `${error.message} For \`deliver\`: ${TARGET_FORMS}`, {
    cause: error,
  });
}

function isSameChat(one: SessionSource, other: SessionSource): boolean {
  return one.platform === other.platform && one.chatId === other.chatId;
}

function jobMeant(among: readonly Job[], given: string): Job {
  const word = given.trim().toLowerCase();
  const named = among.filter(({ name }) => name.toLowerCase() === word);
  const found = named.length > 0 ? named : word === "" ? [] : among.filter(({ id }) => id.startsWith(word));
  const open = found.filter(({ state }) => state !== "done"); // A job that is done does not keep its name.
  const [job, ...others] = open.length === 1 ? open : found;
  if (job && others.length === 0) return job;
  const shown = JSON.stringify(cleanLine(given).slice(0, 40));
  if (job) {
    const message = `Several jobs are called ${shown} or begin with it: ${idsOf(found)}. Give the id.`;
    throw new ConflictError("ambiguous_job", message);
  }
  const known = among.length === 0 ? "There are no jobs." : `These are known: ${idsOf(among)}.`;
  throw new NotFoundError("job_not_found", `There is no job ${shown}. ${known}`);
}

const MOST_IDS = 10;

function idsOf(jobs: readonly Job[]): string {
  const shown = jobs.slice(0, MOST_IDS).map(({ id, name }) => `${id} (${cleanLine(name)})`);
  const more = jobs.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** A new job is counted, and a job that is done is not. */
function mustNotBeDone({ state }: Job): void {
  if (state === "done") throw new ConflictError("job_changed", "The job is done. Make a new one.");
}

function mustBeDone(isDone: boolean): void {
  if (!isDone)
    throw new ConflictError(
      "job_changed",
      "The job was changed or removed meanwhile. Look at it and try again.",
    );
}

function passed(): ConflictError {
  return new ConflictError("job_changed", "The job has no more times. Give it a new schedule.");
}

function gone(): NotFoundError {
  return new NotFoundError("job_not_found", "The job was removed.");
}
