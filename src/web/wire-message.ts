/** Messages as the page shows them: of a bounded size, names on one clean line, and files as what can be fetched. */
import { attachmentLine, attachmentsOf } from "../session/attachments.js";
import { senderLabel } from "../session/sender.js";
import type { StoredMessage, ToolCall } from "../session/transcript.js";
import { cleanLine, shorten } from "../util/text.js";
import type { WireAttachment, WireMessage } from "./wire.js";

/** Who reads, and what is known of the files of a message. */
export interface MessageReader {
  readonly identities: readonly string[];
  /** What nobody knows the author of is theirs, because the conversation is. */
  readonly isOwnSession: boolean;
  /** Where each file of a message can be fetched; null if it is not there any more. */
  readonly urls: (message: StoredMessage) => readonly (string | null)[];
}

/** More than any answer has; tools may write more, which nobody reads in a page. */
const MOST_WORDS = 256 * 1024;
const MOST_TOOL = 64 * 1024;
const MOST_CALLS = 100;
const LONGEST_NAME = 100;
/** In one answer: of more, the rest comes with the next. */
const MOST_AT_ONCE = 2 * 1024 * 1024;
const MESSAGE = 200;

export function wireMessage(message: StoredMessage, reader: MessageReader): WireMessage {
  const { seq, at, role } = message;
  const base = { seq, at, role };
  switch (message.role) {
    case "user": {
      const attachments = attachmentsOf(message);
      return {
        ...base,
        content: bounded(withoutFileLines(message), MOST_WORDS),
        ...writerOf(message, reader),
        ...(message.note ? { note: true } : {}),
        ...(attachments.length > 0 ? { attachments: wireAttachments(message, reader) } : {}),
      };
    }
    case "assistant": {
      const { content, reasoning, toolCalls } = message;
      return {
        ...base,
        content: bounded(content, MOST_WORDS),
        ...(reasoning ? { reasoning: bounded(reasoning, MOST_TOOL) } : {}),
        ...(toolCalls ? { toolCalls: toolCalls.slice(0, MOST_CALLS).map(wireCall) } : {}),
      };
    }
    case "tool": {
      const { content, name, toolCallId } = message;
      return {
        ...base,
        content: bounded(content, MOST_TOOL),
        toolCallId,
        ...(name ? { name: nameIn(name) } : {}),
      };
    }
    case "system":
      return { ...base, content: bounded(message.content, MOST_WORDS) };
  }
}

/** As many as one answer has room for, from that end on, and at least one. */
export function fitting(messages: readonly WireMessage[], from: "first" | "last"): readonly WireMessage[] {
  const ordered = from === "first" ? messages : messages.toReversed();
  let size = 0;
  const most = ordered.findIndex((message, n) => {
    size += sizeOf(message);
    return n > 0 && size > MOST_AT_ONCE;
  });
  if (most === -1) return messages;
  return from === "first" ? messages.slice(0, most) : messages.slice(-most);
}

function writerOf(
  { author, name }: Extract<StoredMessage, { role: "user" }>,
  { identities, isOwnSession }: MessageReader,
): Pick<WireMessage, "isMine" | "name"> {
  const isMine = author ? identities.includes(author.id) : isOwnSession;
  if (isMine) return { isMine };
  return author || name ? { name: senderLabel({ name, author }) } : {};
}

function wireAttachments(message: StoredMessage, { urls }: MessageReader): readonly WireAttachment[] {
  const places = urls(message);
  return attachmentsOf(message).map(({ name, mediaType, size, voice }, n) => ({
    name: nameIn(name ?? "") || "file",
    mediaType: nameIn(mediaType),
    size: size ?? null,
    url: places[n] ?? null,
    ...(voice ? { voice } : {}),
  }));
}

/** The gateway ends a text with a line for each file, which the page shows as a file. */
function withoutFileLines(message: StoredMessage): string {
  const attachments = attachmentsOf(message);
  if (attachments.length === 0) return message.content;
  const lines = message.content.split("\n");
  for (const attachment of attachments) {
    const at = lines.lastIndexOf(attachmentLine(attachment));
    if (at >= 0) lines.splice(at, 1);
  }
  return lines.join("\n");
}

function wireCall({ id, name, arguments: given }: ToolCall): ToolCall {
  return { id, name: nameIn(name), arguments: bounded(given, MOST_TOOL) };
}

function nameIn(text: string): string {
  return shorten(cleanLine(text.slice(0, 1_000)), LONGEST_NAME);
}

function bounded(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
}

function sizeOf({ content, reasoning = "", toolCalls = [] }: WireMessage): number {
  const calls = toolCalls.reduce((sum, call) => sum + MESSAGE + call.arguments.length, 0);
  return MESSAGE + content.length + reasoning.length + calls;
}
