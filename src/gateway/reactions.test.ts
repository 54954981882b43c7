/** People's reactions, through a whole gateway: what counts, for whom, and how often. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Chat, until, World, type WorldOptions } from "../../test/support/gateway-world.js";
import type { InboundMessage, Received } from "../adapter/adapter.js";
import type { SessionSource } from "../session/source.js";

const MEANINGS = { "👎": "/retry", "🛑": "/stop", "❤️": "go on, please", ":tada:": "thanks" };

let world: World;
let ann: Chat;
const open = async ({ gateway, ...more }: WorldOptions = {}): Promise<void> => {
  world = await World.open({ ...more, gateway: { reactions: MEANINGS, ...gateway } });
  ann = world.chat("ann");
};
const reopen = async (options: WorldOptions): Promise<void> => {
  await world.close();
  await open(options);
};
beforeEach(() => open());
afterEach(() => world.close());

/** Asks, and returns the id of the answer once it is known to be sent. */
const answered = async (chat: Chat, text: string): Promise<string> => {
  await chat.ask(text);
  await world.gateway.delivered();
  return lastId();
};
const lastId = (): string => [...world.adapter.there.messages.keys()].at(-1) ?? "";
/** As platforms tell it: without the thread. */
const react = (
  chat: Chat,
  messageId: string,
  emoji: string,
  more: Partial<SessionSource> = {},
): Promise<Received> => {
  const { threadId: _, ...source } = { ...chat.source, ...more };
  const reaction: Partial<InboundMessage> = { kind: "reaction", messageId, isAddressed: false };
  return world.adapter.write({ ...source, userId: source.userId ?? "" }, emoji, reaction);
};
/** What the chat was told after so many things, once nothing more is on its way. */
const toldAfter = async (chat: Chat, before: number): Promise<string[]> => {
  await world.gateway.answered(chat.key);
  await world.gateway.delivered();
  return chat.told.slice(before);
};

describe("a reaction to the latest answer", () => {
  it("is the command that it stands for", async () => {
    const id = await answered(ann, "one");
    expect(await react(ann, id, "👎")).toBe("accepted");
    expect(await toldAfter(ann, 1)).toEqual(['Trying again: "one"', "one (1)"]);
    expect(await ann.transcript()).toEqual(["user: one", "assistant: one (1)"]);
  });

  it("may be set by the name that a platform has for it", async () => {
    const id = await answered(ann, "one");
    expect(await react(ann, id, "🎉")).toBe("accepted");
    expect(await toldAfter(ann, 1)).toEqual(["thanks (3)"]);
  });

  it("is the words that it stands for, as if the person had typed them", async () => {
    const id = await answered(ann, "one");
    expect(await react(ann, id, "❤")).toBe("accepted");
    expect(await toldAfter(ann, 1)).toEqual(["go on, please (3)"]);
    const { sessionId } = await ann.session();
    const [, , said] = await world.sessions.load(sessionId);
    expect(said).toMatchObject({
      role: "user",
      content: "go on, please",
      name: "Ann",
      author: { id: expect.stringContaining("ann") },
    });
    expect(said?.role === "user" && said.note).toBeFalsy();
  });

  it.each(["👎🏽", "👎\u{fe0f}", " 👎"])("%j counts whatever its colour", async (emoji) => {
    expect(await react(ann, await answered(ann, "one"), emoji)).toBe("accepted");
  });

  it("counts once, however often it is delivered, or taken off and put on again", async () => {
    const id = await answered(ann, "one");
    const received = await Promise.all([react(ann, id, "👎"), react(ann, id, "👎🏿"), react(ann, id, "👎")]);
    expect(received).toEqual(["accepted", "duplicate", "duplicate"]);
    expect(await toldAfter(ann, 1)).toEqual(['Trying again: "one"', "one (1)"]);
    expect(["duplicate", "ignored"]).toContain(await react(ann, id, "👎"));
    expect(await toldAfter(ann, 3)).toEqual([]);
  });

  it("counts after a restart, and what was accepted before one is done after it", async () => {
    const id = await answered(ann, "one");
    await world.restart();
    expect(await react(ann, id, "❤️")).toBe("accepted");
    await world.restart();
    await world.adapter.until(() => ann.told.includes("go on, please (3)"));
    expect(await react(ann, id, "❤️")).not.toBe("accepted");
  });

  it("may be on any part of it", async () => {
    const text = "word ".repeat(1_500).trim();
    await ann.write(text);
    await world.adapter.until(() => ann.told.length > 1);
    await world.gateway.delivered();
    const [first = ""] = world.adapter.there.messages.keys();
    expect(await react(ann, first, "👎")).toBe("accepted");
  });

  it("marks nothing of theirs, and is answered without a quotation", async () => {
    const team = { chatId: "team", chatType: "group" } as const;
    await reopen({ can: ["marks"] });
    const inTeam = world.chat("ann", team);
    const id = await answered(inTeam, "one");
    await react(inTeam, id, "❤️");
    await toldAfter(inTeam, 1);
    expect(world.adapter.there.messages.get(lastId())).toMatchObject({ replyTo: null });
    expect([...world.adapter.there.marks]).toEqual([]);
  });

  it("counts as a message against the person's limit", async () => {
    await reopen({ gateway: { limits: { members: { messagesPerMinute: 1 } } } });
    const id = await answered(ann, "one");
    expect(await react(ann, id, "❤️")).toBe("refused");
  });
});

describe("a reaction to an answer that is being written", () => {
  it("stops it", async () => {
    const timers: (() => void)[] = [];
    const later = (work: () => void) => {
      timers.push(work);
      return () => {};
    };
    await reopen({ can: ["edit"], gateway: { later } });
    await ann.begin("wait");
    await until(() => {
      for (const work of timers.splice(0)) work();
      return ann.told.length > 0;
    });
    expect(ann.told).toEqual(["waiting"]);
    await until(() => world.gateway.lane(ann.key).run?.shows(lastId()) === true);
    const id = lastId();
    expect(await react(world.chat("bob"), id, "🛑")).toBe("ignored");
    expect(await react(ann, id, "🛑")).toBe("accepted");
    expect(await toldAfter(ann, 1)).toContain("Stopped.");
  });
});

describe("a reaction means nothing", () => {
  it("unless it is set: nothing is looked up", async () => {
    await reopen({ gateway: { reactions: {} } });
    const id = await answered(ann, "one");
    expect(await react(ann, id, "👎")).toBe("ignored");
    expect(await toldAfter(ann, 1)).toEqual([]);
  });

  it.each(["👍", "", "🏽", "constructor", "/retry"])("as %j, which nothing is set for", async (emoji) => {
    expect(await react(ann, await answered(ann, "one"), emoji)).toBe("ignored");
  });

  it("on an older answer, a message of a person, a notice, or one that is not there", async () => {
    const older = await answered(ann, "one");
    const latest = await answered(ann, "two");
    for (const id of [older, "m1", "m2", "nowhere", ""]) expect(await react(ann, id, "👎")).toBe("ignored");
    await ann.ask("/status");
    await world.gateway.delivered();
    expect(await react(ann, lastId(), "👎")).toBe("ignored");
    expect(await react(ann, latest, "👎")).toBe("accepted");
  });

  it("on an answer of a conversation that has ended there", async () => {
    const id = await answered(ann, "one");
    await ann.ask("/new");
    expect(await react(ann, id, "👎")).toBe("ignored");
  });

  it("of a stranger or a bot, who hear nothing of it", async () => {
    const team = { chatId: "team", chatType: "group" } as const;
    const id = await answered(world.chat("ann", team), "one");
    expect(await react(world.chat("eve", team), id, "👎")).toBe("refused");
    expect(await react(world.chat("bob", team), id, "👎", { isBot: true })).toBe("ignored");
    expect(world.adapter.sent).toHaveLength(1);
  });

  it("in another chat whose messages have the same ids", async () => {
    const id = await answered(ann, "one");
    expect(await react(world.chat("bob"), id, "👎")).toBe("ignored");
    expect(await react(world.chat("bob", { chatId: "an" }), id, "👎")).toBe("ignored");
  });
});

describe("in a group", () => {
  const topic = { chatId: "team", chatType: "thread", threadId: "7" } as const;
  const inGroup = { chatType: "group" } as const;

  it("it counts for the thread of the answer, though the platform does not say which", async () => {
    const inTopic = world.chat("ann", topic);
    const id = await answered(inTopic, "one");
    expect(await react(inTopic, id, "👎", inGroup)).toBe("accepted");
    expect(await toldAfter(inTopic, 1)).toEqual(['Trying again: "one"', expect.stringMatching(/one \(1\)$/)]);
  });

  it("others may use it with their own rights only", async () => {
    await reopen({
      people: {
        owners: { [world.adapter.platform]: ["ann"] },
        guests: { [world.adapter.platform]: ["cat"] },
      },
    });
    const inTopic = world.chat("ann", topic);
    const id = await answered(inTopic, "one");
    expect(await react(world.chat("cat", topic), id, "👎", inGroup)).toBe("accepted");
    expect(await toldAfter(inTopic, 1)).toEqual([expect.not.stringContaining("Trying again")]);
    expect(await inTopic.whole()).toHaveLength(2);
    expect(await react(inTopic, id, "👎", inGroup)).toBe("accepted");
    expect(await toldAfter(inTopic, 2)).toEqual(['Trying again: "one"', expect.stringMatching(/one \(1\)$/)]);
  });

  it("where each member has a conversation, it counts in one's own only", async () => {
    await reopen({ config: { scopes: { thread: "member" } } });
    const id = await answered(world.chat("ann", topic), "one");
    expect(await react(world.chat("bob", topic), id, "👎", inGroup)).toBe("ignored");
    expect(await react(world.chat("ann", topic), id, "👎", inGroup)).toBe("accepted");
  });
});
