/** What a person's message is to the agent: what it answers, what was written, and what came with it. */
import type { InboundMessage } from "../adapter/adapter.js";
import { cleanLine, shorten } from "../util/text.js";
import type { Taken } from "./media.js";

const QUOTED = 300;

export function inboundText({ text, replyTo }: InboundMessage, { attachments, problems }: Taken): string {
  const quoted = shorten(cleanLine(replyTo?.text ?? ""), QUOTED);
  const came = attachments.map(({ name, mediaType }) => `[attached: ${name ?? "file"} (${mediaType})]`);
  const missing = problems.map((problem) => `[not taken: ${cleanLine(problem)}]`);
  return [...(quoted ? [`> ${quoted}\n`] : []), ...(text ? [text] : []), ...came, ...missing].join("\n");
}
