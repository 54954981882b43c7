/**
 * The agent that uses a model. It makes one request a step until the model calls no more tools. The tools of a step run
 * at the same time, and their results keep the order of the calls. Messages that arrive meanwhile are added between
 * steps.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Message, ToolCall } from "../../session/transcript.js";
import { shorten } from "../../util/text.js";
import { timerMs } from "../../util/timer-ms.js";
import type { Agent, AgentEvent, AssistantMessage, ToolMessage, TurnInput } from "../agent.js";
import { runToolCall } from "../tool-call.js";
import { type AnsweredStep, ask, conversationOf, type ModelConversation, type Waits } from "./ask.js";
import { type Endpoint, hostOf } from "./endpoint.js";
import type { FailureKind } from "./failure.js";
import { type FinishReason, preload } from "./provider.js";
import { type Prices, priceOf, usageOf } from "./usage.js";

export interface AiSdkOptions {
  readonly endpoint: Endpoint;
  /** Used if the first endpoint fails. */
  readonly fallback?: Endpoint;
  /** How often the model may call tools in a turn before it must give its final answer. */
  readonly maxSteps: number;
  /** By model. */
  readonly prices: Readonly<Record<string, Prices>>;
  /** Finds a file of the media store; without it, no images are sent. */
  readonly pathOf?: (file: string) => string | null;
  readonly waits?: Partial<Waits>;
}

const WAITS: Waits = {
  firstWordMs: 60_000,
  silenceMs: 180_000,
  maxCharacters: 1_000_000,
  sleep: async (ms, signal) => {
    await delay(timerMs(ms), undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  },
  random: Math.random,
  clock: Date.now,
};

export function aiSdkAgent(options: AiSdkOptions): Agent {
  const refused = new Map<string, Set<FailureKind>>();
  const { endpoint } = options;
  preload(endpoint);
  return {
    name: shorten(endpoint.model ?? hostOf(endpoint), 40),
    contextTokens: endpoint.contextTokens,
    run: (turn) => run(turn, options, refused),
  };
}

async function* run(
  turn: TurnInput,
  options: AiSdkOptions,
  refused: ModelConversation["refused"],
): AsyncGenerator<AgentEvent> {
  const { endpoint, fallback, maxSteps } = options;
  const first = turn.model === undefined ? endpoint : { ...endpoint, model: turn.model };
  const talk: ModelConversation = {
    turn,
    waits: { ...WAITS, ...options.waits },
    endpoints: fallback ? [first, fallback] : [first],
    messages: conversationOf(turn.history),
    pathOf: options.pathOf ?? (() => null),
    reasoning: new Map(),
    imagesRefused: false,
    refused,
  };
  let steps = 0;
  let note: string | null = null;
  while (!turn.signal.aborted) {
    const mayCall = steps < maxSteps;
    const asked: AnsweredStep = yield* ask(talk, {
      tools: turn.tools,
      mayCall,
      note: mayCall ? note : lastWord(maxSteps),
      mayBeEmpty: steps > 0,
    });
    steps += 1;
    const calls = mayCall ? distinct(asked.calls, talk.messages) : [];
    const text = calls.length === 0 ? yield* sayCutShort(asked) : asked.text;
    yield* keep(talk, { ...asked, text }, calls, options.prices);
    note = asked.brokeOff ? GO_ON : null;
    const heard = hear(talk);
    if (asked.brokeOff || calls.length > 0) continue;
    if (!mayCall && text.trim() === "") yield* sayStopped(maxSteps);
    if (!heard.some(({ role }) => role === "user")) break;
    steps = 0;
  }
  yield { kind: "done", stopped: turn.signal.aborted };
}

const GO_ON =
  "[Note] Your last message was cut off at its end. Continue exactly from there, and repeat nothing.";

function lastWord(steps: number): string {
  return (
    `[Note] You have used all ${steps} steps of this turn, so you can't call more tools. ` +
    "Answer now with what you have, and say what is left to do."
  );
}

/** What is saved of them: people may read it afterwards; no model does. */
const LONGEST_THOUGHTS = 16_384;

/** Runs the calls of the step and emits all of it as one message. After an abort it emits what there is. */
async function* keep(
  talk: ModelConversation,
  { text, usage, reasoning, thoughts, model, answeredBy }: AnsweredStep,
  calls: readonly ToolCall[],
  prices: AiSdkOptions["prices"],
): AsyncGenerator<AgentEvent> {
  const { tools, signal } = talk.turn;
  for (const call of calls) yield { kind: "tool call", call };
  const running = calls.map((call) => runToolCall(call, tools, signal));
  const results: ToolMessage[] = [];
  for (const [index, call] of calls.entries()) {
    const content = (await running[index]) ?? "";
    yield { kind: "tool result", call, content };
    results.push({ role: "tool", toolCallId: call.id, name: call.name, content });
  }
  // Before the message, so that both can be kept in one transaction.
  if (usage) {
    const other = answeredBy === null || answeredBy === model ? {} : { answeredBy };
    yield { kind: "usage", model, ...other, usage: usageOf(usage, priceOf(prices, answeredBy, model)) };
  }
  if (text === "" && calls.length === 0) return;
  const message: AssistantMessage = {
    role: "assistant",
    content: text,
    ...(calls.length > 0 ? { toolCalls: calls } : {}),
    ...(thoughts.trim() === "" ? {} : { reasoning: shorten(thoughts.trim(), LONGEST_THOUGHTS) }),
  };
  yield { kind: "message", message, results };
  talk.messages = [...talk.messages, message, ...results];
  if (reasoning.length > 0) talk.reasoning.set(message, reasoning);
}

/** An answer that was cut off says so, so that nobody takes a part for the whole. */
const CUT_SHORT: Partial<Record<FinishReason, string>> = {
  length: `(Cut off at the model's output limit. Say "go on" to continue.)`,
  "content-filter": "(The model's provider blocked the rest of this answer.)",
};

async function* sayCutShort({ text, finish }: AnsweredStep): AsyncGenerator<AgentEvent, string> {
  const why = finish === null ? undefined : CUT_SHORT[finish];
  if (why === undefined) return text;
  const note = text === "" ? why : `\n\n${why}`;
  yield { kind: "text", text: note };
  return text + note;
}

async function* sayStopped(maxSteps: number): AsyncGenerator<AgentEvent> {
  const content = `I stopped after ${maxSteps} steps and am not done yet. Say "go on" to continue.`;
  yield { kind: "text", text: content };
  yield { kind: "message", message: { role: "assistant", content }, results: [] };
}

/** Messages that arrived since the last call; none once the turn was stopped. */
function hear(talk: ModelConversation): readonly Message[] {
  if (talk.turn.signal.aborted) return [];
  const heard = talk.turn.steer();
  talk.messages = [...talk.messages, ...heard];
  return heard;
}

/** Gives each call an id that no other call has: some servers start counting again in each answer. */
function distinct(calls: readonly ToolCall[], messages: readonly Message[]): ToolCall[] {
  const used = new Set(
    messages.flatMap((message) =>
      message.role === "assistant" ? (message.toolCalls ?? []).map(({ id }) => id) : [],
    ),
  );
  return calls.map((call) => {
    const base = call.id || "call";
    let id = base;
    for (let n = 2; used.has(id); n++) id = `${base}_${n}`;
    used.add(id);
    return { ...call, id };
  });
}
