/** Sessions in a few words, always on one clean line. */
import "../schedule/job-source.js"; // Sessions of jobs have a title, too.
import { isPlatform, LOCAL, platformTraits } from "../session/platform.js";
import type { SessionEntry } from "../session/session.js";
import { describeSource } from "../session/source.js";
import { cleanLine } from "../util/text.js";

/** What people call a session. The chat of a terminal has no name of its own. */
export function nameOf(
  entry: Pick<SessionEntry, "title" | "displayName" | "sessionId" | "platform">,
): string {
  const chat = entry.platform === LOCAL ? UNTITLED : cleanLine(entry.displayName);
  return cleanLine(entry.title ?? "") || chat || cleanLine(entry.sessionId);
}

const UNTITLED = "untitled";

/** Where a session is, without what its name already says. */
export function placeBesideName(entry: SessionEntry): string {
  if (entry.title !== null || entry.platform === LOCAL) return placeOf(entry);
  if (isPlatform(entry.platform) && platformTraits(entry.platform).isInternal)
    return platformTitle(entry.platform);
  return `${platformTitle(entry.platform)} ${entry.chatType === "dm" ? "DM" : entry.chatType}`;
}

/** The platform's title and the place on it. */
export function placeOf(entry: Pick<SessionEntry, "origin" | "platform">): string {
  const place = cleanLine(describeSource(entry.origin));
  return entry.platform === LOCAL ? place : `${platformTitle(entry.platform)}, ${place}`;
}

/** A platform that is not registered here keeps its name. */
function platformTitle(platform: string): string {
  return isPlatform(platform) ? platformTraits(platform).title : cleanLine(platform);
}
