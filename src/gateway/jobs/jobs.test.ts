import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { JOB_OPTIONS, JobWorld } from "../../../test/support/job-world.js";
import { SendError } from "../../adapter/adapter.js";
import { ScriptedAdapter } from "../../testing/scripted-adapter.js";

let open: JobWorld;
afterEach(() => open.close());

const DAILY = { kind: "cron", expression: "0 13 * * *" } as const;
const HOUR_MS = 3_600_000;

/** What the agent was given last. */
const seen = () => open.agent.turns.at(-1)?.history.map(({ content }) => content);
const note = () =>
  expect.stringMatching(
    /^\[note from Baton: the scheduled job "digest" \(j_\w+\) said this here, Sat 10 Jan/,
  );

describe("a job whose time has come", () => {
  it("runs once, and its result is part of the chat where it lands", async () => {
    open = await JobWorld.open();
    const ann = open.world.chat("ann");
    await ann.ask("hello");
    expect(await open.run({ prompt: "news: it rained" })).toMatchObject({
      state: "done",
      said: "news: it rained",
      tokens: 100,
      results: [{ target: "origin", address: "telegram:ann", state: "sent" }],
    });
    expect(ann.told).toEqual(["hello", "news: it rained"]);
    await ann.ask("what did you say?");
    expect(seen()).toEqual(["hello", "hello", note(), "news: it rained", "what did you say?"]);
  });

  it("is known in a chat where nobody has talked, and where the session began afresh since", async () => {
    open = await JobWorld.open({ config: { reset: { default: { mode: "idle", idleMinutes: 30 } } } });
    await open.run({ prompt: "news: it rained" });
    const ann = open.world.chat("ann");
    await ann.ask("what?");
    expect(seen()).toEqual([note(), "news: it rained", "what?"]);
    open.world.now += HOUR_MS;
    const before = await ann.session();
    await ann.write("and now?");
    await vi.waitUntil(() => seen()?.at(-1) === "and now?", { timeout: 30_000 });
    expect((await ann.session()).sessionId).not.toBe(before.sessionId);
    expect(seen()).toEqual([note(), "news: it rained", "and now?"]);
    await ann.write("still?");
    await vi.waitUntil(() => seen()?.at(-1) === "still?", { timeout: 30_000 });
    expect(seen()).toEqual([note(), "news: it rained", "and now?", "and now?", "still?"]);
  });

  it("has a session of its own, of its person, and refreshes no idle clock", async () => {
    open = await JobWorld.open();
    const ann = open.world.chat("ann");
    await ann.ask("hello");
    const { updatedAt } = await ann.session();
    const { sessionId } = await open.run();
    const own = sessionId && (await open.world.sessions.get(sessionId));
    expect(own).toMatchObject({ owner: "person:telegram:ann", key: expect.stringContaining(":job:") });
    expect((await ann.session()).updatedAt).toBe(updatedAt);
  });

  it("remembers its last runs, and no more than those", async () => {
    open = await JobWorld.open();
    const schedule = { kind: "every", everyMs: HOUR_MS } as const;
    const job = await open.add({ timing: { schedule, timeZone: "UTC", from: open.world.now } });
    for (let n = 1; n <= 25; n += 1) {
      open.pass(HOUR_MS);
      await open.over(job, n);
    }
    const seen = open.agent.turns.map(({ history }) => history.length);
    expect(seen.slice(0, 3)).toEqual([1, 3, 5]);
    expect(Math.max(...seen)).toBeLessThanOrEqual(40);
  });

  it("can be a turn of the conversation in which it was made", async () => {
    open = await JobWorld.open();
    const ann = open.world.chat("ann");
    await ann.ask("hello");
    const { sessionId } = await ann.session();
    const run = await open.run({ session: "origin", prompt: "time to go" });
    expect(run).toMatchObject({ state: "done", sessionId, results: [{ target: "origin", state: "said" }] });
    expect(ann.told).toEqual(["hello", "time to go"]);
    expect(open.agent.turns.at(-1)?.history).toHaveLength(3);
  });

  it.each(["origin", "Origin", "telegram:ann"])(
    "says it once in that conversation, for %s",
    async (deliver) => {
      open = await JobWorld.open();
      const ann = open.world.chat("ann");
      await ann.ask("hello");
      const run = await open.run({ session: "origin", deliver, prompt: "time to go" });
      expect(run.results).toMatchObject([{ target: deliver, state: "said" }]);
      expect(ann.told).toEqual(["hello", "time to go"]);
    },
  );

  it.each(["own", "origin"] as const)(
    "says nothing if it has nothing to say, in a session of %s",
    async (session) => {
      open = await JobWorld.open();
      const ann = open.world.chat("ann");
      await ann.ask("hello");
      expect(await open.run({ session, prompt: "[SILENT]" })).toMatchObject({ state: "silent" });
      expect(ann.told).toEqual(["hello"]);
    },
  );

  it("says more than nothing if it only mentions the word", async () => {
    open = await JobWorld.open();
    await open.run({ prompt: "I was not [SILENT] today" });
    expect(open.world.chat("ann").told).toEqual(["I was not [SILENT] today"]);
  });

  it("uses its own model and only the tools that it names", async () => {
    const tool = (name: string) => ({ name, description: name, parameters: {}, run: async () => "" });
    open = await JobWorld.open({
      gateway: { tools: () => [tool("fetch_url"), tool("terminal"), tool("other")] },
      people: { owners: { telegram: ["ann"] } },
    });
    await open.run({ model: "small", tools: ["fetch_url", "unknown"] });
    expect(open.agent.turns.at(-1)).toMatchObject({ model: "small" });
    expect(open.agent.turns.at(-1)?.tools.map(({ name }) => name)).toEqual(["fetch_url"]);
  });

  it("is not run by a process that only makes jobs", async () => {
    open = await JobWorld.open({ gateway: { jobs: { ...JOB_OPTIONS, runsHere: false } } });
    const { id } = await open.add();
    open.pass(61_000);
    await open.world.chat("ann").ask("hello");
    expect(await open.jobs.runs(id, 10)).toEqual([]);
  });
});

describe("a job that repeats", () => {
  const timing = (now: number) => ({ schedule: DAILY, timeZone: "UTC", from: now });

  it("runs again at its next time, as often as it is to", async () => {
    open = await JobWorld.open();
    const job = await open.add({ timing: timing(open.world.now), repeat: 2 });
    for (const [count, hours] of [
      [1, 1],
      [2, 24],
    ] as const) {
      open.pass(hours * HOUR_MS);
      await open.over(job, count);
    }
    expect(await open.jobs.find(job.id)).toMatchObject({ state: "done", left: 0, nextAt: null });
  });

  it("waits longer after each failure, is paused in the end, and says both", async () => {
    open = await JobWorld.open();
    const every = { kind: "every", everyMs: 60_000 } as const;
    const job = await open.add({
      prompt: "fail",
      timing: { ...timing(open.world.now), schedule: every },
      catchUp: { missed: "skip", graceMs: 0 },
    });
    const waits: number[] = [];
    for (let n = 1; n <= 5; n += 1) {
      const { wakeAt } = (await open.jobs.find(job.id)) ?? {};
      waits.push((wakeAt ?? 0) - open.world.now);
      open.pass((wakeAt ?? 0) - open.world.now);
      await open.over(job, n, new Set(["failed"]));
    }
    expect(waits.map((ms) => Math.round(ms / 60_000))).toEqual([1, 1, 10, 60, 360]);
    const { state, pausedWhy } = (await open.jobs.find(job.id)) ?? {};
    expect([state, pausedWhy]).toEqual(["paused", "its last 5 runs failed"]);
    const { told } = open.world.chat("ann");
    expect(told).toHaveLength(5);
    expect(told.filter((text) => text.includes("is paused"))).toHaveLength(1);
    expect(told[0]).toBe(`The scheduled job "digest" (${job.id}) failed: The model is out of order.`);
  });

  it("stops for the day once its runs have used their tokens, and goes on the next day", async () => {
    open = await JobWorld.open();
    const schedule = { kind: "every", everyMs: HOUR_MS } as const;
    const job = await open.add({ dailyTokens: 150, timing: { ...timing(open.world.now), schedule } });
    const states: (string | null)[] = [];
    for (let n = 1; n <= 3; n += 1) {
      open.pass(HOUR_MS);
      const { state, error } = await open.over(job, n);
      states.push(error ?? state);
    }
    expect(states).toEqual(["done", "done", "It has used its 150 tokens for this day."]);
    open.pass(24 * HOUR_MS);
    expect(await open.over(job, 4)).toMatchObject({ state: "done" });
  });
});

describe("a run that somebody asked for", () => {
  it("uses up no time of the job, even if it is done or paused", async () => {
    open = await JobWorld.open();
    const job = await open.add();
    await open.jobs.ask(job.id, open.world.now);
    expect(await open.over(job)).toMatchObject({ scheduledFor: null, state: "done" });
    open.pass(61_000);
    expect(await open.over(job, 2)).toMatchObject({
      scheduledFor: job.timing.schedule.kind === "once" && job.timing.schedule.at,
      state: "done",
    });
    await open.jobs.ask(job.id, open.world.now);
    expect(await open.over(job, 3)).toMatchObject({ scheduledFor: null, state: "done" });
  });
});

describe("a result", () => {
  it("goes to each target, is kept in a file, and says where it could not go, once", async () => {
    const outputFolder = await mkdtemp(join(tmpdir(), "baton-results-"));
    onTestFinished(() => rm(outputFolder, { recursive: true }));
    const discord = new ScriptedAdapter({ platform: "discord", account: "bot" });
    open = await JobWorld.open({
      beside: [discord],
      people: { owners: { telegram: ["ann"] } },
      gateway: { jobs: { ...JOB_OPTIONS, outputFolder } },
    });
    await open.world.gateway.homes.set({ address: { platform: "discord", chatId: "ops" }, name: "ops" });
    const run = await open.run({ prompt: "all is well", deliver: "origin, discord, slack, local" });
    expect(run.results.map(({ target, state }) => [target, state])).toEqual([
      ["discord", "sent"],
      ["local", "kept"],
      ["origin", "sent"],
      ["slack", "failed"],
    ]);
    expect(discord.sent.map(({ text }) => text)).toEqual(["all is well"]);
    const ann = open.world.chat("ann");
    const told = await ann.next(1);
    expect(told).toContain("could not be sent.\nslack: Slack has no default home channel");
    expect(told).toContain(`\`${run.output}\``);
    await ann.ask("hello");
    expect(ann.told).toEqual(["all is well", told, "hello"]);
    const file = await readFile(join(outputFolder, run.output ?? ""), "utf8");
    expect(file).toMatch(/^---\njob: "j_[0-9a-f]{8}"\n[\s\S]*---\n\nall is well\n$/);
  });

  it("that a platform refuses is told in the chat of the job, once", async () => {
    const onSend = () => {
      throw new SendError("permanent", "The bot was removed.");
    };
    const discord = new ScriptedAdapter({ platform: "discord", account: "bot", onSend });
    open = await JobWorld.open({ beside: [discord], people: { owners: { telegram: ["ann"] } } });
    await open.world.gateway.homes.set({ address: { platform: "discord", chatId: "ops" }, name: "ops" });
    const job = await open.add({ prompt: "all is well", deliver: "discord" });
    open.pass(61_000);
    const ann = open.world.chat("ann");
    const text = await ann.next(0);
    expect(text).toBe(
      `The result of the scheduled job "digest" (${job.id}) could not be sent.\ndiscord: The bot was removed.`,
    );
    expect((await open.over(job)).results).toMatchObject([{ target: "discord", state: "failed" }]);
    await ann.ask("hello");
    expect(ann.told).toEqual([text, "hello"]);
  });
});

describe("the rights of a run", () => {
  const terminal = {
    name: "terminal",
    description: "",
    parameters: {},
    run: async () => "Exit code 0.\n\nran",
  };
  const withTerminal = { gateway: { tools: () => [terminal], toolLists: { members: ["terminal"] } } };
  const command = { prompt: null, command: "true" };

  it("are those that its person has now: who has none runs nothing, and the job says so once", async () => {
    open = await JobWorld.open({ people: { allow: {} } });
    const schedule = { kind: "every", everyMs: 60_000 } as const;
    const job = await open.add({ timing: { schedule, timeZone: "UTC", from: open.world.now } });
    open.pass(61_000);
    const why = "The person who made it has no access any more.";
    expect(await open.over(job)).toMatchObject({ state: "skipped", error: why });
    expect(await open.jobs.find(job.id)).toMatchObject({ state: "paused", pausedWhy: why });
    open.pass(600_000);
    expect(open.agent.turns).toEqual([]);
    expect(open.world.chat("ann").told).toEqual([]);
    expect(open.world.problems).toEqual([`The job "digest" (${job.id}) is paused: ${why}`]);
  });

  it("let a command run whose person may run commands", async () => {
    open = await JobWorld.open(withTerminal);
    expect(await open.run(command)).toMatchObject({ state: "done", said: "ran" });
    expect(open.agent.turns).toEqual([]);
  });

  it("stop a command whose person may not run commands any more, and the chat is told once", async () => {
    open = await JobWorld.open({ gateway: { tools: () => [terminal] } });
    const schedule = { kind: "every", everyMs: 60_000 } as const;
    const timing = { schedule, timeZone: "UTC", from: open.world.now };
    const job = await open.add({ ...command, timing });
    open.pass(61_000);
    expect(await open.over(job)).toMatchObject({ state: "skipped" });
    const ann = open.world.chat("ann");
    expect(await ann.next(0)).toContain("is paused: The person who made it may not run commands any more.");
    open.pass(600_000);
    await ann.ask("hello");
    expect(ann.told).toHaveLength(2);
  });

  it("wake the agent only if the command printed something", async () => {
    const quiet = { ...terminal, run: async () => "Exit code 0.\n\n(no output)" };
    open = await JobWorld.open({ gateway: { ...withTerminal.gateway, tools: () => [quiet] } });
    expect(await open.run({ prompt: "look at this", command: "true" })).toMatchObject({ state: "silent" });
    expect(open.agent.turns).toEqual([]);
    await open.close();
    open = await JobWorld.open(withTerminal);
    await open.run({ prompt: "look at this", command: "true" });
    expect(open.agent.turns[0]?.history.at(-1)).toMatchObject({
      role: "tool",
      content: "Exit code 0.\n\nran",
    });
  });
});

describe("a handoff", () => {
  it("moves the jobs that deliver to the conversation", async () => {
    const discord = new ScriptedAdapter({ platform: "discord", account: "other" });
    open = await JobWorld.open({
      beside: [discord],
      people: { owners: { telegram: ["ann"], discord: ["ann"] } },
    });
    const there = open.world.chat("ann", {}, discord);
    await there.ask("hi");
    const ann = open.world.chat("ann");
    await ann.ask("hello");
    const job = await open.add({ prompt: "news" });
    await ann.write("/handoff discord:ann");
    const originOf = async () => (await open.jobs.find(job.id))?.origin;
    await vi.waitUntil(async () => (await originOf())?.key !== job.origin.key, { timeout: 30_000 });
    expect(await originOf()).toMatchObject({
      key: there.key,
      account: "other",
      source: { platform: "discord", chatId: "ann" },
    });
    open.pass(61_000);
    expect((await open.over(job)).results).toMatchObject([{ target: "origin", address: "discord:ann" }]);
    expect(there.told.filter((text) => text === "news")).toHaveLength(1);
    expect(ann.told).not.toContain("news");
  });
});
