/**
 * The files of a message in words. The gateway ends a message's text with a line for each file, so that everyone who
 * reads the text knows of them. A message that a program stores may have files that its text does not mention.
 */
import { cleanLine, shorten } from "../util/text.js";
import { noteLine } from "./sender.js";
import type { Attachment, Message } from "./transcript.js";

/** What is said about a file: its name and its type, as its sender gave them. */
export type ToldAttachment = Partial<Pick<Attachment, "name" | "mediaType">>;

const MAX_LENGTH = 200;

/** One line that is safe to show: `[attached: photo.jpg (image/jpeg)]`. */
export function attachmentLine({ name, mediaType }: ToldAttachment): string {
  const type = cleaned(mediaType);
  return noteLine("attached", `${cleaned(name) || "file"}${type ? ` (${type})` : ""}`);
}

/** The lines of the files that the text does not mention. */
export function untoldLines(text: string, attachments: readonly ToldAttachment[]): string[] {
  if (attachments.length === 0) return [];
  const told = new Map<string, number>();
  for (const line of text.split("\n")) told.set(line, (told.get(line) ?? 0) + 1);
  return attachments.map(attachmentLine).filter((line) => {
    const left = told.get(line) ?? 0;
    told.set(line, left - 1);
    return left <= 0;
  });
}

/** The text, with a line for each file that it does not mention. Calling it twice adds nothing. */
export function tellingText(text: string, attachments: readonly ToldAttachment[]): string {
  return [...(text === "" ? [] : [text]), ...untoldLines(text, attachments)].join("\n");
}

/** Everything that can be read of a message. */
export function readableText(message: Message): string {
  return tellingText(message.content, attachmentsOf(message));
}

export function attachmentsOf(message: Message): readonly Attachment[] {
  return (message.role === "user" && message.attachments) || [];
}

function cleaned(text = ""): string {
  return shorten(cleanLine(text), MAX_LENGTH);
}
