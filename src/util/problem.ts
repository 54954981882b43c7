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

/** Errors can cause each other in a circle, and be as long as their author likes. */
const MOST_CAUSES = 5;
const LONGEST = 2_000;

/** An error with the errors that caused it, for the log. It never throws. */
export function causeText(cause: unknown): string {
  const texts: string[] = [];
  for (let next = cause; next !== undefined && texts.length < MOST_CAUSES; ) {
    texts.push(textOf(next).slice(0, LONGEST));
    next = next instanceof Error ? next.cause : undefined;
  }
  return texts.join("\nCaused by: ");
}

function textOf(error: unknown): string {
  try {
    return String(error instanceof Error ? (error.stack ?? error.message) : error);
  } catch {
    return "an error that can't be shown";
  }
}
