/**
 * A person's message as the agent reads it: the message that it replies to, the text, and its files. Our notes are
 * lines that begin with a bracket; a line of the person that begins like one is escaped.
 */
import type { InboundMessage } from "../adapter/adapter.js";
import { attachmentLine } from "../session/attachments.js";
import { isNoteLine, noteLine, ownWords } from "../session/sender.js";
import { cleanLine, shorten } from "../util/text.js";
import type { Taken } from "./media.js";
import type { InboxItem } from "./store.js";

const QUOTED = 300;
const LONGEST_NAME = 80;

export function inboundText(message: InboundMessage, taken: Taken): string {
  const { text, replyTo, forwarded } = message;
  const quoted = shorten(cleanLine(replyTo?.text ?? ""), QUOTED);
  return [
    ...(quoted ? [noteLine("in reply to", quoted)] : []),
    ...(forwarded ? [noteLine("forwarded", from(forwarded.from))] : []),
    ...(text ? [ownWords(text)] : []),
    ...linesOf(taken),
  ].join("\n");
}

function from(name: string | undefined): string {
  return name ? `from ${shorten(cleanLine(name), LONGEST_NAME)}` : "";
}

/** The same for an edited message: its files came before, and stay. */
export function amendedText(message: InboundMessage, was: Pick<InboxItem, "text" | "attachments">): string {
  const { missing } = apart(was.text);
  const now = inboundText(message, { attachments: was.attachments ?? [], problems: [] });
  return [...(now ? [now] : []), ...missing].join("\n");
}

/** The same for a message whose files came after it: until then it said that they are missing. */
export function completedText(was: string, { attachments, problems }: Taken): string {
  return [...apart(was).said, ...linesOf({ attachments, problems })].join("\n");
}

function linesOf({ attachments, problems }: Taken): string[] {
  return [...attachments.map(attachmentLine), ...problems.map((problem) => noteLine("not taken", problem))];
}

/** The text, and the note about missing files; nobody can write such a line. */
function apart(text: string): { readonly said: readonly string[]; readonly missing: readonly string[] } {
  const lines = text === "" ? [] : text.split("\n");
  const end = lines.findLastIndex((line) => !isNoteLine(line, "not taken")) + 1;
  return { said: lines.slice(0, end), missing: lines.slice(end) };
}
