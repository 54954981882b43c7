/**
 * What a failed call says of the message in it, for every platform. `retryable` only where it is certain that nobody took
 * it; where a server, or a proxy before one, broke while it had the message, nobody knows. (Where the platform takes the
 * same message twice for one, `repeatable` makes a repeat of that.)
 */
import type { SendError } from "./adapter.js";
import { wasNeverSent } from "./http-call.js";

/** By the status of an answer. `asksToWait`: it says when to come again. */
export function outcomeOfStatus(status: number, asksToWait = false): SendError["outcome"] {
  if (status === 408 || status === 425 || status === 429) return "retryable"; // Not taken: late, early, too fast.
  if (status === 503 && asksToWait) return "retryable"; // Turned away at the door.
  return status >= 300 && status < 500 ? "permanent" : "unknown";
}

/** Of a call that was not answered. */
export function outcomeOfSilence(error: unknown): SendError["outcome"] {
  return wasNeverSent(error) ? "retryable" : "unknown";
}
