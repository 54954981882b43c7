/** What an answer costs a platform: one call if it is short; one sign, and growing text, only if it takes its time. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { until, World, type WorldOptions } from "../../test/support/gateway-world.js";
import { PassingTime } from "../../test/support/passing-time.js";
import type { Agent } from "../agent/agent.js";
import type { ScriptedAbility } from "../testing/scripted-adapter.js";

const EVERYTHING: readonly ScriptedAbility[] = ["edit", "find", "typing", "marks", "threads", "files"];
/** With what shows an answer before it is sent. */
const EVEN_MORE: readonly ScriptedAbility[] = [...EVERYTHING, "remove", "drafts", "status"];

let time: PassingTime;
let world: World;
beforeEach(() => {
  time = new PassingTime();
});
afterEach(() => world.close());

async function begin(can: readonly ScriptedAbility[], gateway: WorldOptions["gateway"] = {}) {
  world = await World.open({ can, gateway: { later: time.later, ...gateway } });
  return world.chat("ann");
}

/** Every call so far, by what it did. */
function calls() {
  const { sent, edits, there } = world.adapter;
  return { sent: sent.length, edits: edits.length, typed: there.typed, marks: [...there.marks] };
}

const isAtRest = (key: Parameters<World["gateway"]["lane"]>[0]) =>
  until(() => world.gateway.lane(key).isEmpty);

/** Says two sentences, one after the other. */
const speaking: Agent = {
  name: "speaking",
  async *run() {
    const words = ["Let me see. ", "It is four."];
    for (const text of words) {
      yield { kind: "text", text };
      await time.pass(300);
    }
    yield { kind: "message", message: { role: "assistant", content: words.join("") }, results: [] };
    yield { kind: "done", stopped: false };
  },
};

it.each([
  ["everything", EVERYTHING],
  ["even more", EVEN_MORE],
])("a short answer is one call on a platform that can do %s, also afterwards", async (_, can) => {
  const ann = await begin(can, { agent: speaking });
  for (const [n, text] of ["one", "two", "three"].entries()) {
    await ann.ask(text);
    await isAtRest(ann.key);
    await time.pass(60_000);
    expect(calls()).toEqual({ sent: n + 1, edits: 0, typed: 0, marks: [] });
    expect([world.adapter.drafted, world.adapter.said]).toEqual([[], []]);
  }
  expect(time.waiting).toBe(0);
});

it("a command is one call, however long it takes", async () => {
  const ann = await begin(["typing", "marks"]);
  await ann.ask("/status");
  await time.pass(60_000);
  expect(calls()).toEqual({ sent: 1, edits: 0, typed: 0, marks: [] });
});

it("an answer that takes longer shows typing and no mark, then what there is of it", async () => {
  const ann = await begin(EVERYTHING);
  await ann.begin("wait");
  await time.pass(799);
  expect(calls()).toEqual({ sent: 0, edits: 0, typed: 0, marks: [] });
  await time.pass(1);
  expect(calls()).toEqual({ sent: 0, edits: 0, typed: 1, marks: [] });
  await time.pass(700);
  await until(() => world.adapter.sent.length === 1);
  expect([...world.adapter.shown.values()]).toEqual(["waiting"]);
  await time.pass(2_000);
  expect(calls()).toMatchObject({ sent: 1, edits: 0 });
});

it("where there is no typing, the message is marked instead, once", async () => {
  const ann = await begin(["marks"]);
  await ann.ask("quick");
  await isAtRest(ann.key);
  await time.pass(60_000);
  expect(calls().marks).toEqual([]);
  await ann.begin("wait");
  await time.pass(799);
  expect(calls().marks).toEqual([]);
  await time.pass(60_000);
  expect(calls()).toMatchObject({ typed: 0, marks: [["m2", ["seen"]]] });
});

it.each(["queue", "steer"] as const)("a message that waits is marked (%s)", async (mode) => {
  const ann = await begin(EVERYTHING, { busy: { default: mode, byPlatform: {}, byChat: {} } });
  await ann.begin("hang");
  await ann.write("what about this?");
  await time.pass(800);
  expect(calls()).toMatchObject({ typed: 1, marks: [["m2", ["seen"]]] });
});

it("a message that gathers others for a moment is not one that waits", async () => {
  let moments = 0;
  const ann = await begin(EVERYTHING, {
    busy: { default: "queue", byPlatform: {}, byChat: {}, momentSeconds: 5 },
    wait: (_ms, end) => {
      moments += 1;
      return new Promise((resolve) => end.addEventListener("abort", () => resolve()));
    },
  });
  await ann.write("one");
  await until(() => moments === 1);
  await time.pass(5_799);
  expect(calls()).toEqual({ sent: 0, edits: 0, typed: 0, marks: [] });
  await time.pass(1); // Now it has waited longer than for others.
  expect(calls().marks).toEqual([["m1", ["seen"]]]);
});
