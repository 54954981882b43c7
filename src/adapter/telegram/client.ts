/**
 * grammY's client of the Bot API. Its calls go by our own `fetch`: grammY would lose the status of an answer that is not
 * JSON, such as a proxy's page. A connection is kept for a few seconds only, as `fetch` does it: on one that Telegram is
 * just closing a call would be lost, and nobody could tell whether it arrived.
 */
import { Api, type ApiClientOptions } from "grammy";
import { fetchJson } from "../http-call.js";

export function clientOf(token: string, apiRoot: string, timeoutSeconds: number): Api {
  return new Api(token, { apiRoot, timeoutSeconds, fetch: callTelegram as ApiClientOptions["fetch"] });
}

/** grammY's signal is not Node's own, and it sends files as streams. */
async function callTelegram(url: string, { signal, method, headers, body }: RequestInit): Promise<Response> {
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  signal?.addEventListener("abort", abort);
  if (signal?.aborted) abort();
  try {
    const init = { method, headers, body, duplex: "half", signal: stop.signal } as RequestInit;
    return await fetchJson(url, init);
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}
