/** What goes wrong between us and a homeserver: which of it somebody must mend, and how. */
import { ConnectError, type SendError } from "../adapter.js";
import { failuresOf, repeatable } from "../failure.js";
import { HttpRefusal } from "../http-call.js";
import { numberIn, textIn } from "../untrusted.js";

const TOKEN_REFUSED =
  "The homeserver refuses the access token. Sign in again and set MATRIX_ACCESS_TOKEN to the new token.";

/** Something that is no homeserver answered as if all was well. */
export class NotMatrix extends Error {}

const failures = failuresOf({
  name: "The homeserver",
  address: "MATRIX_HOMESERVER",
  answerIn(error) {
    if (error instanceof NotMatrix) return { status: 200, words: "" };
    if (!(error instanceof HttpRefusal)) return null;
    const { status, body, isPage, retryAfterMs = numberIn(body, "retry_after_ms") } = error;
    const words = textIn(body, "error") ?? codeOf(error) ?? "";
    return {
      status,
      words,
      isPage,
      retryAfterMs,
      sentence: `The homeserver says ${status}${words && `: ${words}`}.`,
      mend: isTokenRefused(error) ? TOKEN_REFUSED : undefined,
    };
  },
});
export const { sentenceOf } = failures;

/** `wasThere`: a homeserver has answered there before, so what answers now is in its place for a while only. */
export function connectError(error: unknown, wasThere = false): ConnectError {
  return isNoHomeserver(error) && !wasThere ? notThere(error) : failures.connectError(error);
}

export function notThere(cause?: unknown): ConnectError {
  const reason = "There is no Matrix homeserver at MATRIX_HOMESERVER. Check the URL.";
  return new ConnectError("permanent", reason, { cause });
}

/** Every send has a transaction id, and the same one twice is one event. */
export function sendError(error: unknown): SendError {
  return repeatable(failures.sendError(error));
}

/** Matrix's own name for what is wrong; a proxy before the homeserver has none. */
function codeOf(error: HttpRefusal): string | undefined {
  return textIn(error.body, "errcode");
}

function isTokenRefused(error: HttpRefusal): boolean {
  const code = codeOf(error);
  return (
    code === "M_UNKNOWN_TOKEN" || code === "M_MISSING_TOKEN" || (error.status === 401 && code !== undefined)
  );
}

/** It is not there, or not for us. */
export function isMissing(error: unknown): boolean {
  return error instanceof HttpRefusal && !error.isPage && (error.status === 404 || error.status === 403);
}

export function ifMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
  return undefined;
}

/** The homeserver itself, not a proxy before it, says no, and will say so the next time. */
export function isRefusedForGood(error: unknown): boolean {
  return (
    error instanceof HttpRefusal &&
    codeOf(error) !== undefined &&
    (isMissing(error) || error.status === 400) &&
    !isTokenRefused(error)
  );
}

/** The homeserver does not take an event for that thread. */
export function isThreadRefused(error: unknown): boolean {
  const isRefused = error instanceof HttpRefusal && error.status === 400 && codeOf(error) !== undefined;
  return isRefused && /thread|relation|relates_to/i.test(textIn(error.body, "error") ?? "");
}

/** The server does not know this call. */
export function isUnrecognized(error: unknown): boolean {
  return error instanceof HttpRefusal && (error.status === 404 || error.status === 405);
}

/** Not one of Matrix's errors: something else answers there. */
function isNoHomeserver(error: unknown): boolean {
  return (
    error instanceof NotMatrix ||
    (error instanceof HttpRefusal && error.status === 404 && codeOf(error) === undefined)
  );
}
