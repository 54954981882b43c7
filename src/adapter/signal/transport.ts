/**
 * The way to a signal-cli daemon: by HTTP, or by a Unix socket (`unix:/path`), which only those who may open it can use.
 * Both speak JSON-RPC and hand over events one after the other.
 */
import { cleanLine, shorten } from "../../util/text.js";
import { ConnectError } from "../adapter.js";
import type { SignalSettings } from "./config.js";

const SOCKET = /^unix:(\/.+)$/s;

export interface StreamEvent {
  /** Set if the daemon numbers its events. */
  readonly id: string | null;
  /** What it says, read as JSON; undefined if it is none. */
  readonly data: unknown;
}

export interface Transport {
  /** The daemon is there. Fails with a `ConnectError`. */
  check(end: AbortSignal): Promise<void>;
  /**
   * Each event from now on; those after `lastId` first, if the daemon still has them. Ends or fails when the line is cut.
   * Fails with a `ConnectError`.
   */
  events(lastId: string | null, end: AbortSignal): Promise<AsyncGenerator<StreamEvent>>;
  /** The whole answer to a call. Fails with a `ConnectError` if nothing was sent. */
  ask(
    method: string,
    params: Readonly<Record<string, unknown>>,
    end: AbortSignal,
    maxBytes: number,
  ): Promise<unknown>;
  /** Leaves nothing open. It opens again when it is used. */
  close(): Promise<void>;
}

/** The socket's path; null if the daemon is reached by HTTP. */
export function socketPath({ baseUrl }: Pick<SignalSettings, "baseUrl">): string | null {
  return SOCKET.exec(baseUrl)?.[1] ?? null;
}

export function notThere(settings: SignalSettings, reason: string, cause?: unknown): ConnectError {
  const { baseUrl, account } = settings;
  const path = socketPath(settings);
  const options = path === null ? "--http" : `--socket '${path}' --receive-mode=manual`;
  return new ConnectError(
    "retryable",
    `no signal-cli at ${baseUrl} (${reason}): start \`signal-cli -a ${account} daemon ${options}\`, or set SIGNAL_HTTP_URL.`,
    { cause },
  );
}

/** `has`: the accounts that it has, as far as it tells. */
export function notRegistered(
  { account, baseUrl }: SignalSettings,
  has: readonly unknown[] = [],
): ConnectError {
  const known = has.flatMap((each) => (typeof each === "string" && each !== "" ? [cleanLine(each)] : []));
  const instead = known.length === 0 ? "" : ` It has ${shorten(known.join(", "), 200)}.`;
  return new ConnectError(
    "permanent",
    `the signal-cli at ${baseUrl} has no account ${account}: register or link it there, or set SIGNAL_ACCOUNT.${instead}`,
  );
}

/** Whether the daemon says that it does not have our account. (Of other people it says "The user … is not registered.") */
export function isNotOurs(words: string): boolean {
  return /account does not exist|valid account parameter|^user \S+ is not registered/i.test(words);
}
