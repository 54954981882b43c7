/** Scheduled jobs, their runs, and where the result of each run went. */
import type { Dialect } from "../db.js";

export function jobs({ int, text, autoId, tableEnd }: Dialect): readonly string[] {
  return [
    // `next_at`: the first time that nobody has decided about; `wake_at`: when somebody is to look.
    `CREATE TABLE jobs (
      id ${text} PRIMARY KEY,
      owner ${text} NOT NULL,
      source ${text} NOT NULL,
      origin_key ${text} NOT NULL,
      origin_source ${text} NOT NULL,
      origin_account ${text} NOT NULL,
      setting ${text} NOT NULL,
      state ${text} NOT NULL,
      paused_why ${text},
      next_at ${int},
      wake_at ${int},
      runs_left ${int},
      failures ${int} NOT NULL DEFAULT 0,
      spent_day ${text} NOT NULL DEFAULT '',
      spent_tokens ${int} NOT NULL DEFAULT 0,
      created_at ${int} NOT NULL,
      done_at ${int},
      version ${int} NOT NULL DEFAULT 1
    ) ${tableEnd}`,
    "CREATE INDEX jobs_by_wake ON jobs (wake_at, id) WHERE state = 'active' AND wake_at IS NOT NULL",
    "CREATE INDEX jobs_done ON jobs (done_at) WHERE state = 'done'",
    "CREATE INDEX jobs_by_owner ON jobs (owner, state)",
    "CREATE INDEX jobs_by_origin ON jobs (origin_key)",
    // One row for each time of a job. What somebody asked for has no time, so there may be any number of those.
    `CREATE TABLE job_runs (
      id ${autoId},
      job_id ${text} NOT NULL REFERENCES jobs (id),
      scheduled_for ${int},
      state ${text} NOT NULL,
      error ${text},
      inbox_id ${int},
      session_id ${text},
      said ${text},
      made_at ${int} NOT NULL,
      started_at ${int},
      ended_at ${int},
      tokens ${int} NOT NULL DEFAULT 0,
      output ${text},
      UNIQUE (job_id, scheduled_for)
    ) ${tableEnd}`,
    "CREATE INDEX job_runs_by_job ON job_runs (job_id, id)",
    "CREATE INDEX job_runs_open ON job_runs (state, id) WHERE state IN ('due', 'running', 'ended')",
    "CREATE INDEX job_runs_open_by_job ON job_runs (job_id, id) WHERE state IN ('due', 'running', 'ended')",
    "CREATE INDEX job_runs_by_item ON job_runs (inbox_id) WHERE state = 'running'",
    `CREATE TABLE job_results (
      run_id ${int} NOT NULL REFERENCES job_runs (id),
      target ${text} NOT NULL,
      address ${text},
      state ${text} NOT NULL,
      error ${text},
      told ${int} NOT NULL DEFAULT 0,
      PRIMARY KEY (run_id, target)
    ) ${tableEnd}`,
    "CREATE INDEX job_results_by_address ON job_results (address, run_id)",
    "CREATE INDEX job_results_untold ON job_results (run_id) WHERE state = 'failed' AND told = 0",
    // The run whose result it is: what becomes of it is noted there.
    `ALTER TABLE outbox ADD COLUMN run_id ${int}`,
  ];
}
