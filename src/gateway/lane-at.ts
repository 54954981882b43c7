/** The lane that a conversation has in another chat. */
import { identityById, isOwn, personOf } from "../session/access.js";
import { BatonError } from "../session/errors.js";
import type { Sessions } from "../session/sessions.js";
import type { Address } from "../session/source.js";
import type { LanePlace } from "../session/store.js";
import { type Surface, speakerOf } from "./surface.js";

/** It is not possible, for this reason. */
export class Impossible extends Error {}

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

export function impossibleIfRefused(error: unknown): unknown {
  return error instanceof BatonError ? new Impossible(error.message) : error;
}

function isOf(owner: string, { platform }: Address, person: string | null): boolean {
  return person !== null && isOwn({ owner }, [identityById(platform, person)]);
}
