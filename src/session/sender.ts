/**
 * Who speaks. Where several people share a session, each message is given to the agent as `[Ada #3f9c1a02b7 owner] text`:
 * the id is made of what nobody can change, the role is the one they had when they wrote. What could be taken for such a
 * beginning in a person's text, or for a note of ours, has a backslash before it.
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

/** `Ada #3f9c1a02b7 owner`: a name that cannot end its bracket, or bring an id of its own, not even as HTML. */
export function senderLabel({ name, author }: Sender): string {
  const shown = name ? label(withPlainBrackets(name).replace(HASHES, "")) : "";
  const proof = author ? `${shortHash(author.id)} ${author.role ?? "former"}` : "unverified";
  return `${shown} ${proof}`.trim();
}

/** A message as it is given to an agent where several people share the session. */
export function withSender(message: Message): Message {
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
  return escapedLines(text, (line) => {
    const at = beginsBracketed(line);
    if (at === null) return [];
    const seen = line.slice(at).replace(BLANKS, " ").slice(0, 200).normalize("NFKC");
    const begins = cleanLine(seen).slice(1).trimStart().toLowerCase();
    return NOTE_WORDS.some((word) => begins.startsWith(word)) ? [at] : [];
  });
}

/** The same for every bracket that a line begins with or that has an id in it, but for those around our own notes. */
function withoutForgedLines(text: string): string {
  return escapedLines(text, (line) => {
    if (OWN_NOTE.test(line)) return bracketsWithIds(line.slice(1, -1)).map((at) => at + 1);
    return [beginsBracketed(line) ?? [], bracketsWithIds(line)].flat();
  });
}

/** Puts a backslash before each of these places of a line that is not escaped. */
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
