/** Describes sessions and texts in a few words, always on one clean line. */
import { isPlatform, type Platform, platformTraits } from "../session/platform.js";
import type { SessionEntry } from "../session/session.js";
import { cleanLine, shorten } from "../util/text.js";

/** The reply in a chat that has no session yet. */
export const NO_SESSION = "There is no session here yet: your first message starts one.";

/** What a person should know about the session of their chat if a reset policy has ended it; empty if it goes on. */
export function endedNote({ endedAt }: Pick<SessionEntry, "endedAt">): string {
  return endedAt === null
    ? ""
    : " It has ended: your next message starts a new one. To go on with this one, send /resume.";
}

/** `"Garden"`, or the id of a session without a title. */
export function nameOf(entry: Pick<SessionEntry, "title" | "sessionId">): string {
  const title = cleanLine(entry.title ?? "");
  return title ? `"${title}"` : `\`${cleanLine(entry.sessionId)}\``;
}

/** The beginning of a text, in quotes. */
export function quoted(text: string): string {
  return `"${shorten(cleanLine(text), 60)}"`;
}

/** A platform that is not registered here is shown by its name. */
export function platformTitle(platform: Platform): string {
  return isPlatform(platform) ? platformTraits(platform).title : cleanLine(platform);
}
