/**
 * Whose words an owner may read. To look after the gateway is not to read the private conversations of others: an owner sees
 * that something waits there and where, and its words only if they could open the conversation.
 */

import { senderOf, type Who } from "../../../gateway/authorize.js";
import { mayAccess } from "../../../session/access.js";
import { isPlatform } from "../../../session/platform.js";
import type { Sessions } from "../../../session/sessions.js";
import { parseAnyAddress, type SessionSource } from "../../../session/source.js";
import type { WebAsking } from "../../asking.js";

/** What was said there is in the conversation that its lane has; what they said themselves is theirs anyway. */
export function mayReadFrom(
  { viewer, identities }: Pick<Who, "viewer" | "identities">,
  { source, by }: { readonly source: SessionSource; readonly by: SessionSource | null },
  sessions: Pick<Sessions, "laneOf">,
): boolean {
  if (viewer.kind === "owner") return true;
  const sender = by && senderOf(by);
  if (sender !== null && identities.includes(sender)) return true;
  if (!isPlatform(source.platform)) return false;
  const lane = sessions.laneOf(source);
  return mayAccess(viewer, { ...lane, laneOwner: lane.owner });
}

/** The same for what is on its way to an address, and of no conversation. */
export async function mayReadAt(
  { who, view }: Pick<WebAsking, "who" | "view">,
  to: string,
): Promise<boolean> {
  if (who.viewer.kind === "owner") return true;
  const address = parseAnyAddress(to);
  return isPlatform(address.platform) && (await view.laneAt(address)) !== null;
}
