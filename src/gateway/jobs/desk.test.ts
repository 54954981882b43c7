/** What a person may do with a job, and what becomes of its times. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { World } from "../../../test/support/gateway-world.js";
import { JOB_OPTIONS } from "../../../test/support/job-world.js";
import type { Job, JobOrigin } from "../../schedule/job.js";
import { buildSessionKey } from "../../session/session-key.js";
import type { SessionSource } from "../../session/source.js";
import type { JobDesk } from "./desk.js";

const HERE = "telegram";
const ann: SessionSource = { platform: HERE, chatId: "ann", chatType: "dm", userId: "ann", userName: "Ann" };
const origin: JobOrigin = { key: buildSessionKey(ann), source: ann, account: "bot" };
const HOUR_MS = 3_600_000;

let world: World;
let desk: JobDesk;
beforeEach(async () => {
  world = await World.open({ platform: HERE, gateway: { jobs: { ...JOB_OPTIONS, runsHere: false } } });
  if (!world.gateway.jobs) throw new Error("The gateway has no jobs.");
  desk = world.gateway.jobs.desk;
});
afterEach(() => world.close());

const make = async (wish = {}): Promise<Job> =>
  (await desk.make({ schedule: "every 1h", prompt: "look", ...wish }, null, ann, origin)).job;
const found = async ({ id }: Job): Promise<Job> => desk.find(null, id);

describe("a change", () => {
  it("leaves a time alone that has come, unless it sets another one", async () => {
    const job = await make();
    world.now += 90 * 60_000; // Its time came half an hour ago, and nobody has decided about it.
    const { job: renamed } = await desk.change(job, { name: "garden" }, null);
    expect(renamed).toMatchObject({ name: "garden", nextAt: job.nextAt, wakeAt: job.wakeAt });
    const { job: moved } = await desk.change(renamed, { schedule: "every 2h" }, null);
    expect(moved).toMatchObject({ nextAt: world.now + 2 * HOUR_MS, wakeAt: world.now + 2 * HOUR_MS });
  });

  it("does not begin to count again, unless it says how often", async () => {
    const job = await make({ repeat: 5 });
    await world.store.jobRuns.decided(
      [[job, { times: [], left: 2, nextAt: job.nextAt, wakeAt: job.wakeAt }]],
      1,
    );
    const { job: renamed, next } = await desk.change(await found(job), { name: "garden" }, null);
    expect(renamed).toMatchObject({ repeat: 5, left: 2 });
    expect(next).toHaveLength(2);
    expect((await desk.preview({ name: "tree" }, null, renamed)).next).toHaveLength(2);
    expect((await desk.change(renamed, { repeat: 1 }, null)).job).toMatchObject({ repeat: 1, left: 1 });
  });

  it("refuses to begin a job again that is done", async () => {
    const job = await make({ schedule: "1h" });
    await world.store.jobRuns.decided([[job, { times: [], left: null, nextAt: null, wakeAt: null }]], 1);
    world.now += 2 * HOUR_MS;
    const done = await found(job);
    expect(done.state).toBe("done");
    await expect(desk.change(done, { schedule: "1h" }, null)).rejects.toThrow(
      "The job is done. Make a new one.",
    );
    await expect(desk.preview({ schedule: "1h" }, null, done)).rejects.toThrow("The job is done.");
    await expect(desk.resume(done)).rejects.toThrow("The job is not paused.");
    const namesake = await make({ name: done.name });
    expect((await desk.find(null, done.name)).id).toBe(namesake.id); // One that is done does not keep its name.
  });
});

describe("resume", () => {
  it("is only for a job that is paused: it must not drop a time that has come", async () => {
    const job = await make();
    world.now += 2 * HOUR_MS;
    await expect(desk.resume(job)).rejects.toThrow("The job is not paused.");
    expect((await found(job)).nextAt).toBe(job.nextAt);
    await desk.pause(job);
    expect((await desk.resume(await found(job))).job).toMatchObject({
      state: "active",
      nextAt: world.now + HOUR_MS,
    });
  });

  it("refuses a job whose only time passed while it was paused", async () => {
    const job = await make({ schedule: "1h" });
    await desk.pause(job);
    world.now += 2 * HOUR_MS;
    await expect(desk.resume(await found(job))).rejects.toThrow("The job has no more times.");
    expect((await found(job)).state).toBe("paused");
  });
});

it("a preview says what was understood, and saves nothing", async () => {
  const { setting, next } = await desk.preview({ schedule: "every 1h", prompt: "look", repeat: 2 }, null);
  expect(setting).toMatchObject({ name: "look", deliver: "origin", repeat: 2 });
  expect(next).toEqual([world.now + HOUR_MS, world.now + 2 * HOUR_MS]);
  expect(await desk.list(null)).toEqual([]);
  await expect(desk.preview({ schedule: "soonish", prompt: "look" }, null)).rejects.toThrow(/Write `30m`/);
});
