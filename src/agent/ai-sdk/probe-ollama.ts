/** Whether an Ollama answers there, and what is installed: asked while a program starts, so the answer may not take long. */
import { get } from "node:http";
import { namesIn } from "./list-models.js";

const PROBE_MS = 150;
const MAX_BYTES = 1_000_000;

/** The names of its models; null where none answers in time. */
export function probeOllama(baseUrl: string): Promise<readonly string[] | null> {
  const url = `${baseUrl.replace(/\/v1$/, "")}/api/tags`;
  if (!url.startsWith("http://")) return Promise.resolve(null);
  return new Promise((resolve) => {
    let body = "";
    const request = get(url, { agent: false, signal: AbortSignal.timeout(PROBE_MS) }, (response) => {
      response.setEncoding("utf8").on("error", () => resolve(null));
      response.on("data", (text: string) => {
        body += text;
        if (body.length > MAX_BYTES) request.destroy();
      });
      response.on("close", () => resolve(response.statusCode === 200 ? installedIn(body) : null));
    });
    request.on("error", () => resolve(null));
  });
}

function installedIn(body: string): string[] | null {
  try {
    return namesIn(JSON.parse(body));
  } catch {
    return null; // Something else listens there.
  }
}
