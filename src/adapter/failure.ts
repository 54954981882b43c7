/**
 * What a failed call means, for every platform: of the message in it, and of the connection. A message is `retryable` only
 * if it is certain that nobody took it; if a server, or a proxy before one, broke while it had the message, nobody knows.
 * A platform's folder says only how to read its client's errors.
 */
import { ConnectError, SendError } from "./adapter.js";
import { reasonOf, wasNeverSent } from "./http-call.js";

type Outcome = SendError["outcome"];

/** An answer that is a failure. */
export interface FailedAnswer {
  /** As HTTP numbers it. */
  readonly status: number;
  /** What was said, without a secret. */
  readonly words: string;
  readonly retryAfterMs?: number | undefined;
  /** It is not the platform's own answer: something before it, such as a proxy, answered with a page. */
  readonly isPage?: boolean | undefined;
  /** What became of the message, if the platform's own number says more than the status. */
  readonly outcome?: Outcome | undefined;
  /** A better sentence than the usual one. */
  readonly sentence?: string | undefined;
  /** What somebody has to mend before the account can be used at all, in a sentence: its token is not accepted. */
  readonly mend?: string | undefined;
}

export interface FailureReader {
  /** Who it is about, in a sentence. */
  readonly name: string;
  /** The setting with its address, if people usually set one. */
  readonly address?: string;
  /** Null if nobody answered. */
  readonly answerIn: (error: unknown) => FailedAnswer | null;
  /** What lies beneath the client's error, and may be kept; unless told, the error itself. */
  readonly beneath?: (error: unknown) => unknown;
}

export interface Failures {
  readonly connectError: (error: unknown) => ConnectError;
  readonly sendError: (error: unknown) => SendError;
  /** What went wrong, in a sentence. */
  readonly sentenceOf: (error: unknown) => string;
}

export function failuresOf({
  name,
  address = "`baseUrl` in its settings",
  answerIn,
  beneath = (error) => error,
}: FailureReader): Failures {
  const sentenceOf = (error: unknown, isConnected = true): string => {
    const answer = answerIn(error);
    if (answer?.isPage && isInThePlaceOfIt(answer.status))
      return `A web page answered instead of ${name} (status ${answer.status}). Check ${address}, and whether a proxy or the sign-in page of a network is in between.`;
    if (answer?.isPage) return usual(name, { ...answer, words: "" });
    if (answer) return answer.mend ?? answer.sentence ?? usual(name, answer);
    const reason = beneath(error);
    const what = isConnected && !wasNeverSent(reason) ? "did not answer" : "cannot be reached";
    return `${name} ${what}: ${inWords(reasonOf(reason)) || "no reason given"}.`;
  };
  const optionsOf = (error: unknown, { retryAfterMs }: Partial<FailedAnswer>) => ({
    cause: beneath(error),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
  return {
    sentenceOf,
    connectError(error) {
      if (error instanceof ConnectError) return error;
      const answer: Partial<FailedAnswer> = answerIn(error) ?? {};
      const sentence = sentenceOf(error, false);
      if (answer.mend !== undefined && !answer.isPage)
        return new ConnectError("permanent", sentence, { cause: beneath(error) }); // No wait mends it.
      return new ConnectError("retryable", sentence, optionsOf(error, answer));
    },
    sendError(error) {
      if (error instanceof SendError) return error;
      const answer = answerIn(error);
      const outcome = answer ? outcomeOf(answer) : outcomeOfSilence(beneath(error));
      return new SendError(outcome, sentenceOf(error), optionsOf(error, answer ?? {}));
    },
  };
}

function usual(name: string, { status, words, retryAfterMs }: FailedAnswer): string {
  return `${name} ${verbOf(status, retryAfterMs !== undefined)}: ${inWords(words) || `status ${status}`}.`;
}

function verbOf(status: number, asksToWait: boolean): string {
  if (status === 429 || (status === 503 && asksToWait)) return "asks to wait";
  if (status >= 500) return "reported a server error";
  return status < 300 ? "gave an answer that Baton cannot read" : "refused";
}

/** On one line, without the stop; empty if it is not words but a page. */
function inWords(words: string): string {
  const line = words.split("\n").join(" ").slice(0, 300).trim();
  if (/<[!/a-z]/i.test(line)) return "";
  return line.endsWith(".") ? line.slice(0, -1) : line;
}

/** If a page says so, it was not the platform that refused, and it may be gone soon. */
const REFUSED_BY_A_PAGE = [401, 403, 404, 407];

/** A page with such a status comes from another address, or from something on the way. */
function isInThePlaceOfIt(status: number): boolean {
  return status < 300 || REFUSED_BY_A_PAGE.includes(status);
}

function outcomeOf({ status, outcome, mend, retryAfterMs, isPage }: FailedAnswer): Outcome {
  if (isPage && REFUSED_BY_A_PAGE.includes(status)) return "retryable";
  return outcome ?? (mend === undefined ? outcomeOfStatus(status, retryAfterMs !== undefined) : "permanent");
}

/** Cloudflare could not reach the server: it is down, out of reach, or its certificate is wrong. */
const NEVER_PASSED_ON = [521, 523, 525, 526];

/** By the status of an answer. `asksToWait`: it says when to come again. */
export function outcomeOfStatus(status: number, asksToWait = false): Outcome {
  if (status === 408 || status === 425 || status === 429) return "retryable"; // Not taken: late, early, too fast.
  if (status === 503 && asksToWait) return "retryable"; // Turned away at the door.
  if (NEVER_PASSED_ON.includes(status)) return "retryable";
  return status >= 300 && status < 500 ? "permanent" : "unknown";
}

/** Of a call that was not answered. */
export function outcomeOfSilence(error: unknown): Outcome {
  return wasNeverSent(error) ? "retryable" : "unknown";
}

/** What may be done twice is never `unknown`: if nobody can tell whether it was done, it is done again. */
export function repeatable(failure: SendError): SendError {
  if (failure.outcome !== "unknown") return failure;
  return new SendError("retryable", failure.message, { cause: failure });
}
