/**
 * What becomes of a run whose turn is over: the result goes into a file, then one commit adds it to the outbox and to the
 * conversations where it lands, and says in the run what came of each target.
 */
import { backOff, MOST_FAILURES } from "../../schedule/decide.js";
import type { Job, RunResult } from "../../schedule/job.js";
import { zonedDay } from "../../schedule/words.js";
import { deliveryIdOf } from "../../session/ids.js";
import { addressOf, formatAddress } from "../../session/source.js";
import type { Clock } from "../../util/clock.js";
import type { OnProblem } from "../../util/problem.js";
import { counted } from "../../util/words.js";
import type { Notices } from "../notices.js";
import type { People } from "../people.js";
import type { JobAfter, JobRun, JobRuns, NewDelivery, RunEffects, UntoldResults } from "../store.js";
import type { OutputFolder } from "./output-folder.js";
import type { JobTargets, ReachedTarget, UnreachedTarget } from "./targets.js";
import { failedText, isSilent, jobName, pausedText, resultMessages, undeliveredText } from "./words.js";

export interface ResultsSetting {
  readonly runs: Pick<JobRuns, "settle" | "told">;
  readonly targets: JobTargets;
  readonly people: Pick<People, "access">;
  readonly notices: Notices;
  /** Null if nothing is kept in files. */
  readonly folder: OutputFolder | null;
  readonly clock: Clock;
  readonly onProblem: OnProblem;
}

interface RunOutcome {
  readonly state: RunEffects["state"];
  readonly error: string | null;
  readonly text: string;
}

export class RunResults {
  readonly #setting: ResultsSetting;

  constructor(setting: ResultsSetting) {
    this.#setting = setting;
  }

  async settle(ended: JobRun): Promise<void> {
    const { runs, clock } = this.#setting;
    const after = afterRun(ended, clock());
    const outcome = outcomeOf(ended, after);
    const output = await this.#keep(ended, outcome);
    const said = outcome.state === "silent" ? NOTHING_SAID : await this.#say(ended, outcome, after);
    await runs.settle(ended, { ...outcome, output, ...said }, after, clock()); // After the sessions that it is said in began.
  }

  /** Ends it without its result, which stays in the session of the run. */
  async settleWithout(ended: JobRun, why: string): Promise<void> {
    const { runs, clock, onProblem } = this.#setting;
    const effects = { state: "failed", error: why, output: null, ...NOTHING_SAID } as const;
    if (await runs.settle(ended, effects, afterRun(ended, clock()), clock()))
      onProblem(`The job ${jobName(ended.job)} failed. ${why}`);
  }

  /** Says in the chat of the job that its result did not arrive elsewhere. */
  async tell(untold: UntoldResults): Promise<void> {
    const { runs, notices, clock, onProblem } = this.#setting;
    const { job, run, results } = untold;
    const text = undeliveredText(job, run, results);
    const address = addressOf(job.origin.source);
    const isThere = results.some((result) => result.address === formatAddress(address));
    const id = deliveryIdOf("job", run.id, "undelivered", ...results.map(({ target }) => target));
    const told = isThere ? [] : await notices.to({ account: job.origin.account, address }, id, text);
    if ((await runs.told(untold, told, clock())) && isThere) onProblem(text);
  }

  /** If the file can't be written, the result is delivered all the same. */
  async #keep({ job, run }: JobRun, { state, text }: RunOutcome): Promise<string | null> {
    const { folder, onProblem } = this.#setting;
    try {
      return (await folder?.write(job, run, state, text)) ?? null;
    } catch (error) {
      const why = (error as Error).message;
      onProblem(`Can't keep the result of the job ${jobName(job)}: ${why}`, { cause: error });
      return null;
    }
  }

  async #say(
    ended: JobRun,
    { text }: RunOutcome,
    after: JobAfter,
  ): Promise<Pick<RunEffects, "results" | "deliveries" | "said">> {
    const { targets, people } = this.#setting;
    const { job } = ended;
    const who = await people.access(job.by);
    if (!who.allowed) return NOTHING_SAID;
    const found = await targets.of(job, who);
    const deliveries: NewDelivery[] = [];
    const said: RunEffects["said"][number][] = [];
    for (const [n, one] of found.entries()) {
      if (!("place" in one) || !one.place || isSaidThere(job, one, after)) continue;
      const { sessionId } = one.place;
      deliveries.push(...(await this.#deliveries(ended, one.place, n, text)));
      if (sessionId !== null) said.push({ sessionId, messages: resultMessages(ended, text) });
    }
    return { results: found.map((one) => resultOf(job, one, after)), deliveries, said };
  }

  async #deliveries(
    { run }: JobRun,
    { address, account, sessionId }: NonNullable<ReachedTarget["place"]>,
    n: number,
    text: string,
  ): Promise<NewDelivery[]> {
    const id = deliveryIdOf("job", run.id, n);
    const why = { purpose: "reply", runId: run.id } as const;
    const pieces = await this.#setting.notices.to({ account, address }, id, text, why);
    return pieces.map((piece) => ({ ...piece, sessionId }));
  }
}

const NOTHING_SAID = { results: [], deliveries: [], said: [] } as const;

/** A turn in the conversation itself has said it there, but not that the job is paused. */
function isSaidThere({ session, origin }: Job, { place }: ReachedTarget, { pausedWhy }: JobAfter): boolean {
  if (session !== "origin" || place === null || pausedWhy !== null) return false;
  return formatAddress(place.address) === formatAddress(addressOf(origin.source));
}

function resultOf(job: Job, one: ReachedTarget | UnreachedTarget, after: JobAfter): RunResult {
  const { target } = one;
  if ("error" in one) return { target, address: null, state: "failed", error: one.error };
  if (one.place === null) return { target, address: null, state: "kept", error: null };
  const state = isSaidThere(job, one, after) ? "said" : "waiting";
  return { target, address: formatAddress(one.place.address), state, error: null };
}

function outcomeOf({ job, run }: JobRun, { pausedWhy }: JobAfter): RunOutcome {
  if (run.error !== null) {
    const paused = pausedWhy === null ? [] : [pausedText(job, pausedWhy)];
    const text = [failedText(job, run.error), ...paused].join("\n\n");
    return { state: "failed", error: run.error, text };
  }
  const said = run.said ?? "";
  if (said.trim() === "" || isSilent(said)) return { state: "silent", error: null, text: said };
  return { state: "done", error: null, text: said };
}

/** After repeated failure it waits, and is paused in the end. */
function afterRun({ job, run }: JobRun, now: number): JobAfter {
  const day = zonedDay(now, job.timing.timeZone);
  const spent = { day, tokens: run.tokens + (job.spent.day === day ? job.spent.tokens : 0) };
  if (run.error === null) return { failures: 0, notBefore: null, pausedWhy: null, spent };
  const failures = job.failures + 1;
  const pausedWhy = failures >= MOST_FAILURES ? `its last ${counted(failures, "run")} failed` : null;
  return { failures, notBefore: backOff(failures, now), pausedWhy, spent };
}
