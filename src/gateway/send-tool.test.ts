/** `send_message` reaches the chats that a person may use, and nobody else's; what it says can be answered there. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Chat, until, World } from "../../test/support/gateway-world.js";
import type { Agent } from "../agent/agent.js";
import { runToolCall } from "../agent/tool-call.js";
import { localSource } from "../session/source.js";

/** `send <address> <text>` calls the tool and says what came of it; anything else is repeated. */
const sender: Agent = {
  name: "sender",
  async *run({ history, tools, signal }) {
    const [word, to = "", ...text] = (history.at(-1)?.content ?? "").split(" ");
    const call = {
      id: `c${history.length}`,
      name: "send_message",
      arguments: JSON.stringify({ to, text: text.join(" ") }),
    };
    const content = word === "send" ? await runToolCall(call, tools, signal) : `heard: ${word}`;
    yield { kind: "message", message: { role: "assistant", content }, results: [] };
    yield { kind: "done", stopped: false };
  },
};

let world: World;
let ann: Chat;
let elsewhere: Chat;
let bob: Chat;
beforeEach(async () => {
  world = await World.open({ gateway: { agent: sender } });
  ann = world.chat("ann");
  elsewhere = world.chat("ann", { chatId: "work" });
  bob = world.chat("bob");
  for (const chat of [ann, elsewhere, bob]) await chat.ask("hello");
});
afterEach(() => world.close());

const at = (chat: Chat): string => `${chat.source.platform}:${chat.source.chatId}`;

it("goes to another chat of the person, and into its transcript", async () => {
  expect(await ann.ask(`send ${at(elsewhere)} see you`)).toBe(`It is on its way to ${at(elsewhere)}.`);
  await until(() => elsewhere.told.includes("see you"));
  expect(await elsewhere.transcript()).toContain("assistant: see you");
  expect(await elsewhere.ask("fine")).toBe("heard: fine");
});

it("goes to nobody else, whether they are known or not", async () => {
  const [bobs, nobodys] = [await ann.ask(`send ${at(bob)} psst`), await ann.ask("send telegram:404 psst")];
  expect(bobs).toMatch(/^Error: there is no chat \S+ that this person may write to/);
  expect(bobs.replace(at(bob), "x")).toBe(nobodys.replace("telegram:404", "x"));
  expect(bob.told).toEqual(["heard: hello"]);
  expect(await bob.transcript()).not.toContain("assistant: psst");
});

it("goes nowhere private from a room", async () => {
  const room = world.chat("ann", { chatId: "room", chatType: "group" });
  await room.write(`[x] hello`);
  await until(() => room.told.length === 1);
  await room.write(`send ${at(elsewhere)} psst`);
  await until(() => room.told.length === 2);
  expect(elsewhere.told).toEqual(["heard: hello"]);
});

it("says what is wrong with what it is given", async () => {
  expect(await ann.ask(`send ${at(ann)} me`)).toBe("Error: that is this chat. Just answer.");
  expect(await ann.ask(`send ${at(elsewhere)}`)).toBe("Error: `text` is empty.");
  expect(await ann.ask("send nowhere:1 hi")).toMatch(/^Error: .*nowhere/);
  expect(await ann.ask(`send ${at(elsewhere)} ${"x".repeat(9_000)}`)).toMatch(/at most 8000/);
  await world.sessions.getOrCreate({ ...localSource(), userId: "ann" });
  expect(await ann.ask("send local:cli hi")).toMatch(/^Error: /);
});
