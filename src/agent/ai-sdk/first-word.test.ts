/** A model that never begins to answer costs the first-word time once, then another is asked; a bad certificate is named. */

import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ModelServer, type Reply } from "../../../test/support/model-server.js";
import { asSessionId } from "../../session/ids.js";
import type { Agent, AgentEvent, TurnInput } from "../agent.js";
import { aiSdkAgent } from "./ai-sdk.js";
import type { Endpoint } from "./endpoint.js";
import { failureOf, sentenceFor } from "./failure.js";

let first: ModelServer;
let second: ModelServer;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  [first, second] = [await ModelServer.start(), await ModelServer.start()];
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await first.close();
  await second.close();
});

function at(baseUrl: string, protocol: Endpoint["protocol"] = "openai"): Endpoint {
  return {
    protocol,
    baseUrl,
    apiKey: null,
    keySetting: "KEY",
    model: "m",
    images: false,
    contextTokens: 128_000,
  };
}

const FIRST_WORD_MS = 60_000;

function agentAt(endpoint: Endpoint, fallback: Endpoint | null): Agent {
  const waits = { firstWordMs: FIRST_WORD_MS, sleep: async () => {} };
  return aiSdkAgent({ endpoint, ...(fallback ? { fallback } : {}), maxSteps: 5, prices: {}, waits });
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** The first model has the request, and its time is up. */
async function firstWordIsDue(): Promise<void> {
  while (first.requests.length === 0) await nextTurn();
  vi.advanceTimersByTime(FIRST_WORD_MS);
}

/** Settles when something of an answer was read: headers, and what comes behind them. */
function somethingRead(): Promise<void> {
  const { fetch } = globalThis;
  return new Promise((resolve) => {
    vi.spyOn(globalThis, "fetch").mockImplementation(async (...call) => {
      const response = await fetch(...call);
      const read = new TransformStream({
        transform(chunk, controller) {
          controller.enqueue(chunk);
          void nextTurn()
            .then(nextTurn)
            .then(() => resolve());
        },
      });
      return new Response(response.body?.pipeThrough(read), response);
    });
  });
}

async function said(agent: Agent): Promise<string> {
  const turn: TurnInput = {
    sessionId: asSessionId("s"),
    prompt: "",
    history: [{ role: "user", content: "hello" }],
    tools: [],
    signal: new AbortController().signal,
    steer: () => [],
  };
  const events: AgentEvent[] = [];
  for await (const event of agent.run(turn)) events.push(event);
  return events.flatMap((event) => (event.kind === "text" ? [event.text] : [])).join("");
}

const HANGING: readonly [string, Reply][] = [
  ["hangs before its headers", { ending: "hang" }],
  ["sends only comments", { ending: "comments" }],
  ["sends headers and nothing more", { ending: "silence" }],
];

describe.each(["openai", "anthropic"] as const)("a model that speaks as %s", (protocol) => {
  it.each(HANGING)("%s: it is asked once, then the fallback", async (_, hanging) => {
    first.play(hanging);
    second.play({ text: "Here." });
    const read = somethingRead();
    const answer = said(agentAt(at(first.url, protocol), at(second.url, protocol)));
    if ("ending" in hanging && hanging.ending !== "hang") await read;
    await firstWordIsDue();
    expect(await answer).toBe("Here.");
    expect([first.requests.length, second.requests.length]).toEqual([1, 1]);
  });
});

it("without a fallback the person is told which setting to raise", async () => {
  first.play({ ending: "hang" });
  const answer = expect(said(agentAt(at(first.url), null))).rejects.toThrow(
    `${first.host} did not start to answer in time. If it needs longer, raise agent.firstWordSeconds.`,
  );
  await firstWordIsDue();
  await answer;
  expect(first.requests).toHaveLength(1);
});

describe("a certificate", () => {
  let tls: Server;
  let connections = 0;
  beforeEach(async () => {
    connections = 0;
    const pem = readFileSync(new URL("../../../test/support/loopback.pem", import.meta.url));
    tls = createServer({ key: pem, cert: pem }, (_, response) => response.end());
    tls.on("connection", () => {
      connections += 1;
    });
    await new Promise<void>((resolve) => tls.listen(0, "127.0.0.1", resolve));
  });
  afterEach(() => new Promise((resolve) => tls.close(resolve)));

  it("that this machine does not trust is not a server that is away, and the fallback is asked", async () => {
    const { port } = tls.address() as AddressInfo;
    const endpoint = at(`https://127.0.0.1:${port}/v1`);
    await expect(said(agentAt(endpoint, null))).rejects.toThrow(
      /does not trust the certificate of 127\.0\.0\.1:\d+ \(DEPTH_ZERO_SELF_SIGNED_CERT\)\. .*NODE_EXTRA_CA_CERTS/,
    );
    expect(connections).toBe(1); // To try again would not mend it.
    second.play({ text: "Here." });
    expect(await said(agentAt(endpoint, at(second.url)))).toBe("Here.");
  });

  it("is not looked for where plain HTTP is spoken: that is said", async () => {
    const endpoint = at(first.url.replace("http:", "https:"));
    await expect(said(agentAt(endpoint, null))).rejects.toThrow(/does not speak HTTPS.*http:\/\//);
  });

  it.each([
    ["CERT_HAS_EXPIRED", /has expired\. Renew it/],
    ["ERR_TLS_CERT_ALTNAME_INVALID", /is for another host name\. Set agent\.baseUrl/],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", /does not trust the certificate/],
    ["SELF_SIGNED_CERT_IN_CHAIN", /does not trust the certificate/],
  ])("%s says what to do", (code, sentence) => {
    const error = new TypeError("fetch failed", { cause: Object.assign(new Error("x"), { code }) });
    const failure = failureOf(error, 0, "");
    expect(failure.kind).toBe("certificate");
    expect(sentenceFor(failure, at("https://model.example/v1"), "m")).toMatch(sentence);
  });
});
