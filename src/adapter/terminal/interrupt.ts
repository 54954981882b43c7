/**
 * What Ctrl-C means: it stops a running turn, and a second one within two seconds leaves. Without a turn it clears the
 * line; on an empty line it asks for another one, which leaves. The second one never leaves, nor clears, while there is a
 * draft: the person who wrote it was impatient with the turn.
 */
export interface Interrupted {
  /** When a turn was last told to stop. */
  readonly stoppedAt: number | null;
  /** The last key was a Ctrl-C that asked for another one, to do this. */
  readonly asked: "leave" | "clear" | null;
}

export type InterruptAction = "stop" | "leave" | "clear" | "ask";

export const NOT_INTERRUPTED: Interrupted = { stoppedAt: null, asked: null };

const AGAIN_WITHIN_MS = 2_000;

/** Any other key in between brings back `NOT_INTERRUPTED`. */
export function interrupt(
  { stoppedAt, asked }: Interrupted,
  now: { readonly at: number; readonly isRunning: boolean; readonly isEmpty: boolean },
): { readonly action: InterruptAction; readonly state: Interrupted } {
  const since = stoppedAt === null ? Number.POSITIVE_INFINITY : now.at - stoppedAt;
  const isAgain = since >= 0 && since <= AGAIN_WITHIN_MS;
  if (now.isEmpty && (isAgain || asked === "leave")) return { action: "leave", state: NOT_INTERRUPTED };
  if (now.isRunning) return { action: "stop", state: { stoppedAt: now.at, asked: null } };
  if (now.isEmpty) return { action: "ask", state: { stoppedAt: null, asked: "leave" } };
  if (isAgain) return { action: "ask", state: { stoppedAt: null, asked: "clear" } };
  return { action: "clear", state: NOT_INTERRUPTED };
}
