/** What goes wrong between us and a homeserver, as the port's errors: which of it somebody must mend, and how. */
import { ConnectionError, HTTPError, MatrixError } from "matrix-js-sdk/lib/http-api/index.js";
import { ConnectError, SendError } from "../adapter.js";
import { outcomeOfStatus } from "../failure.js";

/** A sentence without a secret in it. */
export function reasonOf(error: unknown): string {
  if (isTokenRefused(error)) return TOKEN_REFUSED;
  if (error instanceof MatrixError)
    return `The homeserver says ${error.httpStatus}: ${error.data.error ?? error.errcode}.`;
  if (error instanceof HTTPError) return `The homeserver says ${error.httpStatus}.`;
  if (isAborted(error)) return "The homeserver did not answer in time.";
  if (error instanceof ConnectionError)
    return `The homeserver cannot be reached: ${innermost(error).message}.`;
  return error instanceof Error ? error.message : String(error);
}

const TOKEN_REFUSED =
  "The homeserver refuses the access token. Sign in again and set MATRIX_ACCESS_TOKEN to the new token.";

/** `wasThere`: a homeserver has answered there before, so what answers now is in its place for a while only. */
export function connectError(error: unknown, wasThere = false): ConnectError {
  if (error instanceof ConnectError) return error;
  if (isNoHomeserver(error) && !wasThere) return notThere(error);
  const outcome = isTokenRefused(error) ? "permanent" : "retryable";
  const retryAfterMs = retryAfter(error);
  return new ConnectError(outcome, reasonOf(error), {
    cause: error,
    ...(retryAfterMs === undefined || outcome === "permanent" ? {} : { retryAfterMs }),
  });
}

export function notThere(cause?: unknown): ConnectError {
  const reason = "There is no Matrix homeserver at MATRIX_HOMESERVER. Check the URL.";
  return new ConnectError("permanent", reason, { cause });
}

/**
 * Every send has a transaction id, and the same one twice is one event: also what may have arrived can be sent again,
 * so nothing is `unknown`.
 */
export function sendError(error: unknown): SendError {
  if (error instanceof SendError) return error;
  const status = error instanceof HTTPError ? (error.httpStatus ?? 0) : 0;
  if (outcomeOfStatus(status) === "permanent")
    return new SendError("permanent", reasonOf(error), { cause: error });
  const retryAfterMs = retryAfter(error);
  return new SendError("retryable", reasonOf(error), {
    cause: error,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** How long the homeserver wants to be left alone; as a header, or as older servers say it. */
function retryAfter(error: unknown): number | undefined {
  if (!(error instanceof HTTPError) || !error.isRateLimitError()) return undefined;
  try {
    const ms = error.getRetryAfterMs();
    return ms !== null && Number.isFinite(ms) ? Math.max(0, ms) : undefined;
  } catch {
    return undefined; // What it said is no time.
  }
}

function isTokenRefused(error: unknown): boolean {
  return (
    error instanceof MatrixError &&
    (error.errcode === "M_UNKNOWN_TOKEN" || error.errcode === "M_MISSING_TOKEN" || error.httpStatus === 401)
  );
}

/** It is not there, or not for us. */
export function isMissing(error: unknown): boolean {
  return error instanceof HTTPError && (error.httpStatus === 404 || error.httpStatus === 403);
}

export function ifMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
  return undefined;
}

/** The homeserver itself, not a proxy before it, says no, and will say so the next time. */
export function isRefusedForGood(error: unknown): boolean {
  return (
    error instanceof MatrixError &&
    error.errcode !== undefined &&
    (isMissing(error) || error.httpStatus === 400) &&
    !isTokenRefused(error)
  );
}

/** The server does not know this call. */
export function isUnrecognized({ status }: { readonly status: number }): boolean {
  return status === 404 || status === 405;
}

/** Not one of Matrix's errors: something else answers there. */
function isNoHomeserver(error: unknown): boolean {
  if (error instanceof SyntaxError) return true; // Its answer is no JSON.
  if (error instanceof MatrixError) return error.httpStatus === 404 && error.errcode === undefined;
  return error instanceof HTTPError && error.httpStatus === 404;
}

function isAborted(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

function innermost(error: Error): Error {
  return error.cause instanceof Error ? innermost(error.cause) : error;
}
