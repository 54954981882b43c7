/** A signal-cli daemon: its calls by JSON-RPC, what their failures mean, and the events that come in. */

import { ConnectError, SendError } from "../adapter.js";
import { reasonOf, wasNeverSent } from "../http-call.js";
import { outcomeOfSilence } from "../send-failure.js";
import { field, listOf } from "../untrusted.js";
import type { SignalSettings } from "./config.js";
import { SignalHttpTransport } from "./http-transport.js";
import { SocketTransport } from "./socket-transport.js";
import { notRegistered, notThere, type StreamEvent, socketPath, type Transport } from "./transport.js";

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
    const answer = await this.#transport.ask(method, given, end, maxBytes).catch((error: unknown) => {
      if (error instanceof SendError) throw error;
      if (error instanceof ConnectError) throw new SendError("retryable", error.message, { cause: error });
      const what = wasNeverSent(error) ? "is not there" : "did not answer";
      throw new SendError(outcomeOfSilence(error), `signal-cli ${what}: ${reasonOf(error)}`, {
        cause: error,
      });
    });
    const error = field(answer, "error");
    if (error !== undefined && error !== null) throw this.#failure(error);
    return field(answer, "result");
  }

  close(): Promise<void> {
    return this.#transport.close();
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
}
