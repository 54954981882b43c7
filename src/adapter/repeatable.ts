/** What may be done twice is never `unknown`: where nobody can tell whether it was done, it is done again. */
import { SendError } from "./adapter.js";

export function repeatable(failure: SendError): SendError {
  return failure.outcome === "unknown"
    ? new SendError("retryable", failure.message, { cause: failure })
    : failure;
}
