/**
 * The outcome of one call that sends, as the outbox stores it. Pure: it depends on what the call threw and how often it
 * was tried.
 */
import { SendError } from "../adapter/adapter.js";
import { backoff, type Pauses } from "../util/backoff.js";

export type SendOutcome =
  | { readonly kind: "sent"; readonly messageId: string }
  /** Certainly not delivered: tried again after the wait. */
  | { readonly kind: "later"; readonly waitMs: number; readonly error: string }
  /** `unknown`: it may have arrived, so it is never blindly sent again. */
  | { readonly kind: "failed" | "unknown"; readonly error: string };

const MAX_ATTEMPTS = 8;
const WAITS: Pauses = { firstMs: 1_000, longestMs: 60_000 };

/**
 * `attempts`: how many were made before this one. An error that is not a `SendError` says nothing about the outcome.
 */
export function failedOutcome(thrown: unknown, attempts: number): SendOutcome {
  const error = String((thrown as Error)?.message ?? thrown);
  if (!(thrown instanceof SendError) || thrown.outcome === "unknown") return { kind: "unknown", error };
  if (thrown.outcome === "permanent" || attempts + 1 >= MAX_ATTEMPTS) return { kind: "failed", error };
  return {
    kind: "later",
    waitMs: thrown.retryAfterMs ?? backoff(attempts + 1, WAITS),
    error,
  };
}
