/**
 * How much of a text or a file from outside is read. Every platform has a limit of its own far below this one, but nobody who
 * speaks to us has to keep to it: so a text is cut where it is taken out of what came, before anything is looked for in it.
 */
import { shorten } from "../util/text.js";
import type { InboundMessage } from "./adapter.js";

export const MAX_INBOUND = 65_536;
/** The gateway takes no larger file. */
export const MAX_INBOUND_FILE = 20 * 2 ** 20;

/** The text; where it is longer than any message, its beginning, which then says so. */
export function boundedText(text: string, most = MAX_INBOUND): string {
  if (text.length <= most) return text;
  const note = `\n[cut off here: the message has ${text.length} characters]`;
  return shorten(text.slice(0, most), most - note.length) + note;
}

/** The same of a whole message, for adapters that do not bound what they read. */
export function boundedMessage(message: InboundMessage, most = MAX_INBOUND): InboundMessage {
  const { text, replyTo } = message;
  return {
    ...message,
    text: boundedText(text, most),
    ...(replyTo?.text === undefined ? {} : { replyTo: { ...replyTo, text: boundedText(replyTo.text) } }),
  };
}
