import { describe, expect, it } from "vitest";
import { aJob } from "../../../test/support/job-world.js";
import type { Job, Run } from "../../schedule/job.js";
import type { RunId } from "../../session/ids.js";
import { activeWords, deliverWords, jobsWarning, runWords, stateWords, whenWords } from "./describe.js";

const NOW = Date.UTC(2026, 0, 10, 12);
const MINUTE_MS = 60_000;

function job(given: Partial<Job> = {}): Job {
  return {
    ...aJob(NOW),
    state: "active",
    pausedWhy: null,
    nextAt: NOW + MINUTE_MS,
    wakeAt: NOW + MINUTE_MS,
    left: null,
    failures: 0,
    spent: { day: "", tokens: 0 },
    createdAt: NOW,
    version: 1,
    ...given,
  };
}

const run: Run = {
  id: 1 as RunId,
  jobId: job().id,
  scheduledFor: NOW,
  state: "done",
  error: null,
  sessionId: null,
  madeAt: NOW,
  startedAt: NOW,
  endedAt: NOW + 5_000,
  tokens: 1_234,
  said: null,
  output: null,
};

describe("a job in words", () => {
  it("says when it runs", () => {
    const timing = {
      schedule: { kind: "cron", expression: "0 9 * * 1-5" },
      timeZone: "Asia/Tokyo",
      from: 0,
    } as const;
    expect(whenWords({ timing })).toBe("every weekday at 09:00 (Asia/Tokyo)");
    expect(stateWords(job({ timing }), NOW)).toBe("next Sat 10 Jan 2026 21:01, in 1 min");
  });

  it.each([
    [job({ state: "done" }), "done"],
    [job({ state: "paused" }), "paused"],
    [job({ state: "paused", pausedWhy: "It failed\u001b[2J 5 times." }), "paused: It failed 5 times."],
    [job({ wakeAt: NOW - 5 * MINUTE_MS }), "due 5 min ago"],
    [job({ wakeAt: null }), "no more times"],
  ])("says its state", (given, words) => {
    expect(stateWords(given, NOW)).toBe(words);
  });

  it("says where its result goes", () => {
    const { source } = job().origin;
    expect(deliverWords({ deliver: "Origin, local,all, ops" }, source)).toBe(
      "Telegram, DM with Ann; a file; every home channel; ops",
    );
  });
});

it("a run in words has its targets and their errors", () => {
  const results = [
    { target: "ops", address: null, state: "failed", error: "Nobody\nis there." },
    { target: "origin", address: null, state: "unknown", error: null },
  ] as const;
  expect(runWords({ ...run, results }, job())).toBe(
    "Sat 10 Jan 2026 12:00: done; 1,234 tokens; ops: failed: Nobody is there.; origin: may have arrived",
  );
  const failed = {
    ...run,
    scheduledFor: null,
    state: "failed",
    error: "It timed out.",
    tokens: 0,
    results: [],
  } as const;
  expect(runWords(failed, job())).toBe("Sat 10 Jan 2026 12:00 (on request): failed: It timed out.");
});

describe("the warning", () => {
  const looked = (minutesAgo: number | null) => ({
    lookedAt: minutesAgo === null ? null : NOW - minutesAgo * MINUTE_MS,
    overdue: null,
  });

  it("is given if nobody looks while jobs wait", () => {
    expect(jobsWarning([job()], looked(1), NOW)).toBeNull();
    expect(jobsWarning([job()], looked(null), NOW)).toMatch(
      /^No gateway has run jobs yet\. Start `baton gateway`/,
    );
    expect(jobsWarning([job()], looked(10), NOW)).toMatch(
      /^Nothing runs the jobs now: a gateway last looked at them 10 min ago\. Start `baton gateway`/,
    );
    expect(jobsWarning([job({ state: "paused" }), job({ state: "done" })], looked(10), NOW)).toBeNull();
  });

  it("names the job that has waited longest, and what to look at", () => {
    const late = job();
    const overdue = { job: late, since: NOW - 30 * MINUTE_MS };
    expect(jobsWarning([late], { ...looked(1), overdue }, NOW)).toBe(
      `Late: the job "digest" (${late.id}) has waited since Sat 10 Jan 2026 11:30, for 30 min. A gateway last looked at the jobs 1 min ago. Run \`baton logs\` to see why.`,
    );
  });
});

it("the active jobs are counted, and the next one is named", () => {
  const [soon, later] = [job(), job({ wakeAt: NOW + 90 * MINUTE_MS })];
  expect(activeWords([later, soon, job({ state: "done" })], NOW)).toBe(
    `2 active, next "digest" (${soon.id}) Sat 10 Jan 2026 12:01, in 1 min`,
  );
  expect(activeWords([job({ state: "paused" })], NOW)).toBeNull();
});
