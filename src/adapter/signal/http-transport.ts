/** `signal-cli daemon --http`: calls by POST, and events by a stream of server-sent events. */
import { withoutSlashes } from "../../util/text.js";
import { SendError } from "../adapter.js";
import { readBounded, reasonOf, within } from "../http-call.js";
import { outcomeOfStatus } from "../send-failure.js";
import { field, jsonOf } from "../untrusted.js";
import type { SignalSettings } from "./config.js";
import { readEvents } from "./events.js";
import { notRegistered, notThere, type StreamEvent, type Transport } from "./transport.js";

export class SignalHttpTransport implements Transport {
  readonly #settings: SignalSettings;
  readonly #timeoutMs: number;
  #calls = 0;

  constructor(settings: SignalSettings, timeoutMs: number) {
    this.#settings = settings;
    this.#timeoutMs = timeoutMs;
  }

  async check(end: AbortSignal): Promise<void> {
    const status = await within(this.#timeoutMs, end, async (signal) => {
      const response = await this.#reach("api/v1/check", { signal });
      await response.body?.cancel();
      return response.status;
    });
    if (status !== 200) throw notThere(this.#settings, `it answered ${status}`);
  }

  async events(lastId: string | null, end: AbortSignal): Promise<AsyncGenerator<StreamEvent>> {
    const query = new URLSearchParams({ account: this.#settings.account });
    const headers = { accept: "text/event-stream", ...(lastId ? { "last-event-id": lastId } : {}) };
    const response = await this.#reach(`api/v1/events?${query}`, { headers, signal: end });
    if (response.ok && response.body) return readEvents(response.body, end);
    await response.body?.cancel();
    if (response.status === 400) throw notRegistered(this.#settings);
    throw notThere(this.#settings, `it answered ${response.status} when asked for messages`);
  }

  async ask(
    method: string,
    params: Readonly<Record<string, unknown>>,
    end: AbortSignal,
    maxBytes: number,
  ): Promise<unknown> {
    this.#calls += 1;
    const body = JSON.stringify({ jsonrpc: "2.0", id: this.#calls, method, params });
    return within(this.#timeoutMs, end, async (signal) => {
      const response = await fetch(this.#url("api/v1/rpc"), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
        redirect: "error",
        signal,
      });
      const text = new TextDecoder().decode(await readBounded(response, maxBytes, signal));
      const wait = retryAfter(response);
      const outcome = outcomeOfStatus(response.status, wait.retryAfterMs !== undefined);
      if (!response.ok && outcome !== "permanent")
        throw new SendError(outcome, `signal-cli answered ${response.status}.`, wait);
      const answer = jsonOf(text);
      if (!response.ok && field(answer, "error") === undefined)
        throw new SendError("permanent", `signal-cli refused it: ${response.status}.`);
      return answer;
    });
  }

  /** Each call, and the stream, ends with its own signal. */
  async close(): Promise<void> {}

  async #reach(path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(this.#url(path), { ...init, redirect: "error" });
    } catch (error) {
      throw notThere(this.#settings, reasonOf(error), error);
    }
  }

  #url(path: string): string {
    return `${withoutSlashes(this.#settings.baseUrl)}/${path}`;
  }
}

function retryAfter(response: Response): { retryAfterMs?: number } {
  const seconds = Number(response.headers.get("retry-after"));
  return seconds > 0 ? { retryAfterMs: seconds * 1_000 } : {};
}
