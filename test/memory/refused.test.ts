/** A model whose summaries are too long: what it is asked about, and what takes the place of its summaries in the end. */
import { afterEach, expect, it } from "vitest";
import type { Message } from "../../src/session/transcript.js";
import { type Chat, World } from "../support/gateway-world.js";
import { SmallModel } from "../support/small-model.js";

let model: SmallModel;
let world: World;
let ann: Chat;

async function open(contextTokens: number, first = "Turn 0."): Promise<void> {
  model = await SmallModel.start(contextTokens);
  model.summaryFails = { text: `SUMMARY\n${"A long story. ".repeat(10_000)}` };
  world = await World.open({ gateway: { agent: model.agent() } });
  ann = world.chat("ann");
  await ann.ask(first);
}
afterEach(async () => {
  await world.close();
  await model.close();
});

async function add(messages: readonly Message[]): Promise<void> {
  await world.sessions.appendMany((await ann.session()).sessionId, messages);
}

/** Later, so that it may be tried again. */
async function run() {
  world.now += 600_000;
  return world.upkeep.consolidator.run((await ann.session()).sessionId);
}

const turn = (n: number): Message[] => [
  { role: "user", content: `Turn ${n}. ${"Tell me something about it. ".repeat(150)}` },
  { role: "assistant", content: "Fine." },
];
const turns = (from: number, to: number): Message[] =>
  Array.from({ length: to - from + 1 }, (_, n) => turn(from + n)).flat();

it("has an excerpt in the place of what it was asked about, and is asked about the rest", async () => {
  await open(64_000);
  await add(turns(1, 20));
  let outcome = await run();
  for (let n = 21; outcome.kind === "failed"; n++) {
    await add(turn(n));
    outcome = await run();
  }
  expect(outcome).toMatchObject({ kind: "summed up" });
  expect(model.failedRecords.length).toBeGreaterThan(2);
  const { consolidatedThrough, summary } = await ann.session();
  const last = `#${consolidatedThrough - 1} user`;
  expect(summary).toContain(last);
  expect(model.failedRecords.join()).toContain(last);
});

it("is asked again by a person, also if nothing is left that it was not asked about", async () => {
  await open(8_000);
  await add(turns(1, 10));
  const { sessionId } = await ann.session();
  const asked = () => world.upkeep.consolidator.run(sessionId, { isAsked: true });
  for (let tries = 1; tries < 8; tries++) {
    expect(await asked()).toMatchObject({ kind: "failed" });
    expect(model.failedRecords).toHaveLength(tries);
  }
  model.summaryFails = null;
  expect(await asked()).toMatchObject({ kind: "summed up" });
});

it("can sum up a turn that has more steps than a record or a page has room for", async () => {
  await open(8_000);
  model.summaryFails = null;
  const steps = Array.from({ length: 1_050 }, (_, n): Message[] => [
    { role: "assistant", content: "", toolCalls: [{ id: `c${n}`, name: "look_up", arguments: "{}" }] },
    { role: "tool", toolCallId: `c${n}`, content: `${n} ${"and more of it ".repeat(20)}` },
  ]).flat();
  await add([
    { role: "user", content: "Look it all up." },
    ...steps,
    { role: "assistant", content: "FACT it is done" },
  ]);
  await add(turns(1, 10));
  for (let tries = 0; tries < 3; tries++) expect(await run()).toMatchObject({ kind: "summed up" });
  expect(model.wrong).toEqual([]);
  expect((await ann.session()).consolidatedThrough).toBeGreaterThan(2_102);
  expect((await ann.session()).summary).toContain("FACT it is done");
});

it("sums up whole messages after an hour in which it failed", async () => {
  await open(8_000, `${"Tell me something about it. ".repeat(20)} FACT door1 is code7x`);
  await add(turns(1, 10));
  model.summaryFails = { status: 500, message: "overloaded" };
  for (let tries = 0; tries < 6; tries++) expect(await run()).toMatchObject({ kind: "failed" });
  model.summaryFails = null;
  for (let tries = 0; tries < 3; tries++) expect(await run()).toMatchObject({ kind: "summed up" });
  expect((await ann.session()).summary).toContain("FACT door1 is code7x");
});

it("is asked what should be remembered of what gets an excerpt, once, and for somebody who may have it", async () => {
  await open(8_000);
  model.facts = "- likes tea";
  const { sessionId } = await ann.session();
  const owner = "person:telegram:ann";
  const next = async (isTaken: boolean): Promise<void> => {
    await add(turns(1, 12));
    for (let outcome = "failed"; outcome === "failed"; ) {
      world.now += 600_000;
      const wish = { rememberedFor: { owner, takes: () => isTaken } };
      ({ kind: outcome } = await world.upkeep.consolidator.run(sessionId, wish));
    }
  };
  await next(false);
  expect(model.remembered).toBe(0);
  const { consolidatedThrough } = await ann.session();
  await next(true);
  expect(model.remembered).toBe(1);
  expect(model.recorded[0]).toMatch(new RegExp(`^MESSAGES\n#${consolidatedThrough + 1} user`));
  const notes = await world.store.memory.of([owner]);
  expect(notes.map(({ text }) => text)).toEqual(["likes tea"]);
});
