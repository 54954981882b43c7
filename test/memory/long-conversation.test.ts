/** A conversation of thousands of turns with a model that takes 8,000 tokens. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { OWNER } from "../../src/session/access.js";
import { type Chat, World } from "../support/gateway-world.js";
import { lookUp, SmallModel } from "../support/small-model.js";

const TURNS = process.env.BATON_TEST_FULL ? 5_000 : 500;
const ASKED = "please sign with a fish until we are done";

let model: SmallModel;
let world: World;
let ann: Chat;

beforeEach(async () => {
  model = await SmallModel.start();
  const tools = [lookUp()];
  world = await World.open({
    gateway: {
      agent: model.agent(),
      tools: () => tools,
      toolLists: { members: ["look_up"] },
      limits: { members: { messagesPerMinute: "none", modelCallsPerDay: "none" } },
    },
  });
  ann = world.chat("ann");
});
afterEach(async () => {
  await world.close();
  await model.close();
});

/** Every third turn looks something up before it answers. */
function talkative(): void {
  model.reply = (messages) => {
    const last = messages.at(-1);
    const n = Number(
      /Turn (\d+)/.exec(String(messages.findLast(({ role }) => role === "user")?.content))?.[1],
    );
    if (n % 3 === 0 && last?.role === "user")
      return { calls: [{ name: "look_up", arguments: `{"n":${n}}`, id: `c${n}` }] };
    return { text: `Answer ${n}. ${"So it is, and so it stays. ".repeat(6)}` };
  };
}

async function turns(from: number, to: number): Promise<void> {
  for (let n = from; n <= to; n++) {
    world.now += 60_000;
    const fact = n <= 10 ? ` FACT door${n} is code${n * 7}x.` : "";
    const standing = n === 1 ? ` For all of this, ${ASKED}.` : "";
    await ann.ask(`Turn ${n}: marker${n}y.${fact}${standing} ${"Tell me something about it. ".repeat(5)}`);
  }
}

it(`of ${TURNS} turns stays within the window, and forgets neither facts nor what was asked for`, async () => {
  talkative();
  await turns(1, TURNS);
  expect(model.wrong).toEqual([]);
  expect(model.largest).toBeLessThanOrEqual(8_000);
  expect(model.largest).toBeGreaterThan(4_000);
  expect(model.summaries).toBeGreaterThan(TURNS / 50);
  expect(model.asked.filter((request) => !request.includes(ASKED))).toEqual([]);
  const last = model.asked.at(-1) ?? "";
  for (let n = 1; n <= 10; n++) expect(last).toContain(`FACT door${n} is code${n * 7}x`);

  // Every message is still there, and found.
  const { sessionId, consolidatedThrough, messageCount } = await ann.session();
  expect(consolidatedThrough).toBeGreaterThan(messageCount * 0.8);
  expect((await world.sessions.load(sessionId)).length).toBe(messageCount);
  for (let n = 1; n <= TURNS; n += Math.ceil(TURNS / 40)) {
    const { items } = await world.sessions.search(`marker${n}y`, OWNER);
    expect(items.map(({ role }) => role)).toEqual(["user"]);
  }
  expect(world.problems).toEqual([]);
}, 1_200_000);

it("goes on while the model can't sum up for an hour, and heals by itself", async () => {
  talkative();
  model.summaryFails = { status: 500, message: "overloaded" };
  await turns(1, 120);
  expect(model.summaries).toBe(0);
  expect(model.wrong.filter((problem) => !problem.endsWith("tokens"))).toEqual([]);
  expect(ann.told).toHaveLength(120);
  expect(world.problems).toEqual([
    expect.stringMatching(
      /^A conversation could not be summed up, so Baton tries again later\. .*overloaded/,
    ),
  ]);
  expect((await ann.session()).consolidatedThrough).toBe(0);

  model.summaryFails = null;
  const failed = model.wrong.length;
  world.now += 3_600_000;
  await turns(121, 180);
  await world.upkeep.consolidator.idle();
  const { consolidatedThrough, messageCount, summary } = await ann.session();
  expect(consolidatedThrough).toBeGreaterThan(messageCount * 0.6);
  expect(summary).toContain("FACT door1 is code7x");
  expect(model.wrong.length).toBe(failed);
  expect(model.asked.at(-1)).toContain("FACT door1 is code7x");
}, 300_000);

const TOO_LONG = { text: `SUMMARY\n${"A long story. ".repeat(3_000)}` };

it("never tries a range again whose summary was not shorter, and gets on without the model in the end", async () => {
  talkative();
  model.summaryFails = TOO_LONG;
  await turns(1, 90);
  await world.upkeep.consolidator.idle();
  const { consolidatedThrough, summary, standing } = await ann.session();
  expect(consolidatedThrough).toBeGreaterThan(0);
  expect(summary).toMatch(/^Then \(only the beginnings .*\):\n#1 user .*Turn 1: marker1y/);
  expect(standing).toEqual([]); // Only a model finds what does not begin like a standing request.
  expect(model.failedRecords.length).toBeGreaterThan(3);
  expect(model.failedRecords.length).toBeLessThan(10);
  expect(new Set(model.failedRecords).size).toBe(model.failedRecords.length);
  expect(model.wrong).toEqual([]);
  expect(world.problems).toEqual([]);
}, 300_000);

it("sums up half after a summary that was too long, and all of it from then on", async () => {
  talkative();
  model.summaryFails = TOO_LONG;
  let n = 0;
  while (model.failedRecords.length === 0) await turns(++n, n);
  await world.upkeep.consolidator.idle();
  model.summaryFails = null;
  await turns(++n, n);
  expect(model.summaries).toBe(0); // Not at once.
  world.now += 600_000;
  while (model.summaries === 0) await turns(++n, n);
  await world.upkeep.consolidator.idle();
  const [refused = ""] = model.failedRecords;
  const [first = ""] = model.records;
  expect(refused.startsWith(first.slice(0, -1))).toBe(true);
  expect(first.length).toBeLessThan(refused.length * 0.7);
  expect((await ann.session()).summary).toContain("FACT door1 is code7x");
  await turns(n + 1, n + 60);
  await world.upkeep.consolidator.idle();
  const { consolidatedThrough, messageCount } = await ann.session();
  expect(consolidatedThrough).toBeGreaterThan(messageCount * 0.5);
  expect(model.failedRecords).toHaveLength(1);
}, 300_000);
