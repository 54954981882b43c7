/** The example agent: the contract of the port, and a journey through a gateway with its tool and its command. */
import { setTimeout as delay } from "node:timers/promises";
import { type OpenGateway, OWNER } from "baton-gateway";
import { agentContract, ScriptedAdapter } from "baton-gateway/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Ask, agentFrom, openAssistant } from "../../examples/own-agent.js";

/** A model that plays a script: the last message says what it does. */
const scripted: Ask = async function* (messages, { signal, tools }) {
  const last = messages.at(-1);
  const text = last?.content ?? "";
  if (last?.role === "tool") yield `The tool says: ${text}`;
  else if (text === "fail") throw new Error("as it was asked to");
  else if (text === "use the tool") {
    yield "One moment. ";
    const args = tools[0]?.name === "dice" ? { sides: 2 } : { command: "date" };
    yield { id: `c${messages.length}`, name: tools[0]?.name ?? "terminal", arguments: JSON.stringify(args) };
  } else if (text === "go on") {
    for (let n = 0; n < 150 && !signal.aborted; n++) {
      yield `${n} `;
      await delay(100, undefined, { signal }).catch(() => {});
    }
  } else yield* ["You said: ", text];
};

agentContract("the example's", () => agentFrom("example", scripted), {
  plain: "hello",
  tool: "use the tool",
  slow: "go on",
  fail: "fail",
});

let open: OpenGateway;
let adapter: ScriptedAdapter;
beforeEach(async () => {
  adapter = new ScriptedAdapter();
  open = await openAssistant("sqlite::memory:", scripted, [adapter]);
  await open.gateway.start();
});
afterEach(() => open.close());

async function say(text: string): Promise<string> {
  const before = adapter.sent.length;
  await adapter.write({ userId: "ann" }, text);
  await adapter.until((sent) => sent.length > before);
  return adapter.sent[before]?.text ?? "";
}

it("answers, and keeps the conversation", async () => {
  expect(await say("hello")).toBe("You said: hello");
  const { items } = await open.sessions.list({}, OWNER);
  expect(items).toMatchObject([{ messageCount: 2 }]);
});

it("uses its tool", async () => {
  const before = adapter.sent.length;
  await adapter.write({ userId: "ann" }, "use the tool");
  await adapter.until((sent) =>
    sent.slice(before).some(({ text }) => /The tool says: It shows [12]\./.test(text)),
  );
});

it("says in the chat why it failed", async () => {
  expect(await say("fail")).toContain("assistant failed: as it was asked to");
});

it("has a command of its own beside ours, and /help shows it", async () => {
  expect(await say("/hello")).toBe("Hello, owner!");
  expect(await say("/hello Bob")).toBe("Hello, Bob!");
  expect(await say("/help hello")).toContain("greet you, or somebody else");
});
