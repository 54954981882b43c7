/**
 * Moving a session to another lane, as a state machine. Pure: the store applies `stepHandoff` to the row it holds
 * locked and writes the result, so a step that is refused here can never happen. `holdsTurns` decides which messages
 * wait for a handoff.
 *
 * - `pending`: asked for. The asker may still cancel; a gateway may claim.
 * - `running`: claimed by one gateway, with a lease and a fence that only grows. Once the lease has run out another may
 *   claim it, up to MAX_CLAIMS in all; then it fails. Only the holder of the newest fence may finish it.
 * - `completed`, `failed`: never change again.
 */
import { cleanLine, shorten } from "../util/text.js";
import type { HandoffId, SessionId } from "./ids.js";
import { LOCAL, type Platform } from "./platform.js";
import type { SessionKey } from "./session-key.js";
import type { SessionSource } from "./source.js";

export const HANDOFF_STATES = ["pending", "running", "completed", "failed"] as const;
export type HandoffState = (typeof HANDOFF_STATES)[number];

/** Who asked for a handoff, and where they hear of its outcome. */
export interface Asker {
  readonly source: SessionSource;
  readonly account: string;
  /** The process that tells them; "" for any process that has the account. */
  readonly holder: string;
}

/** A handoff and how far it has got: a gateway that continues it repeats nothing. */
export interface Handoff {
  readonly id: HandoffId;
  readonly sessionId: SessionId;
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
  /** Null if a program asked. */
  readonly asker: Asker | null;
  /** A gateway was about to create a thread for it. Without a destination, nobody knows if the thread exists. */
  readonly isThreadBegun: boolean;
  /** The lane that it goes to, once that is known. */
  readonly destination: SessionSource | null;
  readonly destinationKey: SessionKey | null;
  /** A turn of the session is running; the handoff waits for its end. */
  readonly isBusy: boolean;
  /** Since when a gateway could have begun it, and how long it may wait from then on. */
  readonly readySince: number;
  readonly waitMs: number;
}

/** The platform in a target. A program may name anything: then it is one that nobody has. */
export function platformOfTarget(target: string): Platform {
  return target.split(":")[0]?.toLowerCase() ?? "";
}

/** Each step carries the fence that its caller knows, and is refused if that is not the newest. */
export type HandoffStep =
  /** `left`: the process that held it has certainly ended, so its lease need not run out. */
  | {
      readonly kind: "claim";
      readonly fence: number;
      readonly holder: string;
      readonly leaseMs: number;
      readonly left?: boolean;
    }
  | { readonly kind: "renew"; readonly fence: number; readonly leaseMs: number }
  | { readonly kind: "begin thread"; readonly fence: number }
  | {
      readonly kind: "aim";
      readonly fence: number;
      readonly destination: { readonly key: SessionKey; readonly origin: SessionSource };
    }
  /** Tells the destination, once. */
  | { readonly kind: "announce"; readonly fence: number }
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

/** When the asker stops waiting for a gateway that begins it. */
export function overdueAt({ readySince, waitMs }: Pick<Handoff, "readySince" | "waitMs">): number {
  return readySince + waitMs;
}

/**
 * True if no turn may begin in this lane, because its session is about to leave or another session is about to arrive.
 * An offer to the terminal holds nothing until somebody takes it; a handoff that no gateway began in time holds nothing
 * more.
 */
export function holdsTurns(
  handoff: Handoff,
  lane: { readonly key: SessionKey; readonly sessionId: SessionId | null },
  now: number,
): boolean {
  const isLeaving = handoff.sessionId === lane.sessionId;
  if (handoff.state === "running") return isLeaving || handoff.destinationKey === lane.key;
  return handoff.state === "pending" && isLeaving && handoff.target !== LOCAL && now < overdueAt(handoff);
}

export function stepHandoff(handoff: Handoff, step: HandoffStep, now: number): HandoffOutcome {
  if (!isActiveHandoff(handoff)) return refuse(`the handoff is already ${handoff.state}`);
  switch (step.kind) {
    case "claim":
      return claim(handoff, step, now);
    case "renew":
      return ifHeld(handoff, step, () => ({ ...handoff, leaseUntil: now + step.leaseMs }));
    case "begin thread":
      return ifHeld(handoff, step, () => ({ ...handoff, isThreadBegun: true }));
    case "aim": {
      const { origin, key } = step.destination;
      return ifHeld(handoff, step, () => ({ ...handoff, destination: origin, destinationKey: key }));
    }
    case "announce":
      return ifHeld(handoff, step, () => handoff);
    case "complete":
      return ifHeld(handoff, step, () => finish(handoff, "completed", null, now));
    case "fail":
      return ifHeld(handoff, step, () => finish(handoff, "failed", step.error, now));
    case "cancel":
      if (handoff.state !== "pending")
        return refuse("a gateway is already carrying it out; wait for its outcome");
      return accept(finish(handoff, "failed", step.error, now));
    default:
      return step satisfies never;
  }
}

function claim(
  handoff: Handoff,
  step: Extract<HandoffStep, { readonly kind: "claim" }>,
  now: number,
): HandoffOutcome {
  const isHeld = handoff.state === "running" && (handoff.leaseUntil ?? 0) > now;
  if (handoff.fence !== step.fence || (isHeld && !step.left))
    return refuse(`${handoff.claimedBy} has already claimed it`);
  if (handoff.claims >= MAX_CLAIMS) {
    const error = `Gave up after ${MAX_CLAIMS} gateways took it and none finished.`;
    return accept(finish(handoff, "failed", error, now));
  }
  if (handoff.isBusy) return refuse("the session is answering; wait for the end of its turn");
  return accept({
    ...handoff,
    state: "running",
    claimedBy: step.holder,
    leaseUntil: now + step.leaseMs,
    fence: handoff.fence + 1,
    claims: handoff.claims + 1,
  });
}

/** Refuses a step whose fence is not the newest: its holder was replaced. */
function ifHeld(
  handoff: Handoff,
  { fence }: { readonly fence: number },
  change: () => Handoff,
): HandoffOutcome {
  if (handoff.state !== "running") return refuse("nobody has claimed it");
  return handoff.fence === fence ? accept(change()) : refuse("another gateway has taken it since");
}

function finish(handoff: Handoff, state: "completed" | "failed", error: string | null, now: number): Handoff {
  const reason = error === null ? null : shorten(cleanLine(error) || "unknown error", MAX_ERROR);
  return { ...handoff, state, error: reason, leaseUntil: null, finishedAt: now };
}

function accept(handoff: Handoff): HandoffOutcome {
  return { ok: true, handoff };
}

function refuse(reason: string): HandoffOutcome {
  return { ok: false, reason };
}
