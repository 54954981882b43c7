/** Checks whether an Ollama answers, and which models it has. This runs while a program starts, so it must be quick. */
import { connect } from "node:net";
import { namesIn } from "./list-models.js";

const PROBE_MS = 150;
const MAX_BYTES = 1_000_000;

/** The names of its models; null if none answers in time. */
export async function probeOllama(baseUrl: string): Promise<readonly string[] | null> {
  const url = new URL(`${baseUrl.replace(/\/v1$/, "")}/api/tags`);
  const signal = AbortSignal.timeout(PROBE_MS);
  if (url.protocol !== "http:" || !(await listens(url, signal))) return null;
  const body = await bodyOf(url, signal);
  try {
    return body === null ? null : namesIn(JSON.parse(body));
  } catch {
    return null; // Something else listens there.
  }
}

/** Usually nothing listens there. This finds that out at once, without loading what HTTP needs. */
function listens({ hostname, port }: URL, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 80), signal });
    socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
}

async function bodyOf(url: URL, signal: AbortSignal): Promise<string | null> {
  const { get } = await import("node:http");
  return new Promise((resolve) => {
    let body = "";
    const request = get(url, { agent: false, signal }, (response) => {
      response.setEncoding("utf8").on("error", () => resolve(null));
      response.on("data", (text: string) => {
        body += text;
        if (body.length > MAX_BYTES) request.destroy();
      });
      response.on("close", () => resolve(response.statusCode === 200 ? body : null));
    });
    request.on("error", () => resolve(null));
  });
}
