/** A message of a transcript as a line that a model reads: its number, who wrote it, when, and what. */
import { cleanLine, printableText, shorten } from "../util/text.js";
import { readableText } from "./attachments.js";
import { senderLabel } from "./sender.js";
import type { StoredMessage } from "./transcript.js";

/** Further lines are indented, so that none looks like the beginning of another message. */
export function messageLine(message: StoredMessage, maxCharacters: number): string {
  const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
  const called = calls.map(
    ({ name: tool, arguments: json }) => `\n[calls ${cleanLine(tool)} ${shorten(cleanLine(json), 300)}]`,
  );
  const text = shorten(printableText(readableText(message)), maxCharacters).replaceAll("\n", "\n  ");
  return `#${message.seq} ${message.role}${nameOf(message)}, ${minuteOf(message.at)}: ${text}${called.join("")}`;
}

/** `2026-01-31 09:30`, in UTC. */
export function minuteOf(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace("T", " ");
}

function nameOf(message: StoredMessage): string {
  if (message.role === "user" && (message.name || message.author)) return ` (${senderLabel(message)})`;
  return message.role === "tool" && message.name ? ` (${cleanLine(message.name)})` : "";
}
