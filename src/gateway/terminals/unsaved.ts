/** The mark of a session of which nothing is kept: it goes when the script that asked in it leaves, however that ends. */
import type { SessionEntry } from "../../session/session.js";

export const UNSAVED = { unsaved: true } as const;

export function isUnsaved({ metadata }: Pick<SessionEntry, "metadata">): boolean {
  return metadata.unsaved === UNSAVED.unsaved;
}
