/**
 * Says what was promised about background processes, each once, in the place that their conversation has at that moment.
 * The end is said by the gateway that has the account of that place. What is due is in the store: so a look at it, after each commit
 * about processes and whenever an account was taken on, is all that it takes.
 */
import type { Processes, SeenProcess } from "../../process/processes.js";
import type { ProcessStore } from "../../process/store.js";
import { admit, type Breaker, NEW_BREAKER } from "../../process/watch.js";
import { deliveryIdOf, type ProcessId } from "../../session/ids.js";
import { addressOf } from "../../session/source.js";
import { Alarm } from "../../util/alarm.js";
import type { Clock } from "../../util/clock.js";
import { Looks } from "../../util/looks.js";
import type { OnProblem } from "../../util/problem.js";
import { withinTime } from "../../util/within-time.js";
import type { Notices } from "../notices.js";
import type { People } from "../people.js";
import type { PlacedProcess, ProcessReports, ReportEffects, ReportStep } from "../process-reports.js";
import type { Account, Accounts } from "../store.js";
import type { Surface } from "../surface.js";
import { OutputWatch, type SaidOfProcess } from "./output-watch.js";
import { ReportReach, type Way } from "./reach.js";
import { completionNote, completionNotice, NOTICE_CHARACTERS } from "./reports.js";
import { lookAt } from "./words.js";

export interface ReporterSetting {
  readonly reports: ProcessReports;
  readonly processes: Processes;
  readonly homes: Pick<ProcessStore, "attend">;
  readonly accounts: Accounts;
  /** The accounts that this process has, with somebody behind it. */
  readonly attended: () => readonly Account[];
  readonly people: Pick<People, "access">;
  readonly notices: Notices;
  readonly holder: string;
  readonly clock: Clock;
  readonly onProblem: OnProblem;
}

const MOST_DUE = 20;
/** How long a host may take to show the output of a process that has ended. */
const READ_MS = 5_000;
const RETRY_MS = 1_000;
const RECONCILE_MS = 10_000;

export class ProcessReporter {
  readonly #setting: ReporterSetting;
  readonly #reach: ReportReach;
  readonly #watching = new Map<ProcessId, OutputWatch>();
  #breaker: Breaker = NEW_BREAKER;
  readonly #looks = new Looks(
    () => this.#look(),
    () => !this.#isStopped,
  );
  readonly #startAgain = new Alarm(() => this.start());
  /** What does not work at the moment. */
  readonly #problems = new Set<string>();
  #isStopped = false;

  constructor(setting: ReporterSetting) {
    this.#setting = setting;
    this.#reach = new ReportReach({ ...setting, home: setting.processes.home });
  }

  /** First the store must agree with what really runs: a process may have ended while no gateway ran. */
  start(): void {
    if (this.#isStopped) return;
    void this.#attempt("Can't look for background processes", () => this.#setting.processes.reconcile()).then(
      (isDone) => {
        this.wake();
        if (!isDone) this.#startAgain.after(RECONCILE_MS);
      },
    );
  }

  /** Forgets processes that ended a while ago, and those of homes that are gone. */
  tidy(): void {
    const { processes, homes, clock } = this.#setting;
    void this.#attempt("Can't forget old processes", async () => {
      await homes.attend(processes.home, clock());
      await processes.tidy();
    });
  }

  /** A failure is reported once, until it works again. Never rejects. */
  async #attempt(problem: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      this.#problems.delete(problem);
      return true;
    } catch (error) {
      if (!this.#problems.has(problem) && !this.#isStopped)
        this.#setting.onProblem(`${problem}: ${(error as Error).message}`, { cause: error });
      this.#problems.add(problem);
      return false;
    }
  }

  /** This process has the account now, or still. */
  async taken(surface: Surface): Promise<void> {
    await this.#reach.taken(surface);
    this.wake();
  }

  /** Something may have changed. However often this is called during a look, one more look follows. */
  wake(): void {
    void this.#looks.wake();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#startAgain.stop();
    await this.#looks.stop();
    await Promise.all([...this.#watching.values()].map((watch) => watch.stop()));
    this.#watching.clear();
  }

  async #look(): Promise<void> {
    const isDone = await this.#attempt("Can't report about processes", async () => {
      const listen = () => this.#setting.processes.listen();
      if (await this.#attempt("Can't look for background processes", listen)) await this.#watchOutputs();
      else this.#looks.wakeAfter(RECONCILE_MS); // The store may know of ends all the same.
      for (const account of this.#setting.attended()) await this.#sayCompletions(account);
    });
    if (!isDone) this.#looks.wakeAfter(RETRY_MS);
  }

  async #watchOutputs(): Promise<void> {
    const { reports, processes } = this.#setting;
    const watched: PlacedProcess[] = [];
    for (const seen of await reports.watched(processes.home)) {
      const isWatchedHere = seen.process.state !== "starting" && (await this.#reach.to(seen.place)) !== null;
      if (isWatchedHere) watched.push(seen);
    }
    const ids = new Set(watched.map(({ process }) => process.id));
    for (const [id, watch] of this.#watching) {
      if (ids.has(id)) continue;
      this.#watching.delete(id);
      await watch.stop();
    }
    for (const seen of watched) {
      const { id } = seen.process;
      const watch = this.#watching.get(id) ?? this.#newWatch(seen);
      this.#watching.set(id, watch);
      watch.wake(seen);
    }
  }

  #newWatch(seen: PlacedProcess): OutputWatch {
    const { processes, clock, onProblem } = this.#setting;
    return new OutputWatch(seen, {
      processes,
      admit: () => this.#admit(),
      report: (placed, step, said) => this.#report(placed, step, said),
      onStale: () => this.wake(),
      clock,
      onProblem,
    });
  }

  async #sayCompletions(account: Account): Promise<void> {
    const { reports } = this.#setting;
    const due = await reports.due(account, MOST_DUE);
    for (const seen of due) {
      const waitUntil = this.#admit();
      if (waitUntil !== null) return this.#looks.wakeAfter(waitUntil - this.#setting.clock());
      const { process, place } = seen;
      const said: SaidOfProcess = place.isCurrent
        ? { to: "agent", text: completionNote(process, await this.#lastOutput(seen)) }
        : { to: "chat", text: completionNotice(process) };
      if (!(await this.#report(seen, { kind: "completion" }, said))) this.#looks.wakeAfter(RETRY_MS); // It has just moved.
    }
    if (due.length === MOST_DUE) this.wake();
  }

  /** Null if it printed nothing, or its output is elsewhere. */
  async #lastOutput({ process }: PlacedProcess): Promise<string | null> {
    const { processes } = this.#setting;
    const look = async (): Promise<string | null> => {
      const found: SeenProcess | null = await processes.find(process.id);
      return found && lookAt(processes, found, NOTICE_CHARACTERS);
    };
    return withinTime(
      look().catch(() => null),
      READ_MS,
    );
  }

  async #report(seen: PlacedProcess, step: ReportStep, said: SaidOfProcess | null): Promise<boolean> {
    const { reports, clock } = this.#setting;
    const way = await this.#reach.to(seen.place);
    if (!way) return false;
    const effects = said === null ? {} : await this.#effects(seen, way, step, said);
    return reports.report(seen, step, effects, clock());
  }

  /** Nothing is said for somebody who has no access any more. */
  async #effects(
    { process, place }: PlacedProcess,
    { platform, account, holder }: Way,
    step: ReportStep,
    said: SaidOfProcess,
  ): Promise<ReportEffects> {
    const { people, notices } = this.#setting;
    if (!(await people.access(process.by)).allowed) return {};
    // One that was thought lost may end a second time.
    const which = step.kind === "completion" ? [process.endedAt ?? 0] : [step.from, step.through];
    const name = deliveryIdOf(process.id, step.kind, ...which);
    if (said.to === "agent") {
      const item = {
        platform,
        account,
        kind: "message",
        key: place.key,
        source: place.source,
        messageId: name,
        made: "process",
        text: said.text,
        inBackground: true,
        by: process.by,
      } as const;
      return { wake: { item, holder } };
    }
    return { deliveries: await notices.to({ account, address: addressOf(place.source) }, name, said.text) };
  }

  /** Null if something may be said now; otherwise when to try again. */
  #admit(): number | null {
    const { clock, onProblem } = this.#setting;
    const { breaker, waitUntil, beginsPause } = admit(this.#breaker, clock());
    this.#breaker = breaker;
    if (beginsPause)
      onProblem("Background processes make too many notices, so Baton holds them back for 30 seconds.");
    return waitUntil;
  }
}
