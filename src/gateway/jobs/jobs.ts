/** The jobs of a gateway: the desk where people make them, and the scheduler that runs them. */
import type { Adapter } from "../../adapter/adapter.js";
import type { Who } from "../authorize.js";
import type { Common } from "../common.js";
import type { Homes } from "../homes.js";
import type { Notices } from "../notices.js";
import type { People } from "../people.js";
import { atLeast, type ToolLists, toolsFor } from "../permissions.js";
import type { Places } from "../places.js";
import type { Account } from "../store.js";
import type { Surfaces } from "../surfaces.js";
import { RunBeginning } from "./beginning.js";
import { JobDesk } from "./desk.js";
import type { GatewayJobs } from "./options.js";
import { OutputFolder } from "./output-folder.js";
import { RunResults } from "./results.js";
import { Scheduler } from "./scheduler.js";
import { jobAdapter, SCHEDULER } from "./surface.js";
import { JobTargets } from "./targets.js";

export interface JobsSetting extends Common {
  readonly jobs: GatewayJobs;
  readonly people: People;
  readonly toolLists: ToolLists;
  readonly places: Places;
  readonly homes: Homes;
  readonly notices: Notices;
  readonly surfaces: Surfaces;
}

export class Jobs {
  /** What the scheduler needs to be one of the accounts of its process. */
  static adapters(jobs: GatewayJobs | null): readonly Adapter[] {
    return jobs?.runsHere ? [jobAdapter()] : [];
  }

  readonly desk: JobDesk;
  readonly scheduler: Scheduler;

  constructor(setting: JobsSetting) {
    const { jobs, store, surfaces, toolLists, places } = setting;
    const { accounts, jobRuns: runs } = store;
    const mayUse = (who: Who, tool: string) => toolsFor(who, [{ name: tool }], toolLists).length > 0;
    const mayRunCommands = (who: Who) => mayUse(who, COMMANDS);
    // By `/cron`, or by the tool.
    const mayHaveJobs = (who: Who) => atLeast(who.role, "member") || mayUse(who, "schedule");
    const folder = jobs.outputFolder === null ? null : new OutputFolder(jobs.outputFolder);
    const beginning = new RunBeginning({
      ...setting,
      runs,
      mayHaveJobs,
      mayRunCommands,
      senderOf: (account) => surfaces.senderOf(account),
    });
    const surfaceOf = (account: Account) => surfaces.of(account);
    const targets = new JobTargets({ ...setting, surfaceOf });
    const results = new RunResults({ ...setting, runs, targets, folder });
    this.desk = new JobDesk({ ...setting, ...jobs, jobs: store.jobs, accounts, places, mayRunCommands });
    this.scheduler = new Scheduler({
      ...setting,
      runs,
      accounts,
      isOurs: () => surfaces.of(SCHEDULER)?.isHeld === true,
      begin: (run) => beginning.begin(run),
      settle: (run) => results.settle(run),
      settleWithout: (run, why) => results.settleWithout(run, why),
      tell: (untold) => results.tell(untold),
      tidy: async () => folder?.tidy(async (id) => (await store.jobs.find(id)) !== null),
      mostRunning: jobs.mostRunning,
    });
  }

  /** This process has that account now, or still. */
  taken({ platform }: Account): void {
    if (platform === SCHEDULER.platform) this.scheduler.taken();
  }
}

/** The tool that a person needs for jobs that are commands. */
const COMMANDS = "terminal";
