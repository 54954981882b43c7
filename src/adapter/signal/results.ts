/** What became of a message for each of those who should get it, as signal-cli tells: in its answer, or beside an error. */
import type { FailedAnswer } from "../failure.js";
import { field, isThere, listOf, numberIn, wordsIn } from "../untrusted.js";

/** The results in an answer of `send`, or in the data of an error. */
export function resultsIn(response: unknown): readonly unknown[] {
  return listOf(field(response, "results"));
}

/** The failure; null if somebody has the message, or nothing is told: in a group, somebody may always be unreachable. */
export function failureIn(results: readonly unknown[]): FailedAnswer | null {
  const types = results.map((result) => wordsIn(result, "type"));
  if (types.every((type) => type === "") || types.includes("SUCCESS")) return null;
  const has = (type: string): boolean => types.includes(type);
  const waits = results.map((result) => numberIn(result, "retryAfterSeconds") ?? 0);
  // Nobody has it, so it can be sent again to all of them as soon as it can be sent to one.
  if (has("RATE_LIMIT_FAILURE") || has("PROOF_REQUIRED_FAILURE") || results.some(wantsProof))
    return { status: 429, words: "", retryAfterMs: longest(waits), sentence: waitSentence(results) };
  if (has("NETWORK_FAILURE"))
    return {
      status: 503,
      words: "",
      outcome: "retryable",
      sentence: "signal-cli could not reach Signal's servers.",
    };
  return { status: 400, words: "", sentence: refusal(types) };
}

function wantsProof(result: unknown): boolean {
  return isThere(field(result, "token"));
}

function longest(seconds: readonly number[]): number | undefined {
  const most = Math.max(0, ...seconds);
  return most > 0 ? most * 1_000 : undefined;
}

function waitSentence(results: readonly unknown[]): string {
  const wait = "Signal asks to wait before more is sent.";
  if (!results.some(wantsProof)) return wait;
  return `${wait} To send sooner, solve its captcha: see \`signal-cli submitRateLimitChallenge --help\`.`;
}

function refusal(types: readonly string[]): string {
  if (types.every((type) => type === "UNREGISTERED_FAILURE"))
    return types.length === 1 ? "This person is not on Signal (any more)." : "Nobody there is on Signal.";
  if (types.every((type) => type === "IDENTITY_FAILURE"))
    return "The person's safety number changed: check it with them, then `signal-cli trust`.";
  return `Signal did not take it: ${[...new Set(types)].join(", ").slice(0, 100)}.`;
}
