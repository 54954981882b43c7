/** A handoff, for people and for programs. */
import type { Handoff } from "../../session/handoff.js";
import { LOCAL } from "../../session/platform.js";
import { addressOf, formatAddress } from "../../session/source.js";
import { cleanLine } from "../../util/text.js";

export function handoffFacts(handoff: Handoff): Readonly<Record<string, unknown>> {
  const { id, sessionId, state, target, fromKey, requestedAt, finishedAt, claimedBy, claims, error } =
    handoff;
  const destination = handoff.destination && formatAddress(addressOf(handoff.destination));
  const askedFrom = handoff.asker && formatAddress(addressOf(handoff.asker.source));
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
export function whereTo({ target, destination }: Handoff): string {
  if (target === LOCAL) return "the terminal";
  return cleanLine(destination ? formatAddress(addressOf(destination)) : target);
}
