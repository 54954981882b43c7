import type { SessionEntry } from "../../session/session.js";
import type { Address, SessionSource } from "../../session/source.js";
import { cleanLine } from "../../util/text.js";
import { counted } from "../../util/words.js";
import { nameOf } from "../describe.js";
import { addressWords, placeWords, surfaceOf } from "../place-words.js";

export function movedText(to: SessionSource, address: Address): string {
  return `Moved to ${placeWords(to)} (${addressWords(address)}). Continue there. To bring it back, send /resume here.`;
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
  { isTaken, isOurs }: { readonly isTaken: boolean; readonly isOurs: boolean },
): string {
  const size = entry.messageCount === 0 ? "no messages yet" : counted(entry.messageCount, "message");
  const origin = from === null ? "" : `, moved from ${surfaceOf(from)}`;
  const before = isTaken ? " The conversation that was here before is saved: see /sessions." : "";
  const how = isOurs ? "Just keep writing." : "To continue, mention me.";
  return `${nameOf(entry)} continues here: ${size}${origin}. ${how}${before}`;
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

/** For the other chat, after somebody brought a session back by themselves. */
export function leftText(entry: SessionEntry, to: SessionSource): string {
  return `${nameOf(entry)} moved to ${surfaceOf(to)}. To bring it back, send /resume here; any other message starts a new session.`;
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
