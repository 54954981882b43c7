/** What a turn sends is bounded, and `/stop` does not wait behind it. */

import { afterEach, expect, it } from "vitest";
import type { Agent, AgentEvent } from "../agent/agent.js";
import { openDb } from "../open-sessions.js";
import { OWNER } from "../session/access.js";
import type { SessionId } from "../session/ids.js";
import { Sessions } from "../session/sessions.js";
import { openSqlStore } from "../store/sql-store.js";
import { ScriptedAdapter, type ScriptedOptions } from "../testing/scripted-adapter.js";
import { processHolder } from "../util/holder.js";
import { Commands } from "./commands/commands.js";
import { stop } from "./commands/turn.js";
import { Gateway } from "./gateway.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const ann = { userId: "ann" };

async function world(said: readonly string[], options: ScriptedOptions & { maxSends?: number } = {}) {
  const store = await openSqlStore(await openDb("sqlite::memory:"), 0);
  const sessions = new Sessions(store);
  const adapter = new ScriptedAdapter({ maxText: 100, ...options });
  const agent: Agent = { name: "scripted", run: () => converse(said) };
  const gateway = new Gateway({
    sessions,
    store,
    agent,
    adapters: [adapter],
    commands: new Commands([stop], sessions),
    tools: () => [],
    scopes: {},
    toolLists: {},
    people: { allow: { [adapter.platform]: ["ann"] }, guests: { [adapter.platform]: ["eve"] } },
    busy: { default: "queue", byPlatform: {}, byChat: {} },
    maxMessages: 500,
    ...(options.maxSends ? { maxSends: options.maxSends } : {}),
    deadlineMs: 60_000,
    holder: processHolder(),
    clock: Date.now,
    onProblem: () => {},
  });
  await gateway.start();
  open.push({ close: () => store.close() }, { close: () => gateway.stop({ drainMs: 0 }) });
  const transcript = async () => {
    const [entry] = (await sessions.list({}, OWNER)).items;
    const messages = await sessions.load((entry?.sessionId ?? "") as SessionId);
    return messages.flatMap(({ role, content }) => (role === "assistant" ? [content] : []));
  };
  return { adapter, store, transcript };
}

/** One step after the other, each of which says something. */
async function* converse(said: readonly string[]): AsyncGenerator<AgentEvent> {
  for (const [n, content] of said.entries()) {
    const call = { id: `c${n}`, name: "look", arguments: "{}" };
    const isLast = n === said.length - 1;
    const message = { role: "assistant" as const, content, ...(isLast ? {} : { toolCalls: [call] }) };
    const result = { role: "tool" as const, toolCallId: call.id, name: call.name, content: "found" };
    yield { kind: "message", message, results: isLast ? [] : [result] };
  }
  yield { kind: "done", stopped: false };
}

/** It takes so many messages of a hundred characters. */
const long = (messages: number): string =>
  Array.from({ length: messages }, (_, n) => `${n}`.padEnd(99, "x")).join(" ");

const CUT = /^\(Cut off here: 225 more messages of this answer were not sent\. Run `baton sessions show \w+`/;

it("an answer that runs away is cut, the chat is told, and the transcript has all of it", async () => {
  const { adapter, transcript } = await world([long(245)]);
  await adapter.write(ann, "tell me everything");
  await adapter.until((sent) => sent.length === 21);
  const texts = adapter.textsTo("ann");
  expect(texts.slice(0, 20).map((text) => Number.parseInt(text, 10))).toEqual([...Array(20).keys()]);
  expect(texts[20]).toMatch(CUT);
  expect(await transcript()).toEqual([long(245)]);
});

it("the steps of a turn share the room, and the last word always has some", async () => {
  const { adapter } = await world([long(3), "looking", long(4), "done"], { maxSends: 3 });
  await adapter.write(ann, "go");
  await adapter.until((sent) => sent.some(({ text }) => text === "done"));
  const shown = adapter.textsTo("ann").map((text) => (text.startsWith("(Cut") ? "cut" : text.slice(0, 1)));
  expect(shown).toEqual(["0", "1", "2", "l", "0", "cut", "d"]);
});

/** An answer of ten messages in a group, of which the third is on its way until `goOn`. */
async function halfSent() {
  let goOn: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let sends = 0;
  let reached: () => void = () => {};
  const third = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const { adapter, store } = await world([long(10)], {
    onSend: () => {
      if (++sends !== 3) return;
      reached();
      return held;
    },
  });
  await adapter.write({ ...ann, ...room }, "go");
  await third;
  return { adapter, store, goOn };
}

const room = { chatId: "room", chatType: "group" } as const;
const begins = (adapter: ScriptedAdapter) => adapter.textsTo("room").map((text) => text.slice(0, 1));

it("/stop takes back what was not sent yet of the last answer, and comes next", async () => {
  const { adapter, store, goOn } = await halfSent();
  await adapter.write({ ...ann, ...room }, "/stop");
  // Its answer is in the outbox, and nothing else is.
  await expect
    .poll(() => store.outbox.pending(adapter, 20), { timeout: 30_000 })
    .toMatchObject([{ purpose: "command" }]);
  goOn();
  await adapter.until((sent) => sent.length === 4);
  expect(begins(adapter)).toEqual(["0", "1", "2", "N"]);
  expect(adapter.textsTo("room")[3]).toBe("Nothing is running. Dropped 7 unsent messages.");
});

it("/stop of a guest takes back nothing of an answer to someone who may do more", async () => {
  const { adapter, store, goOn } = await halfSent();
  await adapter.write({ userId: "eve", ...room }, "/stop");
  await expect
    .poll(async () => (await store.outbox.pending(adapter, 20)).at(-1)?.purpose, { timeout: 30_000 })
    .toBe("command");
  goOn();
  await adapter.until((sent) => sent.length === 11);
  expect(begins(adapter)).toEqual([..."0123456789", "N"]);
  expect(adapter.textsTo("room").at(-1)).toMatch(/^Not done: .*someone who may do more than you/);
});
