/**
 * A person's message as the agent reads it: the message that it replies to, the text, and what came of its files. Our notes
 * are lines that begin with a bracket; a line of the person that begins like one is escaped.
 */
import type { InboundMessage } from "../adapter/adapter.js";
import { tellingText } from "../session/attachments.js";
import { noteLine, ownWords } from "../session/sender.js";
import type { Author, Message } from "../session/transcript.js";
import { cleanLine, shorten } from "../util/text.js";
import type { InboxItem } from "./inbox-item.js";

const QUOTED = 300;
const LONGEST_NAME = 80;

/** What the inbox keeps of it. */
export function inboundText({ text, replyTo, forwarded }: InboundMessage): string {
  const quoted = shorten(cleanLine(replyTo?.text ?? ""), QUOTED);
  return [
    ...(quoted ? [noteLine("in reply to", quoted)] : []),
    ...(forwarded ? [noteLine("forwarded", from(forwarded.from))] : []),
    ...(text ? [ownWords(text)] : []),
  ].join("\n");
}

function from(name: string | undefined): string {
  return name ? `from ${shorten(cleanLine(name), LONGEST_NAME)}` : "";
}

/** An inbox item as a message of the transcript. */
export function messageOf(item: InboxItem, author: Author | null): Message {
  const { userName } = item.by ?? item.source;
  const { text, attachments = [], missing = [], receivedAt, made, inBackground } = item;
  const told = tellingText(text, attachments);
  return {
    role: "user",
    content: [...(told ? [told] : []), ...missing.map((file) => noteLine("not taken", file))].join("\n"),
    ...(userName ? { name: userName } : {}),
    ...(author ? { author } : {}),
    ...(made === "handoff" || inBackground ? { note: true } : {}), // No person wrote it.
    ...(item.attachments ? { attachments } : {}),
    at: receivedAt,
  };
}
