/** Many jobs in one store, and the gateways that run them: what becomes of them, and what they cost. */
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { openDb, openStore } from "../../src/open-sessions.js";
import { clockFrom } from "../../src/schedule/decide.js";
import type { NewJob } from "../../src/schedule/job.js";
import type { Db } from "../../src/store/db.js";
import { aJob } from "./job-world.js";
import { JobsProcess, SeenTexts } from "./jobs-process.js";

const PEOPLE = Array.from({ length: 100 }, (_, number) => `person${number}`);

/** Of one of a hundred people; due once, at that time. */
function jobOfMany(number: number, dueAt: number): NewJob {
  const person = PEOPLE[number % PEOPLE.length] ?? "";
  return aJob(dueAt, {
    by: { platform: "telegram", chatId: person, chatType: "dm", userId: person },
    name: `#${number}#`,
    prompt: `say #${number}#`,
    timing: { schedule: { kind: "once", at: dueAt }, timeZone: "UTC", from: dueAt - 60_000 },
  });
}

export class JobLoad {
  readonly seen = new SeenTexts();
  readonly #folder: string;
  readonly #db: Db;
  readonly #leaseMs: number;
  readonly #processes: JobsProcess[] = [];

  private constructor(folder: string, db: Db, leaseMs: number) {
    this.#folder = folder;
    this.#db = db;
    this.#leaseMs = leaseMs;
  }

  /** With so many jobs that are due at the same time, or were. */
  static async open(
    below: string,
    { jobs, dueAt, leaseMs }: { jobs: number; dueAt: number; leaseMs: number },
  ): Promise<JobLoad> {
    const folder = await mkdtemp(join(below, "baton-load-"));
    const url = join(folder, "baton.db");
    const { store, sessions } = await openStore({ url });
    for (let number = 0; number < jobs; number++) {
      const job = jobOfMany(number, dueAt);
      await store.jobs.add(job, clockFrom(job.id, job, dueAt - 1), [job.owner], jobs, dueAt - 60_000);
    }
    await sessions.close();
    return new JobLoad(folder, await openDb(url), leaseMs);
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map((each) => each.kill()));
    await this.#db.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async start(): Promise<JobsProcess> {
    const started = new JobsProcess(
      {
        url: join(this.#folder, "baton.db"),
        folder: this.#folder,
        effects: join(this.#folder, "effects"),
        people: PEOPLE,
        leaseMs: this.#leaseMs,
        mostRunning: 4,
        isBrief: true,
      },
      this.seen,
    );
    this.#processes.push(started);
    await started.ready();
    return started;
  }

  /** How many runs there are, by their state and by what became of their result. */
  async runs(): Promise<Readonly<Record<string, number>>> {
    const rows = await this.#db.all(
      `SELECT r.state, coalesce(t.state, 'none') AS result, count(*) AS count
       FROM job_runs r LEFT JOIN job_results t ON t.run_id = r.id GROUP BY 1, 2`,
    );
    return Object.fromEntries(rows.map(({ state, result, count }) => [`${state}, ${result}`, Number(count)]));
  }

  /** How many results have arrived, or may have. */
  async arrived(): Promise<number> {
    const { "done, sent": sent = 0, "done, unknown": unknown = 0 } = await this.runs();
    return sent + unknown;
  }
}
