/** What the agent does beyond the contract, against a server of our own. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { ModelServer } from "../../../test/support/model-server.js";
import { asSessionId } from "../../session/ids.js";
import type { Message } from "../../session/transcript.js";
import { type Agent, AgentError, type AgentEvent, type Tool, type TurnInput } from "../agent.js";
import { type AiSdkOptions, aiSdkAgent } from "./ai-sdk.js";
import type { Endpoint } from "./endpoint.js";
import { listModels } from "./list-models.js";
import { probeOllama } from "./probe-ollama.js";

const folder = mkdtempSync(join(tmpdir(), "baton-images-"));
afterAll(() => rmSync(folder, { recursive: true }));

let server: ModelServer;
beforeEach(async () => {
  server = await ModelServer.start();
});
afterEach(() => server.close());

const user = (content: string): Message => ({ role: "user", content });
const date: Tool = {
  name: "date",
  description: "Tells the date.",
  parameters: { type: "object", properties: {} },
  run: async () => "today",
};

function endpoint(more: Partial<Endpoint> = {}): Endpoint {
  return {
    protocol: "openai",
    baseUrl: server.url,
    apiKey: null,
    keySetting: "KEY",
    contextTokens: 128_000,
    model: "m",
    images: true,
    ...more,
  };
}

function tell(
  turn: Partial<TurnInput> = {},
  where: Endpoint = endpoint(),
  options: Partial<AiSdkOptions> = {},
): Promise<AgentEvent[]> {
  return told(agentAt(where, options), turn);
}

function agentAt(where: Endpoint, options: Partial<AiSdkOptions> = {}): Agent {
  return aiSdkAgent({
    pathOf: (file) => join(folder, file),
    endpoint: where,
    maxSteps: 50,
    prices: {},
    waits: { sleep: async () => {} },
    ...options,
  });
}

async function told(agent: Agent, turn: Partial<TurnInput>): Promise<AgentEvent[]> {
  const input: TurnInput = {
    sessionId: asSessionId("s"),
    prompt: "Where you are.",
    history: [user("hello")],
    tools: [],
    signal: new AbortController().signal,
    steer: () => [],
    ...turn,
  };
  const events: AgentEvent[] = [];
  for await (const event of agent.run(input)) events.push(event);
  return events;
}

const wordsOf = (events: readonly AgentEvent[]) =>
  events.map((event) => (event.kind === "text" ? event.text : "")).join("");

describe("an image", () => {
  const path = join(folder, "a.png");
  writeFileSync(path, "not really a picture");
  const history: Message[] = [
    { role: "user", content: "look", attachments: [{ file: "a.png", mediaType: "image/png" }] },
  ];

  it("is sent to a model that takes images", async () => {
    server.play({ text: "Nice." });
    for (const protocol of ["openai", "anthropic"] as const) await tell({ history }, endpoint({ protocol }));
    const data = Buffer.from("not really a picture").toString("base64");
    for (const { body } of server.requests) expect(JSON.stringify(body)).toContain(data);
    expect(server.requests).toHaveLength(2);
  });

  it("is left out, with a note, for one that refuses it; and where none are to be sent", async () => {
    server.script = ({ body }) =>
      JSON.stringify(body).includes("base64,")
        ? { status: 400, message: "image_url is not supported by this model" }
        : { text: "I cannot see it." };
    expect(wordsOf(await tell({ history }))).toBe("I cannot see it.");
    expect(server.requests).toHaveLength(2);
    expect(JSON.stringify(server.requests[1]?.body)).toContain("this model can't read images");
    await tell({ history }, endpoint({ images: false }));
    expect(server.requests).toHaveLength(3);
  });

  it("that is broken is left out of its turn, and later ones are sent", async () => {
    const broken = Buffer.from("not really a picture").toString("base64");
    writeFileSync(join(folder, "b.png"), "another one");
    server.script = ({ body }) =>
      JSON.stringify(body).includes(broken)
        ? { status: 400, message: "Could not process image" }
        : { text: "Fine." };
    const agent = agentAt(endpoint());
    expect(wordsOf(await told(agent, { history }))).toBe("Fine.");
    expect(JSON.stringify(server.requests[1]?.body)).toContain("it can't be read");
    await told(agent, {
      history: [{ role: "user", content: "", attachments: [{ file: "b.png", mediaType: "image/png" }] }],
    });
    expect(JSON.stringify(server.requests[2]?.body)).toContain(Buffer.from("another one").toString("base64"));
  });
});

describe("an answer that ends early", () => {
  it.each(["openai", "anthropic"] as const)("says so, over %s", async (protocol) => {
    server.play({ text: "Once upon a", finish: "length" });
    const events = await tell({}, endpoint({ protocol }));
    expect(wordsOf(events)).toMatch(/^Once upon a\n\n\(Cut off at the model's output limit\. /);
    expect(events.find(({ kind }) => kind === "message")).toMatchObject({
      message: { content: wordsOf(events) },
    });
  });

  it("says so too where nothing was said after a tool", async () => {
    server.play({ calls: [{ name: "date", arguments: "{}" }] }, { text: [], finish: "length" });
    expect(wordsOf(await tell({ tools: [date] }))).toMatch(/^\(Cut off at the model's output limit\. /);
  });
});

describe("a model that thinks", () => {
  it("has its effort turned off where that is what its API wants for tools", async () => {
    server.script = ({ body }) =>
      body.reasoning_effort === "none"
        ? { text: "Fine." }
        : {
            status: 400,
            message: "Function tools with reasoning_effort are not supported: set it to 'none'.",
          };
    expect(wordsOf(await tell({ tools: [date] }))).toBe("Fine.");
  });

  it("is given its thoughts back with the call that they led to, and they are saved with it", async () => {
    server.play(
      { reasoning: "I must look.", calls: [{ name: "date", arguments: "{}" }] },
      { text: "Today." },
    );
    const events = await tell({ tools: [date] }, endpoint({ protocol: "anthropic" }));
    expect(events.filter(({ kind }) => kind === "reasoning")).not.toEqual([]);
    const sent = server.requests[1]?.body.messages[1];
    expect(sent.content.map(({ type }: { type: string }) => type)).toEqual(["thinking", "tool_use"]);
    expect(sent.content[0]).toMatchObject({ thinking: "I must look.", signature: "signed" });
    const messages = events.flatMap((event) => (event.kind === "message" ? [event.message] : []));
    expect(messages.map(({ reasoning }) => reasoning)).toEqual(["I must look.", undefined]);
  });

  it("gets none of the thoughts that were saved before this turn, and of long ones the beginning is saved", async () => {
    server.play({ reasoning: "Hm. ".repeat(10_000), text: "Yes." });
    const before = { role: "assistant", content: "Hi.", reasoning: "An old thought." } as const;
    const events = await tell({
      history: [{ role: "user", content: "Hello" }, before, { role: "user", content: "So?" }],
    });
    expect(JSON.stringify(server.requests[0]?.body)).not.toContain("An old thought");
    const saved = events.find((event) => event.kind === "message");
    expect(saved?.message.reasoning).toMatch(/^Hm\. Hm\. /);
    expect(saved?.message.reasoning?.length).toBeLessThanOrEqual(16_384);
  });
});

describe("what a server sends", () => {
  it("is made text that every store keeps, also where a character comes in two halves", async () => {
    server.play({ text: ["a\ud83d", "\ude00b\0", "c\ud83d"] });
    const events = await tell();
    expect(wordsOf(events)).toBe("a😀b\ufffdc");
    expect(events.find(({ kind }) => kind === "message")).toMatchObject({
      message: { content: "a😀b\ufffdc" },
    });
  });

  it("gets ids of its own where two calls share one", async () => {
    const call = { name: "date", arguments: "", id: "call_0" };
    server.play({ calls: [call] }, { calls: [call] }, { text: "Done." });
    const events = await tell({ tools: [date] });
    const ids = events.flatMap((event) => (event.kind === "tool call" ? [event.call.id] : []));
    expect(ids).toEqual(["call_0", "call_0_2"]);
  });

  it("may call a tool that is not there, or with arguments that are no JSON: it is told", async () => {
    server.play(
      {
        calls: [
          { name: "nope", arguments: "{}" },
          { name: "date", arguments: '{"a":' },
        ],
      },
      { text: "I see." },
    );
    const results = (await tell({ tools: [date] })).flatMap((event) =>
      event.kind === "tool result" ? [event.content] : [],
    );
    expect(results).toEqual([
      expect.stringContaining('no tool "nope"'),
      expect.stringContaining("not valid JSON"),
    ]);
  });

  it("does not lead the key elsewhere by a redirect", async () => {
    const other = await ModelServer.start([{ text: "Mine now." }]);
    const location = `${other.url.replace("//", "//me:pass@")}/messages?key=sk-canary`;
    server.play({ status: 307, headers: { location } });
    const where = endpoint({ protocol: "anthropic", apiKey: () => "sk-canary" });
    const failed = await tell({}, where).catch((error: Error) => error);
    expect(failed).toBeInstanceOf(AgentError);
    expect(failed).toMatchObject({
      message: `${new URL(server.url).host} redirects to ${other.url}. Baton does not follow redirects, because they could send your API key to another server. Set agent.baseUrl to the address where the server itself answers.`,
    });
    expect(server.requests).toHaveLength(1);
    expect(other.requests).toEqual([]);
    await other.close();
  });

  it.each([
    ["/v2/chat/completions", /redirects to http:\/\/127\.0\.0\.1:\d+\/v2\. /],
    ["http://", /redirects to another address\. /],
    [undefined, /redirects to another address\. /],
  ])("says where a redirect leads, as far as it says so: %s", async (location, told) => {
    server.play({ status: 302, ...(location === undefined ? {} : { headers: { location } }) });
    await expect(tell()).rejects.toThrow(told);
  });

  it.each(["m", null])(
    "says that a port is none to fetch from, and what to change (model: %s)",
    async (model) => {
      const where = endpoint({ baseUrl: "http://127.0.0.1:6000/v1", model });
      await expect(tell({}, where)).rejects.toThrow(
        /^The port of 127\.0\.0\.1:6000 is reserved for something other than HTTP, .* set agent\.baseUrl to it\.$/,
      );
      await expect(listModels(where)).rejects.toThrow(
        /^The port of .* is reserved for something other than HTTP/,
      );
    },
  );
});

describe("a turn's own model", () => {
  it("is asked instead of the usual one, with its own price", async () => {
    server.play({ text: "Yes.", usage: { input: 1_000_000, output: 0 } });
    const prices = { large: { input: 2, output: 0 } };
    const events = await tell({ model: "large" }, endpoint(), { prices });
    expect(server.requests[0]?.body.model).toBe("large");
    expect(events.find(({ kind }) => kind === "usage")).toMatchObject({ usage: { cost: 2 } });
  });

  it("is the first one listed where none is set", async () => {
    server.play({ text: "Yes." });
    await tell({}, endpoint({ model: null }));
    expect(server.requests[0]?.body.model).toBe("model-a");
    server.models = [];
    await expect(tell({}, endpoint({ model: null, protocol: "ollama" }))).rejects.toThrow(
      /lists no models\. Get one with `ollama pull`\./,
    );
  });
});

describe("a key that cannot be read", () => {
  it.each(["m", null])("is told in its own words (model: %s)", async (model) => {
    const apiKey = () => {
      throw new Error("The secret in /x cannot be used: the file is empty.");
    };
    const failed = await tell({}, endpoint({ apiKey, model })).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(AgentError);
    expect((failed as Error).message).toMatch(/^The secret in \/x cannot be used/);
  });

  it.each(["m", null])("nor sent is told with its setting, and not repeated (model: %s)", async (model) => {
    const failed = await tell({}, endpoint({ apiKey: () => "sk-…", model })).catch((error: unknown) => error);
    expect(failed).toEqual(
      new AgentError("The API key contains characters that are not allowed in a key. Check KEY."),
    );
    expect(server.requests).toEqual([]);
  });
});

describe("lists of models", () => {
  it("as each protocol has them", async () => {
    for (const protocol of ["openai", "anthropic", "ollama"] as const) {
      expect(await listModels(endpoint({ protocol }))).toEqual(["model-a", "model-b"]);
    }
  });

  it("a probe finds an Ollama, and nothing where none is", async () => {
    expect(await probeOllama(server.url)).toEqual(["model-a", "model-b"]);
    expect(await probeOllama("http://127.0.0.1:1/v1")).toBeNull();
    expect(await probeOllama("https://127.0.0.1/v1")).toBeNull();
    const deaf = createServer();
    await new Promise<void>((resolve) => deaf.listen(0, "127.0.0.1", resolve));
    expect(await probeOllama(`http://127.0.0.1:${(deaf.address() as AddressInfo).port}/v1`)).toBeNull();
    deaf.close();
  });
});
