/**
 * The models of the AI SDK's providers. Only `doStream` is used, one request a call: the loop, the retries and the
 * storage are ours. The packages are large, so they are loaded when a model is used, in parallel to the rest of the
 * start.
 */
import type { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { fetchWithReason } from "./done-mark.js";
import { type Endpoint, keyOf } from "./endpoint.js";
import { boundedFetch, hidingFetch } from "./http.js";

export type LanguageModel = ReturnType<ReturnType<typeof createOpenAICompatible>["languageModel"]>;
export type ModelRequest = Omit<Parameters<LanguageModel["doStream"]>[0], "abortSignal">;
export type Prompt = ModelRequest["prompt"];
type Stream = Awaited<ReturnType<LanguageModel["doStream"]>>["stream"];
export type StreamPart = Stream extends ReadableStream<infer Part> ? Part : never;
export type ModelUsage = Extract<StreamPart, { type: "finish" }>["usage"];
export type FinishReason = Extract<StreamPart, { type: "finish" }>["finishReason"]["unified"];

/** Starts to load what the first request needs; a failure shows up with that request. */
export function preload({ protocol }: Endpoint): void {
  loaded(protocol).catch(() => {});
}

function loaded(protocol: Endpoint["protocol"]): Promise<unknown> {
  return protocol === "anthropic" ? import("@ai-sdk/anthropic") : import("@ai-sdk/openai-compatible");
}

export async function openModel(endpoint: Endpoint, model: string): Promise<LanguageModel> {
  const { protocol, baseUrl, hide } = endpoint;
  const apiKey = keyOf(endpoint);
  const fetch = hide ? hidingFetch(hide) : boundedFetch;
  if (protocol === "anthropic") {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic({ baseURL: baseUrl, apiKey, fetch }).languageModel(model);
  }
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const provider = createOpenAICompatible({
    name: "openaiCompatible",
    baseURL: baseUrl,
    ...(apiKey === "" ? {} : { apiKey }),
    fetch: fetchWithReason(fetch),
    includeUsage: true,
  });
  return provider.languageModel(model);
}
