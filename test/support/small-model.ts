/**
 * A model with a small context window, over the protocol of OpenAI: it counts tokens in its own way, refuses what is too
 * long or invalid, and sums up by keeping what looks like a fact. What it was asked can be looked at.
 */
import type { Tool } from "../../src/agent/agent.js";
import { aiSdkAgent } from "../../src/agent/ai-sdk/ai-sdk.js";
import { ModelServer, type Reply, type SeenRequest } from "./model-server.js";

interface SentMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string } }[];
  readonly tool_call_id?: string;
}

export class SmallModel {
  readonly server: ModelServer;
  contextTokens: number;
  /** What was wrong with a request, each in words. */
  readonly wrong: string[] = [];
  /** The requests of the conversation, as text; and how large the largest was. */
  readonly asked: string[] = [];
  largest = 0;
  summaries = 0;
  /** What it was asked to sum up, and what of that it failed at. */
  readonly records: string[] = [];
  readonly failedRecords: string[] = [];
  /** What it says should be remembered, how often it was asked, and about what. */
  facts = "none";
  /** What it calls a conversation, or null if it fails; and how often it was asked. */
  title: string | null = "A talk";
  titled = 0;
  remembered = 0;
  readonly recorded: string[] = [];
  /** Null if it sums up; else what it answers instead. A text is what it writes as a summary, not what it remembers. */
  summaryFails: Reply | null = null;
  /** What it makes of a record: it keeps what looks like a fact, and what was asked for. */
  summaryReply = (record: string): Reply => {
    const facts = [...new Set(record.match(/FACT \w+ is \w+/g) ?? [])];
    const asked = record.match(/please sign with a \w+ until we are done/)?.[0];
    return {
      text: `SUMMARY\nThey talked. ${facts.slice(0, 30).join(". ")}.\nINSTRUCTIONS\n${asked ?? "none"}\nREMEMBER\n${this.facts}`,
    };
  };
  /** What it answers in the conversation. */
  reply: (messages: readonly SentMessage[]) => Reply = () => ({ text: "Fine." });

  static async start(contextTokens = 8_000): Promise<SmallModel> {
    const server = await ModelServer.start();
    return new SmallModel(server, contextTokens);
  }

  private constructor(server: ModelServer, contextTokens: number) {
    this.server = server;
    this.contextTokens = contextTokens;
    server.script = (request) => this.#answer(request);
  }

  agent(prices = {}) {
    const { url } = this.server;
    const endpoint = { protocol: "openai", baseUrl: url, model: "small", images: false } as const;
    return aiSdkAgent({
      endpoint: { ...endpoint, apiKey: null, keySetting: "KEY", contextTokens: this.contextTokens },
      maxSteps: 20,
      prices,
      waits: { sleep: async () => {}, random: () => 1 },
    });
  }

  close(): Promise<void> {
    return this.server.close();
  }

  #answer({ body }: SeenRequest): Reply {
    this.server.requests.length = 0; // Thousands of them are not kept.
    const messages: readonly SentMessage[] = body.messages;
    const text = JSON.stringify([messages, body.tools ?? []]);
    const tokens = countedBy(text);
    const isSummary = String(messages[0]?.content).startsWith("You keep the memory of");
    if (tokens > this.contextTokens) {
      this.wrong.push(`${tokens} tokens`);
      return { status: 400, message: `This model's maximum context length is ${this.contextTokens} tokens.` };
    }
    this.wrong.push(...problemsIn(messages));
    if (String(messages[0]?.content).startsWith("You name conversations")) {
      this.titled += 1;
      return this.title === null
        ? { status: 400 }
        : { text: this.title, usage: { input: tokens, output: 3 } };
    }
    const reply = isSummary ? this.#summary(messages) : this.#spoken(messages, text);
    if (!isSummary) this.largest = Math.max(this.largest, tokens);
    return "status" in reply ? reply : { usage: { input: tokens, output: 20 }, ...reply };
  }

  #spoken(messages: readonly SentMessage[], text: string): Reply {
    this.asked.push(text);
    return this.reply(messages);
  }

  #summary(messages: readonly SentMessage[]): Reply {
    const record = String(messages.at(-1)?.content);
    const isMemory = String(messages[0]?.content).startsWith("You keep the memory of an AI agent");
    if (this.summaryFails && !(isMemory && "text" in this.summaryFails)) {
      this.failedRecords.push(record);
      return this.summaryFails;
    }
    if (isMemory) {
      this.remembered += 1;
      this.recorded.push(record);
      return { text: this.facts };
    }
    this.records.push(record);
    const reply = this.summaryReply(record);
    this.summaries += 1;
    return reply;
  }
}

/** In its own way: words, signs, and parts of long words. */
function countedBy(text: string): number {
  let tokens = 0;
  for (const [word] of text.matchAll(/[A-Za-z]+|\d|[^\sA-Za-z\d]/g)) tokens += Math.ceil(word.length / 6);
  return tokens;
}

function problemsIn(messages: readonly SentMessage[]): string[] {
  const problems: string[] = [];
  const first = messages.find(({ role }) => role !== "system");
  if (first?.role !== "user") problems.push(`begins with ${first?.role}`);
  if (messages.at(-1)?.role === "assistant") problems.push("ends with an answer");
  let open: string[] = [];
  messages.forEach(({ role, tool_calls, tool_call_id }, index) => {
    if (role === "tool") {
      if (!open.includes(tool_call_id ?? "")) problems.push(`result ${index} without a call`);
      open = open.filter((id) => id !== tool_call_id);
    } else if (open.length > 0) problems.push(`calls ${open.join()} without a result`);
    if (role === "user" && messages[index - 1]?.role === "user")
      problems.push(`two user messages at ${index}`);
    if (role === "assistant") open = (tool_calls ?? []).map(({ id }) => id);
  });
  if (open.length > 0) problems.push("calls without a result at the end");
  return problems;
}

/** A tool that says a lot. */
export function lookUp(): Tool {
  return {
    name: "look_up",
    description: "Looks something up.",
    parameters: { type: "object", properties: { n: { type: "integer" } } },
    run: async (args) => `found ${JSON.stringify(args)} ${"and more of it ".repeat(20)}`,
  };
}
