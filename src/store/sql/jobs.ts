/** Jobs, as people make, change and list them. Each change names the version that was seen. */
import type { Job, JobSetting, NewJob } from "../../schedule/job.js";
import type { JobClock, JobStore, Overdue, Renewed, ShownRun } from "../../schedule/store.js";
import type { JobId, RunId } from "../../session/ids.js";
import { storableText } from "../../util/text.js";
import type { Db, Queries, SqlValue } from "../db.js";
import { columnsOf } from "./columns.js";
import { jobOf, resultOf, runOf, settingText } from "./job-rows.js";
import { writeOrigin } from "./rows.js";
import { number, text } from "./values.js";

const SELECT = `SELECT ${columnsOf("jobs")} FROM jobs`;
/** As the partial index says it. */
const AWAKE = "state = 'active' AND wake_at IS NOT NULL";
/** What a run can wait for: to begin, for its turn, for its result to be sent. With the time since when it does. */
const WAITS = [
  ["due", "made_at", ""],
  [
    "running",
    "started_at",
    "AND EXISTS (SELECT 1 FROM inbox WHERE inbox.id = r.inbox_id AND inbox.state = 'waiting')",
  ],
  ["ended", "ended_at", ""],
] as const;

export class SqlJobs implements JobStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  add(
    job: NewJob,
    clock: JobClock,
    identities: readonly string[],
    most: number,
    now: number,
  ): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      const { lockName } = this.#db.dialect;
      if (lockName) await tx.all(lockName, `jobs of ${[...identities].sort()[0]}`);
      if ((await openJobs(tx, identities, most)) >= most) return false;
      await tx.run(
        `INSERT INTO jobs (id, owner, source, origin_key, origin_source, origin_account, setting, state, next_at,
           wake_at, runs_left, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, 'active', ?, ?, ?, ?)`,
        job.id,
        job.owner,
        writeOrigin(job.by),
        job.origin.key,
        writeOrigin(job.origin.source),
        job.origin.account,
        settingText(job),
        clock.nextAt,
        clock.wakeAt,
        job.repeat,
        now,
      );
      tx.record({ kind: "jobs" });
      return true;
    });
  }

  async find(id: JobId): Promise<Job | null> {
    const row = await this.#db.get(`${SELECT} WHERE id = ?`, id);
    return row ? jobOf(row) : null;
  }

  async list(identities: readonly string[] | null): Promise<Job[]> {
    const which = identities === null ? "" : `WHERE owner IN (${marks(identities)})`;
    const rows = await this.#db.all(`${SELECT} ${which} ORDER BY created_at, id`, ...(identities ?? []));
    return rows.map(jobOf);
  }

  change(seen: Job, setting: JobSetting, { clock, left }: Renewed, now: number): Promise<boolean> {
    const state = "state = CASE WHEN state = 'paused' THEN state ELSE ? END";
    return this.#write(seen, [
      ["setting = ?", settingText(setting)],
      ...(left === undefined ? [] : [["runs_left = ?", left] as const]),
      ...(clock === undefined ? [] : [[state, stateBy(clock)] as const, ...clockChanges(clock, now)]),
    ]);
  }

  pause({ id, version }: Job, now: number): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      const which = `SELECT id FROM jobs WHERE id = ? AND version = ? ${this.#db.dialect.forUpdate("jobs")}`;
      const seen = await tx.get(which, id, version);
      if (!seen || !(await pauseJob(tx, id, null, now))) return false;
      tx.record({ kind: "jobs" });
      return true;
    });
  }

  resume(seen: Job, clock: JobClock, now: number): Promise<boolean> {
    return this.#write(seen, [["paused_why = NULL, state = ?", stateBy(clock)], ...clockChanges(clock, now)]);
  }

  async #write({ id, version }: Job, changes: readonly Change[]): Promise<boolean> {
    const change = changes.map(([sql]) => sql).join(", ");
    const values = changes.flatMap(([, ...given]) => given);
    const sql = `UPDATE jobs SET ${change}, failures = 0, version = version + 1 WHERE id = ? AND version = ?`;
    const isDone = (await this.#db.run(sql, ...values, id, version)) === 1;
    if (isDone) this.#db.record({ kind: "jobs" });
    return isDone;
  }

  remove(id: JobId): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      const isGone = await removeJob(tx, id);
      if (isGone) tx.record({ kind: "jobs" });
      return isGone;
    });
  }

  ask(id: JobId, now: number): Promise<RunId | null> {
    return this.#db.transaction(async (tx) => {
      const { forUpdate } = this.#db.dialect;
      if (!(await tx.get(`SELECT id FROM jobs WHERE id = ? ${forUpdate("jobs")}`, id))) return null;
      const waits = `SELECT id FROM job_runs WHERE job_id = ? AND scheduled_for IS NULL AND state = 'due'`;
      const asked =
        (await tx.get(waits, id)) ??
        (await tx.write(
          "INSERT INTO job_runs (job_id, state, made_at) VALUES (?, 'due', ?) RETURNING id",
          id,
          now,
        ));
      if (!asked) return null;
      tx.record({ kind: "jobs" });
      return number<RunId>(asked.id);
    });
  }

  async runs(id: JobId, limit: number): Promise<ShownRun[]> {
    const sql = `SELECT ${columnsOf("job_runs")} FROM job_runs WHERE job_id = ? ORDER BY id DESC LIMIT ?`;
    const runs = (await this.#db.all(sql, id, limit)).map(runOf);
    if (runs.length === 0) return [];
    const ids = runs.map((run) => run.id);
    const results = await this.#db.all(
      `SELECT run_id, target, address, state, error FROM job_results WHERE run_id IN (${marks(ids)}) ORDER BY target`,
      ...ids,
    );
    return runs.map((run) => ({
      ...run,
      results: results.filter((row) => number(row.run_id) === run.id).map(resultOf),
    }));
  }

  async oldestDue(now: number): Promise<Overdue | null> {
    const undecided = await this.#db.get(
      `${SELECT} WHERE ${AWAKE} AND wake_at <= ? ORDER BY wake_at, id LIMIT 1`,
      now,
    );
    const oldest = undecided && { job: jobOf(undecided), since: number(undecided.wake_at) };
    const waiting = (await Promise.all(WAITS.map((which) => this.#db.get(waits(which), now)))).flatMap(
      (row) => (row ? [{ id: text<JobId>(row.job_id), since: number(row.since) }] : []),
    );
    const [first] = waiting.sort((one, other) => one.since - other.since);
    if (!first || (oldest && oldest.since <= first.since)) return oldest ?? null;
    const job = await this.find(first.id);
    return job && { job, since: first.since };
  }
}

/** The run that has waited longest for that. */
function waits([state, since, more]: (typeof WAITS)[number]): string {
  return `SELECT r.job_id, r.${since} AS since FROM job_runs r
    WHERE r.state IN ('due', 'running', 'ended') AND r.state = '${state}' AND r.${since} <= ? ${more} ORDER BY r.id LIMIT 1`;
}

/** A part of a statement, and its values. */
type Change = readonly [string, ...SqlValue[]];

function clockChanges({ nextAt, wakeAt }: JobClock, now: number): readonly Change[] {
  return [["next_at = ?, wake_at = ?, done_at = ?", nextAt, wakeAt, nextAt === null ? now : null]];
}

/** A job without a next time is done. */
function stateBy({ nextAt }: JobClock): Job["state"] {
  return nextAt === null ? "done" : "active";
}

/** The times that have come, and not begun, do not run. False if it was not active. */
export async function pauseJob(tx: Queries, id: JobId, why: string | null, now: number): Promise<boolean> {
  const paused = `UPDATE jobs SET state = 'paused', paused_why = ?, version = version + 1
    WHERE id = ? AND state = 'active'`;
  if ((await tx.run(paused, why === null ? null : storableText(why), id)) === 0) return false;
  await tx.run(
    `UPDATE job_runs SET state = 'skipped', error = 'The job was paused.', ended_at = ?
     WHERE job_id = ? AND state = 'due' AND scheduled_for IS NOT NULL`,
    now,
    id,
  );
  return true;
}

/** Turns of it that have not begun do not begin. */
export async function removeJob(tx: Queries, id: JobId): Promise<boolean> {
  await tx.run(
    `UPDATE inbox SET state = 'done' WHERE state = 'waiting' AND id IN
       (SELECT inbox_id FROM job_runs WHERE job_id = ? AND state = 'running')`,
    id,
  );
  await tx.run("DELETE FROM job_results WHERE run_id IN (SELECT id FROM job_runs WHERE job_id = ?)", id);
  await tx.run("DELETE FROM job_runs WHERE job_id = ?", id);
  return (await tx.run("DELETE FROM jobs WHERE id = ?", id)) === 1;
}

/** Those that are not done, counted no further than `atMost`. */
async function openJobs(tx: Queries, identities: readonly string[], atMost: number): Promise<number> {
  const which = `SELECT 1 FROM jobs WHERE owner IN (${marks(identities)}) AND state <> 'done' LIMIT ?`;
  const row = await tx.get(`SELECT count(*) AS jobs FROM (${which}) AS open`, ...identities, atMost);
  return number(row?.jobs);
}

function marks(values: readonly unknown[]): string {
  return values.map(() => "?").join(", ");
}
