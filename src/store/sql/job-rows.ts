/** Jobs and their runs as rows. */
import {
  JOB_STATES,
  type Job,
  type JobSetting,
  RESULT_STATES,
  RUN_STATES,
  type Run,
  type RunResult,
} from "../../schedule/job.js";
import type { JobId, RunId, SessionId } from "../../session/ids.js";
import type { SessionKey } from "../../session/session-key.js";
import { storableText } from "../../util/text.js";
import type { Row } from "../db.js";
import { json, maybe, number, oneOf, sourceOfAnyPlatform, text } from "./values.js";

export function jobOf(row: Row): Job {
  return {
    ...json<JobSetting>(row.setting),
    id: text<JobId>(row.id),
    owner: text(row.owner),
    by: sourceOfAnyPlatform(row.source),
    origin: {
      key: text<SessionKey>(row.origin_key),
      source: sourceOfAnyPlatform(row.origin_source),
      account: text(row.origin_account),
    },
    state: oneOf(row.state, JOB_STATES),
    pausedWhy: maybe(row.paused_why, text),
    nextAt: maybe(row.next_at, number),
    wakeAt: maybe(row.wake_at, number),
    left: maybe(row.runs_left, number),
    failures: number(row.failures),
    spent: { day: text(row.spent_day), tokens: number(row.spent_tokens) },
    createdAt: number(row.created_at),
    version: number(row.version),
  };
}

/** Only what a person can set. */
export function settingText(given: JobSetting): string {
  const { name, prompt, command, session, model, tools, timeoutMs, dailyTokens } = given;
  const { timing, catchUp, overlap, jitterMs, repeat, deliver } = given;
  const work = { name, prompt, command, session, model, tools, timeoutMs, dailyTokens };
  return storableText(JSON.stringify({ ...work, timing, catchUp, overlap, jitterMs, repeat, deliver }));
}

export function runOf(row: Row): Run {
  return {
    id: number<RunId>(row.id),
    jobId: text<JobId>(row.job_id),
    scheduledFor: maybe(row.scheduled_for, number),
    state: oneOf(row.state, RUN_STATES),
    error: maybe(row.error, text),
    sessionId: maybe(row.session_id, text<SessionId>),
    said: maybe(row.said, text),
    madeAt: number(row.made_at),
    startedAt: maybe(row.started_at, number),
    endedAt: maybe(row.ended_at, number),
    tokens: number(row.tokens),
    output: maybe(row.output, text),
  };
}

export function resultOf(row: Row): RunResult {
  return {
    target: text(row.target),
    address: maybe(row.address, text),
    state: oneOf(row.state, RESULT_STATES),
    error: maybe(row.error, text),
  };
}
