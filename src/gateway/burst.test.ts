/** What one person sends within a moment is one turn; what they delete while it waits is not answered. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Chat, until, World } from "../../test/support/gateway-world.js";
import type { InboundMessage } from "../adapter/adapter.js";
import type { BusyModes } from "./busy.js";

let world: World;
let ann: Chat;
/** Ends the moment that is being waited for. */
let waits: { ms: number; over: () => void }[];

const open = async (busy: Partial<BusyModes> = {}) => {
  waits = [];
  world = await World.open({
    gateway: {
      busy: { default: "queue", byPlatform: {}, byChat: {}, momentSeconds: 2, ...busy },
      wait: (ms, end) =>
        new Promise((over) => {
          if (end.aborted) return over();
          waits.push({ ms, over });
          end.addEventListener("abort", () => over());
        }),
    },
  });
  ann = world.chat("ann");
};
beforeEach(() => open());
afterEach(() => world.close());

const write = (chat: Chat, text: string, more: Partial<InboundMessage> = {}) =>
  world.adapter.write({ ...chat.source, userId: chat.source.userId ?? "" }, text, more);
const waiting = (count: number) => until(() => waits.length >= count);
const endMoment = async (number: number) => {
  await waiting(number);
  waits[number - 1]?.over();
};

describe("messages within a moment", () => {
  it("are one turn, whose agent reads all of them before it answers", async () => {
    await write(ann, "look at this:");
    await waiting(1);
    await write(ann, "a");
    await write(ann, "b");
    await endMoment(1);
    await endMoment(2); // The two that came began the moment anew.
    expect(await ann.next(0)).toBe("b (3)");
    expect(await ann.transcript()).toEqual(["user: look at this:", "user: a", "user: b", "assistant: b (3)"]);
    expect(waits.map(({ ms }) => ms)).toEqual([2_000, 2_000]);
    expect(await world.store.inbox.waiting(world.adapter)).toEqual([]);
  });

  it("later ones are turns of their own", async () => {
    await write(ann, "one");
    await waiting(1);
    world.now += 2_001;
    await write(ann, "two");
    await endMoment(1);
    await endMoment(2);
    await world.adapter.until(() => ann.told.length === 2);
    expect(ann.told).toEqual(["one (1)", "two (3)"]);
  });

  it("of another person are turns of their own", async () => {
    const room = { chatId: "room", chatType: "group" as const };
    const [ada, bob] = [world.chat("ann", room), world.chat("bob", room)];
    await write(ada, "one");
    await write(bob, "two");
    await endMoment(1);
    await endMoment(2);
    await world.adapter.until(() => ada.told.length === 2);
    expect(ada.told.map((text) => text.replace(/^\[[^\]]*\] /, ""))).toEqual(["one (1)", "two (3)"]);
  });

  it("an album is one turn, also if nothing is waited for", async () => {
    await world.close();
    await open({ momentSeconds: 0 });
    await write(ann, "one", { album: "x" });
    await waiting(1);
    await write(ann, "two", { album: "x" });
    await write(ann, "three");
    await endMoment(1);
    await endMoment(2);
    await world.adapter.until(() => ann.told.length === 2);
    expect(ann.told).toEqual(["two (2)", "three (4)"]);
    expect(waits.map(({ ms }) => ms)).toEqual([1_000, 1_000]);
  });

  it("that a process left waiting are one turn in the next one", async () => {
    await write(ann, "one");
    await write(ann, "two");
    await waiting(1);
    const left = waits.length;
    await Promise.all([world.restart(), endMoment(1)]);
    await endMoment(left + 1);
    expect(await ann.next(0)).toBe("two (2)");
  });
});

describe("a message that is deleted", () => {
  it("while it waits is not answered, and its words go", async () => {
    await write(ann, "forget it", { messageId: "m1" });
    await waiting(1);
    expect(await write(ann, "", { kind: "deletion", messageId: "m1" })).toBe("accepted");
    await endMoment(1);
    await write(ann, "hello");
    await endMoment(2);
    expect(await ann.next(0)).toBe("hello (1)");
    expect(ann.told).toHaveLength(1);
    expect(JSON.stringify(await world.store.inbox.waitingIn(ann.key))).not.toContain("forget it");
  });

  it("after its turn began changes nothing", async () => {
    await write(ann, "wait", { messageId: "m1" });
    await endMoment(1);
    await until(() => world.agent.begun === 1);
    expect(await write(ann, "", { kind: "deletion", messageId: "m1" })).toBe("ignored");
    expect(await write(ann, "", { kind: "deletion", messageId: "other" })).toBe("ignored");
  });
});
