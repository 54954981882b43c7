/** Who may use the tool `schedule`, and for which jobs. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Chat, World } from "../../../test/support/gateway-world.js";
import { addJob, aJob } from "../../../test/support/job-world.js";
import { openScheduleWorld, type ScheduleWorld } from "../../../test/support/schedule-world.js";
import { toolCaller } from "../../../test/support/tool-caller.js";
import type { Job } from "../../schedule/job.js";

const MINUTE = 60_000;

let here: ScheduleWorld;
beforeEach(async () => {
  here = await openScheduleWorld();
});
afterEach(() => here.world.close());

const use: ScheduleWorld["use"] = (...args) => here.use(...args);

describe("the turn of a job", () => {
  /** What a job says whose prompt uses the tool like this. */
  async function saidByJob(args: object, more: Parameters<typeof aJob>[1] = {}): Promise<string> {
    const prompt = `schedule ${JSON.stringify(args)}`;
    await addJob(
      here.world.store.jobs,
      aJob(here.world.now, { name: "actor", prompt, ...more }),
      here.world.now,
    );
    const before = here.ann.told.length;
    here.pass(2 * MINUTE);
    return here.ann.next(before);
  }

  it.each([
    { action: "create", prompt: "go", schedule: "1h" },
    { action: "run", id: "actor" },
    { action: "update", id: "actor", schedule: "1h" },
    { action: "resume", id: "actor" },
  ])("can't make, change or start jobs: %j", async (args) => {
    await here.ann.ask("hello");
    for (const session of ["own", "origin"] as const) {
      const said = await saidByJob(args, { session, name: session === "own" ? "actor" : "other" });
      expect(said).toMatch(/^Error: no person asked for this turn, /);
    }
    expect(await here.jobs()).toHaveLength(2);
  });

  it("can end itself, once it has done what it was for", async () => {
    await here.ann.ask("hello");
    const timing = {
      schedule: { kind: "every", everyMs: MINUTE },
      timeZone: "UTC",
      from: here.world.now,
    } as const;
    expect(await saidByJob({ action: "pause", id: "actor" }, { timing })).toMatch(/^Paused the job "actor"/);
    expect((await here.job()).state).toBe("paused");
  });
});

describe("who may use it", () => {
  it("is not a guest", async () => {
    const gus = here.world.chat("gus");
    expect(await use({ action: "list" }, gus)).toMatch(/^Error: there is no tool "schedule"\./);
    expect(await use({ action: "create", prompt: "go", schedule: "1h" }, gus)).toMatch(
      /^Error: there is no tool/,
    );
    expect(await here.jobs()).toEqual([]);
  });

  it("is nobody where there are no jobs", async () => {
    const other = await World.open({ gateway: { agent: toolCaller } });
    expect(await use({ action: "list" }, other.chat("ann"))).toMatch(/^Error: there is no tool "schedule"\./);
    await other.close();
  });

  it("shows and changes only the jobs of the person, also for an owner", async () => {
    await use({ action: "create", name: "hers", prompt: "go", schedule: "every 1h" });
    const { id } = await here.job();
    for (const name of ["bob", "olga"]) {
      const other = here.world.chat(name);
      expect(await use({ action: "list" }, other)).toBe("There are no jobs.");
      for (const action of ["list", "update", "pause", "resume", "run", "remove"])
        expect(await use({ action, id, prompt: "mine" }, other)).toBe(
          `Error: There is no job "${id}". There are no jobs.`,
        );
    }
    expect(await here.job()).toMatchObject({ name: "hers", state: "active", prompt: "go" });
  });

  it("shows in a group only the person's jobs that were made there, also to those jobs", async () => {
    const group = { chatId: "g", chatType: "group" } as const;
    const annThere = here.world.chat("ann", group);
    const bobThere = here.world.chat("bob", group);
    await use({ action: "create", name: "private", prompt: "go", schedule: "every 1h" });
    const list = `schedule ${JSON.stringify({ action: "list" })}`;
    await use({ action: "create", name: "hers", prompt: list, schedule: "every 3h" }, annThere);
    await use({ action: "create", name: "his", prompt: "go", schedule: "every 1h" }, bobThere);
    const names = async (chat: Chat): Promise<string[]> =>
      [...(await use({ action: "list" }, chat)).matchAll(/^"(\w+)"/gm)].map(([, name]) => name ?? "").sort();
    expect(await names(annThere)).toEqual(["hers"]);
    expect(await names(bobThere)).toEqual(["his"]);
    expect(await names(here.ann)).toEqual(["hers", "private"]);
    expect(await use({ action: "remove", id: "private" }, annThere)).toMatch(
      /^Error: There is no job "private"/,
    );

    const hers = (await here.jobs()).find(({ name }) => name === "hers");
    const before = annThere.told.length;
    await here.world.store.jobs.ask(hers?.id as Job["id"], here.world.now);
    expect(await annThere.next(before)).toMatch(/^1 job, oldest first:\n"hers" [^\n]*$/);
  });
});
