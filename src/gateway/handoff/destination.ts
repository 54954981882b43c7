/** The destination of a handoff: the place that was asked for. */
import type { Handoff } from "../../session/handoff.js";
import { type Address, parseAddress } from "../../session/source.js";
import { impossibleIfRefused } from "../lane-at.js";
import type { HandoffDesk } from "./desk.js";

/** A program may write anything as the target, so it may not be a place. */
export async function placeAsked(desk: HandoffDesk, { target }: Handoff): Promise<Address> {
  try {
    return target.includes(":") ? parseAddress(target) : (await desk.placeNamed(target, null)).address;
  } catch (error) {
    throw impossibleIfRefused(error);
  }
}
