/** An answer that could not be sent: the message is marked, the chat hears of it once, and the owner sees it. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Chat, until, World } from "../../test/support/gateway-world.js";
import { deliveryIdOf } from "../session/ids.js";
import { ScriptedAdapter } from "../testing/scripted-adapter.js";

const TOLD =
  "My last answer here could not be delivered: The chat does not take it. If you still need it, ask me to repeat it.";

let world: World;
let ann: Chat;
let platform: string;
beforeEach(async () => {
  platform = new ScriptedAdapter().platform;
  world = await World.open({ can: ["marks", "typing"], people: { owners: { [platform]: ["cleo"] } } });
  ann = world.chat("ann");
});
afterEach(() => world.close());

/** An answer that the platform refuses. */
async function fail(chat: Chat, text = "hello"): Promise<void> {
  const before = world.problems.length;
  world.adapter.there.trouble = "refused";
  await chat.write(text);
  await until(() => world.problems.length > before);
}

it("the message that it answers is marked", async () => {
  await fail(ann);
  await until(() => world.adapter.there.marks.size > 0);
  expect([...world.adapter.there.marks]).toEqual([["m1", ["failed"]]]);
});

it("its chat hears of it with the next message, before the answer, once; other chats do not", async () => {
  await fail(ann);
  const bob = world.chat("bob");
  expect(await bob.ask("hi")).toBe("hi (1)");
  expect(await ann.ask("are you there?")).toBe(TOLD);
  expect(await ann.next(1)).toMatch(/^are you there\?/);
  expect(await ann.ask("and now?")).toMatch(/^and now\?/);
});

it("the next process tells it, and a command hears it too", async () => {
  await fail(ann);
  await world.restart();
  expect(await ann.ask("/title")).toBe(TOLD);
});

it("nothing is said of the sentence about it, if that fails too", async () => {
  await fail(ann, "one");
  world.adapter.there.trouble = "refused";
  const before = world.problems.length;
  await ann.write("two");
  await until(() => world.problems.length > before);
  expect(await ann.next(0)).toMatch(/^two/);
  expect(await ann.ask("three")).toMatch(/^three/);
});

it("several are told together, with the last reason", async () => {
  const { adapter, store, now } = world;
  const address = { platform, chatId: "ann" };
  const row = { account: adapter.account, holder: "x", address, purpose: "reply", shown: false } as const;
  for (const text of ["one", "two"]) {
    await store.outbox.add([{ ...row, deliveryId: deliveryIdOf(text), text, sessionId: null }], now);
    const [{ id = 0 } = {}] = await store.outbox.pending(adapter, 1);
    await store.outbox.sending(id, "x");
    await store.outbox.fail({ id, holder: "x" }, `Not ${text}.`, true, now);
  }
  expect(await ann.ask("hi")).toBe(
    "2 of my messages here could not be delivered. The reason for the last one: Not two. If you still need them, ask me to repeat them.",
  );
});

it("/status counts them for a week: here, and everywhere for an owner in private", async () => {
  await fail(ann);
  world.now += 3_600_000;
  const here =
    /\nDelivery: 1 message could not be delivered here, the last 60 min ago: The chat does not take it\.$/m;
  await ann.ask("hi");
  await ann.next(1);
  expect(await ann.ask("/status")).toMatch(here);
  expect(await world.chat("bob").ask("/status")).not.toContain("Delivery");
  expect(await world.chat("cleo").ask("/status")).toContain(
    `\nDelivery: 1 message could not be delivered, the last to ${platform}:ann 60 min ago: The chat does not take it.`,
  );
  const group = world.chat("cleo", { chatId: "room", chatType: "group" });
  expect(await group.ask("/status")).not.toContain("Delivery");
  world.now += 7 * 86_400_000;
  expect(await world.chat("cleo").ask("/status")).not.toContain("Delivery");
});
