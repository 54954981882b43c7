/**
 * Moving a session to another lane, as a state machine. Pure: the store applies `stepHandoff` to the row it holds
 * locked and writes the result, so a step that is refused here can never happen.
 *
 * - `pending`: asked for. The asker may still cancel; a gateway may claim.
 * - `running`: claimed by one gateway, with a lease and a fence that only grows. Once the lease has run out another may
 *   claim it, up to MAX_CLAIMS in all; then it fails. Only the holder of the newest fence may finish it.
 * - `completed`, `failed`: never change again.
 */
import { cleanLine, shorten } from "../util/text.js";
import type { Platform } from "./platform.js";
import type { SessionKey } from "./session-key.js";

export type HandoffState = "pending" | "running" | "completed" | "failed";

export interface Handoff {
  readonly id: string;
  readonly sessionId: string;
  /** The lane that asked and keeps the session until completion. */
  readonly fromKey: SessionKey;
  /** Where to, as the person wrote it: a platform, an address, or the terminal. */
  readonly target: string;
  readonly state: HandoffState;
  readonly requestedAt: number;
  readonly claimedBy: string | null;
  readonly leaseUntil: number | null;
  readonly fence: number;
  readonly claims: number;
  readonly finishedAt: number | null;
  readonly error: string | null;
}

/** The platform in a target. A program may name anything: then it is one that nobody has. */
export function platformOfTarget(target: string): Platform {
  return target.split(":")[0]?.toLowerCase() ?? "";
}

export type HandoffStep =
  /** `left`: the process that held it has certainly ended, so its lease need not run out. */
  | { readonly kind: "claim"; readonly owner: string; readonly leaseMs: number; readonly left?: boolean }
  | { readonly kind: "renew"; readonly fence: number; readonly leaseMs: number }
  | { readonly kind: "complete"; readonly fence: number }
  | { readonly kind: "fail"; readonly fence: number; readonly error: string }
  /** By the asker, who holds no fence. */
  | { readonly kind: "cancel"; readonly error: string };

export type HandoffOutcome =
  | { readonly ok: true; readonly handoff: Handoff }
  | { readonly ok: false; readonly reason: string };

export const MAX_CLAIMS = 3;
/** How long a handoff may wait for a gateway before it fails. */
export const HANDOFF_WAIT_MS = 60_000;
const MAX_ERROR = 500;

function isActiveHandoff(handoff: Handoff): boolean {
  return handoff.state === "pending" || handoff.state === "running";
}

export function stepHandoff(handoff: Handoff, step: HandoffStep, now: number): HandoffOutcome {
  if (!isActiveHandoff(handoff)) return refuse(`the handoff is already ${handoff.state}`);
  switch (step.kind) {
    case "claim":
      return claim(handoff, step, now);
    case "renew":
      return (
        heldBy(handoff, step.fence) ?? { ok: true, handoff: { ...handoff, leaseUntil: now + step.leaseMs } }
      );
    case "complete":
      return heldBy(handoff, step.fence) ?? { ok: true, handoff: finish(handoff, "completed", null, now) };
    case "fail":
      return heldBy(handoff, step.fence) ?? { ok: true, handoff: finish(handoff, "failed", step.error, now) };
    case "cancel":
      if (handoff.state !== "pending")
        return refuse("a gateway is already carrying it out; wait for its outcome");
      return { ok: true, handoff: finish(handoff, "failed", step.error, now) };
    default:
      return step satisfies never;
  }
}

function claim(
  handoff: Handoff,
  step: { owner: string; leaseMs: number; left?: boolean },
  now: number,
): HandoffOutcome {
  const isHeld = handoff.state === "running" && (handoff.leaseUntil ?? 0) > now;
  if (isHeld && !step.left) return refuse(`${handoff.claimedBy} has already claimed it`);
  if (handoff.claims >= MAX_CLAIMS) {
    const error = `Gave up after ${MAX_CLAIMS} gateways took it and none finished.`;
    return { ok: true, handoff: finish(handoff, "failed", error, now) };
  }
  return {
    ok: true,
    handoff: {
      ...handoff,
      state: "running",
      claimedBy: step.owner,
      leaseUntil: now + step.leaseMs,
      fence: handoff.fence + 1,
      claims: handoff.claims + 1,
    },
  };
}

/** Refuses a step whose fence is not the newest: its holder was replaced. */
function heldBy(handoff: Handoff, fence: number): HandoffOutcome | null {
  if (handoff.state !== "running") return refuse("nobody has claimed it");
  return handoff.fence === fence ? null : refuse("another gateway has taken it since");
}

function finish(handoff: Handoff, state: "completed" | "failed", error: string | null, now: number): Handoff {
  const reason = error === null ? null : shorten(cleanLine(error) || "unknown error", MAX_ERROR);
  return { ...handoff, state, error: reason, leaseUntil: null, finishedAt: now };
}

function refuse(reason: string): HandoffOutcome {
  return { ok: false, reason };
}
