/** The destination of a handoff: the place that was asked for, and the lane that the session will have there. */
import { identityNamed, isOwn, personOf } from "../../session/access.js";
import { BatonError } from "../../session/errors.js";
import type { Handoff } from "../../session/handoff.js";
import type { Sessions } from "../../session/sessions.js";
import { type Address, parseAddress } from "../../session/source.js";
import type { LanePlace } from "../../session/store.js";
import { type Surface, speakerOf } from "../surface.js";
import type { HandoffDesk } from "./desk.js";

/** It is not possible, for this reason. The session stays where it is. */
export class Impossible extends Error {}

/** A program may write anything as the target, so it may not be a place. */
export async function placeAsked(desk: HandoffDesk, { target }: Handoff): Promise<Address> {
  try {
    return target.includes(":") ? parseAddress(target) : (await desk.placeNamed(target, null)).address;
  } catch (error) {
    throw impossibleIfRefused(error);
  }
}

/** The lane that the person's next message there will have. */
export async function laneAt(
  sessions: Sessions,
  address: Address,
  surface: Surface,
  person: string | null,
): Promise<LanePlace> {
  const known = (await sessions.lanesAt(address)).filter(
    ({ owner, origin }) =>
      origin.chatType === "dm" || personOf({ owner }) === null || isOf(owner, address, person),
  );
  const source = known[0]?.origin ?? (await (await speakerOf(surface)).place?.(address)) ?? null;
  if (!source) throw new Impossible("I am not in that chat, or it does not exist.");
  const named = source.userId || person === null ? source : { ...source, userId: person };
  try {
    return sessions.laneOf(source.chatType === "dm" ? source : named);
  } catch (error) {
    throw impossibleIfRefused(error);
  }
}

function impossibleIfRefused(error: unknown): unknown {
  return error instanceof BatonError ? new Impossible(error.message) : error;
}

function isOf(owner: string, { platform }: Address, person: string | null): boolean {
  return person !== null && isOwn({ owner }, [identityNamed(platform, person)]);
}
