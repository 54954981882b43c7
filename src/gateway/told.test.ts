/** What the model is told besides the conversation, and what `/instructions` shows of it. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Chat, World } from "../../test/support/gateway-world.js";
import type { Agent, TurnInput } from "../agent/agent.js";
import type { Instruction } from "./told.js";

const HOUR = 3_600_000;
let turns: TurnInput[];
const agent: Agent = {
  name: "reader",
  async *run(turn) {
    turns.push(turn);
    yield { kind: "message", message: { role: "assistant", content: "read" }, results: [] };
    yield { kind: "done", stopped: false };
  },
};
const TEXT = { from: "the settings", text: "Answer in ```verse```.", problem: null };

let world: World;
let ann: Chat;
let given: readonly Instruction[];
beforeEach(async () => {
  turns = [];
  given = [TEXT];
  const gateway = { agent, instructions: async () => given, workdir: "/home/ann/my_project" };
  const config = { timezone: "Europe/Berlin", reset: { default: { mode: "none" } } } as const;
  world = await World.open({ config, gateway, people: { owners: { telegram: ["ann"] } } });
  ann = world.chat("ann");
});
afterEach(() => world.close());

it("begins with the instructions, and has the folder, the day and the zone", async () => {
  await ann.ask("hello");
  const prompt = turns[0]?.prompt ?? "";
  expect(prompt).toMatch(
    /^## Instructions from the settings\n\nAnswer in ```verse```\.\n\n## Current Session/,
  );
  expect(prompt).toContain("**Working Folder:** `/home/ann/my_project`");
  expect(prompt).toContain("this session began on Saturday, 10 January 2026 (Europe/Berlin)");
});

it("stays the same on the next day, byte for byte; the first message of that day says which day it is", async () => {
  await ann.ask("one");
  await ann.ask("two");
  world.now += 11 * HOUR; // It is 13:00 in Berlin: 24 hours later would be the next day too.
  await ann.ask("three");
  await ann.ask("four");
  expect(new Set(turns.map(({ prompt }) => prompt)).size).toBe(1);
  const histories = turns.map(({ history }) => history);
  expect(histories.at(-1)?.map(({ content }) => content)).toEqual([
    ...["one", "read", "two", "read", "three", "read", "four"],
  ]);
  expect(histories.at(-1)?.map((message) => message.role === "user" && message.today)).toEqual([
    ...[undefined, false, undefined, false, "Sunday, 11 January 2026", false, undefined],
  ]);
  for (const earlier of histories) expect(histories.at(-1)?.slice(0, earlier.length)).toEqual(earlier);
  expect(await ann.transcript()).toContain("user: three");
});

it("changes with the instructions, in the next turn", async () => {
  await ann.ask("one");
  given = [];
  await ann.ask("two");
  expect(turns[1]?.prompt).toMatch(/^## Current Session Context/);
});

it("tells the owner once of instructions that are cut", async () => {
  given = [{ ...TEXT, problem: "AGENTS.md is too long." }];
  await ann.ask("one");
  await ann.ask("two");
  expect(world.problems).toEqual(["AGENTS.md is too long."]);
});

describe("/instructions", () => {
  it("shows an owner each part, where it comes from, and exactly what the model gets", async () => {
    const before = await ann.ask("/instructions");
    await ann.ask("hello");
    const shown = await ann.ask("/instructions");
    expect(shown).toBe(before);
    expect(shown).toContain(
      "**Instructions from the settings (22 characters)**\n````\nAnswer in ```verse```.\n````",
    );
    const [, place] = (turns[0]?.prompt ?? "").split("Answer in ```verse```.\n\n");
    expect(shown).toContain(place);
    expect(shown).toContain(turns[0]?.labels);
  });

  it("shows no text in a group, and nothing to a member", async () => {
    const room = world.chat("ann", { chatId: "room", chatType: "group" });
    const shown = await room.ask("/instructions");
    expect(shown).toContain("**Instructions from the settings (22 characters)**");
    expect(shown).not.toContain("verse");
    expect(await world.chat("bob").ask("/instructions")).toMatch(/^A member can't use \/instructions/);
  });
});
