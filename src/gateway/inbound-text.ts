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

/** The same of a message that was changed: what came with it came with it before, and stays. */
export function amendedText(message: InboundMessage, was: Pick<InboxItem, "text" | "attachments">): string {
  const { missing } = apart(was.text);
  const now = inboundText(message, { attachments: was.attachments ?? [], problems: [] });
  return [...(now ? [now] : []), ...missing].join("\n");
}

/** The same of a message whose files came after it: until then it said that they are missing. */
export function completedText(was: string, { attachments, problems }: Taken): string {
  return [...apart(was).said, ...linesOf({ attachments, problems })].join("\n");
}

function linesOf({ attachments, problems }: Taken): string[] {
  return [...attachments.map(attachmentLine), ...problems.map((problem) => noteLine("not taken", problem))];
}

/** What it says, and what it says is missing; nobody can write such a line. */
function apart(text: string): { readonly said: readonly string[]; readonly missing: readonly string[] } {
  const lines = text === "" ? [] : text.split("\n");
  const end = lines.findLastIndex((line) => !/^\[not taken: .*\]$/.test(line)) + 1;
  return { said: lines.slice(0, end), missing: lines.slice(end) };
}
