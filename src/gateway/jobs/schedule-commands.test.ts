/** Commands in jobs that the agent makes: the person approves them. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aCall } from "../../../test/support/a-call.js";
import { addJob, aJob } from "../../../test/support/job-world.js";
import { questionNumber } from "../../../test/support/question-number.js";
import { openScheduleWorld, type ScheduleWorld } from "../../../test/support/schedule-world.js";
import type { Job } from "../../schedule/job.js";
import { scheduleTool } from "./schedule-tool.js";

const MINUTE = 60_000;

let here: ScheduleWorld;
beforeEach(async () => {
  here = await openScheduleWorld({ toolLists: { members: ["terminal", "schedule"] } });
});
afterEach(() => here.world.close());

const use: ScheduleWorld["use"] = (...args) => here.use(...args);

const greeting = () =>
  addJob(here.world.store.jobs, aJob(here.world.now, { command: "echo hi", prompt: null }), here.world.now);

/** Answers the question; what the chat is told then. */
async function answered(question: string, verdict: "approve" | "deny"): Promise<string> {
  const before = here.ann.told.length;
  const number = questionNumber(question);
  expect(await here.ann.ask(`/${verdict} ${number}`)).toMatch(/^(Approved|Denied): /);
  return here.ann.next(before + 1);
}

describe("a command in a job", () => {
  it("is shown to the person with its schedule, and made only if they approve it", async () => {
    const args = { action: "create", command: "echo hi\necho you", schedule: "every 1h", deliver: "origin" };
    const question = await use(args);
    expect(question).toMatch(/^This runs a command by a schedule, without asking again\.\n/);
    expect(question).toContain(
      '\nA new job\nschedule: "every 1h"\ndeliver: "origin"\ncommand:\necho hi\necho you\n',
    );
    expect(await here.jobs()).toEqual([]);
    expect(await answered(question, "deny")).toMatch(/^Error: not run: the person said no\./);
    expect(await here.jobs()).toEqual([]);
    expect(await answered(await use(args), "approve")).toMatch(/^Made the job "echo hi echo you"/);
    const before = here.ann.told.length;
    here.pass(60 * MINUTE);
    expect(await here.ann.next(before)).toBe("hi\nyou");
  });

  it("is asked about again if its job is changed, but not if only its words are", async () => {
    const job = await greeting();
    const change = { action: "update", id: job.id, schedule: "every 2m" };
    const question = await use(change);
    expect(question).toContain(
      `\nThe job "digest" (${job.id}), until now once, Sat 10 Jan 2026 12:01 (UTC), result to origin\nschedule: "every 2m"\ncommand:\necho hi\n`,
    );
    expect(await answered(question, "deny")).toMatch(/^Error: not run/);
    expect((await here.job()).timing.schedule.kind).toBe("once");
    const other = await use({ action: "update", id: job.id, command: "echo bye" });
    expect(other).toContain("\ncommand:\necho bye\n");
    expect(await answered(other, "approve")).toMatch(/^Changed the job/);
    expect((await here.job()).command).toBe("echo bye");
    expect(await use({ action: "update", id: job.id, name: "greeting" })).toMatch(
      /^Changed the job "greeting"/,
    );
    expect(await use({ action: "update", id: job.id, command: "", prompt: "greet" })).toMatch(/^Changed/);
    expect(await here.job()).toMatchObject({ command: null, prompt: "greet" });
  });

  it("is asked about if it is to run at another time than its own", async () => {
    const job = await greeting();
    const question = await use({ action: "run", id: "digest" });
    expect(question).toMatch(/^This runs the command of a scheduled job now\.\n/);
    expect(await here.world.store.jobs.runs(job.id, 1)).toEqual([]);
    expect(await answered(question, "approve")).toMatch(/^The job "digest" .* runs now/);
    await here.ended(job.id);
  });

  it("is asked about if it was paused and is to go on", async () => {
    const job = await greeting();
    await use({ action: "pause", id: "digest" });
    const question = await use({ action: "resume", id: "digest" });
    expect(question).toContain(
      `\nThe job "digest" (${job.id}), paused until now: once, Sat 10 Jan 2026 12:01`,
    );
    expect(question).toContain("\ncommand:\necho hi\n");
    expect((await here.job()).state).toBe("paused");
    expect(await answered(question, "approve")).toMatch(/^Resumed the job/);
  });

  it("is asked about if its output is to be sent, and not shown to the agent", async () => {
    const job = aJob(here.world.now, { command: "echo hi", prompt: "is it well?" });
    await addJob(here.world.store.jobs, job, here.world.now);
    expect(await use({ action: "update", id: job.id, prompt: "is it still well?" })).toMatch(/^Changed/);
    const question = await use({ action: "update", id: job.id, prompt: " " });
    expect(question).toContain(
      "\nwithout its prompt: the output of the command is the result\ncommand:\necho hi\n",
    );
    expect(await answered(question, "deny")).toMatch(/^Error: not run/);
    expect(await here.job()).toMatchObject({ prompt: "is it still well?" });
  });

  it("is not run if it became another one than the person approved", async () => {
    const job = await greeting();
    const desk = here.world.gateway.jobs?.desk;
    const who = await here.world.gateway.people.access(here.ann.source);
    if (!desk || !who.allowed) throw new Error("There are no jobs.");
    const tool = scheduleTool({
      desk,
      who,
      item: { source: here.ann.source } as never,
      clock: () => here.world.now,
    });
    const args = { action: "run", id: job.id };
    const approved = (await tool.danger?.(args)) ?? undefined;
    expect(approved?.what).toMatch(/\necho hi$/);
    const [seen] = await here.jobs();
    await desk.change(seen as Job, { command: "echo bye" }, null);
    const context = { call: aCall, signal: new AbortController().signal };
    const other = /^Error: nothing was done, because the job is another one than was approved\./;
    expect(await tool.run(args, { ...context, ...(approved ? { approved } : {}) })).toMatch(other);
    expect(await tool.run(args, context)).toMatch(other);
    const made = { action: "create", command: "echo hi", schedule: "1h" };
    expect(await tool.run(made, context)).toMatch(other);
    expect(await here.world.store.jobs.runs(job.id, 1)).toEqual([]);
    expect(await here.jobs()).toHaveLength(1);
  });

  it("is not asked about where it is refused anyway", async () => {
    expect(await use({ action: "create", command: "echo hi", schedule: "soon" })).toMatch(
      /^Error: Baton can't read/,
    );
  });
});
