/** What the agent tells besides words: that it asks again, and which model answered. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { ModelServer } from "../../../test/support/model-server.js";
import { asSessionId } from "../../session/ids.js";
import type { AgentEvent } from "../agent.js";
import { aiSdkAgent } from "./ai-sdk.js";
import type { Endpoint } from "./endpoint.js";
import type { Prices } from "./usage.js";

let server: ModelServer;
beforeEach(async () => {
  server = await ModelServer.start();
});
afterEach(() => server.close());

async function told(
  protocol: Endpoint["protocol"] = "openai",
  prices: Readonly<Record<string, Prices>> = {},
  sleep: (ms: number) => void = () => {},
): Promise<AgentEvent[]> {
  const endpoint: Endpoint = {
    ...{ protocol, baseUrl: server.url, apiKey: null, keySetting: "KEY", contextTokens: 128_000 },
    ...{ model: "asked", images: false },
  };
  const waits = { sleep: async (ms: number) => sleep(ms), random: () => 1 };
  const events: AgentEvent[] = [];
  const turn = aiSdkAgent({ endpoint, maxSteps: 5, prices, waits }).run({
    ...{ sessionId: asSessionId("s"), prompt: "", history: [{ role: "user", content: "hello" }], tools: [] },
    ...{ signal: new AbortController().signal, steer: () => [] },
  });
  for await (const event of turn) events.push(event);
  return events;
}

const usages = (events: readonly AgentEvent[]) => events.filter(({ kind }) => kind === "usage");

test("each retry is told before its wait: why, how long, and which of how many", async () => {
  server.play({ status: 429, headers: { "retry-after": "8" } }, { status: 503 }, { text: "Now." });
  const waited: number[] = [];
  const events = await told("openai", {}, (ms) => waited.push(ms));
  const retries = events.filter((event) => event.kind === "retry");
  expect(retries).toEqual(
    [
      ...[{ kind: "retry", reason: `${server.host} is rate-limiting you (429)`, waitMs: 8_000, attempt: 2 }],
      ...[
        { kind: "retry", reason: `${server.host} reported a server error (503)`, waitMs: 1_000, attempt: 3 },
      ],
    ].map((retry) => ({ ...retry, attempts: 4 })),
  );
  expect(waited).toEqual(retries.map(({ waitMs }) => waitMs));
});

test("the last failure is no retry", async () => {
  server.play({ status: 500 });
  const events: AgentEvent[] = [];
  const run = aiSdkAgent({
    endpoint: {
      ...{ protocol: "openai", baseUrl: server.url, apiKey: null, keySetting: "KEY", contextTokens: 9_000 },
      ...{ model: "asked", images: false },
    },
    ...{ maxSteps: 5, prices: {}, waits: { sleep: async () => {} } },
  }).run({
    ...{ sessionId: asSessionId("s"), prompt: "", history: [{ role: "user", content: "hello" }], tools: [] },
    ...{ signal: new AbortController().signal, steer: () => [] },
  });
  await expect(
    (async () => {
      for await (const event of run) events.push(event);
    })(),
  ).rejects.toThrow(/server error/);
  expect(events.map((event) => event.kind === "retry" && event.attempt)).toEqual([2, 3, 4]);
});

test.each(["openai", "anthropic"] as const)(
  "over %s, another model that answered is named",
  async (protocol) => {
    const usage = { input: 1_000_000, output: 0 };
    server.play({ text: "Hi.", model: "other", usage });
    const prices = { other: { input: 3, output: 0 }, asked: { input: 1, output: 0 } };
    expect(usages(await told(protocol, prices))).toMatchObject([
      { model: "asked", answeredBy: "other", usage: { cost: 3 } },
    ]);
    server.play({ text: "Hi.", usage });
    expect(usages(await told(protocol, prices))).toEqual([
      { kind: "usage", model: "asked", usage: expect.objectContaining({ cost: 1 }) },
    ]);
  },
);

test("a name that a server makes up has no price, and is not stored at any length", async () => {
  server.play({ text: "Hi.", model: "constructor", usage: { input: 1, output: 1 } });
  const [first] = usages(await told());
  expect(first).toMatchObject({ answeredBy: "constructor" });
  expect(first?.kind === "usage" && first.usage.cost).toBeUndefined();
  server.play({ text: "Hi.", model: "x".repeat(100_000), usage: { input: 1, output: 1 } });
  const [second] = usages(await told());
  expect(second?.kind === "usage" && second.answeredBy?.length).toBeLessThan(300);
});
