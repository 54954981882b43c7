/** The mark of a session of which nothing is kept: it goes when the script that asked in it leaves, however that ends. */
import type { Metadata, SessionEntry } from "../../session/session.js";

export const UNSAVED = { unsaved: true } as const;

export function isUnsaved({ metadata }: Pick<SessionEntry, "metadata">): boolean {
  return metadata.unsaved === UNSAVED.unsaved;
}

/** For metadata from outside: nobody's file may say that a session goes. */
export function withoutUnsaved({ unsaved: _, ...others }: Metadata): Metadata {
  return others;
}
