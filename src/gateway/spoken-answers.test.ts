/** Plain words answer an open question, and nothing else does: no other word, person, place, moment or message. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Chat, until, World } from "../../test/support/gateway-world.js";
import type { InboundMessage } from "../adapter/adapter.js";
import type { Agent, AgentEvent, Tool } from "../agent/agent.js";
import { runToolCall } from "../agent/tool-call.js";
import { addressOf } from "../session/source.js";
import type { GatewayOptions } from "./options.js";

/** Calls `act` with each line that begins with rm, all at once; what it hears meanwhile it repeats at the end. */
const caller: Agent = {
  name: "caller",
  async *run({ history, tools, signal, steer }): AsyncIterable<AgentEvent> {
    const lines = (history.at(-1)?.content ?? "").split("\n").filter((line) => line.includes("rm"));
    const results = await Promise.all(
      lines.map((line, n) =>
        runToolCall({ id: `c${n}`, name: "act", arguments: JSON.stringify({ line }) }, tools, signal),
      ),
    );
    const heard = steer().map(({ content }) => `heard ${content}`);
    const content = ["So:", ...results, ...heard].join(" | ");
    yield { kind: "message", message: { role: "assistant", content }, results: [] };
    yield { kind: "done", stopped: signal.aborted };
  },
};

let acts: string[];
const act: Tool = {
  name: "act",
  description: "",
  parameters: {},
  danger: (args) => ({
    reason: "deletes things",
    what: (args as { line: string }).line,
    ...((args as { line: string }).line.includes("strict") ? { onlyOwner: true as const } : {}),
  }),
  async run(args) {
    acts.push((args as { line: string }).line.replace(/^.*rm/, "rm"));
    return "done";
  },
};

const options: Partial<GatewayOptions> = {
  agent: caller,
  tools: () => [act],
  toolLists: { members: ["act"] },
  busy: { default: "steer", byPlatform: {}, byChat: {} },
};
const PLATFORM = "telegram";
const ROOM = { chatId: "room", chatType: "group" } as const;

let world: World;
let ann: Chat;

beforeEach(async () => {
  acts = [];
  world = await World.open({
    gateway: options,
    platform: PLATFORM,
    people: { owners: { [PLATFORM]: ["boss"] } },
  });
  ann = world.chat("ann");
});
afterEach(() => world.close());

const questionsIn = (chat: Chat) => chat.told.filter((text) => text.includes("\nAllow? "));
/** Asks, and waits until the store knows that so many questions were sent; a moment later they can be read. */
async function asked(chat: Chat, text: string, count = 1): Promise<readonly string[]> {
  const before = questionsIn(chat).length;
  await chat.write(text);
  await until(() => questionsIn(chat).length === before + count);
  await vi.waitUntil(() => world.store.outbox.isClear(world.adapter, addressOf(chat.source)), {
    timeout: 30_000,
  });
  world.now += 1_500;
  return questionsIn(chat).slice(before);
}
const says = (chat: Chat, text: string, more: Partial<InboundMessage> = {}) =>
  world.adapter.write({ ...chat.source, userId: chat.source.userId ?? "" }, text, more);
const ended = (chat: Chat, what: RegExp) => until(() => chat.told.some((text) => what.test(text)));
/** The last message of Baton's in a chat, as the platform has it. */
const idOf = (words: string) =>
  [...world.adapter.shown].find(([, text]) => text.includes(words))?.[0] ?? "none";

describe("one open question", () => {
  it.each(["yes", "Y", "OK!", "ja", "👍"])(
    "is allowed by %s, which the agent does not hear",
    async (word) => {
      const [question] = await asked(ann, "rm it");
      expect(question).toMatch(
        /\nAllow\? yes \/ no\n\(no answer in 5 minutes means no; this is question 1\)$/,
      );
      expect(await ann.ask(word)).toBe("Approved: `rm it`.");
      await ended(ann, /^So: \| done$/);
      expect(acts).toEqual(["rm it"]);
      expect(await ann.transcript()).toEqual(["user: rm it", "assistant: So: | done"]);
    },
  );

  it.each(["no", "N.", "nein", "no 1"])("is denied by %s", async (word) => {
    await asked(ann, "rm it");
    expect(await ann.ask(word)).toBe("Denied: `rm it`.");
    await ended(ann, /the person said no/);
    expect(acts).toEqual([]);
  });

  it("is for good if an owner says always; anybody else is told that only an owner can", async () => {
    await asked(ann, "rm it");
    expect(await ann.ask("always")).toBe("Only an owner can allow something always.");
    expect(acts).toEqual([]);
    const boss = world.chat("boss");
    const [question] = await asked(boss, "rm that");
    expect(question).toMatch(/\nAllow\? yes \/ no \/ always\n/);
    expect(await boss.ask("always")).toMatch(/^Approved, now and always in this chat: `rm that`\./);
    await ended(boss, /^So: \| done$/);
    await boss.write("rm that");
    await until(() => acts.length === 2);
  });

  it.each<[string, Partial<InboundMessage>]>([
    ["yes, but not now", {}],
    ["yes?", {}],
    ["yes", { forwarded: {} }],
    ["yes", { parts: [{ kind: "sticker", words: "a thumb" }] }],
    ["yes", { files: [{ mediaType: "audio/ogg", voice: true, read: async () => new Uint8Array() }] }],
    ["yes", { replyTo: { messageId: "an older message" } }],
  ])("is not answered by %j %j: that is a message", async (text, more) => {
    await asked(ann, "rm it");
    await says(ann, text, more);
    expect(await ann.ask("/deny")).toBe("Denied: `rm it`.");
    await ended(ann, /^So: .*said no.* \| heard/);
    expect(acts).toEqual([]);
  });

  it("is not answered by an earlier message that becomes a yes", async () => {
    await says(ann, "hello", { messageId: "early" });
    await ended(ann, /^So:/);
    await asked(ann, "rm it");
    await says(ann, "yes", { kind: "edit", messageId: "early" });
    await says(ann, "yes", { kind: "reaction", messageId: idOf("Allow?") });
    expect(world.gateway.approvals.isWaiting(ann.key)).toBe(true);
    expect(acts).toEqual([]);
  });

  it("is not answered by a yes that was on its way before it could be read", async () => {
    await ann.write("rm it");
    await until(() => questionsIn(ann).length === 1);
    await vi.waitUntil(() => world.store.outbox.isClear(world.adapter, addressOf(ann.source)), {
      timeout: 30_000,
    });
    await ann.write("yes"); // In the same moment.
    expect(world.gateway.approvals.isWaiting(ann.key)).toBe(true);
    world.now += 1_500;
    await ann.write("no");
    await ended(ann, /^So: .*said no.* \| heard yes/);
    expect(acts).toEqual([]);
  });

  it("counts once, however often its yes comes", async () => {
    await asked(ann, "rm it");
    expect(await says(ann, "yes", { messageId: "twice" })).toBe("accepted");
    expect(await says(ann, "yes", { messageId: "twice" })).toBe("duplicate");
    await ended(ann, /^So: \| done$/);
    expect(acts).toEqual(["rm it"]);
    await ann.write("yes"); // Nothing is open any more, so it is a message.
    await until(() => ann.told.filter((text) => text === "So:").length === 1);
  });

  it("a word without a question is a message", async () => {
    expect(await ann.ask("yes")).toBe("So:");
  });
});

describe("in a group", () => {
  let bob: Chat;
  beforeEach(() => {
    [ann, bob] = [world.chat("ann", ROOM), world.chat("bob", ROOM)];
  });

  it("only those who may answer do, by words that are for Baton", async () => {
    const [question] = await asked(ann, "rm it");
    expect(question).toContain("in a group, reply to this message or name me");
    await says(bob, "yes");
    await says(ann, "yes", { isAddressed: false });
    expect(world.gateway.approvals.isWaiting(ann.key)).toBe(true);
    expect(acts).toEqual([]);
    await says(ann, "yes", { isAddressed: true });
    await until(() => acts.length === 1);
  });

  it("what only an owner may allow is not allowed by its author's word", async () => {
    await asked(ann, "rm strict");
    await says(ann, "yes");
    expect(world.gateway.approvals.isWaiting(ann.key)).toBe(true);
    await says(world.chat("boss", ROOM), "yes");
    await until(() => acts.length === 1);
  });

  it("in a thread, the beginning that the platform names says nothing", async () => {
    const thread = world.chat("ann", { ...ROOM, threadId: "t1" });
    await asked(thread, "rm it");
    await says(thread, "yes", { replyTo: { messageId: "t1" }, isAddressed: true });
    await until(() => acts.length === 1);
  });
});

describe("several open questions", () => {
  it("are not guessed at: each has a small number, and the words with it mean that one", async () => {
    const questions = await asked(ann, "rm one\nrm two", 2);
    const [first, second] = ["rm one", "rm two"].map((what) => questions.find((text) => text.includes(what)));
    expect(first).toMatch(/question 1\)$/);
    expect(second).toContain("\nAllow? yes 2 / no 2\n");
    const unclear = "Which one?\n`rm one`: yes 1 or no 1.\n`rm two`: yes 2 or no 2.";
    expect(await ann.ask("yes")).toBe(unclear);
    expect(await ann.ask("yes 3")).toBe(unclear);
    expect(acts).toEqual([]);
    expect(await ann.ask("yes 2")).toBe("Approved: `rm two`.");
    expect(await ann.ask("no 1")).toBe("Denied: `rm one`.");
    await ended(ann, /^So: .*said no.* \| done$/);
    expect(acts).toEqual(["rm two"]);
  });

  it("are told apart by a reply to one of them", async () => {
    await asked(ann, "rm one\nrm two", 2);
    await says(ann, "yes", { replyTo: { messageId: idOf("rm two") } });
    await ended(ann, /^Approved: `rm two`/);
    await says(ann, "no", { replyTo: { messageId: idOf("rm one") } });
    await ended(ann, /^So: /);
    expect(acts).toEqual(["rm two"]);
  });

  it("one after the other: a second yes in the same moment answers the next one only if that can be read", async () => {
    await asked(ann, "rm one");
    await ann.write("yes");
    await ended(ann, /^So: \| done$/);
    const [next] = await asked(ann, "rm two");
    expect(next).toContain("\nAllow? yes 2 / no 2\n");
    expect(await ann.ask("yes")).toBe("Which one? `rm two`: yes 2 or no 2.");
    expect(acts).toEqual(["rm one"]);
    world.now += 3_000;
    expect(await ann.ask("yes")).toBe("Approved: `rm two`.");
    await until(() => acts.length === 2);
  });

  it("a late answer meets no other one, also after a restart", async () => {
    await asked(ann, "rm one");
    const [before] = world.adapter.sent.filter(({ text }) => text.includes("Allow?"));
    await ann.write("/stop");
    await world.gateway.lane(ann.key).idle();
    await world.restart();
    await asked(ann, "rm two");
    expect(await ann.ask("yes 1")).toBe("Which one? `rm two`: yes 2 or no 2.");
    expect(await ann.ask("/approve 1")).toBe("Which one? `rm two`: yes 2 or no 2.");
    expect(before?.text).toContain("question 1");
    expect(acts).toEqual([]);
  });

  it("what is shown of one cannot pass for another", async () => {
    const lie = "rm x`: yes 1 or no 1. `ls";
    await asked(ann, `${lie}\nrm two`, 2);
    expect(await ann.ask("yes")).toContain("\n`rm x': yes 1 or no 1. 'ls`: yes 1 or no 1.\n");
  });
});

describe("while it waits for an answer", () => {
  it("/status says for whom", async () => {
    ann = world.chat("ann", ROOM);
    await asked(ann, "rm it");
    expect(await ann.ask("/status")).toContain("waiting for you (yes 1 or no 1), started");
    expect(await world.chat("bob", ROOM).ask("/status")).toContain(
      "waiting for somebody else to allow something",
    );
  });
});
