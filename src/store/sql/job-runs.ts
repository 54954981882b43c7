/** The runs of jobs: each step is a compare-and-set, so it is taken once, by whichever process is faster. */
import type {
  JobAfter,
  JobRun,
  JobRuns,
  NewDelivery,
  NewInboxItem,
  RunEffects,
  Turn,
  TurnEnd,
  TurnStep,
  UntoldResults,
} from "../../gateway/store.js";
import type { JobDecision } from "../../schedule/decide.js";
import type { Job } from "../../schedule/job.js";
import { JOBS as JOB_PLATFORM } from "../../schedule/job-source.js";
import type { JobClock } from "../../schedule/store.js";
import type { InboxId, JobId, RunId } from "../../session/ids.js";
import { usageOfAll } from "../../session/session.js";
import type { SessionKey } from "../../session/session-key.js";
import { type Address, formatAddress } from "../../session/source.js";
import type { LanePlace } from "../../session/store.js";
import { storableText } from "../../util/text.js";
import type { Db, Queries, Row, SqlValue } from "../db.js";
import { columnsOf } from "./columns.js";
import { insertItem } from "./inbox.js";
import { insertResults, leaveOlder, markTold, UNTOLD_RUNS, untoldResults } from "./job-results.js";
import { jobOf, runOf } from "./job-rows.js";
import { pauseJob, removeJob } from "./jobs.js";
import { insertDeliveries } from "./outbox.js";
import { writeOrigin } from "./rows.js";
import { appendIn } from "./transcript.js";
import { number, text } from "./values.js";

const JOBS = `SELECT ${columnsOf("jobs")} FROM jobs`;
/** As the partial indexes say it. */
const AWAKE = "state = 'active' AND wake_at IS NOT NULL";
const OPEN = "r.state IN ('due', 'running', 'ended')";
/** A run of the same job that comes first. */
const BEFORE = `SELECT 1 FROM job_runs o WHERE o.job_id = r.job_id AND o.state IN ('due', 'running', 'ended')
  AND (o.state IN ('running', 'ended') OR (o.state = 'due' AND o.id < r.id))`;
const BUSY = "The run before was not over.";
/** So many runs of a job are kept, with what became of them. */
const KEPT_RUNS = 200;
/** So many of the last results at an address are looked at. */
const LATELY = 20;
/** So many jobs are set anew in one commit. */
const BATCH = 500;

export class SqlJobRuns implements JobRuns {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async due(now: number, limit: number): Promise<Job[]> {
    const sql = `${JOBS} WHERE ${AWAKE} AND wake_at <= ? ORDER BY wake_at, id LIMIT ?`;
    return (await this.#db.all(sql, now, limit)).map(jobOf);
  }

  async nextWake(): Promise<number | null> {
    const row = await this.#db.get(`SELECT wake_at FROM jobs WHERE ${AWAKE} ORDER BY wake_at, id LIMIT 1`);
    return row ? number(row.wake_at) : null;
  }

  decided(decisions: readonly (readonly [Job, JobDecision])[], now: number): Promise<readonly boolean[]> {
    return this.#db.transaction(async (tx) => {
      const taken: boolean[] = [];
      for (const [job, decision] of decisions) taken.push(await decide(tx, job, decision, now));
      if (taken.includes(true)) tx.record({ kind: "jobs" });
      return taken;
    });
  }

  giveUp({ id }: Job, why: string, now: number): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      const isPaused = await pauseJob(tx, id, why, now);
      if (isPaused) tx.record({ kind: "jobs" });
      return isPaused;
    });
  }

  async rearm(next: (job: Job) => JobClock, now: number): Promise<void> {
    let after = "";
    for (let isMore = true; isMore; ) {
      isMore = await this.#db.transaction(async (tx) => {
        const rows = await tx.all(`${JOBS} WHERE id > ? ORDER BY id LIMIT ?`, after, BATCH);
        for (const job of rows.map(jobOf)) await rearmOne(tx, job, next(job), now);
        after = text(rows.at(-1)?.id ?? after);
        tx.record({ kind: "jobs" });
        return rows.length === BATCH;
      });
    }
  }

  async waiting(mostRunning: number): Promise<JobRun[]> {
    // A run in a conversation may wait for that, or for its platform: it takes no room from others.
    const began = await this.#db.get(
      `SELECT count(*) AS runs FROM job_runs r JOIN inbox i ON i.id = r.inbox_id
       WHERE r.state = 'running' AND i.platform = ?`,
      JOB_PLATFORM,
    );
    const room = mostRunning - number(began?.runs);
    return room > 0 ? this.#runs(`${OPEN} AND r.state = 'due' AND NOT EXISTS (${BEFORE})`, room) : [];
  }

  begin(id: RunId, item: NewInboxItem, holder: string, now: number): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      const begun = "UPDATE job_runs SET state = 'running', started_at = ? WHERE id = ? AND state = 'due'";
      if ((await tx.run(begun, now, id)) === 0) return false;
      const kept = await insertItem(tx, item, holder, now);
      await tx.run("UPDATE job_runs SET inbox_id = ? WHERE id = ?", kept?.id ?? null, id);
      return true;
    });
  }

  halt({ job, run }: JobRun, why: string, deliveries: readonly NewDelivery[], now: number): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      if (!(await skip(tx, run.id, why, now))) return false;
      if (await pauseJob(tx, job.id, why, now)) await insertDeliveries(tx, deliveries, now);
      tx.record({ kind: "jobs" });
      return true;
    });
  }

  async skip(id: RunId, why: string, now: number): Promise<boolean> {
    const isDone = await skip(this.#db, id, why, now);
    if (isDone) this.#db.record({ kind: "jobs" });
    return isDone;
  }

  async of(id: InboxId): Promise<JobRun | null> {
    const [found] = await this.#runs("r.state = 'running' AND r.inbox_id = ?", 1, id);
    return found ?? null;
  }

  ended(limit: number): Promise<JobRun[]> {
    return this.#runs(`${OPEN} AND r.state = 'ended'`, limit);
  }

  async #runs(which: string, limit: number, ...values: SqlValue[]): Promise<JobRun[]> {
    const columns = columnsOf("job_runs", "r");
    const sql = `SELECT ${columns} FROM job_runs r WHERE ${which} ORDER BY r.id LIMIT ?`;
    const rows = await this.#db.all(sql, ...values, limit);
    const jobs = new Map<string, Job>();
    for (const id of new Set(rows.map((row) => text(row.job_id)))) {
      const row: Row | undefined = await this.#db.get(`${JOBS} WHERE id = ?`, id);
      if (row) jobs.set(id, jobOf(row));
    }
    return rows.flatMap((row) => {
      const job = jobs.get(text(row.job_id));
      return job ? [{ job, run: runOf(row) }] : [];
    });
  }

  settle({ job, run }: JobRun, effects: RunEffects, after: JobAfter, now: number): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      const { state, error, output, results, deliveries, said } = effects;
      const settled = `UPDATE job_runs SET state = ?, error = ?, output = ?, ended_at = ?
        WHERE id = ? AND state = 'ended'`;
      const reason = error === null ? null : storableText(error);
      if ((await tx.run(settled, state, reason, output, now, run.id)) === 0) return false;
      await insertResults(tx, run.id, results);
      for (const { sessionId, messages } of said)
        await appendIn(tx, { sessionId, messages, touch: false, now });
      await insertDeliveries(tx, deliveries, now);
      await leaveOlder(tx, job.id, deliveries);
      await changeJob(tx, job, after, now);
      await tidy(tx, job.id);
      tx.record({ kind: "jobs" });
      return true;
    });
  }

  forgetDone(before: number, limit: number): Promise<number> {
    return this.#db.transaction(async (tx) => {
      const old = await tx.all(
        `SELECT id FROM jobs WHERE state = 'done' AND done_at < ? AND NOT EXISTS (SELECT 1 FROM job_runs r
           WHERE r.job_id = jobs.id AND ${OPEN}) ORDER BY done_at LIMIT ?`,
        before,
        limit,
      );
      for (const { id } of old) await removeJob(tx, text<JobId>(id));
      return old.length;
    });
  }

  async delivered(address: Address, after: number, before: number, limit: number): Promise<JobRun[]> {
    const there = `SELECT run_id FROM job_results WHERE address = ? ORDER BY run_id DESC LIMIT ${LATELY}`;
    const which = `r.id IN (${there}) AND r.state = 'done' AND r.ended_at > ? AND r.ended_at < ?`;
    const found = await this.#runs(which, LATELY, formatAddress(address), after, before);
    return found.slice(-limit);
  }

  async untold(limit: number): Promise<UntoldResults[]> {
    const untold = await this.#runs(`r.id IN (${UNTOLD_RUNS})`, limit);
    return Promise.all(
      untold.map(async (one) => ({ ...one, results: await untoldResults(this.#db, one.run.id) })),
    );
  }

  told({ run, results }: UntoldResults, deliveries: readonly NewDelivery[], now: number): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      if (!(await markTold(tx, run.id, results))) return false;
      await insertDeliveries(tx, deliveries, now);
      return true;
    });
  }
}

async function decide(tx: Queries, job: Job, decision: JobDecision, now: number): Promise<boolean> {
  const { nextAt, wakeAt, left, times } = decision;
  const changed = await tx.run(
    `UPDATE jobs SET next_at = ?, wake_at = ?, runs_left = ?, state = ?, done_at = ?
     WHERE id = ? AND version = ? AND state = 'active' AND next_at = ?`,
    nextAt,
    wakeAt,
    left,
    nextAt === null ? "done" : "active",
    nextAt === null ? now : null,
    job.id,
    job.version,
    job.nextAt,
  );
  if (changed === 0) return false;
  const isBusy = job.overlap === "skip" && (await isOpen(tx, job.id));
  for (const { at, skipped: why } of times) {
    const skipped = why ?? (isBusy ? BUSY : null);
    await tx.run(
      `INSERT INTO job_runs (job_id, scheduled_for, state, error, made_at, ended_at) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (job_id, scheduled_for) DO NOTHING`,
      job.id,
      at,
      skipped === null ? "due" : "skipped",
      skipped,
      now,
      skipped === null ? null : now,
    );
  }
  await tidy(tx, job.id);
  return true;
}

/** Of each job only the last runs are kept. */
async function tidy(tx: Queries, id: JobId): Promise<void> {
  const old = await tx.get(
    "SELECT id FROM job_runs WHERE job_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?",
    id,
    KEPT_RUNS,
  );
  if (!old) return;
  const which = "job_id = ? AND id <= ? AND state NOT IN ('due', 'running', 'ended')";
  await tx.run(
    `DELETE FROM job_results WHERE run_id IN (SELECT id FROM job_runs WHERE ${which})`,
    id,
    number(old.id),
  );
  await tx.run(`DELETE FROM job_runs WHERE ${which}`, id, number(old.id));
}

/** A run that somebody asked for uses up no time of the job: the next one waits for it. */
async function isOpen(tx: Queries, id: JobId): Promise<boolean> {
  const sql = `SELECT r.id FROM job_runs r WHERE r.job_id = ? AND r.scheduled_for IS NOT NULL AND ${OPEN} LIMIT 1`;
  return (await tx.get(sql, id)) !== undefined;
}

/** A time that has not come was not missed. What has run for it stays, and is not run again. */
async function rearmOne(tx: Queries, job: Job, { nextAt, wakeAt }: JobClock, now: number): Promise<void> {
  await tx.run(
    "DELETE FROM job_runs WHERE job_id = ? AND scheduled_for > ? AND state = 'skipped'",
    job.id,
    now,
  );
  const state = job.state === "done" && nextAt !== null && job.left !== 0 ? "active" : job.state;
  await tx.run(
    "UPDATE jobs SET next_at = ?, wake_at = ?, state = ? WHERE id = ? AND version = ?",
    nextAt,
    wakeAt,
    state,
    job.id,
    job.version,
  );
}

async function changeJob(
  tx: Queries,
  { id }: Job,
  { failures, notBefore, pausedWhy, spent }: JobAfter,
  now: number,
): Promise<void> {
  const ran = "UPDATE jobs SET failures = ?, spent_day = ?, spent_tokens = ? WHERE id = ?";
  await tx.run(ran, failures, spent.day, spent.tokens, id);
  if (notBefore !== null)
    await tx.run("UPDATE jobs SET wake_at = ? WHERE id = ? AND wake_at < ?", notBefore, id, notBefore);
  if (pausedWhy !== null) await pauseJob(tx, id, pausedWhy, now);
}

async function skip(db: Queries, id: RunId, why: string, now: number): Promise<boolean> {
  const skipped =
    "UPDATE job_runs SET state = 'skipped', error = ?, ended_at = ? WHERE id = ? AND state = 'due'";
  return (await db.run(skipped, storableText(why), now, id)) === 1;
}

/** A step of a turn in the background: if a job asked for it, its run has what was said and used so far. */
export async function noteStep(tx: Queries, turn: Turn, { messages, uses = [] }: TurnStep): Promise<void> {
  const said = messages.findLast(({ role, content }) => role === "assistant" && content.trim() !== "");
  if (!said && uses.length === 0) return;
  const { inputTokens, outputTokens } = usageOfAll(uses);
  await tx.run(
    `UPDATE job_runs SET session_id = ?, said = coalesce(?, said), tokens = tokens + ?
     WHERE inbox_id = ? AND state = 'running'`,
    turn.sessionId,
    said ? storableText(said.content) : null,
    inputTokens + outputTokens,
    turn.inboxId,
  );
}

/** The job that asked for a turn in the background; null if none did. */
export async function jobOfTurn(tx: Queries, { inboxId }: Turn): Promise<JobId | null> {
  const run = "SELECT job_id FROM job_runs WHERE inbox_id = ? AND state = 'running'";
  const row = await tx.get(run, inboxId);
  return row ? text<JobId>(row.job_id) : null;
}

/** The end of such a turn. Somebody who stopped it wants no result. */
export async function noteEnd(
  tx: Queries,
  turn: Turn,
  end: TurnEnd,
  error: string | null,
  now: number,
): Promise<void> {
  const isStopped = end === "stopped";
  const ended = await tx.run(
    "UPDATE job_runs SET state = ?, session_id = ?, error = ?, ended_at = ? WHERE inbox_id = ? AND state = 'running'",
    isStopped ? "failed" : "ended",
    turn.sessionId,
    isStopped ? `It was ${error ?? "stopped"}.` : end === "done" ? null : (error ?? end),
    now,
    turn.inboxId,
  );
  if (ended > 0) tx.record({ kind: "jobs" });
}

/** The jobs of a conversation go where it goes. */
export async function moveJobs(
  tx: Queries,
  from: SessionKey,
  { key, origin }: LanePlace,
  account: string,
): Promise<void> {
  const moved = await tx.run(
    "UPDATE jobs SET origin_key = ?, origin_source = ?, origin_account = ? WHERE origin_key = ?",
    key,
    writeOrigin(origin),
    account,
    from,
  );
  if (moved > 0) tx.record({ kind: "jobs" });
}

/** A message moved along with its conversation: if a run asked for it, it asks for that one now. */
export async function noteMove(tx: Queries, from: InboxId, to: InboxId): Promise<void> {
  await tx.run("UPDATE job_runs SET inbox_id = ? WHERE inbox_id = ? AND state = 'running'", to, from);
}
