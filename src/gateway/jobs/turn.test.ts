import { expect, it } from "vitest";
import { aJob } from "../../../test/support/job-world.js";
import type { Tool } from "../../agent/agent.js";
import type { InboxItem, JobRun } from "../store.js";
import { jobTurn } from "./turn.js";

const item = { id: 1, made: "job", inBackground: true } as unknown as InboxItem;
const agent = { name: "asked", run: () => expect.unreachable() };
const danger = { reason: "is dangerous", what: "" };
const terminal: Tool = {
  name: "terminal",
  description: "",
  parameters: {},
  danger: () => danger,
  run: async () => "",
};

it("the turn of a job that was removed asks nobody, and has no tools", async () => {
  const turn = await jobTurn({ of: async () => null }, item, agent);
  expect(turn?.agent).not.toBe(agent);
  expect(turn?.tools([terminal], {} as never)).toEqual([]);
  expect(await jobTurn({ of: async () => null }, { ...item, made: "process" }, agent)).toBeNull();
});

it("of all calls, only that of the job's own command needs no approval", async () => {
  const job = aJob(0, { command: "df -h", timeoutMs: 5_000 });
  const turn = await jobTurn({ of: async () => ({ job }) as unknown as JobRun }, item, agent);
  const [own] = turn?.tools([terminal], { role: "member" } as never) ?? [];
  expect(await own?.danger?.({ command: "df -h", timeout: 5 })).toBeNull();
  for (const args of [
    null,
    {},
    { command: "df -h" },
    { command: "df -h", timeout: 50 },
    { command: "df -h", timeout: 5, background: true },
    { command: "df -h; reboot", timeout: 5 },
  ])
    expect(await own?.danger?.(args)).toBe(danger);
});

it.each(["own", "origin"] as const)(
  "in a session of %s, it says whether anybody hears of what it starts",
  async (session) => {
    const job = aJob(0, { session });
    const turn = await jobTurn({ of: async () => ({ job }) as unknown as JobRun }, item, agent);
    expect(turn?.isAlone).toBe(session === "own");
  },
);
