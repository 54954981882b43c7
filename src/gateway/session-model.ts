/** The model that a session chose: stored with the session, so that it survives a restart and ends with the session. */
import type { Metadata, SessionEntry } from "../session/session.js";

export function sessionModel({ metadata }: Pick<SessionEntry, "metadata">): { model?: string } {
  return typeof metadata.model === "string" && metadata.model !== "" ? { model: metadata.model } : {};
}

/** The metadata with another model, or with none. */
export function withModel({ model: _, ...others }: Metadata, model: string | null): Metadata {
  return model === null ? others : { ...others, model };
}
