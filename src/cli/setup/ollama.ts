/** A local Ollama: its address, and if it is running. */

import { ollamaUrl as modelUrl } from "../../config/model-url.js";
import { parsedUrl } from "../../util/parsed-url.js";

/** Nobody waits so long if it is not running: then the connection is refused at once. */
const PATIENCE_MS = 5_000;

export const USUAL_OLLAMA = "http://127.0.0.1:11434";

/** The address in `OLLAMA_HOST`, as the agent reads it; the default one if it is not an address. */
export function ollamaUrl(host: string | null): string {
  const url = modelUrl(host ?? "").replace(/\/v1$/, "");
  return /^https?:/i.test(url) && parsedUrl(url) ? url : USUAL_OLLAMA;
}

/** The names of its models; null if it is not running. */
export async function ollamaModels(url: string): Promise<string[] | null> {
  try {
    const answer = await fetch(`${url}/api/tags`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (!answer.ok) return null;
    const { models } = (await answer.json()) as { models?: unknown };
    if (!Array.isArray(models)) return null;
    return models.flatMap(({ name }: { name?: unknown }) => (typeof name === "string" ? [name] : []));
  } catch {
    return null; // It is not running.
  }
}
