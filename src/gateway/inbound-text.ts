/**
 * What a person's message is to the agent: what it answers, what was written, and what came with it. Our own notes are
 * lines that begin with a bracket; a line of the person's that begins like one is theirs, and escaped.
 */
import type { InboundMessage } from "../adapter/adapter.js";
import { attachmentLine } from "../session/attachments.js";
import { noteLine, ownWords } from "../session/sender.js";
import { cleanLine, shorten } from "../util/text.js";
import type { Taken } from "./media.js";
import type { InboxItem } from "./store.js";

const QUOTED = 300;
const LONGEST_NAME = 80;

export function inboundText(message: InboundMessage, { attachments, problems }: Taken): string {
  const { text, replyTo, forwarded } = message;
  const quoted = shorten(cleanLine(replyTo?.text ?? ""), QUOTED);
  return [
    ...(quoted ? [noteLine("in reply to", quoted)] : []),
    ...(forwarded ? [noteLine("forwarded", from(forwarded.from))] : []),
    ...(text ? [ownWords(text)] : []),
    ...attachments.map(attachmentLine),
    ...problems.map((problem) => noteLine("not taken", problem)),
  ].join("\n");
}

function from(name: string | undefined): string {
  return name ? `from ${shorten(cleanLine(name), LONGEST_NAME)}` : "";
}

/** The same of a message that was changed: what came with it came with it before, and stays. */
export function amendedText(message: InboundMessage, was: Pick<InboxItem, "text" | "attachments">): string {
  const lines = was.text.split("\n");
  const missing = lines.slice(lines.findLastIndex((line) => !/^\[not taken: .*\]$/.test(line)) + 1);
  const now = inboundText(message, { attachments: was.attachments ?? [], problems: [] });
  return [...(now ? [now] : []), ...missing].join("\n");
}
