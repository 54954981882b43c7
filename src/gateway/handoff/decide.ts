/** Decides what one process does about an unfinished handoff. Pure. */
import { type Handoff, MAX_CLAIMS, overdueAt } from "../../session/handoff.js";
import { LOCAL } from "../../session/platform.js";

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

export function decide(handoff: Handoff, { now, isHere, isAbandoned }: Sight): Decision {
  const isOffer = handoff.target === LOCAL;
  if (isOffer && handoff.state === "pending") return { kind: "wait", at: null }; // It is taken when somebody opens the terminal.
  const leaseUntil = handoff.leaseUntil ?? 0;
  const isHeld = handoff.state === "running" && leaseUntil > now && !isAbandoned;
  if (isHeld) return { kind: "wait", at: leaseUntil };
  if (isOffer) return { kind: "give up", reason: "The terminal closed while taking it over." };
  if (handoff.state === "running" && handoff.claims >= MAX_CLAIMS) {
    return { kind: "give up", reason: `${MAX_CLAIMS} gateways started it and none finished.` };
  }
  if (handoff.isBusy) return { kind: "await turn" };
  const isOverdue = now >= overdueAt(handoff);
  // A handoff that has begun continues; one that nobody began in time never begins.
  if (isHere && (handoff.state === "running" || !isOverdue))
    return { kind: "carry", left: handoff.state === "running" };
  return isOverdue ? { kind: "give up", reason: NOBODY_CAME } : { kind: "wait", at: overdueAt(handoff) };
}
