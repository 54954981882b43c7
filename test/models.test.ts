/**
 * Models through the whole gateway, over both protocols: what the chat is told and what the transcript holds, when all
 * goes well and when the provider fails in each of the ways that providers do.
 */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Tool } from "../src/agent/agent.js";
import { type AiSdkOptions, aiSdkAgent } from "../src/agent/ai-sdk/ai-sdk.js";
import type { Waits } from "../src/agent/ai-sdk/ask.js";
import type { Endpoint } from "../src/agent/ai-sdk/endpoint.js";
import { type Chat, World } from "./support/gateway-world.js";
import { ModelServer, type Reply } from "./support/model-server.js";

const KEY = "sk-canary-0123456789";

describe.each(["openai", "anthropic"] as const)("over %s", (protocol) => {
  let server: ModelServer;
  let world: World;
  let ann: Chat;
  let waited: number[];

  beforeEach(async () => {
    server = await ModelServer.start();
    waited = [];
  });
  afterEach(async () => {
    await world.close();
    await server.close();
  });

  function endpoint(more: Partial<Endpoint> = {}): Endpoint {
    const base = { protocol, baseUrl: server.url, model: "model-a", images: true };
    return { ...base, apiKey: () => KEY, keySetting: "TEST_API_KEY", contextTokens: 128_000, ...more };
  }

  interface Setting extends Partial<Omit<AiSdkOptions, "waits">> {
    readonly waits?: Partial<Waits>;
    readonly tools?: readonly Tool[];
  }

  async function open({ tools = [], waits, ...options }: Setting = {}): Promise<void> {
    const agent = aiSdkAgent({
      endpoint: endpoint(),
      maxSteps: 50,
      prices: {},
      ...options,
      waits: {
        sleep: async (ms) => {
          waited.push(ms);
        },
        random: () => 1,
        ...waits,
      },
    });
    world = await World.open({
      gateway: { agent, tools: () => tools, toolLists: { members: tools.map(({ name }) => name) } },
    });
    ann = world.chat("ann");
  }

  async function retried(answer: string): Promise<void> {
    await ann.write("/retry");
    await world.adapter.until(() => ann.told.includes(answer));
  }

  it("words, thoughts that are not kept, and what they cost", async () => {
    await open({ prices: { "model-a": { input: 3, output: 15, cacheRead: 0.3 } } });
    server.play({
      reasoning: "Let me think.",
      text: ["Good ", "day."],
      usage: { input: 1_000, output: 100, cacheRead: 10_000 },
    });
    expect(await ann.ask("hello")).toBe("Good day.");
    expect(await ann.transcript()).toEqual(["user: hello", "assistant: Good day."]);
    expect(await ann.session()).toMatchObject({
      inputTokens: 1_000,
      outputTokens: 100,
      cacheReadTokens: 10_000,
      cost: expect.closeTo(0.0075, 9),
    });
  });

  it("two tools at once, in one step, with their results in the order of the calls", async () => {
    const order: string[] = [];
    let bothBegan: () => void = () => {};
    const both = new Promise<void>((resolve) => {
      bothBegan = resolve;
    });
    const slow = tool("slow", async () => {
      order.push("slow begins");
      await both;
      order.push("slow ends");
      return "one";
    });
    const quick = tool("quick", async () => {
      order.push("quick ends");
      bothBegan();
      return "two";
    });
    await open({ tools: [slow, quick] });
    server.play(
      {
        text: "Both.",
        calls: [
          { name: "slow", arguments: '{"n":1}' },
          { name: "quick", arguments: "{}" },
        ],
      },
      { text: "Done." },
    );
    await ann.write("go");
    await world.adapter.until(() => ann.told.length === 2);
    expect(ann.told).toEqual(["Both.", "Done."]);
    expect(order).toEqual(["slow begins", "quick ends", "slow ends"]);
    expect(await ann.transcript()).toEqual([
      "user: go",
      "assistant: Both.",
      "tool: one",
      "tool: two",
      "assistant: Done.",
    ]);
    const sent = JSON.stringify(server.requests[1]?.body.messages);
    expect(sent.indexOf("one")).toBeLessThan(sent.indexOf("two"));
    expect(JSON.stringify(server.requests[0]?.body.tools)).toMatch(/"slow".*"quick"|"quick".*"slow"/);
  });

  describe("is asked again", () => {
    it("after a 429, when the server says", async () => {
      await open();
      server.play({ status: 429, headers: { "retry-after": "7" } }, { text: "Now." });
      expect(await ann.ask("hello")).toBe("Now.");
      expect(waited).toEqual([7_000]);
    });

    it("after 500s, each time a little later", async () => {
      await open();
      server.play(
        { status: 500 },
        { status: 503 },
        { status: 529, type: "overloaded_error" },
        { text: "Now." },
      );
      expect(await ann.ask("hello")).toBe("Now.");
      expect(waited).toEqual([500, 1_000, 2_000]);
    });

    it.each<[string, Reply]>([
      ["the connection drops", { ending: "drop" }],
      ["the stream ends too early", { ending: "cut" }],
      ["an event is not JSON", { ending: "malformed" }],
      ["an error is streamed", { ending: "error" }],
      ["the answer is empty", {}],
    ])("where %s before a word was said", async (_, failure) => {
      await open();
      server.play(failure, { text: "Now." });
      expect(await ann.ask("hello")).toBe("Now.");
      expect(await ann.transcript()).toEqual(["user: hello", "assistant: Now."]);
      expect(waited).toHaveLength(1);
    });
  });

  describe("fails with a sentence, and /retry works", () => {
    it.each<[string, Reply, RegExp, number]>([
      [
        "500s without end",
        { status: 500, message: "Oops" },
        /^127\.0\.0\.1:\d+ reported a server error: Oops\. /,
        4,
      ],
      ["429s without end", { status: 429 }, /is rate-limiting you\. Try again in a minute\. /, 4],
      [
        "a long wait",
        { status: 429, headers: { "retry-after": "600" } },
        /is rate-limiting you\. Try again in 600 seconds\. /,
        1,
      ],
      ["no quota", { status: 429, type: "insufficient_quota" }, /no credit or quota left\. /, 1],
      [
        "a wrong key",
        { status: 401, message: `Bad key ${KEY}` },
        /refused the API key\. Check TEST_API_KEY\. /,
        1,
      ],
      [
        "no such model",
        { status: 404, message: "model not found" },
        /no model called "model-a"\. .* \/model\. /,
        1,
      ],
      [
        "a refusal",
        { status: 400, message: `I do not like ${KEY}` },
        /refused the request: I do not like \*\*\*\. /,
        1,
      ],
      ["silence", { ending: "silence" }, /stopped sending/, 4],
    ])("%s", async (_, failure, sentence, requests) => {
      await open(silentAfter(250, failure));
      server.play(failure);
      const told = await ann.ask("hello");
      expect(told).toMatch(sentence);
      expect(told).toMatch(/ Try again with \/retry\.$/);
      expect(told).not.toContain(KEY);
      expect(server.requests).toHaveLength(requests);
      expect(await ann.transcript()).toEqual(["user: hello"]);
      server.play({ text: "Better." });
      await retried("Better.");
      expect(await ann.transcript()).toEqual(["user: hello", "assistant: Better."]);
      expect(world.problems.join()).not.toContain(KEY);
    });

    it.each<[string, Reply, RegExp]>([
      ["drops", { text: ["Half ", "a "], ending: "drop" }, /ended too early/],
      ["ends too early", { text: ["Half ", "a "], ending: "cut" }, /ended too early/],
      ["is not JSON", { text: ["Half ", "a "], ending: "malformed" }, /ended too early|server error/],
      [
        "has an error",
        { text: ["Half ", "a "], ending: "error" },
        /reported a server error: The engine is on fire\./,
      ],
      ["goes silent", { text: ["Half ", "a "], ending: "silence" }, /stopped sending/],
    ])("a stream that %s in the middle: what was said is kept", async (_, failure, sentence) => {
      await open(silentAfter(700, failure));
      server.play(failure);
      await ann.write("hello");
      await world.adapter.until(() => ann.told.length === 2);
      expect(ann.told[0]).toBe("Half a");
      expect(ann.told[1]).toMatch(sentence);
      expect(server.requests).toHaveLength(1);
      expect(await ann.transcript()).toEqual(["user: hello", "assistant: Half a "]);
      server.play({ text: "Whole." });
      await retried("Whole.");
      expect(await ann.transcript()).toEqual(["user: hello", "assistant: Whole."]);
    });

    it("a stream without an end: it is broken off, and what was said is kept", async () => {
      await open({ waits: { maxCharacters: 5_000 } });
      server.play({ text: "On and on: ", ending: "endless" });
      await ann.write("hello");
      await world.adapter.until(() => ann.told.length >= 2);
      expect(ann.told.at(-1)).toMatch(/kept sending without an end/);
      const [, answer = ""] = await ann.transcript();
      expect(answer).toMatch(/^assistant: On and on: word /);
      expect(answer.length).toBeLessThan(5_100);
      server.play({ text: "Short." });
      await retried("Short.");
    });

    it("a server that is not there", async () => {
      await open();
      const { host } = server;
      await server.close();
      expect(await ann.ask("hello")).toBe(
        `Can't reach the model's server at ${host}. Check that it is running and that the network works. Try again with /retry.`,
      );
      server = await ModelServer.start();
    });
  });

  it("may take its time, as long as something comes", async () => {
    await open({ waits: { silenceMs: 1_000 } });
    server.play({ text: [..."very, very slow"], pauseMs: 80 });
    expect(await ann.ask("hello")).toBe("very, very slow");
  });

  describe("a conversation that is too long", () => {
    const tooLong: Reply =
      protocol === "openai"
        ? {
            status: 400,
            message: "This model's maximum context length is 9 tokens.",
            type: "context_length_exceeded",
          }
        : {
            status: 400,
            message: "prompt is too long: 10 tokens > 9 maximum",
            type: "invalid_request_error",
          };

    it("is met by a shorter window that ends with what is to be answered", async () => {
      await open();
      server.play({ text: "Yes." });
      for (let n = 1; n <= 8; n++) await ann.ask(`message ${n}`);
      server.requests.length = 0;
      server.script = ({ body }) =>
        spoken(body).length > 4 ? tooLong : { text: `I saw ${spoken(body).length}.` };
      expect(await ann.ask("the last one")).toBe("I saw 3.");
      expect(server.requests.map(({ body }) => spoken(body).length)).toEqual([17, 7, 3]);
      expect(spoken(server.requests.at(-1)?.body).at(-1)).toContain("the last one");
      expect(waited).toEqual([]);
      expect(await ann.transcript()).toHaveLength(18);
    });

    it("is told where a single message is too long, after it was cut as far as makes sense", async () => {
      await open();
      server.play(tooLong);
      expect(await ann.ask("x".repeat(20_000))).toMatch(/This message alone is too long for model-a/);
      expect(server.requests.length).toBeLessThan(10);
      expect(await ann.transcript()).toHaveLength(1);
    });
  });

  describe("with a fallback", () => {
    const fallback = () => endpoint({ model: "model-b" });

    it("the other model answers where the first one fails", async () => {
      await open({ fallback: fallback() });
      server.script = ({ body }) => (body.model === "model-b" ? { text: "B here." } : { status: 401 });
      expect(await ann.ask("hello")).toBe("B here.");
      expect(await ann.transcript()).toEqual(["user: hello", "assistant: B here."]);
    });

    it("also where the first one does not even say what models it has", async () => {
      await open({
        endpoint: endpoint({ baseUrl: "http://127.0.0.1:81/v1", model: null }),
        fallback: fallback(),
      });
      server.play({ text: "B here." });
      expect(await ann.ask("hello")).toBe("B here.");
    });

    it("goes on where the first one broke off", async () => {
      await open({ fallback: fallback() });
      server.script = ({ body }) =>
        body.model === "model-b" ? { text: "the rest." } : { text: "One half, ", ending: "drop" };
      await ann.write("hello");
      await world.adapter.until(() => ann.told.length === 2);
      expect(ann.told).toEqual(["One half,", "the rest."]);
      expect(await ann.transcript()).toEqual([
        "user: hello",
        "assistant: One half, ",
        "assistant: the rest.",
      ]);
      expect(JSON.stringify(server.requests[1]?.body.messages)).toContain("was cut off");
    });

    it("the sentence is the last one's where both fail", async () => {
      await open({ fallback: fallback() });
      server.script = ({ body }) => ({ status: body.model === "model-b" ? 402 : 401 });
      expect(await ann.ask("hello")).toMatch(/no credit or quota/);
    });
  });

  it("has a last word without tools once its steps are used up", async () => {
    const calls: string[] = [];
    await open({
      maxSteps: 2,
      tools: [
        tool("again", async () => {
          calls.push("again");
          return "and again";
        }),
      ],
    });
    server.play(
      { calls: [{ name: "again", arguments: "{}" }] },
      { calls: [{ name: "again", arguments: "{}" }] },
      { text: "I leave it there.", calls: [{ name: "again", arguments: "{}" }] },
    );
    expect(await ann.ask("go")).toBe("I leave it there.");
    expect(calls).toHaveLength(2);
    const { body } = server.requests[2] ?? {};
    expect(body.tool_choice).toEqual(protocol === "openai" ? "none" : { type: "none" });
    expect(JSON.stringify(body.messages.at(-1))).toContain("You have used all 2 steps");
    expect(await ann.transcript()).toHaveLength(6);
    server.play({ calls: [{ name: "again", arguments: "{}" }] });
    expect(await ann.ask("go")).toMatch(/^I stopped after 2 steps/);
  });

  it("gives up what a model does not take, and remembers it", async () => {
    await open({ tools: [tool("date", async () => "today")] });
    server.script = ({ body }) =>
      body.tools ? { status: 400, message: "model-a does not support tools" } : { text: "Without." };
    expect(await ann.ask("hello")).toBe("Without.");
    await ann.ask("again");
    expect(server.requests.map(({ body }) => body.tools !== undefined)).toEqual([true, false, false]);
  });

  it("says the same first words each time, so that a cache holds", async () => {
    await open();
    server.play({ text: "Yes." });
    await ann.ask("one");
    await ann.ask("two");
    const [first, second] = server.requests.map(({ body }) => body);
    if (protocol === "openai") {
      expect(second.messages[0]).toMatchObject({ role: "system" });
      expect(second.messages.slice(0, first.messages.length)).toEqual(first.messages);
    } else {
      expect(second.system).toEqual(first.system);
      expect(second.system.at(-1).cache_control).toEqual({ type: "ephemeral" });
      expect(second.messages.at(-1).content.at(-1).cache_control).toEqual({ type: "ephemeral" });
      const [begun, again] = [first, second].map(({ messages }) => messages[0].content[0].text);
      expect(again).toBe(begun);
      expect(again).toMatch(/\none$/);
    }
  });
});

/** Waits briefly only where silence is what is tested: a busy machine may be slow, too. */
function silentAfter(silenceMs: number, reply: Reply): { waits?: { silenceMs: number } } {
  return "ending" in reply && reply.ending === "silence" ? { waits: { silenceMs } } : {};
}

function tool(name: string, run: Tool["run"]): Tool {
  return { name, description: `Does ${name}.`, parameters: { type: "object", properties: {} }, run };
}

/** What a request holds beside its instructions. */
function spoken(body: { messages: { role: string }[] } | undefined): string[] {
  return (body?.messages ?? [])
    .filter(({ role }) => role !== "system")
    .map((message) => JSON.stringify(message));
}
