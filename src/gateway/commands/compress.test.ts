import { afterEach, beforeEach, expect, it } from "vitest";
import { type Chat, until, World } from "../../../test/support/gateway-world.js";
import { SmallModel } from "../../../test/support/small-model.js";

let model: SmallModel;
let world: World;
let ann: Chat;

beforeEach(async () => {
  model = await SmallModel.start();
  model.reply = (messages) => ({
    text: `Heard ${messages.length}. ${"So it is, and so it stays. ".repeat(6)}`,
  });
  world = await World.open({ gateway: { agent: model.agent() } });
  ann = world.chat("ann");
});
afterEach(async () => {
  await world.close();
  await model.close();
});

it("sums up all but the last two turns, and takes it back", async () => {
  expect(await ann.ask("/compress")).toMatch(/no session/i);
  await ann.ask("FACT one is two");
  await ann.ask("and then?");
  expect(await ann.ask("/compress")).toMatch(/nothing to compress:/);
  for (const text of ["third", "fourth"]) await ann.ask(text);
  expect(await ann.ask("/compress")).toMatch(/^I summed up 4 messages: They talked\. FACT one is two\./);
  await ann.ask("go on");
  expect(model.asked.at(-1)).toContain("This summary replaces it");
  expect(model.asked.at(-1)).not.toContain("and then?");
  expect((await ann.transcript())[2]).toBe("user: and then?");

  expect(await ann.ask("/compress undo")).toMatch(/took the last summary back/);
  await ann.ask("and on");
  expect(model.asked.at(-1)).toContain("and then?");
  expect(await ann.ask("/compress undo")).toBe("There is no summary to take back.");
  expect(await ann.ask("/compress it")).toMatch(/^Send `\/compress`/);
});

it("writes down what should be remembered of what it sums up", async () => {
  model.facts = "- likes tea";
  for (const text of ["I like tea.", "two", "three"]) await ann.ask(text);
  expect(await ann.ask("/compress")).toMatch(/^I summed up 2 messages/);
  const notes = await world.store.memory.of(["person:telegram:ann"]);
  expect(notes.map(({ text }) => text)).toEqual(["likes tea"]);
});

it("records nothing that the model did not read: of what is too long for it, it sums up less", async () => {
  const facts = Array.from({ length: 10 }, (_, n) => `FACT door${n} is code${n}x`);
  for (const fact of facts) await ann.ask(`${"Tell me something about it. ".repeat(60)} ${fact}`);
  model.contextTokens = 1_500; // As after /model.
  for (let tries = 0; tries < 5; tries++) await ann.ask("/compress");
  const { summary, consolidatedThrough } = await ann.session();
  expect(consolidatedThrough).toBe(16);
  for (const fact of facts.slice(0, 8)) expect(summary).toContain(fact);
});

it("says why it failed, and works once the model does", async () => {
  for (const text of ["one", "two", "three"]) await ann.ask(text);
  model.summaryFails = { status: 401, message: "bad key" };
  expect(await ann.ask("/compress")).toMatch(/^I could not sum up the session\. .*API key/);
  model.summaryFails = null;
  expect(await ann.ask("/compress")).toMatch(/^I summed up 2 messages/);
});

it("can be seen and stopped while the model takes its time", async () => {
  for (const text of ["one", "two", "three"]) await ann.ask(text);
  expect(await ann.ask("/stop")).toBe("Nothing is running.");
  model.summaryFails = { ending: "hang" };
  const before = ann.told.length;
  await ann.write("/compress");
  await until(() => model.failedRecords.length === 1);
  expect(await ann.ask("/status")).toContain("idle; summing up the session (stop it with /stop).");
  await ann.write("/stop");
  await world.adapter.until(() => ann.told.length === before + 3);
  expect(ann.told.slice(before + 1).toSorted()).toEqual([
    "Stopped. The session is as it was.",
    "Stopping the summary.",
  ]);
  expect(await ann.ask("/status")).toContain("idle.");
  model.summaryFails = null;
  expect(await ann.ask("/compress")).toMatch(/^I summed up 2 messages/);
  expect(await ann.ask("/status")).toContain("Size: 6 messages, the older ones summed up; ");
});

it("says in how many parts it did it, and why the rest is missing", async () => {
  await ann.ask("hello");
  const words = "Tell me something about it. ".repeat(60);
  const turn = [{ role: "user", content: words } as const, { role: "assistant", content: "Yes." } as const];
  const { sessionId } = await ann.session();
  await world.sessions.appendMany(sessionId, Array.from({ length: 8 }, () => turn).flat());
  expect(await ann.ask("/compress")).toMatch(
    /^I summed up 14 messages in \d parts: They talked.*\n\nAll messages are saved\. To take the last part back, send/,
  );
  while (/took/.test(await ann.ask("/compress undo")));
  const sum = model.summaryReply;
  model.summaryReply = (record) => (model.summaries > 0 ? { status: 400, message: "no" } : sum(record));
  model.summaries = 0;
  expect(await ann.ask("/compress")).toMatch(
    /^I summed up \d+ messages: They talked.*\n\nI could not sum up the rest\. .+ All messages are saved\. To take this back/,
  );
});

it("has nothing to do for an agent without a model", async () => {
  const other = await World.open();
  const bob = other.chat("bob");
  await bob.ask("hello");
  expect(await bob.ask("/compress")).toMatch(/nothing to compress/);
  await other.close();
});
