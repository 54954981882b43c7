/**
 * A person's message as the agent reads it: the message that it replies to, the text, and what came of its files. Our notes
 * are lines that begin with a bracket; a line of the person that begins like one is escaped.
 */
import type { Answered, InboundMessage } from "../adapter/adapter.js";
import { tellingText } from "../session/attachments.js";
import { boundedParts, type Part } from "../session/parts.js";
import { noteLine, ownWords } from "../session/sender.js";
import type { Attachment, Author, Message } from "../session/transcript.js";
import { cleanLine, shorten } from "../util/text.js";
import { counted } from "../util/words.js";
import type { InboxItem } from "./inbox-item.js";

/** Others wrote it perhaps, so the agent may not have read it elsewhere. */
const QUOTED = 2_000;
const LONGEST_NAME = 80;

/** What the inbox keeps of it. */
export function inboundText({ text, replyTo, forwarded, parts = [], files = [] }: InboundMessage): string {
  const isBare = text.trim() === "" && parts.length === 0 && files.length === 0 && !forwarded;
  const quoted = replyTo ? quoteOf(replyTo) : "";
  return [
    ...(quoted ? [noteLine(isBare ? "please answer" : "in reply to", quoted)] : []),
    ...(forwarded ? [noteLine("forwarded", from(forwarded.from))] : []),
    ...(text ? [ownWords(text)] : []),
    ...partLines(parts),
    ...(isBare && !quoted ? [noteLine("mention", "without a text")] : []),
  ].join("\n");
}

/** The message that it answers: who wrote it, its words, and what else it had. */
function quoteOf({ text = "", parts = [], files = [], from: name = "" }: Answered): string {
  const said = saidIn({ text, parts });
  const words = said || saidIn({ text, files });
  if (words === "") return "";
  const author = shorten(cleanLine(name), LONGEST_NAME);
  return shorten(author ? `${author} ${said ? "wrote" : "sent"}: ${words}` : words, QUOTED);
}

/** A message in one line; its files count only if it has nothing else. */
export function saidIn({
  text = "",
  parts = [],
  files = [],
}: Pick<Answered, "text" | "parts" | "files">): string {
  const said = [cleanLine(text), ...partLines(parts)].filter((each) => each !== "").join(" ");
  return said || (files.length > 0 ? counted(files.length, "file") : "");
}

function partLines(parts: readonly Part[]): string[] {
  return boundedParts(parts).map(({ kind, words }) => noteLine(kind, words));
}

function from(name: string | undefined): string {
  return name ? `from ${shorten(cleanLine(name), LONGEST_NAME)}` : "";
}

/** What somebody said in a voice message is their message, and says that it was transcribed. */
function spokenLines({ voice, text, answered }: Attachment): string[] {
  if (!voice) return [];
  if (text === undefined) return [noteLine("voice message", "not transcribed")];
  return [
    noteLine("voice message", answered ? "what this answers, transcribed" : "transcribed"),
    ownWords(text),
  ];
}

/** An inbox item as a message of the transcript. */
export function messageOf(item: InboxItem, author: Author | null): Message {
  const { userName } = item.by ?? item.source;
  const { text, attachments = [], missing = [], receivedAt, made, inBackground } = item;
  const told = tellingText(text, attachments);
  return {
    role: "user",
    content: [
      ...(told ? [told] : []),
      ...missing.map((file) => noteLine("not taken", file)),
      ...attachments.flatMap(spokenLines),
    ].join("\n"),
    ...(userName ? { name: userName } : {}),
    ...(author ? { author } : {}),
    ...(made === "handoff" || inBackground ? { note: true } : {}), // No person wrote it.
    ...(item.attachments ? { attachments } : {}),
    at: receivedAt,
  };
}
