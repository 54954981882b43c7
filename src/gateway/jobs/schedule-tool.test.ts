/** The tool `schedule`, in the turns of people. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { JOB_OPTIONS } from "../../../test/support/job-world.js";
import { openScheduleWorld, type ScheduleWorld } from "../../../test/support/schedule-world.js";
import { ACCEPTED_FORMS } from "../../schedule/forms.js";
import type { Job } from "../../schedule/job.js";
import { TARGET_FORMS } from "../../schedule/targets.js";
import type { Who } from "../authorize.js";
import { scheduleTool } from "./schedule-tool.js";

const MINUTE = 60_000;

let here: ScheduleWorld;
beforeEach(async () => {
  here = await openScheduleWorld();
});
afterEach(() => here.world.close());

const use: ScheduleWorld["use"] = (...args) => here.use(...args);

describe("the tool schedule", () => {
  it("has an exact schema", () => {
    const desk = here.world.gateway.jobs?.desk;
    if (!desk) throw new Error("There are no jobs.");
    const { parameters } = scheduleTool({
      desk,
      who: {} as Who,
      item: {} as never,
      clock: () => here.world.now,
    });
    expect(parameters).toMatchObject({
      type: "object",
      required: ["action"],
      additionalProperties: false,
      properties: {
        action: {
          type: "string",
          enum: ["create", "list", "update", "pause", "resume", "run", "remove"],
        },
        id: { type: "string" },
        name: { type: "string" },
        prompt: { type: "string" },
        command: { type: "string" },
        model: { type: "string" },
        template: { type: "string", enum: ["heartbeat"] },
        schedule: { type: "string", description: expect.stringContaining(ACCEPTED_FORMS) },
        timeZone: { type: "string" },
        deliver: { type: "string", description: expect.stringContaining(TARGET_FORMS) },
        session: { type: "string", enum: ["own", "origin"] },
        tools: { type: "array", items: { type: "string" } },
        missed: { type: "string", enum: ["latest", "skip", "all"] },
        grace: { type: "string" },
        overlap: { type: "string", enum: ["skip", "queue"] },
        jitter: { type: "string" },
        timeout: { type: "string" },
        repeat: { type: "integer", minimum: 0 },
        dailyTokens: { type: "integer", minimum: 0 },
      },
    });
    expect(Object.keys(parameters.properties as object)).toHaveLength(19);
  });

  it("makes a job for the person, in this chat, and shows its next times; the result comes here", async () => {
    const made = await use({ action: "create", prompt: "say the news", schedule: "every day at 13:00" });
    const job = await here.job();
    expect(made).toBe(
      [
        `Made the job "say the news" (${job.id}): every day at 13:00 (UTC).`,
        "Next: Sat 10 Jan 2026 13:00; Sun 11 Jan 2026 13:00; Mon 12 Jan 2026 13:00.",
        "Its result goes to Telegram, DM with Ann.",
      ].join("\n"),
    );
    const { source, key } = here.ann;
    expect(job).toMatchObject({
      by: { platform: "telegram", userId: "ann" },
      owner: "telegram:ann",
      origin: { key, source: { chatId: source.chatId }, account: here.world.adapter.account },
    });
    const before = here.ann.told.length;
    here.pass(60 * MINUTE);
    expect(await here.ann.next(before)).toMatch(/^heard: \[note from Baton: .*\]\nsay the news$/);
  });

  it("takes every setting of a job, and leaves what an update does not name", async () => {
    await use({
      action: "create",
      name: "digest",
      prompt: "news",
      schedule: "0 9 * * 1-5",
      timeZone: "Europe/Berlin",
      deliver: "local, origin",
      session: "origin",
      model: "small",
      tools: ["fetch_url"],
      missed: "all",
      grace: "1h",
      overlap: "queue",
      jitter: "5m",
      timeout: "90s",
      repeat: 3,
      dailyTokens: 5_000,
    });
    const setting = {
      name: "digest",
      prompt: "news",
      command: null,
      timing: { schedule: { kind: "cron", expression: "0 9 * * 1-5" }, timeZone: "Europe/Berlin" },
      deliver: "local, origin",
      session: "origin",
      model: "small",
      tools: ["fetch_url"],
      catchUp: { missed: "all", graceMs: 60 * MINUTE },
      overlap: "queue",
      jitterMs: 5 * MINUTE,
      timeoutMs: 90_000,
      repeat: 3,
      dailyTokens: 5_000,
    };
    expect(await here.job()).toMatchObject(setting);
    expect(await use({ action: "update", id: "digest", prompt: "the news of the day" })).toMatch(
      /^Changed the job "digest" \(.*\): every weekday at 09:00 \(Europe\/Berlin\)\.\nNext: Mon 12 Jan 2026 09:00; /,
    );
    expect(await here.job()).toMatchObject({ ...setting, prompt: "the news of the day" });
    const cleared = { model: "", tools: ["*"], repeat: 0, dailyTokens: 0 };
    await use({ action: "update", id: "digest", ...cleared });
    expect(await here.job()).toMatchObject({ model: null, tools: null, repeat: null, dailyTokens: null });
  });

  it("lists the jobs, and shows everything about one of them", async () => {
    expect(await use({ action: "list" })).toBe("There are no jobs.");
    await use({ action: "create", name: "one", prompt: "first", schedule: "1h" });
    here.world.now += 1;
    await use({ action: "create", name: "two", prompt: "second", schedule: "every 2h", repeat: 4 });
    const [one, two] = await here.jobs();
    expect(await use({ action: "list" })).toBe(
      [
        "2 jobs, oldest first:",
        `"one" (${one?.id}): once, Sat 10 Jan 2026 13:00 (UTC); in 60 min; result to origin`,
        `"two" (${two?.id}): every 2h (UTC); next Sat 10 Jan 2026 14:00, in 2 h; result to origin`,
      ].join("\n"),
    );
    const shown = await use({ action: "list", id: two?.id.slice(0, -1) });
    expect(shown).toContain("\nPrompt: second\nSession: own\nMissed times: ");
    expect(shown).toMatch(/\nTimeout: 1m\nRuns left: 4\nIt has not run yet\.$/);
    here.pass(60 * MINUTE);
    await here.ended(one?.id as Job["id"]);
    expect(await use({ action: "list", id: "one" })).toMatch(
      /\nLast runs:\n- Sat 10 Jan 2026 13:00: done; origin: \w+$/,
    );
  });

  it("pauses, resumes, runs and removes it", async () => {
    await use({ action: "create", name: "it", prompt: "go", schedule: "every 1h" });
    const { id } = await here.job();
    const name = `"it" (${id})`;
    expect(await use({ action: "resume", id })).toBe("Error: The job is not paused.");
    expect(await use({ action: "pause", id: "it" })).toBe(
      `Paused the job ${name}. It does not run until it is resumed.`,
    );
    expect((await here.job()).state).toBe("paused");
    expect(await use({ action: "pause", id })).toBe("Error: The job is already paused.");
    expect(await use({ action: "resume", id })).toMatch(
      /^Resumed the job "it".*\nNext: Sat 10 Jan 2026 13:00; /,
    );
    const before = here.ann.told.length;
    await use({ action: "run", id });
    await here.ended(id);
    await here.ann.next(before + 1);
    expect(here.ann.told.slice(before).some((text) => text.endsWith("]\ngo"))).toBe(true);
    expect(here.ann.told).toContain(
      `The job ${name} runs now, beside its schedule. Its result goes to origin, not to you.`,
    );
    expect(await use({ action: "remove", id })).toBe(`Removed the job ${name}.`);
    expect(await here.jobs()).toEqual([]);
  });

  it("does not bring back a job that has no more times", async () => {
    await use({ action: "create", name: "it", prompt: "go", schedule: "1h" });
    await use({ action: "pause", id: "it" });
    here.pass(120 * MINUTE);
    const over = "Error: The job has no more times. Give it a new schedule.";
    expect(await use({ action: "resume", id: "it" })).toBe(over);
    await use({ action: "create", name: "done", prompt: "go", schedule: "1m" });
    here.pass(2 * MINUTE);
    const done = (await here.jobs()).find(({ name }) => name === "done");
    await here.ended(done?.id as Job["id"]);
    expect(await use({ action: "resume", id: "done" })).toBe("Error: The job is not paused.");
    const isDone = "Error: The job is done. Make a new one.";
    expect(await use({ action: "update", id: "done", schedule: "1h" })).toBe(isDone);
  });

  it.each([
    [{}, "Error: `action` is missing. Give a text."],
    [
      { action: "delete" },
      'Error: there is no action "delete". Use create, list, update, pause, resume, run, remove.',
    ],
    [
      { action: "create", prompt: "x" },
      `Error: \`schedule\` is missing, and \`create\` needs it. ${ACCEPTED_FORMS}`,
    ],
    [
      { action: "create", schedule: "1h" },
      "Error: Say what the job does: a prompt for the agent, or a command.",
    ],
    [
      { action: "create", prompt: "x", schedule: "soon" },
      `Error: Baton can't read "soon" as a time. ${ACCEPTED_FORMS}`,
    ],
    [
      { action: "create", prompt: "x", schedule: "every 10s" },
      `Error: The shortest interval is one minute. ${ACCEPTED_FORMS}`,
    ],
    [
      { action: "create", prompt: "x", schedule: "1h", deliver: "," },
      `Error: That is not a list of places. ${TARGET_FORMS}`,
    ],
    [
      { action: "create", prompt: "x", schedule: "1h", deliver: "mars" },
      `Error: There is no chat "mars". Send /handoff to list yours. For \`deliver\`: ${TARGET_FORMS}`,
    ],
    [
      { action: "create", prompt: "x", schedule: "1h", overlap: "both" },
      'Error: `overlap` is one of skip, queue, not "both".',
    ],
    [{ action: "create", template: "moon" }, 'Error: there is no template "moon". Use heartbeat.'],
    [{ action: "pause" }, "Error: `id` is missing, and `pause` needs it. There are no jobs."],
    [{ action: "remove", id: "x" }, 'Error: There is no job "x". There are no jobs.'],
    [
      { action: "create", prompt: "x", schedule: "1h", command: "date" },
      "Error: You may not run commands here, so a job of yours can't either.",
    ],
  ])("says what to do instead of %j", async (args, error) => {
    expect(await use(args)).toBe(error);
    expect(await here.jobs()).toEqual([]);
  });

  it("names the jobs that there are, if the job is missing or unknown", async () => {
    await use({ action: "create", name: "it", prompt: "go", schedule: "every 1h" });
    const { id } = await here.job();
    expect(await use({ action: "run" })).toBe(
      `Error: \`id\` is missing, and \`run\` needs it. Give one of "it" (${id}).`,
    );
    expect(await use({ action: "run", id: "that" })).toBe(
      `Error: There is no job "that". These are known: ${id} (it).`,
    );
  });

  it("makes a heartbeat by its template, with other settings if they are given", async () => {
    await use({ action: "create", template: "heartbeat", schedule: "every 2h" });
    expect(await here.job()).toMatchObject({
      name: "heartbeat",
      session: "own",
      dailyTokens: 20_000,
      timing: { schedule: { kind: "every", everyMs: 120 * MINUTE } },
      prompt: expect.stringContaining("[SILENT]"),
    });
  });

  it("makes no more than a person may have", async () => {
    await here.world.close();
    here = await openScheduleWorld({ jobs: { ...JOB_OPTIONS, mostPerPerson: 1 } });
    await use({ action: "create", prompt: "go", schedule: "1h" });
    expect(await use({ action: "create", prompt: "go", schedule: "1h" })).toMatch(/^Error: You have 1 job, /);
    expect(await here.jobs()).toHaveLength(1);
  });
});
