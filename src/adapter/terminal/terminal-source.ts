/** What the chat and the script have in common: one platform, one account, messages made from a line. */
import { randomUUID } from "node:crypto";
import { localSource, type SessionSource } from "../../session/source.js";
import type { Capabilities, InboundMessage, LocalFile, RemoteFile } from "../adapter.js";

export const TERMINAL_ACCOUNT = "terminal";

export const TERMINAL_CAPABILITIES: Capabilities = {
  maxText: 1_000_000,
  unit: "utf16",
  edit: false,
  threads: false,
  shared: true, // As many chats at once as there are terminals.
  maxFile: 100 * 2 ** 20, // It is not sent: its path is shown.
  maxCaption: 1_000_000,
  maxAlbum: 10,
};

/** Where the person finds a file: where the agent has it, else our copy. */
export function pathOf({ from, path }: LocalFile): string {
  return from ?? path;
}

export function terminalSource(chatId?: string): SessionSource {
  return chatId === undefined ? localSource() : { ...localSource(), chatId };
}

/** The id is random: unique across restarts, and never the same for two lines that say the same. */
export function inbound(
  text: string,
  source: SessionSource,
  files: readonly RemoteFile[] = [],
): InboundMessage {
  const kind = text.startsWith("/") ? "command" : "message";
  return { kind, source, messageId: randomUUID(), text, ...(files.length > 0 ? { files } : {}) };
}
