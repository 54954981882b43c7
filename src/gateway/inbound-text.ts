/** What a person's message is to the agent: what it answers, what was written, and what came with it. */
import type { InboundMessage } from "../adapter/adapter.js";
import { attachmentLine } from "../session/attachments.js";
import { cleanLine, shorten } from "../util/text.js";
import type { Taken } from "./media.js";
import type { InboxItem } from "./store.js";

const QUOTED = 300;

export function inboundText({ text, replyTo }: InboundMessage, { attachments, problems }: Taken): string {
  const quoted = shorten(cleanLine(replyTo?.text ?? ""), QUOTED);
  const came = attachments.map(attachmentLine);
  const missing = problems.map((problem) => `[not taken: ${cleanLine(problem)}]`);
  return [...(quoted ? [`> ${quoted}\n`] : []), ...(text ? [text] : []), ...came, ...missing].join("\n");
}

/** The same of a message that was changed: what came with it came with it before, and stays. */
export function amendedText(message: InboundMessage, was: Pick<InboxItem, "text" | "attachments">): string {
  const lines = was.text.split("\n");
  const missing = lines.slice(lines.findLastIndex((line) => !/^\[not taken: .*\]$/.test(line)) + 1);
  const now = inboundText(message, { attachments: was.attachments ?? [], problems: [] });
  return [...(now ? [now] : []), ...missing].join("\n");
}
