import { personOf } from "../../session/access.js";
import { LOCAL } from "../../session/platform.js";
import type { SessionEntry } from "../../session/session.js";
import { type Address, addressOf, type SessionSource } from "../../session/source.js";
import { cleanLine } from "../../util/text.js";
import { counted } from "../../util/words.js";
import { nameOf } from "../describe.js";
import { addressWords, placeWords, surfaceOf } from "../place-words.js";

/** `refusal`: why it is in the chat itself and not in a thread of its own. */
export function movedText(to: SessionSource, address: Address, refusal: string | null): string {
  const where = `Moved to ${placeWords(to)} (${addressWords(address)}).`;
  return `${where}${refusalText(refusal)} Continue there. To bring it back, send /resume here.`;
}

function refusalText(refusal: string | null): string {
  return refusal === null ? "" : ` It has no thread of its own. ${cleanLine(refusal)}`;
}

export function failedText(target: string, reason: string): string {
  return `The handoff to ${cleanLine(target)} failed: ${cleanLine(reason)} The conversation stays here.`;
}

/**
 * For the destination, before the agent says anything. `isTaken`: another conversation was there. `isOurs`: every
 * message there is for us; otherwise only those that mention us.
 */
export function hereText(
  entry: SessionEntry,
  from: SessionSource | null,
  {
    isTaken,
    isOurs,
    refusal,
  }: { readonly isTaken: boolean; readonly isOurs: boolean; readonly refusal: string | null },
): string {
  const size = entry.messageCount === 0 ? "no messages yet" : counted(entry.messageCount, "message");
  const origin = from === null ? "" : `, moved from ${surfaceOf(from)}`;
  const before = isTaken ? " The conversation that was here before is saved: see /sessions." : "";
  const how = isOurs ? "Just keep writing." : "To continue, mention me.";
  return `${nameOf(entry)} continues here: ${size}${origin}. ${how}${before}${refusalText(refusal)}`;
}

export function retractedText(reason: string): string {
  return `The conversation does not continue here after all: ${cleanLine(reason)}`;
}

export function offerText(entry: SessionEntry): string {
  const size = counted(entry.messageCount, "message");
  return `${placeWords(entry.origin)} offers you ${nameOf(entry)} here (${size}). To take it, send /resume.`;
}

export function takenText(): string {
  return "Taken over at the terminal. To bring it back, send /resume here.";
}

/**
 * For the chat that a session has left, if nobody there asked for it. It may be of others than the new one, so it reads only
 * the platform, and who may bring the session back, as `mayMove` has it. A terminal reads `takenAwayText`.
 */
export function movedAwayText(entry: SessionEntry, to: SessionSource): string {
  const where = entry.platform === to.platform ? `another chat on ${surfaceOf(to)}` : surfaceOf(to);
  const back =
    personOf({ owner: entry.laneOwner }) === null
      ? `${personOf(entry) === null ? "An owner of this gateway" : "The person who began it, or an owner of this gateway,"} can bring it back with /resume here`
      : "To bring it back, send /resume here";
  return `${nameOf(entry)} moved to ${where}. ${back}; any other message starts a new session.`;
}

/** For somebody who may not bring back what left this chat. */
export function notYoursText(): string {
  return "The conversation that was here moved to another chat, and it is not only yours. An owner of this gateway can bring it back with /resume here.";
}

/** For a terminal whose session somebody else took away: where it is; null if it is gone. */
export function takenAwayText(entry: SessionEntry | null): string {
  if (entry === null) return "This conversation was deleted elsewhere. /new starts another one.";
  const { origin, endedAt } = entry;
  const place =
    origin.platform === LOCAL
      ? "another terminal"
      : `${placeWords(origin)} (${addressWords(addressOf(origin))})`;
  const where = endedAt === null ? `moved to ${place}` : "was ended elsewhere";
  return `${nameOf(entry)} ${where}. To bring it back, send /resume ${entry.sessionId}; /new starts another one.`;
}

/** The request to the agent in the new chat. */
export function askToConfirm(entry: SessionEntry, from: SessionSource | null): string {
  const origin = from === null ? "" : ` from ${surfaceOf(from)}`;
  const ask =
    entry.messageCount === 0
      ? "Nothing was said in it yet. Confirm in one short sentence that you are here."
      : "Confirm that you are here, and sum up in a line or two where we are.";
  return `[This conversation has just been moved here${origin}. ${ask}]`;
}
