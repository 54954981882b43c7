/** A local Ollama: where it would be, and whether one answers there. */

const PATIENCE_MS = 800;
const USUAL_PORT = 11_434;

export const USUAL_OLLAMA = `http://127.0.0.1:${USUAL_PORT}`;

/** The address that `OLLAMA_HOST` means; a server that listens everywhere is reached on loopback. */
export function ollamaUrl(host: string | null): string {
  const [, scheme, rest = ""] = /^(https?:\/\/)?(.*)$/i.exec((host ?? "").trim()) ?? [];
  if (rest === "" || !URL.canParse(`http://${rest}`)) return USUAL_OLLAMA;
  const url = new URL(`${scheme ?? "http://"}${rest}`);
  if (["0.0.0.0", "[::]"].includes(url.hostname)) url.hostname = "127.0.0.1";
  if (!scheme && !/^[^/]*:\d+(?:\/|$)/.test(rest)) url.port = String(USUAL_PORT);
  return url.origin;
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
