/**
 * Asks a model for one step until it answers: again after a temporary failure, without what the model does not support,
 * with a shorter conversation if it is too long, and then at the next endpoint. Words that were streamed are never
 * taken back: once some have come, the step is what there is.
 */

import { fitted } from "../../memory/fit.js";
import { tokensOfAll } from "../../memory/tokens.js";
import { historyWindow } from "../../session/history-window.js";
import type { Message } from "../../session/transcript.js";
import { AgentError, type AgentEvent, type Tool, type TurnInput } from "../agent.js";
import { backoffMs, MAX_ATTEMPTS, MAX_WAIT_MS } from "./backoff.js";
import { type Endpoint, hostOf, keyOf } from "./endpoint.js";
import {
  type FailureKind,
  failureOf,
  isPassing,
  type ModelFailure,
  retryReason,
  StreamFailure,
  sentenceFor,
  WANTS_MODEL,
} from "./failure.js";
import { imagesOf } from "./images.js";
import { listModels } from "./list-models.js";
import { promptOf, type ReasoningPart, toolsOf } from "./prompt.js";
import { type ModelRequest, openModel } from "./provider.js";
import { type Step, type StreamLimits, streamStep } from "./stream-step.js";

/** Passed in, so that tests need not wait. */
export interface Waits extends StreamLimits {
  /** Ends early, without an error, when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random: () => number;
  readonly clock: () => number;
}

/** A turn under way. */
export interface ModelConversation {
  readonly turn: TurnInput;
  readonly waits: Waits;
  /** The first one is asked; the others are used if it fails. */
  endpoints: readonly [Endpoint, ...Endpoint[]];
  messages: readonly Message[];
  /** Finds a file of the media store. */
  readonly pathOf: (file: string) => string | null;
  readonly reasoning: Map<Message, readonly ReasoningPart[]>;
  /** True after the server refused a picture: no more pictures are sent in this turn. */
  imagesRefused: boolean;
  /** What each model turned out not to support, for as long as the agent lives. */
  readonly refused: Map<string, Set<FailureKind>>;
}

export interface StepRequest {
  readonly tools: readonly Tool[];
  readonly mayCall: boolean;
  readonly note: string | null;
  /** True if an empty answer is fine: after a tool was used. */
  readonly mayBeEmpty: boolean;
}

export interface AnsweredStep extends Omit<Step, "model"> {
  /** The model that was asked. */
  readonly model: string;
  /** The model that answered, as it says itself; null if it does not say. */
  readonly answeredBy: string | null;
  /** True if the words ended too early and another endpoint should continue. */
  readonly brokeOff: boolean;
}

const CONCESSIONS: readonly FailureKind[] = ["no images", "no tools", "no effort"];
const MAX_SHORTENINGS = 24;

export async function* ask(
  talk: ModelConversation,
  asking: StepRequest,
): AsyncGenerator<AgentEvent, AnsweredStep> {
  const { signal } = talk.turn;
  for (;;) {
    await talk.turn.beforeCall?.();
    const [endpoint, ...others] = talk.endpoints;
    let failed = { model: "", said: "", sentence: "", wantsModel: false };
    try {
      const model = await modelOf(endpoint, signal);
      const outcome = yield* askOne(talk, endpoint, model, asking);
      if (!("failure" in outcome)) return answered(outcome, model, false);
      const { failure, said } = outcome;
      const sentence = sentenceFor(failure, endpoint, model);
      failed = { model, said, sentence, wantsModel: WANTS_MODEL.includes(failure.kind) };
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      failed.sentence = error.message;
    }
    const { model, said, sentence, wantsModel } = failed;
    if (signal.aborted) return answered({ ...NOTHING, text: said }, model, false);
    const [next, ...rest] = others;
    if (!next) throw new AgentError(sentence, { wantsModel });
    talk.endpoints = [next, ...rest];
    yield { kind: "reasoning", text: `(${sentence} Trying another model.)\n` };
    if (said !== "") return answered({ ...NOTHING, text: said }, model, true);
  }
}

const NOTHING: Step = {
  ...{ text: "", calls: [], reasoning: [], thoughts: "" },
  ...{ usage: null, finish: null, model: null },
};

function answered(step: Step, model: string, brokeOff: boolean): AnsweredStep {
  return { ...step, model, answeredBy: step.model, brokeOff };
}

interface Failed {
  readonly failure: ModelFailure;
  /** The text that it had streamed before it failed. */
  readonly said: string;
}

async function* askOne(
  talk: ModelConversation,
  endpoint: Endpoint,
  modelId: string,
  asking: StepRequest,
): AsyncGenerator<AgentEvent, Step | Failed> {
  const { turn, waits } = talk;
  const refused = refusedBy(talk, endpoint, modelId);
  const secret = keyOf(endpoint);
  let attempts = 0;
  let shortenings = 0;
  for (;;) {
    let said = "";
    try {
      const model = await openModel(endpoint, modelId);
      await makeFit(talk, endpoint, asking, false);
      const request = await requestOf(talk, endpoint, refused, asking);
      const pieces = streamStep(model, request, turn.signal, waits);
      for (;;) {
        const { done, value } = await pieces.next();
        if (done) {
          if (isEmpty(value) && !asking.mayBeEmpty && !turn.signal.aborted) throw emptyAnswer(value);
          return value;
        }
        if (value.kind === "text") said += value.text;
        yield value;
      }
    } catch (error) {
      if (error instanceof AgentError) throw error;
      const failure = failureOf(error, waits.clock(), secret);
      if (said !== "") return { failure, said };
      if (turn.signal.aborted) return NOTHING;
      if (CONCESSIONS.includes(failure.kind) && !refused.has(failure.kind)) {
        refused.add(failure.kind);
        continue;
      }
      if (failure.kind === "bad image" && !talk.imagesRefused) {
        talk.imagesRefused = true;
        continue;
      }
      if (failure.kind === "too long") {
        const before = talk.messages;
        await makeFit(talk, endpoint, asking, true);
        if (talk.messages === before || ++shortenings > MAX_SHORTENINGS) return { failure, said };
        continue;
      }
      attempts += 1;
      const wait = Math.max(failure.retryAfterMs ?? 0, backoffMs(attempts, waits.random()));
      if (!isPassing(failure) || attempts >= MAX_ATTEMPTS || wait > MAX_WAIT_MS) return { failure, said };
      const reason = retryReason(failure, endpoint, modelId);
      yield { kind: "retry", reason, waitMs: wait, attempt: attempts + 1, attempts: MAX_ATTEMPTS };
      await waits.sleep(wait, turn.signal);
      if (turn.signal.aborted) return NOTHING;
    }
  }
}

/** Makes the conversation fit, as the turn wants it; an agent without that only makes shorter what was refused. */
async function makeFit(
  talk: ModelConversation,
  { contextTokens }: Endpoint,
  { tools, note }: StepRequest,
  refused: boolean,
): Promise<void> {
  const { turn, messages } = talk;
  if (turn.fit) {
    const texts = [turn.prompt, turn.labels, note, ...tools.map(textOf)];
    const besides = texts.filter((text) => typeof text === "string");
    talk.messages = await turn.fit({ messages, besides, contextTokens, refused });
  } else if (refused) {
    talk.messages = fitted(messages, Math.floor(tokensOfAll(messages) / 2));
  }
}

/** Tools are the same objects in every step of a turn. */
const TEXTS = new WeakMap<Tool, string>();

function textOf(tool: Tool): string {
  const text = TEXTS.get(tool) ?? JSON.stringify([tool.name, tool.description, tool.parameters]);
  TEXTS.set(tool, text);
  return text;
}

function labelsOf({ labels }: TurnInput): Message[] {
  return labels === undefined ? [] : [{ role: "user", content: labels }];
}

async function requestOf(
  talk: ModelConversation,
  endpoint: Endpoint,
  refused: ReadonlySet<FailureKind>,
  { tools, mayCall, note }: StepRequest,
): Promise<ModelRequest> {
  const withImages = endpoint.images && !refused.has("no images");
  const offered = refused.has("no tools") ? [] : tools;
  return {
    prompt: promptOf({
      context: talk.turn.prompt,
      messages: [...labelsOf(talk.turn), ...talk.messages],
      filesFolder: offered.some(({ name }) => name === "read_file") ? (talk.turn.filesFolder ?? null) : null,
      images: withImages ? await imagesOf(talk.imagesRefused ? [] : talk.messages, talk.pathOf) : null,
      reasoning: endpoint.protocol === "anthropic" ? talk.reasoning : new Map(),
      note,
    }),
    ...(offered.length > 0 ? { tools: toolsOf(offered) } : {}),
    ...(offered.length > 0 && !mayCall ? { toolChoice: { type: "none" } } : {}),
    ...(refused.has("no effort")
      ? { providerOptions: { openaiCompatible: { reasoningEffort: "none" } } }
      : {}),
  };
}

function refusedBy(talk: ModelConversation, endpoint: Endpoint, model: string): Set<FailureKind> {
  const key = `${endpoint.baseUrl} ${model}`;
  const refused = talk.refused.get(key) ?? new Set();
  talk.refused.set(key, refused);
  return refused;
}

function isEmpty({ text, calls }: Step): boolean {
  return text.trim() === "" && calls.length === 0;
}

function emptyAnswer({ finish }: Step): StreamFailure {
  if (finish === "length")
    return new StreamFailure("empty", "it reached its output limit before it wrote anything");
  return new StreamFailure("empty", finish === "content-filter" ? "its provider's filter blocked it" : "");
}

/** The model to ask: the session's own, the one that is set, or the first that the endpoint lists. */
export async function modelOf(endpoint: Endpoint, signal: AbortSignal): Promise<string> {
  if (endpoint.model !== null) return endpoint.model;
  const [first] = await listModels(endpoint, signal);
  if (first !== undefined) return first;
  const cure =
    endpoint.protocol === "ollama" ? "Get one with `ollama pull`" : "Name one in agent.model in config.yaml";
  throw new AgentError(`${hostOf(endpoint)} lists no models. ${cure}.`);
}

/** Makes a history start in a valid way. */
export function conversationOf(history: readonly Message[]): readonly Message[] {
  return historyWindow(history, { maxMessages: history.length });
}
