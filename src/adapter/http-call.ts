/** What adapters that speak plain HTTP have in common: answers of bounded size, and what a failed call may have done. */
import { setMaxListeners } from "node:events";
import { proxyFailureIn } from "../util/proxy-in-use.js";
import { timerMs } from "../util/timer-ms.js";
import { jsonOf } from "./untrusted.js";

/**
 * A call that is given up at the end, or after a time. (Not by `AbortSignal.any` and `fetch` alone: once the answer has
 * begun, Node 20 may lose the signal with the garbage, and a body that never ends would be read forever.)
 */
export async function within<T>(
  ms: number,
  end: AbortSignal,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  end.throwIfAborted();
  const controller = new AbortController();
  const stop = (): void => controller.abort(end.reason);
  const late = (): void => controller.abort(new DOMException("it took too long", "TimeoutError"));
  const timer = setTimeout(late, timerMs(ms)).unref();
  setMaxListeners(0, end); // Any number of calls may be under way: Node.js warns of more than ten.
  end.addEventListener("abort", stop);
  try {
    return await call(controller.signal);
  } finally {
    clearTimeout(timer);
    end.removeEventListener("abort", stop);
  }
}

/** The pieces of a body; fails when the signal says so, and leaves nothing open. */
export async function* piecesOf(
  body: ReadableStream<Uint8Array> | null,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  const cancel = (): void => void reader.cancel().catch(() => {}); // It was broken off anyway.
  signal.addEventListener("abort", cancel);
  try {
    while (true) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}

/** Fails where there is more. */
export async function readBounded(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of piecesOf(response.body, signal)) {
    bytes += piece.byteLength;
    if (bytes > maxBytes) throw new Error(`larger than ${Math.floor(maxBytes / 1024)} kB`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces, bytes);
}

/** As much of an answer as is needed to know what it is. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
}

/** An answer that is a failure, or that cannot be read. */
export class HttpRefusal extends Error {
  readonly status: number;
  /** As JSON, if it is. */
  readonly body: unknown;
  /** It is a page: nothing that speaks the platform's API has answered. */
  readonly isPage: boolean;
  readonly retryAfterMs: number | undefined;

  constructor({ status, headers }: AnswerHead, text: string) {
    super(`status ${status}`);
    this.status = status;
    this.body = jsonOf(text);
    this.isPage = this.body === undefined && text.trim() !== "";
    // Some servers tell with every answer when their limits begin anew.
    const asksToWait = status === 429 || status === 503;
    this.retryAfterMs = asksToWait
      ? waitIn(headers.get("retry-after") ?? headers.get("x-ratelimit-reset"))
      : undefined;
  }
}

/** A time in seconds, or the date when it is over; undefined if there is nothing to wait for: then Baton waits as usual. */
function waitIn(said: string | null): number | undefined {
  if (said === null) return undefined;
  const ms = /^\d{1,6}(?:\.\d{1,6})?$/.test(said) ? Number(said) * 1_000 : Date.parse(said) - Date.now();
  return ms > 0 ? Math.ceil(ms) : undefined;
}

export interface CallLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly end: AbortSignal;
}

/** The text that a call is answered with; fails with an `HttpRefusal`, or with what `fetch` fails with. */
export async function textFrom(url: string | URL, init: RequestInit, limits: CallLimits): Promise<string> {
  return (await answerFrom(url, init, limits)).text;
}

/** The JSON that a call is answered with; fails with an `HttpRefusal` also if the answer is not JSON. */
export async function jsonFrom(url: string | URL, init: RequestInit, limits: CallLimits): Promise<unknown> {
  const { response, text } = await answerFrom(url, init, limits);
  refusePage(response, text);
  return jsonOf(text);
}

function answerFrom(url: string | URL, init: RequestInit, { timeoutMs, maxBytes, end }: CallLimits) {
  return within(timeoutMs, end, async (signal) => {
    const response = await fetch(url, { redirect: "error", ...init, signal });
    const text = new TextDecoder().decode(await readBounded(response, maxBytes, signal));
    if (!response.ok) throw new HttpRefusal(response, text);
    return { response, text };
  });
}

const LONGEST_ANSWER = 16 * 2 ** 20;

/**
 * `fetch` for a client library that reads every answer as JSON, and would lose the status of one that is not: that one
 * fails with an `HttpRefusal`.
 */
export async function fetchJson(url: string | URL, init: RequestInit): Promise<Response> {
  const signal = init.signal ?? new AbortController().signal;
  const response = await fetch(url, { redirect: "error", ...init });
  const text = new TextDecoder().decode(await readBounded(response, LONGEST_ANSWER, signal));
  refusePage(response, text);
  const { status, headers } = response;
  return new Response(text || null, { status, headers });
}

/** Fails unless the text is JSON, or empty where nothing else is to be expected. */
export function refusePage(head: AnswerHead, text: string): void {
  const isNothing = text === "" && head.status === 204;
  if (!isNothing && jsonOf(text) === undefined) throw new HttpRefusal(head, text);
}

/** No connection came about, or not one that can be trusted, so nothing was asked of anybody. */
const NEVER_SENT = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "ENETDOWN",
  "UND_ERR_CONNECT_TIMEOUT",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "ERR_SSL_WRONG_VERSION_NUMBER",
]);

/** What was under way when the network failed, if that was before anything could be sent. */
const BEFORE_SENDING = new Set(["connect", "getaddrinfo"]);

export function wasNeverSent(error: unknown): boolean {
  const { code, syscall, message } = networkErrorIn(error) ?? { code: "" };
  if (NEVER_SENT.has(code) || code.startsWith("CERT_") || BEFORE_SENDING.has(syscall ?? "")) return true;
  if (proxyFailureIn(error)) return true;
  return message?.includes("before secure TLS connection was established") ?? false;
}

/** The code that the network gave it, wherever it stands in the error; empty if there is none. */
export function errorCode(error: unknown): string {
  return networkErrorIn(error)?.code ?? "";
}

interface NetworkError {
  readonly code: string;
  readonly syscall?: string;
  readonly message?: string;
}

function networkErrorIn(error: unknown): NetworkError | null {
  if (typeof error !== "object" || error === null) return null;
  if (error instanceof AggregateError) return networkErrorIn(error.errors[0]);
  if ("code" in error && typeof error.code === "string") return error as NetworkError;
  return "cause" in error ? networkErrorIn(error.cause) : null;
}

/** In words, and never more than is known. */
export function reasonOf(error: unknown): string {
  const code = errorCode(error);
  const proxy = proxyFailureIn(error);
  if (proxy) return proxy.message;
  if (error instanceof Error && error.name === "TimeoutError") return "it took too long to answer";
  if (error instanceof SyntaxError) return "its answer cannot be read";
  return code || (error instanceof Error ? error.message : String(error));
}

/** Waits, but not past the end; keeps no process alive. */
export function pause(ms: number, end: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (end.aborted) return resolve();
    const finish = (): void => {
      clearTimeout(timer);
      end.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, timerMs(ms)).unref();
    setMaxListeners(0, end); // As above.
    end.addEventListener("abort", finish);
  });
}
