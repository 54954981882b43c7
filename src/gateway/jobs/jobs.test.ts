import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { World } from "../../../test/support/gateway-world.js";
import { addJob, aJob, JOB_OPTIONS } from "../../../test/support/job-world.js";

const until = (isSo: () => boolean | Promise<boolean>) =>
  vi.waitUntil(isSo, { interval: 5, timeout: 30_000 });

let world: World;
beforeEach(async () => {
  world = await World.open({ gateway: { jobs: JOB_OPTIONS } });
});
afterEach(() => world.close());

/** Runs what is due now. */
function pass(ms: number): void {
  world.now += ms;
  world.gateway.jobs?.scheduler.wake();
}

describe("a job whose time has come", () => {
  it("runs once, and its result can be answered where it lands", async () => {
    const ann = world.chat("ann");
    await ann.ask("hello");
    const job = await addJob(world.store.jobs, aJob(world.now), world.now);
    pass(61_000);
    await until(async () => (await world.store.jobs.runs(job.id, 10))[0]?.state === "done");
    expect(ann.told).toHaveLength(2);
  });
});
