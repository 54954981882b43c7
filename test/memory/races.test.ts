/** Two processes that sum up the same conversation, and what changes between a look and its claim. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { Consolidator } from "../../src/gateway/memory/consolidator.js";
import type { Consolidations } from "../../src/memory/consolidations.js";
import { type Chat, World } from "../support/gateway-world.js";
import { SmallModel } from "../support/small-model.js";

let model: SmallModel;
let world: World;
let ann: Chat;

beforeEach(async () => {
  model = await SmallModel.start();
  world = await World.open({ gateway: { agent: model.agent() } });
  ann = world.chat("ann");
  for (const n of [1, 2, 3, 4]) await ann.ask(`Turn ${n}. ${"Tell me something about it. ".repeat(40)}`);
});
afterEach(async () => {
  await world.close();
  await model.close();
});

/** Another process, in which something happens before it has its claim. */
function other(beforeClaim: () => Promise<unknown>): Consolidator {
  const { consolidations } = world.store;
  const claim: Consolidations["claim"] = async (...args) => {
    await beforeClaim();
    return consolidations.claim(...args);
  };
  const late = new Proxy(consolidations, {
    get: (target, name) => (name === "claim" ? claim : Reflect.get(target, name).bind(target)),
  });
  return new Consolidator({
    agent: model.agent(),
    sessions: world.sessions,
    consolidations: late,
    share: 0.7,
    maxMessages: 200,
    maxMemory: null,
    holder: "other",
    clock: () => world.now,
    onProblem: (problem) => void world.problems.push(problem),
  });
}

it("never asks for a summary that another process has just asked for in vain", async () => {
  const { sessionId } = await ann.session();
  model.summaryFails = { text: `SUMMARY\n${"A long story. ".repeat(3_000)}` };
  const first = () => world.upkeep.consolidator.run(sessionId, { isAsked: true });
  expect(await other(first).run(sessionId, { isAsked: true })).toEqual({ kind: "elsewhere" });
  expect(model.failedRecords).toHaveLength(1);
  expect(world.problems).toEqual([]);
});

it("leaves a conversation alone whose summary was made and taken back meanwhile", async () => {
  const { sessionId } = await ann.session();
  const meanwhile = async () => {
    await world.upkeep.consolidator.run(sessionId, { isAsked: true });
    await world.upkeep.undo(sessionId);
  };
  expect(await other(meanwhile).run(sessionId, { isAsked: true })).toEqual({ kind: "elsewhere" });
  expect(model.summaries).toBe(1);
  expect(await ann.session()).toMatchObject({ summary: null, consolidatedThrough: 0 });
});

it("asks for no summary of what a program has summed up meanwhile", async () => {
  const { sessionId, key } = await ann.session();
  const meanwhile = () => world.sessions.update(key, { summary: "mine", consolidatedThrough: 2 });
  expect(await other(meanwhile).run(sessionId, { isAsked: true })).toEqual({ kind: "elsewhere" });
  expect(model.summaries).toBe(0);
  expect(await world.upkeep.consolidator.run(sessionId, { isAsked: true })).toMatchObject({
    kind: "summed up",
  });
});

it("lets go of a session if something goes wrong, so another can have it", async () => {
  const { sessionId } = await ann.session();
  const beforeCall = () => Promise.reject(new Error("no disk"));
  const wish = { isAsked: true, beforeCall };
  expect(await other(async () => {}).run(sessionId, wish)).toEqual({ kind: "failed", reason: "no disk" });
  expect(await world.upkeep.consolidator.run(sessionId, { isAsked: true })).toMatchObject({
    kind: "summed up",
  });
});
