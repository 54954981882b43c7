/**
 * What Ctrl-C means: it stops a running turn, and a second one within two seconds leaves. Without a turn it empties the
 * line; on an empty line it asks for another one, which leaves.
 */
export interface Interrupted {
  /** When a turn was last told to stop. */
  readonly stoppedAt: number | null;
  /** The last key was a Ctrl-C that asked for another one. */
  readonly asked: boolean;
}

export type InterruptAction = "stop" | "leave" | "empty" | "ask";

export const NOT_INTERRUPTED: Interrupted = { stoppedAt: null, asked: false };

const AGAIN_WITHIN_MS = 2_000;

export function interrupt(
  state: Interrupted,
  now: { readonly at: number; readonly isRunning: boolean; readonly isEmpty: boolean },
): { readonly action: InterruptAction; readonly state: Interrupted } {
  const since = state.stoppedAt === null ? Number.POSITIVE_INFINITY : now.at - state.stoppedAt;
  if (state.asked || (since >= 0 && since <= AGAIN_WITHIN_MS)) return { action: "leave", state };
  if (now.isRunning) return { action: "stop", state: { stoppedAt: now.at, asked: false } };
  if (!now.isEmpty) return { action: "empty", state: NOT_INTERRUPTED };
  return { action: "ask", state: { stoppedAt: null, asked: true } };
}
