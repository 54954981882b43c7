/** A local Ollama: where it would be, and whether one answers there. */
import { ollamaUrl as modelUrl } from "../../config/model-url.js";

const PATIENCE_MS = 800;

export const USUAL_OLLAMA = "http://127.0.0.1:11434";

/** The address that `OLLAMA_HOST` means, as an agent takes it; the usual one where it is none. */
export function ollamaUrl(host: string | null): string {
  const url = modelUrl(host ?? "").replace(/\/v1$/, "");
  return /^https?:/i.test(url) && URL.canParse(url) ? url : USUAL_OLLAMA;
}

/** The names of its models; null where none answers. */
export async function ollamaModels(url: string): Promise<string[] | null> {
  try {
    const answer = await fetch(`${url}/api/tags`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (!answer.ok) return null;
    const { models } = (await answer.json()) as { models?: unknown };
    if (!Array.isArray(models)) return null;
    return models.flatMap(({ name }: { name?: unknown }) => (typeof name === "string" ? [name] : []));
  } catch {
    return null; // Nobody answers there: that is the answer.
  }
}
