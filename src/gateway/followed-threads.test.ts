/** Going on in a thread without naming the bot, through a whole gateway. */
import { afterEach, expect, it } from "vitest";
import { type Chat, World } from "../../test/support/gateway-world.js";
import type { InboundMessage, Received } from "../adapter/adapter.js";
import type { GroupRules } from "./group-rules.js";

const HOUR = 3_600_000;
const THREAD = { chatId: "team", chatType: "thread", threadId: "t1" } as const;
let world: World;
afterEach(() => world.close());

async function open(groups: GroupRules = { threads: "follow" }): Promise<Chat> {
  world = await World.open({ platform: "telegram", gateway: { groups } });
  return world.chat("ann", THREAD);
}

const write = (chat: Chat, text: string, more: Partial<InboundMessage> = {}): Promise<Received> =>
  world.adapter.write({ ...chat.source, userId: chat.source.userId ?? "" }, text, more);
const aside = (chat: Chat, text: string, more: Partial<InboundMessage> = {}): Promise<Received> =>
  write(chat, text, { isAddressed: false, ...more });

it("who named the bot in a thread goes on without its name, for an hour after each message", async () => {
  const ann = await open();
  expect(await aside(ann, "before")).toBe("ignored");
  await write(ann, "hello", { isAddressed: true });
  expect(await ann.next(0)).toContain("hello");
  for (const text of ["and then?", "and after that?"]) {
    world.now += HOUR - 1;
    const told = ann.told.length;
    expect(await aside(ann, text)).toBe("accepted");
    expect(await ann.next(told)).toContain(text);
  }
  world.now += HOUR;
  expect(await aside(ann, "much later")).toBe("ignored");
});

it("others in the thread, other threads and the chat itself are left alone", async () => {
  const ann = await open();
  await write(ann, "hello", { isAddressed: true });
  await ann.next(0);
  for (const chat of [
    world.chat("bob", THREAD),
    world.chat("eve", THREAD),
    world.chat("ann", { ...THREAD, threadId: "t2" }),
    world.chat("ann", { chatId: "team", chatType: "group" }),
  ])
    expect(await aside(chat, "by the way")).toBe("ignored");
  for (const text of ["/new", " /stop@other_bot", "@bob what do you say?"])
    expect(await aside(ann, text)).toBe("ignored");
  expect(await aside(ann, "look", { forwarded: {} })).toBe("ignored");
  expect(ann.told).toHaveLength(1);
});

it("a thread below a message that named the bot is followed too", async () => {
  await open();
  const group = world.chat("ann", { chatId: "team", chatType: "group" });
  await write(group, "hello", { isAddressed: true, messageId: "root" });
  await group.next(0);
  expect(await aside(world.chat("ann", { ...THREAD, threadId: "root" }), "go on")).toBe("accepted");
});

it("a person who was refused follows nothing, and one who lost access is refused", async () => {
  await open();
  const eve = world.chat("eve", THREAD);
  expect(await write(eve, "hello", { isAddressed: true })).toBe("refused");
  expect(await aside(eve, "hello?")).toBe("ignored");
  const { store } = world.gateway.people;
  await store.join("telegram:eve", "telegram:eve2", "p_1", world.now);
  await store.setRole("p_1", "member");
  expect(await write(eve, "hello", { isAddressed: true })).toBe("accepted");
  expect(await aside(eve, "go on")).toBe("accepted");
  await store.forget({ personId: "p_1" });
  expect(await aside(eve, "go on")).toBe("refused");
});

it("with `mention`, each message must name it", async () => {
  const ann = await open({ threads: "mention" });
  await write(ann, "hello", { isAddressed: true });
  await ann.next(0);
  expect(await aside(ann, "and then?")).toBe("ignored");
});
