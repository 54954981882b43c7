/** What the chat and the script have in common: one platform, one account, messages made from a line. */
import { randomBytes, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import type { SessionId } from "../../session/ids.js";
import { LOCAL } from "../../session/platform.js";
import { localSource, type SessionSource } from "../../session/source.js";
import type { Capabilities, InboundMessage, LocalFile, RemoteFile } from "../adapter.js";
import { beginsCommand, namesCommand } from "../command-text.js";

/** The account of the terminal where a plain `baton` begins. */
export const TERMINAL_ACCOUNT = "terminal";

/**
 * Each lane of the terminal is an account of its own, so that a terminal takes on what was left in its own lane and
 * nothing else. Several terminals may be in one lane.
 */
export function terminalAccount({ chatId }: Pick<SessionSource, "chatId">): string {
  return chatId === localSource().chatId ? TERMINAL_ACCOUNT : chatId;
}

/**
 * A lane beside the usual one: for a chat beside others, or for a script as long as it runs. All that open one session
 * choose the same lane for it, so they meet there; without a session, it is one that no terminal has had.
 */
export function terminalLane(kind: "cli" | "script", session: SessionId | null = null): SessionSource {
  return { ...localSource(), chatId: `${kind}-${session ?? randomBytes(4).toString("hex")}` };
}

/** True of a lane that was made for a script. */
export function isOfScript({ platform, chatId }: Pick<SessionSource, "platform" | "chatId">): boolean {
  return platform === LOCAL && chatId.startsWith("script-");
}

export const TERMINAL_CAPABILITIES: Capabilities = {
  maxText: 1_000_000,
  maxInbound: 1_000_000, // A pipe may bring more than a chat does.
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

/** The answer to a question that a key gives: its command, as if a button was pressed. */
export function pressed(command: string, source: SessionSource): InboundMessage {
  return { kind: "button", source, messageId: randomUUID(), text: command };
}

/** What a text is taken for; `text` is a message whatever it says. */
export type TakenFor = "command" | "message" | "text";

/** The path that a sentence begins with, as far as it can be told from the sentence. */
const FIRST_PATH = /^\/[^\s.,:;!?]+/;

/**
 * What somebody means who types a text at this machine: as in every chat, but a first word that is no command is a path if
 * it is there, as in `/tmp is full`.
 */
export function takenFor(
  text: string,
  commands: ReadonlySet<string>,
  isThere: (path: string) => boolean = existsSync,
): TakenFor {
  if (!beginsCommand(text)) return "message";
  const [path = ""] = FIRST_PATH.exec(text.trim()) ?? [];
  return !namesCommand(text.trim(), commands) && isThere(path) ? "text" : "command";
}

/** The id is random: unique across restarts, and never the same for two lines that say the same. */
export function inbound(
  text: string,
  as: TakenFor,
  source: SessionSource,
  files: readonly RemoteFile[] = [],
  session: SessionId | null = null,
): InboundMessage {
  return {
    ...{ kind: as === "command" ? "command" : "message", source, messageId: randomUUID(), text },
    ...(as === "text" ? { isText: true } : {}),
    ...(files.length > 0 ? { files } : {}),
    ...(session === null ? {} : { session }),
  };
}
