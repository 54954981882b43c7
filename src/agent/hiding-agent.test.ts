import { expect, test } from "vitest";
import { Laborious } from "../../test/support/laborious.js";
import { asSessionId } from "../session/ids.js";
import { Redactor } from "../util/redact.js";
import { type Agent, AgentError, type AgentEvent, type Tool, type TurnInput } from "./agent.js";
import { hidingAgent } from "./hiding-agent.js";

const CANARY = "canary/4711+secret";

function hiding(): Redactor {
  const redactor = new Redactor();
  redactor.know(() => [CANARY]);
  return redactor;
}

function turnWith(rest: Partial<TurnInput> = {}): TurnInput {
  return {
    sessionId: asSessionId("s"),
    prompt: `prompt ${CANARY}`,
    labels: `labels ${CANARY}`,
    history: [
      { role: "user", content: `history ${CANARY}`, name: CANARY },
      {
        role: "assistant",
        content: CANARY,
        reasoning: CANARY,
        toolCalls: [{ id: "1", name: "a", arguments: JSON.stringify({ key: CANARY }) }],
      },
      { role: "tool", toolCallId: "1", content: CANARY },
    ],
    tools: [],
    signal: new AbortController().signal,
    steer: () => [],
    ...rest,
  };
}

async function collect(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

test("an agent is given no secret: not in its prompt, history, tools, results and steering", async () => {
  const look: Tool = {
    name: "look",
    description: `looks at ${CANARY}`,
    parameters: { type: "object", properties: { a: { description: CANARY } } },
    run: async () => Buffer.from(`x${CANARY}`).toString("base64"),
  };
  let given = "";
  const agent: Agent = {
    name: "echo",
    async *run(turn) {
      const [tool] = turn.tools;
      const context = { call: { id: "1", name: "look", arguments: "{}" }, signal: turn.signal };
      given = JSON.stringify([turn, turn.steer(), await tool?.run({}, context)]);
      yield { kind: "done", stopped: false };
    },
  };
  const steer = () => [{ role: "user" as const, content: CANARY }];
  await collect(hidingAgent(agent, hiding()).run(turnWith({ tools: [look], steer })));
  expect(given).toContain("prompt ***");
  expect(given).not.toContain(CANARY);
  expect(given).not.toContain(Buffer.from(`x${CANARY}`).toString("base64"));
});

test("a long history is cleaned beside other work", async () => {
  const laborious = new Laborious(5);
  const agent: Agent = {
    name: "silent",
    async *run() {
      yield { kind: "done", stopped: false };
    },
  };
  await collect(hidingAgent(agent, hiding()).run(turnWith({ history: laborious.messages })));
  expect(laborious.rounds).toBe(5);
});

test("an agent says none: streamed in single characters, in calls, in messages and in errors", async () => {
  const call = { id: "1", name: "a", arguments: JSON.stringify({ key: CANARY }) };
  const agent: Agent = {
    name: "leak",
    async *run() {
      for (const text of `The key is ${CANARY}, or ${CANARY.slice(0, 9)}`) yield { kind: "text", text };
      yield { kind: "reasoning", text: CANARY };
      yield { kind: "tool call", call };
      yield { kind: "tool result", call, content: CANARY };
      yield {
        kind: "message",
        message: { role: "assistant", content: CANARY, toolCalls: [call] },
        results: [],
      };
      throw new AgentError(`the server said ${CANARY}, password=short1`);
    },
  };
  const seen: AgentEvent[] = [];
  const run = async () => {
    for await (const event of hidingAgent(agent, hiding()).run(turnWith())) seen.push(event);
  };
  await expect(run()).rejects.toThrow(/^the server said \*\*\*, password=\*\*\*$/);
  expect(JSON.stringify(seen)).not.toContain(CANARY);
  const said = seen.flatMap((event) => (event.kind === "text" ? event.text : []));
  expect(said.join("")).toBe(`The key is ***, or ${CANARY.slice(0, 9)}`);
  expect(said.at(-1)).toBe(CANARY.slice(0, 9)); // It waited until nothing could follow.
});

test("a conversation that can't be shorter stays the same list, so that nobody tries again and again", async () => {
  const given: boolean[] = [];
  const agent: Agent = {
    name: "fits",
    async *run({ history, ...turn }) {
      const draft = { besides: [], contextTokens: 100, refused: true };
      const fitted = await turn.fit?.({ ...draft, messages: history });
      given.push(fitted === history, JSON.stringify(fitted).includes(CANARY));
      yield { kind: "done", stopped: false };
    },
  };
  await collect(hidingAgent(agent, hiding()).run(turnWith({ fit: async ({ messages }) => messages })));
  const longer: TurnInput["fit"] = async ({ messages }) => [{ role: "user", content: CANARY }, ...messages];
  await collect(hidingAgent(agent, hiding()).run(turnWith({ fit: longer })));
  expect(given).toEqual([true, false, false, false]);
});
