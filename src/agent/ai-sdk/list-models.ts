/** The names of the models that an endpoint offers, in its own order. */
import { AgentError } from "../agent.js";
import { type Endpoint, keyOf } from "./endpoint.js";
import { failureOf, StreamFailure, sentenceFor } from "./failure.js";
import { boundedFetch } from "./http.js";

/** How long a list may take. */
const LIST_MS = 10_000;
const MAX_MODELS = 5_000;

/** Fails with a sentence for people. */
export async function listModels(endpoint: Endpoint, signal?: AbortSignal): Promise<string[]> {
  const key = keyOf(endpoint);
  try {
    return namesIn(await fetchList(endpoint, key, signal));
  } catch (error) {
    const late = error instanceof Error && error.name === "TimeoutError";
    const failure = failureOf(late ? new StreamFailure("silent") : error, Date.now(), key);
    throw new AgentError(sentenceFor(failure, endpoint, endpoint.model ?? ""));
  }
}

async function fetchList(endpoint: Endpoint, key: string, signal: AbortSignal | undefined): Promise<unknown> {
  const { url, headers } = listing(endpoint, key);
  const limit = AbortSignal.timeout(LIST_MS);
  const response = await boundedFetch(url, {
    headers,
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  });
  const body = await response.text();
  if (!response.ok) {
    throw Object.assign(new Error(response.statusText), { statusCode: response.status, responseBody: body });
  }
  return JSON.parse(body);
}

function listing(
  { protocol, baseUrl }: Endpoint,
  key: string,
): { url: string; headers: Record<string, string> } {
  switch (protocol) {
    case "anthropic":
      return {
        url: `${baseUrl}/models?limit=1000`,
        headers: { "x-api-key": key, "anthropic-version": "2023-06-01" },
      };
    case "ollama":
      return { url: `${baseUrl.replace(/\/v1$/, "")}/api/tags`, headers: {} };
    case "openai":
      return { url: `${baseUrl}/models`, headers: key === "" ? {} : { authorization: `Bearer ${key}` } };
    default:
      return protocol satisfies never;
  }
}

/** `{ data: [{ id }] }`, or `{ models: [{ name }] }` as Ollama has it. */
export function namesIn(body: unknown): string[] {
  const { data, models } = (body ?? {}) as { data?: unknown; models?: unknown };
  const list = Array.isArray(data) ? data : Array.isArray(models) ? models : [];
  return list
    .map((each: { id?: unknown; name?: unknown } | null) => each?.id ?? each?.name)
    .filter((name): name is string => typeof name === "string" && name !== "")
    .slice(0, MAX_MODELS);
}
