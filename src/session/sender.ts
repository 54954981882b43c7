/**
 * Who wrote a message. If several people share a session, the agent reads each message as `[Ada #3f9c1a02b7 owner]
 * text`: the id comes from something that nobody can change, and the role is the one that they had when they wrote.
 * Text of a person that looks like such a beginning, or like a note of ours, gets a backslash in front.
 */
import { cleanLine } from "../util/text.js";
import {
  BLANKS,
  beginsBracketed,
  bracketsWithIds,
  HASHES,
  isEscaped,
  LINE_BREAKS,
  withPlainBrackets,
} from "./brackets.js";
import { label, shortHash } from "./label.js";
import { PART_KINDS } from "./parts.js";
import type { Attachment, Author, Message } from "./transcript.js";

export interface Sender {
  readonly name?: string | undefined;
  /** Without it, the name proves nothing, and the prefix says so. */
  readonly author?: Author | undefined;
}

/** A user's text as the agent reads it if several people share a session. */
export function senderPrefixed({ name, author }: Sender, text: string): string {
  return `[${senderLabel({ name, author })}] ${withoutForgedLines(text)}`;
}

/** `Ada #3f9c1a02b7 owner`: the name can't close the bracket or contain an id, not even as HTML. */
export function senderLabel({ name, author }: Sender): string {
  const shown = name ? label(withPlainBrackets(name).replace(HASHES, "")) : "";
  const proof = author ? `${shortHash(author.id)} ${author.role ?? "former"}` : "unverified";
  return `${shown} ${proof}`.trim();
}

/** Whether a text begins with the label of the sender with this mark, as `shortHash` makes it: names contain no marks. */
export function isAskedBy(mark: string, words: string): boolean {
  const [label = ""] = /^\[[^\]]*\]/.exec(words) ?? [];
  return label.split(/[[\] ]/).includes(mark);
}

/** A message as the agent reads it if several people share the session. */
export function withSender(message: Message): Message {
  if (message.role !== "user") return message;
  const { attachments, name, author, note, today, content } = message;
  return {
    role: "user",
    content: note ? content : senderPrefixed({ name, author }, content),
    ...(today === undefined ? {} : { today }),
    ...(attachments ? { attachments: attachments.map(unforged) } : {}),
  };
}

/** What a file says can't look like another person's message either. */
function unforged(attachment: Attachment): Attachment {
  const { text } = attachment;
  return text === undefined ? attachment : { ...attachment, text: withoutForgedLines(text) };
}

/** Our notes in a message's text, each on its own line. */
const NOTES = [
  "attached",
  "attached to what this answers",
  "voice message",
  "not taken",
  "in reply to",
  "please answer",
  "forwarded",
  "said before",
  ...PART_KINDS,
] as const;
/** The beginnings of all our texts in brackets. */
const NOTE_WORDS: readonly string[] = [
  ...NOTES,
  "today",
  "this conversation has",
  "labels",
  "memory",
  "note",
];
const OWN_NOTE = new RegExp(`^\\[(?:${NOTES.join("|")})(?:: .*)?\\]$`, "u");

/** One of our notes, or the one before a message that says which day begins with it: always one line. */
export function noteLine(kind: (typeof NOTES)[number] | "today", words = ""): string {
  const inside = cleanLine(words).replaceAll("[", "(").replaceAll("]", ")");
  return inside ? `[${kind}: ${inside}]` : `[${kind}]`;
}

/** A person's text as it is stored: text that begins like one of our notes is escaped. */
export function ownWords(text: string): string {
  return escapedLines(text, (line) => {
    const at = beginsBracketed(line);
    if (at === null) return [];
    const seen = line.slice(at).replace(BLANKS, " ").slice(0, 200).normalize("NFKC");
    const begins = cleanLine(seen).slice(1).trimStart().toLowerCase();
    return NOTE_WORDS.some((word) => begins.startsWith(word)) ? [at] : [];
  });
}

/** The same for every bracket that begins a line or contains an id, except around our own notes. */
function withoutForgedLines(text: string): string {
  return escapedLines(text, (line) => {
    if (OWN_NOTE.test(line)) return bracketsWithIds(line.slice(1, -1)).map((at) => at + 1);
    return [beginsBracketed(line) ?? [], bracketsWithIds(line)].flat();
  });
}

/** Puts a backslash before each of these positions that is not escaped yet. */
function escapedLines(text: string, placesIn: (line: string) => readonly number[]): string {
  return text
    .split(LINE_BREAKS)
    .map((line, n) => (n % 2 === 0 ? escapedAt(line, new Set(placesIn(line))) : line))
    .join("");
}

function escapedAt(line: string, places: ReadonlySet<number>): string {
  let escaped = "";
  let from = 0;
  for (const at of places) {
    escaped += line.slice(from, at) + (isEscaped(line, at) ? "" : "\\");
    from = at;
  }
  return escaped + line.slice(from);
}
