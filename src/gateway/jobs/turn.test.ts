import { expect, it } from "vitest";
import { aJob } from "../../../test/support/job-world.js";
import type { Tool, ToolContext } from "../../agent/agent.js";
import { OWNER } from "../../session/access.js";
import type { Who } from "../authorize.js";
import type { InboxItem, JobRun } from "../store.js";
import { type TurnToolsSetting, turnTools } from "../turn-tools.js";
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

it.each([
  ["own", "undefined"],
  ["origin", "function"],
] as const)(
  "in a session of %s, what it can start in the background is %s: somebody must hear of it",
  async (session, kind) => {
    const job = aJob(0, { session });
    const found = await jobTurn({ of: async () => ({ job }) as unknown as JobRun }, item, agent);
    let given: unknown;
    const tool: Tool = {
      ...terminal,
      danger: () => null,
      run: async (_, context) => {
        given = context.background;
        return "";
      },
    };
    const journal = { started: async () => true, finished: async () => true };
    const setting = {
      ...{
        sessions: { as: () => ({}) },
        store: { journal },
        adapters: [],
        tools: () => [tool],
        toolLists: {},
      },
      ...{ processes: { processes: {}, limits: {} }, approvals: {}, notices: {}, people: {}, jobs: null },
    } as unknown as TurnToolsSetting;
    const who = { role: "owner", names: [], identities: [], source: job.by } as unknown as Who;
    const of = {
      who,
      turn: {} as never,
      item: { ...item, source: job.by },
      memory: null,
      unread: () => new AbortController().signal,
      job: found,
    };
    const tools = await turnTools(setting, of);
    await tools.find(({ name }) => name === "terminal")?.run({}, { call: {} } as ToolContext);
    expect(typeof given).toBe(kind);
  },
);

it("in a group, it sees of its person only what the group may see, wherever the job was made", async () => {
  const who = {
    source: aJob(0).by,
    role: "owner",
    identities: ["telegram:ann"],
    names: [],
    viewer: OWNER,
  } as const;
  const group = { platform: "discord", chatId: "team", chatType: "group" } as const;
  for (const [source, viewer] of [
    [aJob(0).by, OWNER],
    [group, { kind: "chat", chat: expect.anything() }],
  ] as const) {
    const job = aJob(0, { origin: { ...aJob(0).origin, source } });
    const turn = await jobTurn({ of: async () => ({ job }) as unknown as JobRun }, item, agent);
    expect(turn?.asks(who).viewer).toEqual(viewer);
  }
});
