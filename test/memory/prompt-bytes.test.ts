/** The beginning of a request is the same bytes from turn to turn, so that a provider's prompt cache holds it. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Chat, World } from "../support/gateway-world.js";
import { lookUp, SmallModel } from "../support/small-model.js";

const HOUR = 3_600_000;
const config = { reset: { default: { mode: "idle", idleMinutes: 60 } } } as const;
let model: SmallModel;
let world: World;
let ann: Chat;

beforeEach(async () => {
  model = await SmallModel.start();
  model.reply = (messages) => {
    const last = messages.at(-1);
    return last?.role === "user" && String(last.content).includes("look")
      ? { calls: [{ name: "look_up", arguments: "{}", id: `c${messages.length}` }] }
      : { text: `Answer ${messages.length}.` };
  };
  const tools = [lookUp()];
  world = await World.open({
    config,
    gateway: { agent: model.agent(), tools: () => tools, toolLists: { members: ["look_up"] } },
  });
  ann = world.chat("ann");
});
afterEach(async () => {
  await world.close();
  await model.close();
});

/** The requests of the conversation so far: their messages, each as bytes, and their tools. */
const requests = () =>
  model.asked.map((text) => {
    const [messages, tools] = JSON.parse(text) as [object[], object[]];
    return { messages: messages.map((message) => JSON.stringify(message)), tools: JSON.stringify(tools) };
  });

/** Each request begins with all messages of the one before, to the byte. */
function expectStable(all: ReturnType<typeof requests>): void {
  expect(all.length).toBeGreaterThan(2);
  all.slice(1).forEach(({ messages, tools }, index) => {
    const before = all[index];
    expect(messages.slice(0, before?.messages.length)).toEqual(before?.messages);
    expect(tools).toBe(before?.tools);
  });
}

it("over turns, steps, an hour, a restart, and another person's conversation", async () => {
  await ann.ask("hello");
  await ann.ask("look this up");
  world.now += HOUR / 2;
  await world.chat("bob").ask("hello");
  model.asked.pop();
  await ann.ask("and then?");
  await world.restart();
  await ann.ask("look again");
  await ann.ask("thanks");
  expectStable(requests());
});

it("after a reset by policy, from the first turn on", async () => {
  await ann.ask("hello");
  world.now += 2 * HOUR;
  model.asked.length = 0;
  for (const text of ["good morning", "how are you", "bye"]) {
    const before = ann.told.length;
    await ann.write(text);
    await world.adapter.until(() => ann.told.slice(before).some((told) => told.startsWith("Answer")));
  }
  expectStable(requests());
  expect(model.asked[0]).toContain("began after a reset");
});

it("between summaries: a summary changes them once", async () => {
  for (const text of ["one", "two", "three", "four"]) await ann.ask(text);
  await ann.ask("/compress");
  model.asked.length = 0;
  for (const text of ["five", "six", "seven"]) await ann.ask(text);
  expectStable(requests());
  expect(model.asked[0]).toContain("This summary replaces it");
});

it("is what the last Baton sent, if nothing relevant changed", async () => {
  await ann.ask("hello");
  await ann.ask("look this up");
  await world.store.memory.add(
    ["person:telegram:ann"],
    "person:telegram:ann",
    "likes tea",
    "person",
    4_000,
    0,
  );
  await ann.ask("and then?");
  const last = JSON.stringify(JSON.parse(model.asked.at(-1) ?? ""), null, 2);
  await expect(`${last}\n`).toMatchFileSnapshot("./request.json");
});
