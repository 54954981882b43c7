/** A session by its id, if this person may see it. */
import { NotFoundError } from "../../session/errors.js";
import type { SessionId } from "../../session/ids.js";
import type { SessionEntry } from "../../session/session.js";
import type { SessionsView } from "../../session/view.js";

export async function seenSession(view: SessionsView, sessionId: SessionId): Promise<SessionEntry | null> {
  try {
    return await view.get(sessionId);
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
