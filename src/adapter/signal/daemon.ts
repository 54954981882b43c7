/** A signal-cli daemon: its calls by JSON-RPC, what their failures mean, and the events that come in. */

import { ConnectError, SendError } from "../adapter.js";
import { failuresOf } from "../failure.js";
import { HttpRefusal, reasonOf } from "../http-call.js";
import { field, listOf } from "../untrusted.js";
import type { SignalSettings } from "./config.js";
import { SignalHttpTransport } from "./http-transport.js";
import { SocketTransport } from "./socket-transport.js";
import { notRegistered, notThere, type StreamEvent, socketPath, type Transport } from "./transport.js";

const LONGEST_ANSWER = 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** What signal-cli numbers its errors. */
const RATE_LIMITED = -5;
const NOT_TRUSTED = -4;
const OUR_MISTAKE = -1;

export class Daemon {
  readonly #settings: SignalSettings;
  readonly #transport: Transport;

  constructor(settings: SignalSettings) {
    const { timeoutMs = TIMEOUT_MS } = settings;
    const path = socketPath(settings);
    this.#settings = settings;
    this.#transport =
      path === null
        ? new SignalHttpTransport(settings, timeoutMs)
        : new SocketTransport(path, settings, timeoutMs);
  }

  /** It is there, and the account is one of its own. */
  async check(end: AbortSignal): Promise<void> {
    const { account } = this.#settings;
    await this.#transport.check(end);
    // A daemon for one account has no list; what it was started with shows when something is sent.
    const asked = this.#transport.ask("listAccounts", {}, end, LONGEST_ANSWER);
    const answer = await asked.catch((error: unknown) => {
      throw error instanceof ConnectError ? error : notThere(this.#settings, reasonOf(error));
    });
    const accounts = field(answer, "result");
    if (!Array.isArray(accounts)) return;
    const names = accounts.flatMap((each) => [field(each, "number"), field(each, "aci")]);
    if (!names.includes(account)) throw notRegistered(this.#settings);
  }

  /** Each event that comes in from now on; those after `lastId` first, where the daemon still has them. */
  events(lastId: string | null, end: AbortSignal): Promise<AsyncGenerator<StreamEvent>> {
    return this.#transport.events(lastId, end);
  }

  /** The result of a call; fails with a `SendError`. */
  async call(
    method: string,
    params: Readonly<Record<string, unknown>>,
    end: AbortSignal,
    maxBytes = LONGEST_ANSWER,
  ): Promise<unknown> {
    const given = { account: this.#settings.account, ...params };
    try {
      const answer = await this.#transport.ask(method, given, end, maxBytes);
      const error = field(answer, "error");
      if (error !== undefined && error !== null) throw new RpcError(error);
      return field(answer, "result");
    } catch (error) {
      if (error instanceof ConnectError) throw new SendError("retryable", error.message, { cause: error });
      throw failures.sendError(error);
    }
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}

class RpcError extends Error {
  readonly code: unknown;
  readonly data: unknown;

  constructor(error: unknown) {
    super(String(field(error, "message") ?? "no reason given"));
    this.code = field(error, "code");
    this.data = field(error, "data");
  }
}

const failures = failuresOf({
  name: "signal-cli",
  answerIn(error) {
    if (error instanceof HttpRefusal)
      return { status: error.status, words: "", retryAfterMs: error.retryAfterMs };
    if (!(error instanceof RpcError)) return null;
    const { code, message: words } = error;
    if (/account does not exist|not registered/i.test(words))
      return { status: 400, words, mend: "signal-cli does not have this account: set SIGNAL_ACCOUNT." };
    switch (code) {
      case RATE_LIMITED:
        return { status: 429, words, retryAfterMs: waitIn(error.data) };
      case NOT_TRUSTED:
        return {
          status: 400,
          words,
          sentence: `The person's safety number changed: check it with them, then \`signal-cli trust\`. (${words.slice(0, 300)})`,
        };
      default:
        return { status: isRefusal(code) ? 400 : 500, words };
    }
  },
});

function waitIn(data: unknown): number | undefined {
  const results = listOf(field(data, "response", "results"));
  const seconds = results
    .map((result) => Number(field(result, "retryAfterSeconds")))
    .find((value) => value > 0);
  return seconds === undefined ? undefined : seconds * 1_000;
}

/** What was asked is wrong; anything else may have been done. */
function isRefusal(code: unknown): boolean {
  return code === OUR_MISTAKE || (typeof code === "number" && code <= -32600 && code > -32603);
}
