/**
 * The files of a message in words. The gateway ends a message's text with a line for each file, so that everyone who
 * reads the text knows of them. A message that a program stores may have files that its text does not mention.
 */
import { cleanLine, shorten } from "../util/text.js";
import { noteLine } from "./sender.js";
import type { Attachment, Message } from "./transcript.js";

/** What is said about a file: its name and its type, as its sender gave them. */
export type ToldAttachment = Partial<Pick<Attachment, "name" | "mediaType" | "answered">>;

const MAX_LENGTH = 200;

/** One line that is safe to show: `[attached: photo.jpg (image/jpeg)]`. */
export function attachmentLine({ name, mediaType, answered }: ToldAttachment): string {
  const type = cleaned(mediaType);
  const kind = answered ? "attached to what this answers" : "attached";
  return noteLine(kind, `${cleaned(name) || "file"}${type ? ` (${type})` : ""}`);
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

/** Models see these as pictures. */
export function isPicture({ mediaType }: Pick<Attachment, "mediaType">): boolean {
  return /^image\/(?:png|jpeg|gif|webp)$/.test(mediaType);
}

/** What the file is called in the folder of its session: no two have the same name there. */
export function sessionFileName({ file, name }: Attachment): string {
  const safe = cleaned(name)
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/^[.-]+/, "");
  return `${file.slice(0, 8)}-${safe.slice(-80) || "file"}`;
}

function cleaned(text = ""): string {
  return shorten(cleanLine(text), MAX_LENGTH);
}
