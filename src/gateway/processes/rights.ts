/**
 * Whose processes somebody sees and uses: their own, of the conversation that they are in and of those that they may see
 * from this chat. Nobody sees those of another person, in no chat and in no role: they run with that person's rights.
 */
import type { KeptProcess } from "../../process/store.js";
import { NotFoundError } from "../../session/errors.js";
import type { SessionId } from "../../session/ids.js";
import type { SessionsView } from "../../session/view.js";
import { senderOf, type Who } from "../authorize.js";

/** What decides about one process. */
export interface ProcessSight {
  /** Who asked for it; null if that is not known. */
  readonly starter: string | null;
  /** All identities of the one who looks. */
  readonly identities: readonly string[];
  /** Its session is the one of this turn or chat. */
  readonly isInThisSession: boolean;
  /** The one who looks may see its session from this chat. */
  readonly isSessionSeen: boolean;
}

export function maySeeProcess({
  starter,
  identities,
  isInThisSession,
  isSessionSeen,
}: ProcessSight): boolean {
  const isTheirs = starter !== null && identities.includes(starter);
  return isTheirs && (isInThisSession || isSessionSeen);
}

/** Those of these that this person may see here, in the same order. */
export async function seenBy<P extends { readonly kept: Pick<KeptProcess, "by" | "sessionId"> }>(
  processes: readonly P[],
  { identities }: Pick<Who, "identities">,
  view: SessionsView,
  sessionId: SessionId | null,
): Promise<P[]> {
  const seen: P[] = [];
  for (const process of processes) {
    const { kept } = process;
    const starter = senderOf(kept.by);
    const isInThisSession = kept.sessionId === sessionId;
    const about = { starter, identities, isInThisSession };
    if (!maySeeProcess({ ...about, isSessionSeen: true })) continue; // Before the store is asked.
    const isSessionSeen = isInThisSession || (await isVisible(view, kept.sessionId));
    if (maySeeProcess({ ...about, isSessionSeen })) seen.push(process);
  }
  return seen;
}

async function isVisible(view: SessionsView, sessionId: SessionId): Promise<boolean> {
  try {
    await view.get(sessionId);
    return true;
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    throw error;
  }
}
