/** A handoff, for people and for programs. */
import type { Move } from "../../gateway/store.js";
import { LOCAL } from "../../session/platform.js";
import { addressOf, formatAddress } from "../../session/source.js";
import { cleanLine } from "../../util/text.js";

export function handoffFacts(move: Move): Readonly<Record<string, unknown>> {
  const { id, sessionId, state, target, fromKey, requestedAt, finishedAt, claimedBy, claims, error } = move;
  const destination = move.destination && formatAddress(addressOf(move.destination));
  const askedFrom = move.asker && formatAddress(addressOf(move.asker.source));
  return {
    id,
    sessionId,
    state,
    target,
    destination,
    fromKey,
    askedFrom,
    requestedAt,
    finishedAt,
    claimedBy,
    claims,
    error,
  };
}

/** `the terminal`, or an address. */
export function whereTo({ target, destination }: Move): string {
  if (target === LOCAL) return "the terminal";
  return cleanLine(destination ? formatAddress(addressOf(destination)) : target);
}
