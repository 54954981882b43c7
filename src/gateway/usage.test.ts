/** What people use, are told and are refused, at a real gateway over a real store. */
import { afterEach, expect, it, vi } from "vitest";
import { until, World, type WorldOptions } from "../../test/support/gateway-world.js";
import { addJob, aJob, JOB_OPTIONS } from "../../test/support/job-world.js";
import { SmallModel } from "../../test/support/small-model.js";
import type { AgentEvent, TurnInput } from "../agent/agent.js";
import { localSource } from "../session/source.js";
import { ScriptedAdapter } from "../testing/scripted-adapter.js";
import type { LimitLists } from "./limits.js";

let world: World;
let other: World | undefined;
afterEach(async () => {
  await other?.close();
  other = undefined;
  await world.close();
});

const DAY_MS = 24 * 60 * 60 * 1_000;
const room = { chatId: "room", chatType: "group" } as const;

/** A message is one call for each number at its end, which uses so many tokens, at a dollar for a thousand. */
const model = {
  name: "counting",
  calls: 0,
  async *run({ history, beforeCall }: TurnInput): AsyncIterable<AgentEvent> {
    const numbers = /[\d ]+$/.exec(history.at(-1)?.content ?? "")?.[0].match(/\d+/g) ?? [];
    for (const [n, tokens] of numbers.entries()) {
      await beforeCall?.();
      model.calls += 1;
      const usage = { inputTokens: Number(tokens), cost: Number(tokens) / 1_000 };
      yield { kind: "usage", model: "m1", usage };
      yield { kind: "message", message: { role: "assistant", content: `did ${n + 1}` }, results: [] };
      yield { kind: "text", text: "" };
    }
    yield { kind: "done", stopped: false };
  },
};

async function open(limits: LimitLists, more: WorldOptions = {}): Promise<void> {
  const people = { allow: {}, owners: { telegram: ["boss"] }, guests: { telegram: ["ann", "bob"] } };
  model.calls = 0;
  world = await World.open({ people, ...more, gateway: { limits, agent: model, ...more.gateway } });
}

/** Writes, and returns all that the chat is told until nothing more comes. */
async function told(chat: ReturnType<World["chat"]>, text: string, in_ = world): Promise<string[]> {
  const before = chat.told.length;
  await chat.ask(text);
  await until(() => in_.gateway.forCommands.lane(chat.key).run === undefined);
  await in_.gateway.delivered();
  return chat.told.slice(before);
}

it("tells a person once at 80 % of a day's tokens, refuses at 100 %, and goes on the next day", async () => {
  await open({ guests: { tokensPerDay: 1_000 } });
  const ann = world.chat("ann");
  expect(await told(ann, "700")).toEqual(["did 1"]);
  expect(await told(ann, "110")).toEqual(["did 1", "You have used 81 % of today's 1,000 tokens."]);
  await world.restart();
  expect(await told(ann, "100")).toEqual(["did 1"]);
  expect(await told(ann, "200")).toEqual(["did 1"]);
  const refusal =
    "You have used 1,110 tokens today, and you may use 1,000 tokens a day. You can go on at midnight UTC, in 12 h.";
  for (let n = 0; n < 3; n++) expect(await told(ann, "1")).toEqual([refusal]);
  expect(model.calls).toBe(4);
  expect(await told(world.chat("bob"), "5")).toEqual(["did 1"]);
  expect(await told(world.chat("boss"), "5000")).toEqual(["did 1"]);
  world.now += DAY_MS;
  expect(await told(ann, "850")).toEqual(["did 1", "You have used 85 % of today's 1,000 tokens."]);
});

it("keeps what a turn has that is refused in the middle", async () => {
  await open({ guests: { costPerDay: 1 } });
  const ann = world.chat("ann");
  expect(await told(ann, "600 600 600")).toEqual([
    "did 1",
    "did 2",
    "You have used $1.20 today, and you may use $1.00 a day. You can go on at midnight UTC, in 12 h.",
  ]);
  expect(await ann.transcript()).toEqual(["user: 600 600 600", "assistant: did 1", "assistant: did 2"]);
  expect(await ann.session()).toMatchObject({ inputTokens: 1_200, cost: 1.2 });
});

it("says at once that all is used, if one call goes past the limit", async () => {
  await open({ guests: { tokensPerDay: 1_000 } });
  expect(await told(world.chat("ann"), "1500")).toEqual([
    "did 1",
    "You have used all of today's 1,000 tokens. You can go on at midnight UTC, in 12 h.",
  ]);
});

it("counts linked identities together, also for the notice", async () => {
  await open({ guests: { tokensPerDay: 1_000 } });
  expect(await told(world.chat("ann"), "850")).toHaveLength(2);
  await world.store.people.join("telegram:ann", "telegram:bob", "p_1", world.now);
  expect(await told(world.chat("bob"), "100")).toEqual(["did 1"]);
  expect(await told(world.chat("bob"), "100")).toEqual(["did 1"]);
  expect(await told(world.chat("bob"), "100")).toEqual([
    expect.stringMatching(/^You have used 1,050 tokens/),
  ]);
});

it("limits a session, and a new one is free", async () => {
  await open({ guests: { tokensPerSession: 1_000, costPerSession: 50 } });
  const ann = world.chat("ann");
  expect(await ann.ask("/whoami")).toContain(", 1,000 tokens a session, $50.00 a session\n");
  expect(await told(ann, "900")).toEqual([
    "did 1",
    "This session has used 90 % of its 1,000 tokens. Start a new one with /new soon.",
  ]);
  expect(await told(ann, "200")).toEqual(["did 1"]);
  expect(await told(ann, "1")).toEqual([
    "This session has used 1,100 tokens, and you may use 1,000 tokens in one. Start a new one with /new.",
  ]);
  await ann.ask("/new");
  expect(await told(ann, "1")).toEqual(["did 1"]);
});

it("limits all people together, and shows only an owner how much that is", async () => {
  await open({ everyone: { tokensPerDay: 1_000 } });
  expect(await told(world.chat("ann"), "900")).toEqual(["did 1"]);
  expect(await told(world.chat("boss"), "200")).toEqual([
    "did 1",
    "All people together have used all of today's 1,000 tokens. You can go on at midnight UTC, in 12 h.",
  ]);
  expect(await told(world.chat("bob"), "1")).toEqual([
    "The people here have together used all that they may use today. You can go on at midnight UTC, in 12 h.",
  ]);
  expect((await told(world.chat("boss"), "1"))[0]).toContain("have used 1,100 tokens today");
});

it("tells a person once, also with two gateways over one store", async () => {
  await open({ guests: { tokensPerDay: 1_000 } });
  other = await World.open({
    on: world.store,
    platform: "discord",
    people: { guests: { discord: ["ann"] } },
    gateway: { limits: { guests: { tokensPerDay: 1_000 } }, agent: model },
  });
  await world.store.people.join("telegram:ann", "discord:ann", "p_1", world.now);
  const [here, there] = [world.chat("ann"), other.chat("ann")];
  const said = [...(await told(here, "850")), ...(await told(there, "20", other))];
  expect(said.filter((text) => text.startsWith("You have used 8"))).toHaveLength(1);
});

it("shows no figures of a person to a group, when a limit is near and when it is reached", async () => {
  await open({ guests: { tokensPerDay: 1_000 } });
  const ann = world.chat("ann", room);
  const [, notice] = await told(ann, "850");
  expect(notice).toBe("You have used most of what you may use today. Send me /usage in private to see more.");
  await told(ann, "200");
  expect(await told(ann, "1")).toEqual([
    "You have reached your limit for today. You can go on at midnight UTC, in 12 h.",
  ]);
  expect(await told(world.chat("bob", room), "1")).toEqual(["did 1"]);
});

it("refuses the turn of a job like that of its person, and reports it", async () => {
  const people = { allow: { telegram: ["ann"] } };
  await open({ members: { tokensPerDay: 1_000 } }, { people, gateway: { jobs: JOB_OPTIONS } });
  const ann = world.chat("ann");
  const run = async (prompt: string) => {
    const job = await addJob(world.store.jobs, aJob(world.now, { prompt, name: `job ${prompt}` }), world.now);
    const before = ann.told.length;
    world.now += 61_000;
    world.gateway.jobs?.scheduler.wake();
    return { job, said: await ann.next(before) };
  };
  const { job, said } = await run("1200");
  expect(said).toContain("did 1");
  const sums = await world.store.usage.sums({ kind: "person", identities: ["telegram:ann"] }, "job", {
    fromDay: "2026-01-10",
  });
  expect(sums).toMatchObject([{ key: job.id, totalTokens: 1_200, modelCalls: 1 }]);
  expect((await run("1")).said).toContain("You have used 1,200 tokens today");
  expect(model.calls).toBe(1);
});

/** The same with a model that has a window: what Baton itself asks it uses 300 tokens. */
const remembering = {
  ...model,
  contextTokens: 8_000,
  async *run(turn: TurnInput): AsyncIterable<AgentEvent> {
    const asked = turn.history.at(-1);
    if (asked?.role !== "user" || !asked.note) return yield* model.run(turn);
    await turn.beforeCall?.();
    model.calls += 1;
    yield { kind: "usage", model: "m1", usage: { inputTokens: 300, cost: 0.3 } };
    yield { kind: "message", message: { role: "assistant", content: "They talked." }, results: [] };
    yield { kind: "done", stopped: false };
  },
};
const long = (tokens: number) => `${"Tell me all about the garden and its beans. ".repeat(8)}${tokens}`;

it("counts /compress for the person who asks, and refuses it at their limit", async () => {
  const people = { allow: { telegram: ["ann", "bob"] } };
  const limits = { members: { tokensPerDay: 1_000 } };
  await open(limits, { people, gateway: { agent: remembering } });
  const ann = world.chat("ann");
  const sums = () =>
    world.store.usage.sums({ kind: "person", identities: ["telegram:ann"] }, "session", {
      fromDay: "2026-01-10",
    });
  for (let n = 0; n < 4; n++) await told(ann, long(100));
  const { sessionId } = await ann.session();
  expect(await told(ann, "/compress")).toEqual([expect.stringMatching(/^I summed up 4 messages/)]);
  expect(await sums()).toMatchObject([{ key: sessionId, totalTokens: 700, modelCalls: 5 }]);
  expect(await ann.session()).toMatchObject({ inputTokens: 700 });
  for (let n = 0; n < 3; n++) await told(ann, long(100));
  const refusal =
    "I could not sum up the session. You have used 1,000 tokens today, and you may use 1,000 tokens a day. You can go on at midnight UTC, in 12 h.";
  expect(await told(ann, "/compress")).toEqual([refusal]);
  expect(model.calls).toBe(8);
  expect(await sums()).toMatchObject([{ totalTokens: 1_000, modelCalls: 8 }]);
  world.now += DAY_MS;
  expect(await told(ann, "/compress")).toEqual([expect.stringMatching(/^I summed up/)]);
});

it("refuses an answer if the summary before it used up the limit", async () => {
  const refusing = {
    ...remembering,
    contextTokens: 1_000,
    // The provider says that it is too long, so the answer waits for a summary.
    async *run(turn: TurnInput): AsyncIterable<AgentEvent> {
      const asked = turn.history.at(-1);
      if (!asked?.content.startsWith("all of it")) return yield* remembering.run(turn);
      await turn.beforeCall?.();
      await turn.fit?.({ messages: turn.history, besides: [], contextTokens: 1_000, refused: true });
      return yield* model.run({ ...turn, beforeCall: async () => {} });
    },
  };
  await open({ guests: { tokensPerDay: 1_000 } }, { gateway: { agent: refusing } });
  const ann = world.chat("ann");
  for (let n = 0; n < 4; n++) await told(ann, long(190));
  expect(await told(ann, "all of it 50")).toEqual([
    expect.stringMatching(/^You have used 1,060 tokens today, and you may use 1,000/),
  ]);
  expect(model.calls).toBe(5);
  expect((await ann.transcript()).at(-1)).toBe("user: all of it 50");
});

it("counts /compress also for the limit of calls, of a session and of everybody", async () => {
  const people = { allow: { telegram: ["ann"] } };
  for (const limits of [
    { members: { modelCallsPerDay: 4 } },
    { members: { tokensPerSession: 400 } },
    { everyone: { tokensPerDay: 400 } },
  ]) {
    await open(limits, { people, gateway: { agent: remembering } });
    const ann = world.chat("ann");
    for (let n = 0; n < 4; n++) await told(ann, long(100));
    expect((await told(ann, "/compress"))[0]).toMatch(/^I could not sum up the session\. (You|The|This) /);
    expect(model.calls).toBe(4);
    await world.close();
  }
  await open({});
});

it("asks the model for no title at the limit", async () => {
  await open({ guests: { tokensPerDay: 100 } }, { titles: "model", gateway: { agent: remembering } });
  const [ann, bob] = [world.chat("ann"), world.chat("bob")];
  await told(ann, "Where are the beans? 100");
  await told(bob, "Where are the beans? 99");
  for (const chat of [ann, bob]) await vi.waitUntil(async () => (await chat.session()).title !== null);
  await world.gateway.forCommands.upkeep?.titles.idle();
  expect(await ann.session()).toMatchObject({ title: "Where are the beans? 100", inputTokens: 100 });
  expect(await bob.session()).toMatchObject({ title: "They talked", inputTokens: 399 });
  expect(model.calls).toBe(3);
});

it("shows a person their days, jobs and limits in private, and in a group only what they used there", async () => {
  const people = { allow: { telegram: ["ann", "bob"] }, owners: { telegram: ["boss"] } };
  const limits = { members: { tokensPerDay: 10_000, costPerSession: 5 }, everyone: { tokensPerDay: 77_777 } };
  await open(limits, { people, gateway: { jobs: JOB_OPTIONS } });
  const [ann, here] = [world.chat("ann"), world.chat("ann", room)];
  await told(ann, "2000");
  world.now += DAY_MS;
  const job = await addJob(world.store.jobs, aJob(world.now, { prompt: "500", name: "digest" }), world.now);
  const before = ann.told.length;
  world.now += 61_000;
  world.gateway.jobs?.scheduler.wake();
  await ann.next(before);
  await told(ann, "1000");
  await told(here, "30");
  await told(world.chat("bob", room), "7");
  const [said = ""] = await told(ann, "/usage");
  expect(said).toContain("This session: 3,000 tokens (input 3,000, output 0)\nCost: $3.00");
  expect(said).toContain("You today: 1,530 tokens, $1.53\nYou in the last 7 days: 3,530 tokens, $3.53");
  expect(said).toMatch(
    /```\n2026-01-05\n[\s\S]*2026-01-10 {2}█{12} {3}2\.0k {2}\$2\.00\n2026-01-11 {2}█{9}▏ +1\.5k/,
  );
  expect(said).toContain("Your jobs in these days:\n- digest: 500 tokens, $0.50");
  expect(said).toContain("- you today: 1,530 tokens of 10,000 tokens, 8,470 left");
  expect(said).toContain("- this session: $3.00 of $5.00, $2.00 left");
  expect(said).not.toContain("77,777");
  await world.store.jobs.remove(job.id);
  expect((await told(ann, "/usage"))[0]).toContain(`- ${job.id} (removed): 500 tokens`);
  const [group = ""] = await told(here, "/usage");
  expect(group.split("\n")).toEqual([
    "This session: 37 tokens (input 37, output 0)",
    "Cost: $0.037",
    "You here: 30 tokens, $0.03",
    "Limits:",
    "- this session: $0.037 of $5.00, $4.96 left",
    "Send me /usage in private to see your days and your limits.",
  ]);
  expect((await told(world.chat("boss"), "1 1"))[0]).toBe("did 1");
  const [boss = ""] = await told(world.chat("boss"), "/usage");
  expect(boss).toContain("You today: 2 tokens");
  expect(boss).toContain("- everybody today: 1,539 tokens of 77,777 tokens");
});

it("says that a model without a cost has cost nothing", async () => {
  const agent = {
    name: "free",
    async *run(): AsyncIterable<AgentEvent> {
      yield { kind: "usage", model: "m1", usage: { inputTokens: 5, cost: 0 } };
      yield { kind: "message", message: { role: "assistant", content: "yes" }, results: [] };
      yield { kind: "done", stopped: false };
    },
  };
  await open({}, { gateway: { agent } });
  await told(world.chat("ann"), "hello");
  const [said] = await told(world.chat("ann"), "/usage");
  expect(said).toContain("Cost: $0.00\nYou today: 5 tokens, $0.00\n");
});

it("says that a cost is not known, and of which model", async () => {
  const agent = {
    name: "unpriced",
    async *run(): AsyncIterable<AgentEvent> {
      yield { kind: "usage", model: "secret\u202eladom", usage: { inputTokens: 5 } };
      yield { kind: "message", message: { role: "assistant", content: "yes" }, results: [] };
      yield { kind: "done", stopped: false };
    },
  };
  await open({}, { gateway: { agent } });
  expect(await world.chat("ann").ask("/usage")).toBe(
    "There is no session here yet: your first message starts one.\nYou in the last 7 days: nothing",
  );
  await told(world.chat("ann"), "1");
  const [said] = await told(world.chat("ann"), "/usage");
  expect(said).toContain("Cost: unknown\nCost unknown for secretladom. Set a price in agent.prices");
  expect(said).toContain("You today: 5 tokens, cost unknown");
});

it("counts titles, summaries and what is remembered also for the person at the terminal", async () => {
  const small = await SmallModel.start();
  const terminal = new ScriptedAdapter({ platform: "local" });
  const config = { reset: { default: { mode: "idle", idleMinutes: 60 } } } as const;
  const gateway = { agent: small.agent() };
  world = await World.open({ config, beside: [terminal], titles: "model", gateway });
  const chat = world.chat("me", localSource(), terminal);
  for (const text of ["one", "two", "three"]) await chat.ask(text);
  await world.upkeep.titles.idle();
  expect(await chat.ask("/compress")).toMatch(/^I summed up/);
  world.now += 2 * 3_600_000;
  await world.upkeep.watcher?.look();
  expect([small.titled, small.summaries, small.remembered]).toEqual([1, 1, 1]);
  const sums = await world.store.usage.sums({ kind: "owner" }, "identity", { fromDay: "2026-01-01" });
  expect(sums.map(({ key, modelCalls }) => [key, modelCalls])).toEqual([["local:terminal", 6]]);
  await small.close();
});
