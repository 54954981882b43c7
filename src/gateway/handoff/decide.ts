/** Decides what one process does about an unfinished handoff. Pure. */
import { MAX_CLAIMS } from "../../session/handoff.js";
import { LOCAL } from "../../session/platform.js";
import type { Move } from "../store.js";

export interface Sight {
  readonly now: number;
  /** The platform of its destination is connected in this process. */
  readonly isHere: boolean;
  /** The process that holds it has certainly ended. */
  readonly isAbandoned: boolean;
}

export type Decision =
  | { readonly kind: "carry"; readonly left: boolean }
  /** A turn of the session is running; the process that runs it may have ended. */
  | { readonly kind: "await turn" }
  | { readonly kind: "give up"; readonly reason: string }
  /** Look again at this time, or after the next commit; only after a commit if `at` is null. */
  | { readonly kind: "wait"; readonly at: number | null };

export const NOBODY_CAME = "No gateway took it in time. Run `baton gateway status` to see what is running.";

export function decide(move: Move, { now, isHere, isAbandoned }: Sight): Decision {
  const isOffer = move.target === LOCAL;
  if (isOffer && move.state === "pending") return { kind: "wait", at: null }; // It is taken when somebody opens the terminal.
  const leaseUntil = move.leaseUntil ?? 0;
  const isHeld = move.state === "running" && leaseUntil > now && !isAbandoned;
  if (isHeld) return { kind: "wait", at: leaseUntil };
  if (isOffer) return { kind: "give up", reason: "The terminal closed while taking it over." };
  if (move.state === "running" && move.claims >= MAX_CLAIMS) {
    return { kind: "give up", reason: `${MAX_CLAIMS} gateways started it and none finished.` };
  }
  if (move.isBusy) return { kind: "await turn" };
  const overdueAt = move.readySince + move.waitMs;
  const isOverdue = now >= overdueAt;
  // A handoff that has begun continues; one that nobody began in time never begins.
  if (isHere && (move.state === "running" || !isOverdue))
    return { kind: "carry", left: move.state === "running" };
  return isOverdue ? { kind: "give up", reason: NOBODY_CAME } : { kind: "wait", at: overdueAt };
}
