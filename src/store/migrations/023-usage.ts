/** What model calls used, by day, session, person, job and model; a day's totals; and who was told that a limit is near. */
import type { Dialect } from "../db.js";

export function usage({ int, real, text, tableEnd }: Dialect): readonly string[] {
  return [
    // `unpriced_calls`: how many of the calls have no known price, so that `cost` leaves them out.
    `CREATE TABLE model_usage (
      identity ${text} NOT NULL,
      day ${text} NOT NULL,
      session_id ${text} NOT NULL,
      job_id ${text} NOT NULL,
      model ${text} NOT NULL,
      model_calls ${int} NOT NULL DEFAULT 0,
      unpriced_calls ${int} NOT NULL DEFAULT 0,
      input_tokens ${int} NOT NULL DEFAULT 0,
      output_tokens ${int} NOT NULL DEFAULT 0,
      cache_read_tokens ${int} NOT NULL DEFAULT 0,
      cache_write_tokens ${int} NOT NULL DEFAULT 0,
      cost ${real} NOT NULL DEFAULT 0,
      PRIMARY KEY (identity, day, session_id, job_id, model)
    ) ${tableEnd}`,
    "CREATE INDEX model_usage_by_day ON model_usage (day)",
    "CREATE INDEX model_usage_by_session ON model_usage (session_id)",
    // The totals that limits are compared with: one row a person and day, however many sessions they have.
    `ALTER TABLE spending ADD COLUMN tokens ${int} NOT NULL DEFAULT 0`,
    `ALTER TABLE spending ADD COLUMN cost ${real} NOT NULL DEFAULT 0`,
    // A day's limit has no session here, a session's limit no day.
    `CREATE TABLE limit_notices (
      session_id ${text} NOT NULL,
      day ${text} NOT NULL,
      identity ${text} NOT NULL,
      limit_name ${text} NOT NULL,
      PRIMARY KEY (session_id, day, identity, limit_name)
    ) ${tableEnd}`,
  ];
}
