/** The texts about a reset by policy: for the chat, if there was something to lose, and for the agent. */
import type { SessionEntry } from "../session/session.js";

export function resetText(entry: SessionEntry, before: SessionEntry | null): string | null {
  if (!entry.wasAutoReset || !before || before.messageCount === 0) return null;
  const why = entry.resetReason === "idle" ? "nobody wrote for a while" : "a new day began";
  return `I started a new conversation, because ${why}. To go back to the last one, send /resume.`;
}

/** It stays the same for all turns of the session, so that the prompt does. */
export function resetNote({ resetReason }: SessionEntry): string[] {
  if (resetReason === null) return [];
  return [
    `**Note:** this conversation began after a reset (${resetReason}); it does not contain earlier messages.`,
  ];
}
