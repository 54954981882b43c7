/**
 * Something went wrong. The sentence is for the person who runs Baton; the details go into the log, where they lead to
 * the session, the turn or the message that it was about.
 */
export interface ProblemDetails {
  readonly cause?: unknown;
  readonly session?: string;
  readonly turn?: string;
  readonly delivery?: string;
}

export type OnProblem = (sentence: string, details?: ProblemDetails) => void;

/** An error with the errors that caused it, for the log. */
export function causeText(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const text = cause.stack ?? cause.message;
  return cause.cause === undefined ? text : `${text}\nCaused by: ${causeText(cause.cause)}`;
}
