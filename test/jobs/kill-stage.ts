/** One store, a platform that outlives its gateways, and one or two gateways of which one is killed in the middle of a run. */
import { readFileSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { openDb, openStore } from "../../src/open-sessions.js";
import { clockFrom } from "../../src/schedule/decide.js";
import type { NewJob } from "../../src/schedule/job.js";
import type { Timing } from "../../src/schedule/schedule.js";
import type { ShownRun } from "../../src/schedule/store.js";
import type { Db } from "../../src/store/db.js";
import { aJob } from "../support/job-world.js";
import { type Death, JobsProcess, type KillPoint, SeenTexts } from "../support/jobs-process.js";

export const KINDS = ["once", "interval", "cron", "command"] as const;
export type JobKind = (typeof KINDS)[number];

/** Short: another process goes on soon after one was killed. */
const LEASE_MS = 300;
const DAY_MS = 86_400_000;
const PATIENCE = { interval: 10, timeout: 120_000 };

/** What a kill left behind, when all is over. */
export interface Ended {
  readonly run: ShownRun;
  readonly result: ShownRun["results"][number];
}

type Opened = Awaited<ReturnType<typeof openStore>>;

interface Made {
  readonly job: NewJob;
  readonly number: string;
  readonly dueAt: number;
}

export class KillStage {
  readonly #folder: string;
  readonly #url: string;
  readonly #gateways: number;
  readonly #seen = new SeenTexts();
  readonly #store: Opened;
  readonly #db: Db;
  readonly #made: Made[] = [];
  #processes: JobsProcess[] = [];
  #deaths = 0;

  private constructor(folder: string, url: string, gateways: number, store: Opened, db: Db) {
    this.#folder = folder;
    this.#url = url;
    this.#gateways = gateways;
    this.#store = store;
    this.#db = db;
  }

  static async open(gateways: 1 | 2, store?: string): Promise<KillStage> {
    const folder = await mkdtemp(join(tmpdir(), "baton-jobs-"));
    const url = store ?? join(folder, "baton.db");
    return new KillStage(folder, url, gateways, await openStore({ url }), await openDb(url));
  }

  async close(): Promise<void> {
    await writeFile(this.#goOn, "");
    await Promise.all(this.#processes.map((each) => each.kill()));
    await this.#db.close();
    await this.#store.sessions.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /**
   * A job that is due now runs, and the gateway that takes that step dies there; so do those that go on, until that many
   * have. Returns what came of it.
   */
  async killAt(point: KillPoint, kind: JobKind, times = 1): Promise<Ended> {
    const processes = await this.#running();
    const death = this.#deathAt(point);
    await Promise.all(processes.map((each) => each.arm(death)));
    const made = await this.#make(kind, (number) => `echo '${number}' >> effects; echo 'result ${number}'`);
    await died(processes, point);
    for (let time = 1; time < times; time++) await died([this.#start(this.#deathAt(point))], point);
    return this.#goneOn(made);
  }

  /** One of all that are armed with it dies: the others may come to the same step while they go on. */
  #deathAt(point: KillPoint): Death {
    this.#deaths += 1;
    return { ...point, once: join(this.#folder, `death-${this.#deaths}`) };
  }

  /** All are killed from outside while the command of a job runs, which outlives them. */
  async killDuringCommand(): Promise<Ended> {
    const processes = await this.#running();
    const made = await this.#make(
      "command",
      (number) =>
        `echo '${number}' >> effects; until [ -e go-on ] || [ ! -e effects ]; do sleep 0.02; done; echo 'result ${number}'`,
    );
    await vi.waitUntil(() => this.#effectsOf(made) > 0, PATIENCE);
    await Promise.all(processes.map((each) => each.kill()));
    return this.#goneOn(made);
  }

  /** After everything: nothing was run or said twice since. */
  async checkAll(): Promise<void> {
    for (const made of this.#made) await this.#check(made);
  }

  async #goneOn(made: Made): Promise<Ended> {
    await this.#running();
    await vi.waitUntil(async () => {
      const [run] = await this.#store.store.jobs.runs(made.job.id, 10);
      return run && isOver(run) && (await this.#isSilent());
    }, PATIENCE);
    return this.#check(made);
  }

  /** Nothing is on its way, also no sentence about a result that is in doubt. */
  async #isSilent(): Promise<boolean> {
    const open = "SELECT count(*) AS count FROM outbox WHERE state IN ('pending', 'sending')";
    return Number((await this.#db.get(open))?.count) === 0;
  }

  async #check(made: Made): Promise<Ended> {
    const { job, number, dueAt } = made;
    const runs = await this.#store.store.jobs.runs(job.id, 10);
    const [run] = runs;
    const result = run?.results[0];
    if (!run || !result || runs.length !== 1 || run.scheduledFor !== dueAt)
      throw new Error(`${number} has not the one run that it should have: ${JSON.stringify(runs)}`);
    const fail = (what: string): never => {
      throw new Error(`${number}: ${what}. ${JSON.stringify({ ...run, said: this.#seen.of(number) })}`);
    };
    if (!isOver(run)) fail("it is not over");
    if (run.state !== "done" && run.state !== "failed") fail("its state is wrong");
    if (run.results.length !== 1) fail("it has not one result");
    const seen = this.#seen.of(number);
    if (result.state === "unknown" ? seen > 1 : result.state !== "sent" || seen !== 1)
      fail(`people saw it ${seen} times`);
    if (this.#seen.doubtsOf(number) !== (result.state === "unknown" ? 1 : 0))
      fail("people must know of a doubt");
    const effects = this.#effectsOf(made);
    const mustRun = job.command !== null && run.state === "done";
    if (mustRun ? effects !== 1 : effects > 1) fail(`its command ran ${effects} times`);
    const { sessionId } = await this.#store.sessions.getOrCreate(job.origin.source, { touch: false });
    const transcript = await this.#store.sessions.load(sessionId);
    for (const role of ["user", "assistant"] as const) {
      // A note that names the job, and what the job said.
      const said = transcript.filter((one) => one.role === role && one.content.includes(number)).length;
      if (said !== 1) fail(`it is in the transcript ${said} times as ${role}`);
    }
    const files = await readdir(join(this.#folder, "output", job.id));
    if (files.length !== 1 || run.output !== `${job.id}/${files[0]}`) fail(`it has the files ${files}`);
    return { run, result };
  }

  async #make(kind: JobKind, command: (number: string) => string): Promise<Made> {
    const number = `#${this.#made.length + 1}#`;
    const now = Date.now();
    const timing = timingOf(kind, now);
    const job = aJob(now, {
      name: number,
      timing,
      ...(kind === "command" ? { prompt: null, command: command(number) } : { prompt: `say ${number}` }),
    });
    // As if it had been made some minutes ago: so it is due now.
    const clock = clockFrom(job.id, job, now - 90_000);
    const made = { job, number, dueAt: clock.nextAt ?? Number.NaN };
    this.#made.push(made);
    await this.#store.store.jobs.add(job, clock, [job.owner], Number.MAX_SAFE_INTEGER, now);
    return made;
  }

  /** As many as there should be. */
  async #running(): Promise<JobsProcess[]> {
    this.#processes = this.#processes.filter(({ isOver: isGone }) => !isGone);
    while (this.#processes.length < this.#gateways) await this.#start().ready();
    return this.#processes;
  }

  #start(death?: Death): JobsProcess {
    const started = new JobsProcess(
      {
        url: this.#url,
        folder: this.#folder,
        effects: join(this.#folder, "effects"),
        people: ["ann"],
        leaseMs: LEASE_MS,
        mostRunning: 4,
        ...(death ? { death } : {}),
      },
      this.#seen,
    );
    this.#processes.push(started);
    return started;
  }

  #effectsOf({ number }: Made): number {
    try {
      return readFileSync(join(this.#folder, "effects"), "utf8")
        .split("\n")
        .filter((line) => line === number).length;
    } catch {
      return 0; // Nothing has run yet.
    }
  }

  get #goOn(): string {
    return join(this.#folder, "go-on");
  }
}

function isOver({ state, results }: ShownRun): boolean {
  return (
    !["due", "running", "ended"].includes(state) && !results.some((result) => result.state === "waiting")
  );
}

/** Its last time was a moment ago, its next one is far away. */
function timingOf(kind: JobKind, now: number): Timing {
  const at = Math.floor(now / 60_000) * 60_000;
  if (kind === "interval")
    return { schedule: { kind: "every", everyMs: DAY_MS }, timeZone: "UTC", from: now - DAY_MS - 10 };
  if (kind === "cron") {
    const date = new Date(at);
    const expression = `${date.getUTCMinutes()} ${date.getUTCHours()} * * *`;
    return { schedule: { kind: "cron", expression }, timeZone: "UTC", from: now };
  }
  return { schedule: { kind: "once", at: now - 10 }, timeZone: "UTC", from: now - 60_000 };
}

/** Waits until the first of them has died by itself. */
async function died(armed: readonly JobsProcess[], { side, step }: KillPoint): Promise<void> {
  const alarm = setTimeout(() => void Promise.all(armed.map((each) => each.kill())), PATIENCE.timeout);
  const { process, how, complaint } = await Promise.race(
    armed.map(async (each) => ({ process: each, ...(await each.ended) })),
  );
  clearTimeout(alarm);
  if (how !== "SIGKILL" || process.wasKilled)
    throw new Error(`It was to die ${side} ${step}, and ended with ${how}. ${complaint}${process.problems}`);
}
