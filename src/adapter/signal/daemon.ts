/** A signal-cli daemon: its calls by JSON-RPC, what their failures mean, and the events that come in. */
import { isFields } from "../../util/json.js";
import { ConnectError, SendError } from "../adapter.js";
import { type FailedAnswer, failuresOf } from "../failure.js";
import { HttpRefusal, reasonOf } from "../http-call.js";
import { field, isThere, listOf, wordsIn } from "../untrusted.js";
import type { SignalSettings } from "./config.js";
import { SignalHttpTransport } from "./http-transport.js";
import { isNumber } from "./ids.js";
import { failureIn, resultsIn } from "./results.js";
import { SocketTransport } from "./socket-transport.js";
import {
  isNotOurs,
  notRegistered,
  notThere,
  type StreamEvent,
  socketPath,
  type Transport,
} from "./transport.js";

const LONGEST_ANSWER = 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** One account's contacts, each with the keys of their devices. */
const LONGEST_LIST = 16 * 1024 * 1024;

/** What signal-cli numbers its errors. */
const RATE_LIMITED = -5;
const NOT_TRUSTED = -4;
const OUR_MISTAKE = -1;
const NO_SUCH_METHOD = -32601;

export class Daemon {
  readonly #settings: SignalSettings;
  readonly #transport: Transport;
  /** It has several accounts, and ours is one of them. */
  #isShared = false;

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
    this.#isShared = false;
    const answer = await this.#ask("listAccounts", {}, end, LONGEST_ANSWER);
    const accounts = field(answer, "result");
    if (Array.isArray(accounts)) {
      const names = accounts.flatMap((each) => [field(each, "number"), field(each, "aci")]);
      if (!names.includes(account)) throw notRegistered(this.#settings, names);
      this.#isShared = true;
    } else if (field(answer, "error", "code") === NO_SUCH_METHOD) await this.#checkSingle(end);
  }

  /**
   * A daemon that was started for one account (`-a`) has no list, and does not look which account it is asked for. It
   * knows itself by its own safety number.
   */
  async #checkSingle(end: AbortSignal): Promise<void> {
    const { account } = this.#settings;
    const asked = this.#ask("listIdentities", { account }, end, LONGEST_LIST);
    const answer = await asked.catch((error: unknown) => {
      if (error instanceof ConnectError) throw error;
      return null; // It cannot be asked that: then it shows when the first message comes.
    });
    const self = listOf(field(answer, "result")).find(isOwn);
    const own = wordsIn(self, isNumber(account) ? "number" : "uuid");
    if (own !== "" && own !== account) throw notRegistered(this.#settings, [own]);
  }

  async #ask(
    method: string,
    params: Readonly<Record<string, unknown>>,
    end: AbortSignal,
    maxBytes: number,
  ): Promise<unknown> {
    try {
      return await this.#transport.ask(method, params, end, maxBytes);
    } catch (error) {
      throw error instanceof ConnectError ? error : notThere(this.#settings, reasonOf(error));
    }
  }

  /** It told of a message to another account. */
  mustBeShared(other: string): void {
    if (!this.#isShared) throw notRegistered(this.#settings, [other]);
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
      if (isThere(error)) throw new RpcError(error);
      if (!isFields(answer))
        throw new SendError("unknown", "signal-cli gave an answer that Baton cannot read.");
      const failure = failureIn(resultsIn(answer.result)); // Older daemons do not call it an error.
      if (failure) throw new SentToNobody(failure);
      return answer.result;
    } catch (error) {
      if (error instanceof ConnectError) throw new SendError("retryable", error.message, { cause: error });
      throw failures.sendError(error);
    }
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}

/** It was sent to nobody. */
class SentToNobody extends Error {
  readonly failure: FailedAnswer;

  constructor(failure: FailedAnswer) {
    super(failure.sentence);
    this.failure = failure;
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
  address: "SIGNAL_HTTP_URL",
  answerIn(error) {
    if (error instanceof HttpRefusal) {
      const { status, isPage, retryAfterMs } = error;
      return { status, words: "", isPage, retryAfterMs };
    }
    if (error instanceof SentToNobody) return error.failure;
    if (!(error instanceof RpcError)) return null;
    const { code, message: words } = error;
    if (isNotOurs(words))
      return { status: 400, words, mend: "signal-cli does not have this account: set SIGNAL_ACCOUNT." };
    const failure = failureIn(resultsIn(field(error.data, "response")));
    if (failure) return { ...failure, words };
    switch (code) {
      case RATE_LIMITED:
        return { status: 429, words };
      case NOT_TRUSTED:
        return {
          status: 400,
          words,
          sentence: `The person's safety number changed: check it with them, then \`signal-cli trust\`. (${words.slice(0, 300)})`,
        };
      default:
        return {
          status: isRefusal(code) ? 400 : 500,
          words,
          outcome: NOT_CONNECTED.test(words) ? "retryable" : undefined,
        };
    }
  },
});

/** It names the kind of error last, in Java's words: no connection came about, so nothing was sent. */
const NOT_CONNECTED = /\((?:UnknownHost|Connect|NoRouteToHost|HttpConnectTimeout)Exception\)$/;

/** What was asked is wrong; anything else may have been done. */
function isRefusal(code: unknown): boolean {
  return code === OUR_MISTAKE || (typeof code === "number" && code <= -32600 && code > -32603);
}

/** A safety number is made of a half for each of the two: with oneself, both are the same. */
function isOwn(identity: unknown): boolean {
  const digits = wordsIn(identity, "safetyNumber").replaceAll(" ", "");
  const half = digits.length / 2;
  return half > 0 && digits.slice(0, half) === digits.slice(half);
}
