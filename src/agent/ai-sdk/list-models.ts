/** What an endpoint offers, by name, in its own order. */
import type { Endpoint } from "./endpoint.js";
import { boundedFetch } from "./http.js";

/** How long a list may take. */
const LIST_MS = 10_000;
const MAX_MODELS = 5_000;

/** Fails as a request to the endpoint does: with the status and what was said. */
export async function listModels(endpoint: Endpoint, signal?: AbortSignal): Promise<string[]> {
  const { url, headers } = listing(endpoint);
  const limit = AbortSignal.timeout(LIST_MS);
  const response = await boundedFetch(url, {
    headers,
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  });
  const body = await response.text();
  if (!response.ok) {
    throw Object.assign(new Error(response.statusText), { statusCode: response.status, responseBody: body });
  }
  return namesIn(JSON.parse(body));
}

function listing({ protocol, baseUrl, apiKey }: Endpoint): { url: string; headers: Record<string, string> } {
  const key = apiKey?.() ?? "";
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
