/**
 * The outcome of one call that sends, as the outbox stores it. Pure: it depends on what the call threw, how often the
 * message was tried and how old it is.
 */
import { SendError } from "../adapter/adapter.js";
import { backoff, type Pauses } from "../util/backoff.js";
import { durationWords } from "../util/words.js";

export type SendOutcome =
  | { readonly kind: "sent"; readonly messageId: string }
  /** Certainly not delivered: tried again after the wait. */
  | { readonly kind: "later"; readonly waitMs: number; readonly error: string }
  /** `unknown`: it may have arrived, so it is never blindly sent again. */
  | { readonly kind: "failed" | "unknown"; readonly error: string };

export interface SendTries {
  /** How many attempts were made before this one. */
  readonly attempts: number;
  /** Since it was written into the outbox. Negative if the clock was set back. */
  readonly ageMs: number;
  readonly giveUpAfterMs: number;
}

/**
 * So many are made in any case: a message may be old because Baton did not run, or the clock may have been set. They take
 * two minutes.
 */
const LEAST_ATTEMPTS = 8;
const WAITS: Pauses = { firstMs: 1_000, longestMs: 5 * 60_000 };

/** An error that is not a `SendError` says nothing about the outcome. No try is waited for that comes too late. */
export function failedOutcome(thrown: unknown, { attempts, ageMs, giveUpAfterMs }: SendTries): SendOutcome {
  const error = String((thrown as Error)?.message ?? thrown);
  if (!(thrown instanceof SendError) || thrown.outcome === "unknown") return { kind: "unknown", error };
  if (thrown.outcome === "permanent") return { kind: "failed", error };
  const waitMs = thrown.retryAfterMs ?? backoff(attempts + 1, WAITS);
  if (attempts + 1 < LEAST_ATTEMPTS || ageMs + waitMs <= giveUpAfterMs)
    return { kind: "later", waitMs, error };
  return { kind: "failed", error: `Baton gave up after ${durationWords(Math.max(0, ageMs))}: ${error}` };
}
