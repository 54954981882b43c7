/** A gateway with jobs, whose agent calls the tool `schedule` as people say: `schedule {…}`. */
import { tmpdir } from "node:os";
import { vi } from "vitest";
import { terminalTool } from "../../src/agent/tools/terminal.js";
import type { GatewayOptions } from "../../src/gateway/options.js";
import type { Job } from "../../src/schedule/job.js";
import { type Chat, World } from "./gateway-world.js";
import { JOB_OPTIONS } from "./job-world.js";
import { toolCaller } from "./tool-caller.js";

export type ScheduleWorld = Awaited<ReturnType<typeof openScheduleWorld>>;

export async function openScheduleWorld(more: Partial<GatewayOptions> = {}) {
  const world = await World.open({
    people: { guests: { telegram: ["gus"] }, owners: { telegram: ["olga"] } },
    gateway: {
      agent: toolCaller,
      jobs: JOB_OPTIONS,
      tools: () => [terminalTool({ cwd: tmpdir(), environment: { PATH: process.env.PATH ?? "" } })],
      ...more,
    },
  });
  const ann = world.chat("ann");
  const jobs = (): Promise<Job[]> => world.store.jobs.list(null);

  return {
    world,
    ann,
    jobs,

    /** Calls the tool in a chat, and returns what the chat is told. */
    use: (args: object, chat: Chat = ann): Promise<string> => chat.ask(`schedule ${JSON.stringify(args)}`),

    /** The only one that there is. */
    async job(): Promise<Job> {
      const [job, ...others] = await jobs();
      if (!job || others.length > 0) throw new Error("There is not exactly one job.");
      return job;
    },

    /** Time passes, and what is due runs. */
    pass(ms: number): void {
      world.now += ms;
      world.gateway.jobs?.scheduler.wake();
    },

    /** Waits until the last run of a job is over, and its result has been sent. */
    async ended(id: Job["id"]): Promise<void> {
      const isOver = async (): Promise<boolean> => {
        const [run] = await world.store.jobs.runs(id, 1);
        return run?.state === "done" && run.results.every(({ state }) => state !== "waiting");
      };
      await vi.waitUntil(isOver, { interval: 5, timeout: 30_000 });
    },
  };
}
