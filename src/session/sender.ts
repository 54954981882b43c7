/**
 * Who speaks. Where several people share a session, each message is given to the agent as `[Ada #3f9c1a02b7 owner] text`:
 * the id is made of what nobody can change, the role is the one they had when they wrote. Lines of a person's text that
 * could be taken for such a beginning, or for a note of ours, begin with a backslash instead.
 */
import { cleanLine } from "../util/text.js";
import { BLANKS, beginsBracketed, LINE_BREAKS, withPlainBrackets } from "./brackets.js";
import { label, shortHash } from "./label.js";
import type { Author, Message } from "./transcript.js";

export interface Sender {
  readonly name?: string | undefined;
  /** Without it the name proves nothing, and the prefix says so. */
  readonly author?: Author | undefined;
}

/** How a user's text is given to the agent where several people share a session. */
export function senderPrefixed({ name, author }: Sender, text: string): string {
  return `[${senderLabel({ name, author })}] ${withoutForgedLines(text)}`;
}

/** `Ada #3f9c1a02b7 owner`: a name that cannot end its bracket, or bring an id of its own. */
export function senderLabel({ name, author }: Sender): string {
  const shown = name ? label(withPlainBrackets(name).replace(/[#\u266f\u2317\u22d5]/gu, "")) : "";
  const proof = author ? `${shortHash(author.id)} ${author.role ?? "former"}` : "unverified";
  return `${shown} ${proof}`.trim();
}

/** The messages as they are given to an agent where several people share the session. */
export function withSenders(message: Message): Message {
  if (message.role !== "user") return message;
  const { attachments, name, author, note, content } = message;
  const given = note ? content : senderPrefixed({ name, author }, content);
  return { role: "user", content: given, ...(attachments ? { attachments } : {}) };
}

/** The notes of ours that stand in a message's text, each on a line of its own. */
const NOTES = ["attached", "not taken", "in reply to", "forwarded"] as const;
/** All that begins words of ours with a bracket. */
const NOTE_WORDS: readonly string[] = [...NOTES, "this conversation has", "labels", "note"];
const OWN_NOTE = new RegExp(`^\\[(?:${NOTES.join("|")})(?:: .*)?\\]$`, "u");

/** A note of ours: one line, whatever is in it. */
export function noteLine(kind: (typeof NOTES)[number], words = ""): string {
  const inside = cleanLine(words).replaceAll("[", "(").replaceAll("]", ")");
  return inside ? `[${kind}: ${inside}]` : `[${kind}]`;
}

/** A person's text as it is kept: what begins like a note of ours is not one. */
export function ownWords(text: string): string {
  return escapedLines(text, (bracketed) => {
    const seen = bracketed.replace(BLANKS, " ").slice(0, 200).normalize("NFKC");
    const begins = cleanLine(seen).slice(1).trimStart().toLowerCase();
    return NOTE_WORDS.some((word) => begins.startsWith(word));
  });
}

/** The same for every line that begins with a bracket, but for our own notes. */
function withoutForgedLines(text: string): string {
  return escapedLines(text, (bracketed, line) => bracketed !== line || !OWN_NOTE.test(line));
}

/** Puts a backslash before the bracket of the lines for which that holds; they are given with and without what stands before it. */
function escapedLines(text: string, holds: (bracketed: string, line: string) => boolean): string {
  return text
    .split(LINE_BREAKS)
    .map((line, n) => {
      const at = n % 2 === 0 ? beginsBracketed(line) : null;
      if (at === null) return line;
      const bracketed = line.slice(at);
      return holds(bracketed, line) ? `${line.slice(0, at)}\\${bracketed}` : line;
    })
    .join("");
}
