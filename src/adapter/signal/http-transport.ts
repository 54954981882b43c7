/** `signal-cli daemon --http`: calls by POST, and events by a stream of server-sent events. */
import { withoutSlashes } from "../../util/text.js";
import { outcomeOfStatus } from "../failure.js";
import { HttpRefusal, jsonFrom, reasonOf, within } from "../http-call.js";
import { field } from "../untrusted.js";
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
    const response = await within(this.#timeoutMs, end, (signal) =>
      this.#reach(`api/v1/events?${query}`, { headers, signal }),
    );
    if (response.ok && response.body) return readEvents(response.body, end, this.#settings.silenceMs);
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
    const init = { method: "POST", headers: { "content-type": "application/json" }, body };
    const limits = { timeoutMs: this.#timeoutMs, maxBytes, end };
    try {
      return await jsonFrom(this.#url("api/v1/rpc"), init, limits);
    } catch (error) {
      // It says no twice: as a status, and as JSON-RPC, which says more.
      const saysMore = error instanceof HttpRefusal && field(error.body, "error") !== undefined;
      if (saysMore && outcomeOfStatus(error.status) === "permanent") return error.body;
      throw error;
    }
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
