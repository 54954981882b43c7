/**
 * The agent against model servers that somebody else wrote (`@copilotkit/aimock`), over both protocols: what the person
 * is shown when all goes well, and the sentence for each way in which providers fail.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type FixtureOpts, LLMock } from "@copilotkit/aimock";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { AgentError, type AgentEvent, type Tool } from "../../src/agent/agent.js";
import { aiSdkAgent } from "../../src/agent/ai-sdk/ai-sdk.js";
import type { Waits } from "../../src/agent/ai-sdk/ask.js";
import type { SessionId } from "../../src/session/ids.js";
import type { Message } from "../../src/session/transcript.js";
import { baton, makeHome } from "../support/baton.js";

const KEY = "sk-canary-0123456789";
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

type Response = Parameters<LLMock["on"]>[1];

let mock: LLMock;
beforeAll(async () => {
  mock = new LLMock({ logLevel: "silent" });
  await mock.start();
});
afterEach(() => void mock.reset());
afterAll(() => mock.stop());

const say = (response: Response, opts?: FixtureOpts) => mock.on({}, response, opts);
const error = (status: number, message: string, more = {}) => ({
  error: { message, type: "error" },
  status,
  ...more,
});

describe.each(["openai", "anthropic"] as const)("over %s", (protocol) => {
  interface Told {
    readonly text: string;
    readonly reasoning: string;
    /** The text as it came. */
    readonly pieces: readonly string[];
    readonly messages: readonly Message[];
    /** The sentence of a failure; null if there was none. */
    readonly failed: string | null;
  }

  async function ask(
    history: readonly Message[],
    tools: readonly Tool[] = [],
    waits: Partial<Waits> = {},
  ): Promise<Told> {
    const agent = aiSdkAgent({
      endpoint: {
        protocol,
        baseUrl: `${mock.url}/v1`,
        apiKey: () => KEY,
        keySetting: "TEST_API_KEY",
        contextTokens: 128_000,
        model: "model-a",
        images: true,
      },
      maxSteps: 5,
      prices: {},
      pathOf: (file) => file,
      waits: { sleep: async () => {}, random: () => 1, ...waits },
    });
    const words = { text: "", reasoning: "" };
    const messages: Message[] = [];
    const pieces: string[] = [];
    const turn = { sessionId: "s1" as SessionId, prompt: "Be brief.", history, tools };
    try {
      const events: AsyncIterable<AgentEvent> = agent.run({
        ...turn,
        signal: new AbortController().signal,
        steer: () => [],
      });
      for await (const event of events) {
        if (event.kind === "text" || event.kind === "reasoning") words[event.kind] += event.text;
        if (event.kind === "text") pieces.push(event.text);
        if (event.kind === "message") messages.push(event.message, ...event.results);
      }
      return { ...words, pieces, messages, failed: null };
    } catch (failure) {
      if (!(failure instanceof AgentError)) throw failure;
      return { ...words, pieces, messages, failed: failure.message };
    }
  }

  const hello: readonly Message[] = [{ role: "user", content: "hello" }];

  it("words that stream: they come in pieces, not at the end", async () => {
    say({ content: "Good day to you." }, { chunkSize: 3 });
    const told = await ask(hello);
    expect(told).toMatchObject({ text: "Good day to you.", reasoning: "", failed: null });
    expect(told.pieces.length).toBeGreaterThan(1);
    expect(told.messages).toEqual([{ role: "assistant", content: "Good day to you." }]);
  });

  it("a tool, and the answer to its result", async () => {
    mock.on({ hasToolResult: true }, { content: "It is noon." });
    mock.on({ hasToolResult: false }, { toolCalls: [{ name: "clock", arguments: '{"zone":"UTC"}' }] });
    const asked: unknown[] = [];
    const clock: Tool = {
      name: "clock",
      description: "tells the time",
      parameters: { type: "object", properties: { zone: { type: "string" } } },
      run: async (args) => {
        asked.push(args);
        return "12:00";
      },
    };
    const { messages, text } = await ask(hello, [clock]);
    expect(text).toBe("It is noon.");
    expect(asked).toEqual([{ zone: "UTC" }]);
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ["assistant", ""],
      ["tool", "12:00"],
      ["assistant", "It is noon."],
    ]);
  });

  it("two tools in one step, each with its own result", async () => {
    mock.on({ hasToolResult: true }, { content: "Done." });
    const toolCalls = ["UTC", "CET"].map((zone) => ({ name: "clock", arguments: JSON.stringify({ zone }) }));
    mock.on({ hasToolResult: false }, { toolCalls });
    const clock: Tool = {
      name: "clock",
      description: "tells the time",
      parameters: { type: "object", properties: { zone: { type: "string" } } },
      run: async (args) => `noon in ${(args as { zone: string }).zone}`,
    };
    const { messages, text, failed } = await ask(hello, [clock]);
    expect({ text, failed }).toEqual({ text: "Done.", failed: null });
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ["assistant", ""],
      ["tool", "noon in UTC"],
      ["tool", "noon in CET"],
      ["assistant", "Done."],
    ]);
  });

  it("reasoning, as thoughts of the protocol", async () => {
    say({ content: "Yes.", reasoning: "Let me see." });
    expect(await ask(hello)).toMatchObject({ text: "Yes.", reasoning: "Let me see.", failed: null });
  });

  it("reasoning, as <think> in the text: shown as thoughts, and no part of the answer", async () => {
    say({ content: "<think>Let me see.</think>\n\nYes." }, { chunkSize: 2 });
    const told = await ask(hello);
    expect(told).toMatchObject({ text: "Yes.", reasoning: "Let me see.", failed: null });
    expect(told.messages).toEqual([{ role: "assistant", content: "Yes.", reasoning: "Let me see." }]);
  });

  it("a picture", async () => {
    const file = join(makeHome(), "dot.png");
    const picture = Buffer.concat([PNG, Buffer.alloc(30_000, 7)]);
    writeFileSync(file, picture);
    say({ content: "A dot." });
    const attachments = [{ file, mediaType: "image/png", name: "dot.png" }];
    expect(await ask([{ role: "user", content: "what is it?", attachments }])).toMatchObject({
      text: "A dot.",
      failed: null,
    });
    // The server accepts pictures over both protocols, but does not keep them.
    const sent = Number(mock.getLastRequest()?.headers["content-length"]);
    expect(sent).toBeGreaterThan(picture.toString("base64").length);
  });

  it.each<[string, Response, FixtureOpts | undefined, RegExp]>([
    ["401", error(401, `Wrong key ${KEY}`), undefined, /refused the API key\. Check TEST_API_KEY\./],
    [
      "403",
      error(403, "Your country is not supported"),
      undefined,
      /refused the request: Your country is not supported\./,
    ],
    [
      "404",
      error(404, "The model `model-a` does not exist"),
      undefined,
      /has no model called "model-a"\. Run `baton models`/,
    ],
    [
      "429",
      error(429, "Slow down", { retryAfter: 600 }),
      undefined,
      /is rate-limiting you\. Try again in 600 seconds\./,
    ],
    ["500", error(500, "Oops"), undefined, /reported a server error: Oops\./],
    [
      "dropped before a word",
      { content: "x" },
      { chaos: { disconnectRate: 1 } },
      /ended too early|Can't reach/,
    ],
    ["malformed", { content: "x" }, { chaos: { malformedRate: 1 } }, /ended too early or was not valid/],
    ["empty", { content: "" }, undefined, /gave an empty answer/],
  ])("%s: a sentence that says what happened", async (_, response, opts, sentence) => {
    say(response, opts);
    const { failed, text } = await ask(hello);
    expect(failed).toMatch(sentence);
    expect(failed).not.toContain(KEY);
    expect(text).toBe("");
  });

  it.each([429, 500, 503])("%i, once: it is asked again, and the answer comes", async (status) => {
    say({ content: "Here I am." });
    mock.nextRequestError(status, { message: "Not now", type: "error" });
    expect(await ask(hello)).toMatchObject({ text: "Here I am.", failed: null });
    expect(mock.getRequests()).toHaveLength(2);
  });

  it.each([401, 403, 404])("%i is final: it is asked once", async (status) => {
    say(error(status, "No."));
    await ask(hello);
    expect(mock.getRequests()).toHaveLength(1);
  });

  it("dropped in the middle: what was said stays, and the sentence follows", async () => {
    say({ content: "Half of an answer that never ends." }, { chunkSize: 5, truncateAfterChunks: 4 });
    const { text, failed } = await ask(hello);
    expect("Half of an answer that never ends.".startsWith(text)).toBe(true);
    expect(failed).toMatch(/ended too early|Can't reach/);
  });

  it("endless: it is broken off", async () => {
    say({ content: "word ".repeat(20_000) }, { chunkSize: 500 });
    const { text, failed } = await ask(hello, [], { maxCharacters: 5_000 });
    expect(failed).toMatch(/kept sending without an end/);
    expect(text.length).toBeLessThanOrEqual(5_000);
  });

  it("endless thoughts: they are broken off, too", async () => {
    say({ content: "x", reasoning: "hm ".repeat(20_000) }, { chunkSize: 500 });
    const { text, failed } = await ask(hello, [], { maxCharacters: 5_000 });
    expect(failed).toMatch(/kept sending without an end/);
    expect(text).toBe("");
  });

  it("endless calls: they end with the last step, and Baton says so", async () => {
    say({ toolCalls: [{ name: "again", arguments: "{}" }] });
    let runs = 0;
    const again: Tool = {
      name: "again",
      description: "does nothing",
      parameters: { type: "object", properties: {} },
      run: async () => String(++runs),
    };
    const { failed, messages } = await ask(hello, [again]);
    expect({ failed, runs }).toEqual({ failed: null, runs: 5 });
    expect(messages.at(-1)?.content).toMatch(/^I stopped after 5 steps/);
  });

  it("endless silence: Baton stops waiting", async () => {
    say({ content: "never" }, { latency: 30_000 });
    const { text, failed } = await ask(hello, [], { firstWordMs: 50 });
    expect(failed).toMatch(/did not start to answer in time/);
    expect(text).toBe("");
  });
});

describe("through the command line", () => {
  const environments = (): [string, Record<string, string>][] => [
    ["openai", { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${mock.url}/v1`, BATON_AGENT_MODEL: "model-a" }],
    ["anthropic", { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: mock.url, BATON_AGENT_MODEL: "model-a" }],
  ];

  it("doctor asks the model, and fails with the cause", async () => {
    for (const [protocol, env] of environments()) {
      const home = makeHome();
      say({ content: "ok" });
      const well = await baton(home, ["doctor"], { env });
      expect(well.stdout, protocol).toMatch(new RegExp(`✓ model +${protocol}, model-a .* answers`));
      expect(well.code).toBe(0);
      mock.reset();
      say(error(404, "The model `model-a` does not exist"));
      const wrong = await baton(home, ["doctor"], { env });
      expect(wrong.stdout, protocol).toMatch(/✗ model .* has no model called "model-a"\./);
      expect(wrong.code).toBe(1);
      mock.reset();
    }
  });

  it("an answer goes to stdout, thoughts to stderr; a failure is one sentence and exit code 1", async () => {
    for (const [protocol, env] of environments()) {
      const home = makeHome();
      writeFileSync(join(home, "config.yaml"), "memory: { titles: words }\n");
      say({ content: "<think>Hm.</think>Hello." });
      expect(await baton(home, ["hello there"], { env }), protocol).toMatchObject({
        code: 0,
        stdout: "Hello.\n",
        stderr: "Hm.\n",
      });
      mock.reset();
      say(error(401, "No."));
      const run = await baton(home, ["hello there"], { env });
      expect(run, protocol).toMatchObject({ code: 1, stdout: "" });
      expect(run.stderr).toMatch(/refused the API key\. Check (?:OPENAI|ANTHROPIC)_API_KEY\./);
      mock.reset();
    }
  });
});
