/** What tests of jobs have in common: a gateway that runs them, and a job with everything as usual. */
import type { GatewayJobs } from "../../src/gateway/jobs/options.js";
import { clockFrom } from "../../src/schedule/decide.js";
import type { NewJob } from "../../src/schedule/job.js";
import type { JobStore } from "../../src/schedule/store.js";
import { newJobId } from "../../src/session/ids.js";
import { buildSessionKey } from "../../src/session/session-key.js";
import type { SessionSource } from "../../src/session/source.js";

export const JOB_OPTIONS: GatewayJobs = {
  outputFolder: null,
  runsHere: true,
  mostRunning: 4,
  timeZone: "UTC",
  timeoutMs: 60_000,
  mostPerPerson: 50,
};

const ANN: SessionSource = {
  platform: "telegram",
  chatId: "ann",
  chatType: "dm",
  userId: "ann",
  userName: "Ann",
};

/** Of Ann on Telegram, in her private chat with the bot, due once a minute after `now`. */
export function aJob(now: number, given: Partial<NewJob> = {}): NewJob {
  const by = given.by ?? ANN;
  return {
    id: newJobId(),
    name: "digest",
    prompt: "say the news",
    command: null,
    session: "own",
    model: null,
    tools: null,
    timeoutMs: 60_000,
    dailyTokens: null,
    timing: { schedule: { kind: "once", at: now + 60_000 }, timeZone: "UTC", from: now },
    catchUp: { missed: "latest", graceMs: 12 * 3_600_000 },
    overlap: "skip",
    jitterMs: 0,
    repeat: null,
    deliver: "origin",
    by,
    owner: `${by.platform}:${by.userId}`,
    origin: { key: buildSessionKey(by), source: by, account: "bot" },
    ...given,
  };
}

export async function addJob(jobs: JobStore, job: NewJob, now: number): Promise<NewJob> {
  await jobs.add(job, clockFrom(job.id, job, now), [job.owner], Number.MAX_SAFE_INTEGER, now);
  return job;
}
