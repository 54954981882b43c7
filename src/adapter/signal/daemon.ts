/** `signal-cli daemon --http`: calls by JSON-RPC, and the stream of what comes in. */

import { withoutSlashes } from "../../util/text.js";
import { ConnectError, SendError } from "../adapter.js";
import { readBounded, reasonOf, wasNeverSent, within } from "../http-call.js";
import { outcomeOfSilence, outcomeOfStatus } from "../send-failure.js";
import { field, jsonOf, listOf } from "../untrusted.js";
import type { SignalSettings } from "./config.js";
import { readEvents, type StreamEvent } from "./events.js";

const LONGEST_ANSWER = 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** What JSON-RPC and signal-cli number their errors. */
const NO_SUCH_METHOD = -32601;
const RATE_LIMITED = -5;
const NOT_TRUSTED = -4;
const NETWORK = -3;
const OUR_MISTAKE = -1;

export class Daemon {
  readonly #settings: SignalSettings;
  #calls = 0;

  constructor(settings: SignalSettings) {
    this.#settings = settings;
  }

  /** It is there, and the account is one of its own. */
  async check(end: AbortSignal): Promise<void> {
    const { account } = this.#settings;
    const status = await within(this.#timeoutMs, end, async (signal) => {
      const response = await this.#reach("api/v1/check", { signal });
      await response.body?.cancel();
      return response.status;
    });
    if (status !== 200) throw this.#notThere(`it answered ${status}`);
    // A daemon for one account has no list; what it was started with shows when something is sent.
    const answer = await this.#post("listAccounts", {}, end, LONGEST_ANSWER).catch((error: unknown) => {
      throw this.#notThere(reasonOf(error));
    });
    const accounts = field(answer, "result");
    if (!Array.isArray(accounts)) return;
    const names = accounts.flatMap((each) => [field(each, "number"), field(each, "aci")]);
    if (!names.includes(account)) throw this.#notRegistered();
  }

  /** Each event that comes in from now on; those after `lastId` first, where the daemon still has them. */
  async events(lastId: string | null, end: AbortSignal): Promise<AsyncGenerator<StreamEvent>> {
    const query = new URLSearchParams({ account: this.#settings.account });
    const headers = { accept: "text/event-stream", ...(lastId ? { "last-event-id": lastId } : {}) };
    const response = await this.#reach(`api/v1/events?${query}`, { headers, signal: end });
    if (response.ok && response.body) return readEvents(response.body, end);
    await response.body?.cancel();
    if (response.status === 400) throw this.#notRegistered();
    throw this.#notThere(`it answered ${response.status} when asked for messages`);
  }

  /** The result of a call; fails with a `SendError`. */
  async call(
    method: string,
    params: Readonly<Record<string, unknown>>,
    end: AbortSignal,
    maxBytes = LONGEST_ANSWER,
  ): Promise<unknown> {
    const given = { account: this.#settings.account, ...params };
    const answer = await this.#post(method, given, end, maxBytes).catch((error: unknown) => {
      if (error instanceof SendError) throw error;
      const what = wasNeverSent(error) ? "is not there" : "did not answer";
      throw new SendError(outcomeOfSilence(error), `signal-cli ${what}: ${reasonOf(error)}`, {
        cause: error,
      });
    });
    const error = field(answer, "error");
    if (error !== undefined && error !== null) throw this.#failure(error);
    return field(answer, "result");
  }

  async #post(
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

  #failure(error: unknown): SendError {
    const { account } = this.#settings;
    const code = field(error, "code");
    const said = String(field(error, "message") ?? "no reason given").slice(0, 300);
    if (/account does not exist|not registered/i.test(said))
      return new SendError(
        "permanent",
        `signal-cli does not have the account ${account}: set SIGNAL_ACCOUNT.`,
      );
    if (code === RATE_LIMITED) {
      const seconds = listOf(field(error, "data", "response", "results"))
        .map((result) => Number(field(result, "retryAfterSeconds")))
        .find((value) => value > 0);
      return new SendError("retryable", `Signal asks to wait: ${said}`, {
        ...(seconds ? { retryAfterMs: seconds * 1_000 } : {}),
      });
    }
    if (code === NOT_TRUSTED)
      return new SendError(
        "permanent",
        `The person's safety number changed: check it with them, then \`signal-cli trust\`. (${said})`,
      );
    if (code === NETWORK) return new SendError("unknown", `Signal could not be reached: ${said}`);
    const isRefused = code === OUR_MISTAKE || (typeof code === "number" && code <= -32600 && code > -32603);
    return new SendError(
      isRefused || code === NO_SUCH_METHOD ? "permanent" : "unknown",
      `signal-cli: ${said}`,
    );
  }

  async #reach(path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(this.#url(path), { ...init, redirect: "error" });
    } catch (error) {
      throw this.#notThere(reasonOf(error), error);
    }
  }

  get #timeoutMs(): number {
    return this.#settings.timeoutMs ?? TIMEOUT_MS;
  }

  #url(path: string): string {
    return `${withoutSlashes(this.#settings.baseUrl)}/${path}`;
  }

  #notThere(reason: string, cause?: unknown): ConnectError {
    const { baseUrl, account } = this.#settings;
    return new ConnectError(
      "retryable",
      `no signal-cli at ${baseUrl} (${reason}): start \`signal-cli -a ${account} daemon --http\`, or set SIGNAL_HTTP_URL.`,
      { cause },
    );
  }

  #notRegistered(): ConnectError {
    const { account, baseUrl } = this.#settings;
    return new ConnectError(
      "permanent",
      `the signal-cli at ${baseUrl} has no account ${account}: register or link it there, or set SIGNAL_ACCOUNT.`,
    );
  }
}

function retryAfter(response: Response): { retryAfterMs?: number } {
  const seconds = Number(response.headers.get("retry-after"));
  return seconds > 0 ? { retryAfterMs: seconds * 1_000 } : {};
}
