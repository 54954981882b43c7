/** A gateway that knows secrets: its agent is given none, and its adapters are sent none, whatever way they take. */
import { afterEach, expect, it } from "vitest";
import type { Agent, Tool } from "./agent/agent.js";
import type { Command } from "./gateway/commands/commands.js";
import { type OpenGateway, openGateway } from "./open-gateway.js";
import { ScriptedAdapter } from "./testing/scripted-adapter.js";
import { Redactor } from "./util/redact.js";

const CANARY = "canary-4711-secret";
let open: OpenGateway | undefined;
afterEach(() => open?.close({ drainMs: 0 }));

const leak: Tool = { name: "leak", description: "", parameters: {}, run: async () => `It is ${CANARY}.` };

/** What is said so goes past the store. */
const whisper: Command = {
  name: "whisper",
  usage: "",
  description: "",
  run: async ({ item, gateway }) => {
    await gateway.say(item, `It is ${CANARY}.`);
    return "";
  },
};

it("hides them from the agent and in what goes past the store", async () => {
  const redactor = new Redactor();
  redactor.know(() => [CANARY]);
  const given: (string | undefined)[] = [];
  const agent: Agent = {
    name: "curious",
    async *run({ tools, signal }) {
      const call = { id: "1", name: "leak", arguments: "{}" };
      given.push(await tools.find(({ name }) => name === "leak")?.run({}, { call, signal }));
      yield { kind: "message", message: { role: "assistant", content: "Looked." }, results: [] };
      yield { kind: "done", stopped: false };
    },
  };
  const adapter = new ScriptedAdapter();
  open = await openGateway({
    url: "sqlite::memory:",
    agent,
    adapters: [adapter],
    commands: [whisper],
    tools: () => [leak],
    people: { owners: { [adapter.platform]: ["ann"] } },
    redactor,
  });
  await open.gateway.start();
  await adapter.write({ userId: "ann" }, "look");
  await adapter.until((sent) => sent.length === 1);
  expect(given).toEqual(["It is ***."]);
  await adapter.write({ userId: "ann" }, "/whisper");
  await adapter.until((sent) => sent.length === 2);
  expect(adapter.textsTo("ann")).toEqual(["Looked.", "It is ***."]);
});
