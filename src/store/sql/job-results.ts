/** What became of the results of runs, target by target, and which failures their person has not been told. */
import type { NewDelivery } from "../../gateway/store.js";
import type { ResultState, RunResult } from "../../schedule/job.js";
import type { JobId, RunId } from "../../session/ids.js";
import { LOCAL } from "../../session/platform.js";
import { storableText } from "../../util/text.js";
import type { Queries } from "../db.js";
import { resultOf } from "./job-rows.js";
import { number, text } from "./values.js";

/** A long result is several deliveries: the worst that became of one of them counts. */
const WORSE_THAN: Readonly<Record<"sent" | "unknown" | "failed", readonly ResultState[]>> = {
  sent: ["waiting"],
  unknown: ["waiting", "sent"],
  failed: ["waiting", "sent", "unknown"],
};

export async function insertResults(tx: Queries, id: RunId, results: readonly RunResult[]): Promise<void> {
  for (const { target, address, state, error } of results)
    await tx.run(
      "INSERT INTO job_results (run_id, target, address, state, error) VALUES (?, ?, ?, ?, ?)",
      id,
      target,
      address,
      state,
      error === null ? null : storableText(error),
    );
}

/** What became of a delivery of a result. */
export async function noteDelivery(
  tx: Queries,
  id: RunId,
  outboxId: number,
  state: keyof typeof WORSE_THAN,
  error: string | null,
): Promise<void> {
  const before = WORSE_THAN[state];
  const changed = await tx.run(
    `UPDATE job_results SET state = ?, error = ?
     WHERE run_id = ? AND address = (SELECT address FROM outbox WHERE id = ?) AND state IN (${before.map(() => "?").join(", ")})`,
    state,
    error,
    id,
    outboxId,
    ...before,
  );
  if (changed > 0 && state === "failed") tx.record({ kind: "jobs" }); // Somebody is to be told.
}

/** A delivery of a result is sent again. Nothing changes if another part of that result was not sent either. */
export async function waitAgain(tx: Queries, id: RunId, outboxId: number): Promise<void> {
  const changed = await tx.run(
    `UPDATE job_results SET state = 'waiting', error = NULL
     WHERE run_id = ? AND state IN ('failed', 'unknown') AND address = (SELECT address FROM outbox WHERE id = ?)
       AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.run_id = job_results.run_id AND o.address = job_results.address
         AND o.state IN ('failed', 'unknown'))`,
    id,
    outboxId,
  );
  if (changed > 0) tx.record({ kind: "jobs" });
}

/** As the partial index says it. */
const UNTOLD = "state = 'failed' AND told = 0";

export const UNTOLD_RUNS = `SELECT run_id FROM job_results WHERE ${UNTOLD}`;

export async function untoldResults(db: Queries, id: RunId): Promise<RunResult[]> {
  const rows = await db.all(
    `SELECT target, address, state, error FROM job_results WHERE run_id = ? AND ${UNTOLD} ORDER BY target`,
    id,
  );
  return rows.map(resultOf);
}

/** False if another process was faster. */
export async function markTold(tx: Queries, id: RunId, results: readonly RunResult[]): Promise<boolean> {
  let told = 0;
  for (const { target } of results)
    told += await tx.run(
      `UPDATE job_results SET told = 1 WHERE run_id = ? AND target = ? AND ${UNTOLD}`,
      id,
      target,
    );
  return told > 0;
}

/** A terminal may stay closed for days: of each job only the last results wait for it. The others are in their files. */
const WAIT_FOR_TERMINAL = 3;

export async function leaveOlder(tx: Queries, job: JobId, deliveries: readonly NewDelivery[]): Promise<void> {
  const local = deliveries.find(({ address }) => address.platform === LOCAL);
  if (!local) return;
  const rows = await tx.all(
    `SELECT o.id, o.run_id, o.address FROM outbox o JOIN job_runs r ON r.id = o.run_id
     WHERE o.platform = ? AND o.account = ? AND o.state IN ('pending', 'sending') AND o.state = 'pending'
       AND r.job_id = ? ORDER BY o.run_id DESC`,
    LOCAL,
    local.account,
    job,
  );
  const last = [...new Set(rows.map((row) => number(row.run_id)))].slice(0, WAIT_FOR_TERMINAL);
  for (const row of rows.filter(({ run_id }) => !last.includes(number(run_id)))) {
    await tx.run("UPDATE outbox SET state = 'dropped' WHERE id = ? AND state = 'pending'", number(row.id));
    await tx.run(
      "UPDATE job_results SET state = 'kept' WHERE run_id = ? AND address = ? AND state = 'waiting'",
      number(row.run_id),
      text(row.address),
    );
  }
}
