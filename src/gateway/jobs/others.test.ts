/** What a job must not do to others: take their place, tell what is not for everybody, or go on after its end. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { JOB_OPTIONS, JobWorld } from "../../../test/support/job-world.js";
import { toolCaller } from "../../../test/support/tool-caller.js";
import { buildSessionKey, type SessionKey } from "../../session/session-key.js";

let open: JobWorld;
afterEach(() => open.close());

const home = (chatId: string, word: string) => ({
  address: { platform: "telegram", chatId },
  name: chatId,
  word,
});

describe("a job for `all`", () => {
  const withHomes = (...homeChannels: ReturnType<typeof home>[]) =>
    JobWorld.open({ gateway: { homeChannels } });

  it("goes to the home channels that its person may use, and tells nothing of the others", async () => {
    open = await withHomes(home("ann", "mine"), home("board", "board"), home("board", "secret"));
    const ann = open.world.chat("ann");
    await ann.ask("hello");
    const { results } = await open.run({ deliver: "all, local" });
    expect(results.map(({ target, state }) => [target, state])).toEqual([
      ["local", "kept"],
      ["telegram:ann", "sent"],
    ]);
    expect(ann.told).toEqual(["hello", "say the news"]);
  });

  it("says if there is none, and ends all the same", async () => {
    open = await withHomes(home("board", "board"));
    expect(await open.run({ deliver: "all" })).toMatchObject({
      state: "done",
      results: [
        { target: "all", state: "failed", error: expect.stringMatching(/^There is no home channel/) },
      ],
    });
  });

  it("ends if a place has two names and can't be reached", async () => {
    const away = { address: { platform: "discord", chatId: "1" }, name: "away" };
    const homeChannels = [away, { ...away, word: "other" }];
    open = await JobWorld.open({ people: { owners: { telegram: ["ann"] } }, gateway: { homeChannels } });
    const { results } = await open.run({ deliver: "all, discord:1" });
    expect(results).toMatchObject([{ target: "discord:1", state: "failed" }]);
  });
});

it("a job whose chat is on a platform that is no more ends, and says why", async () => {
  open = await JobWorld.open();
  const source = { platform: "gone", chatId: "g", chatType: "dm" } as const;
  const origin = { key: "agent:main:gone:dm:g" as SessionKey, source, account: "bot" };
  expect(await open.run({ origin, deliver: "origin, telegram:ann" })).toMatchObject({
    state: "done",
    results: [
      { target: "origin", state: "failed", error: expect.stringMatching(/^Unknown platform "gone"/) },
      { target: "telegram:ann" },
    ],
  });
});

describe("a job that was removed while its turn waited", () => {
  it("asks the agent nothing", async () => {
    open = await JobWorld.open({ gateway: { busy: { default: "queue", byPlatform: {}, byChat: {} } } });
    const ann = open.world.chat("ann");
    await ann.write("wait");
    await vi.waitUntil(() => open.agent.turns.length === 1, { timeout: 30_000 });
    const job = await open.add({ session: "origin", prompt: "too late" });
    open.pass(61_000);
    const isBegun = async () => (await open.jobs.runs(job.id, 1))[0]?.state === "running";
    await vi.waitUntil(isBegun, { timeout: 30_000 });
    await open.jobs.remove(job.id);
    await ann.ask("/stop");
    await ann.ask("hello");
    expect(open.agent.turns.map(({ history }) => history.at(-1)?.content)).toEqual(["wait", "hello"]);
  });
});

it("runs whose platform is away do not keep others from running", async () => {
  open = await JobWorld.open({ gateway: { jobs: { ...JOB_OPTIONS, mostRunning: 1 } } });
  const there = { platform: "discord", chatId: "ann", chatType: "dm", userId: "ann" } as const;
  const origin = { key: buildSessionKey(there), source: there, account: "bot" };
  const stuck = await open.add({ session: "origin", origin });
  open.pass(61_000);
  const isBegun = async () => (await open.jobs.runs(stuck.id, 1))[0]?.state === "running";
  await vi.waitUntil(isBegun, { timeout: 30_000 });
  const job = await open.add();
  open.pass(61_000);
  expect(await open.over(job)).toMatchObject({ state: "done" });
  expect(await isBegun()).toBe(true);
});

it("a job of somebody who became a guest does not run, and says so once", async () => {
  open = await JobWorld.open({ people: { allow: {}, guests: { telegram: ["ann"] } } });
  const schedule = { kind: "every", everyMs: 60_000 } as const;
  const job = await open.add({ timing: { schedule, timeZone: "UTC", from: open.world.now } });
  open.pass(61_000);
  expect(await open.over(job)).toMatchObject({ state: "skipped" });
  const ann = open.world.chat("ann");
  expect(await ann.next(0)).toContain(
    "is paused: The person who made it may not have scheduled jobs any more.",
  );
  open.pass(600_000);
  await ann.ask("hello");
  expect(ann.told).toHaveLength(2);
  expect(open.agent.turns).toHaveLength(1);
});

it("what a job would need approval for is not done, also in the conversation where it was made", async () => {
  const danger = () => ({ reason: "is dangerous", what: "reboot" });
  const terminal = {
    name: "terminal",
    description: "",
    parameters: {},
    danger,
    run: () => expect.unreachable(),
  };
  const people = { owners: { telegram: ["ann"] } };
  open = await JobWorld.open({ people, gateway: { agent: toolCaller, tools: () => [terminal] } });
  const ann = open.world.chat("ann");
  await ann.ask("hello");
  for (const session of ["own", "origin"] as const) {
    const { said } = await open.run({ session, prompt: "terminal {}" });
    expect(said).toMatch(
      /^Error: not run: nobody can approve it here\. This is dangerous\. To allow it, ask for it in a chat/,
    );
  }
  expect(ann.told.filter((text) => text.includes("Allow?"))).toEqual([]);
});
