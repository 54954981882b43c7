/** What is sent, as the content of an event: text with its HTML, an edit, a file; in a thread, as an answer. Pure. */

import type { Fields } from "../../util/json.js";
import { storableText } from "../../util/text.js";
import { escapeHtml, renderHtml } from "./format.js";

/**
 * An event is at most 65,536 bytes in all. Encrypted, it grows by a third, and a little for the envelope: what is
 * written in it stays below this.
 */
export const MAX_CONTENT = 44_000;

/** How long a text is in an event. */
export function textBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

export interface MatrixPlace {
  readonly threadId?: string | undefined;
  readonly replyTo?: string | undefined;
}

export function textContent(markdown: string, place: MatrixPlace = {}): Fields {
  return { ...text(markdown), ...relation(place) };
}

/** The whole text stands in the new content; the one around it is for clients that know no edits. */
export function editContent(markdown: string, messageId: string): Fields {
  return {
    msgtype: "m.text",
    body: `* ${storableText(markdown).slice(0, 500).toWellFormed()}`,
    "m.mentions": {},
    "m.new_content": text(markdown),
    "m.relates_to": { rel_type: "m.replace", event_id: messageId },
  };
}

export interface SentFile {
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
  /** Markdown; may be empty. */
  readonly caption?: string;
  readonly voice?: true;
  /** Where it is: a plain file, or an encrypted one with its keys. */
  readonly at: { readonly url: string } | { readonly file: Fields };
}

/** Where `filename` is not the body, the body is a caption. */
export function fileContent(sent: SentFile, place: MatrixPlace = {}): Fields {
  const { name, mediaType, size, at, caption = "", voice } = sent;
  const [family = ""] = mediaType.split("/");
  const msgtype = ["image", "audio", "video"].includes(family) ? `m.${family}` : "m.file";
  return {
    ...(caption === "" ? { body: storableText(name), "m.mentions": {} } : text(caption)),
    msgtype,
    filename: storableText(name),
    info: { mimetype: mediaType, size },
    ...(voice ? { "org.matrix.msc3245.voice": {} } : {}),
    ...at,
    ...relation(place),
  };
}

/** The same, in no thread and as an answer to nothing. */
export function withoutPlace({ "m.relates_to": _, ...content }: Fields): Fields {
  return content;
}

/** The message that a thread hangs on: its title, and whom it is for. */
export function threadRoot(title: string, person: string | null): Fields {
  const name = storableText(title);
  if (person === null) return { ...text(`**${name}**`), body: name, "m.mentions": {} };
  const pill = `<a href="https://matrix.to/#/${escapeHtml(encodeURIComponent(person))}">${escapeHtml(person)}</a>`;
  return {
    msgtype: "m.text",
    body: `${person}: ${name}`,
    format: "org.matrix.custom.html",
    formatted_body: `${pill}: <strong>${escapeHtml(name)}</strong>`,
    "m.mentions": { user_ids: [person] },
  };
}

/** Nobody is notified by a name in an agent's text: whom it names is said apart, and it names nobody. */
function text(markdown: string): Fields {
  const body = storableText(markdown);
  const html = renderHtml(body);
  const plain = { msgtype: "m.text", body, "m.mentions": {} };
  // Text of nothing but markup can become many times as long: then it is shown as it was written.
  if (html === undefined || textBytes(body) + textBytes(html) > MAX_CONTENT) return plain;
  return { ...plain, format: "org.matrix.custom.html", formatted_body: html };
}

function relation({ threadId, replyTo }: MatrixPlace): Fields {
  const answered = replyTo === undefined ? {} : { "m.in_reply_to": { event_id: replyTo } };
  if (threadId === undefined) return replyTo === undefined ? {} : { "m.relates_to": answered };
  const fallback =
    replyTo === undefined ? { is_falling_back: true, "m.in_reply_to": { event_id: threadId } } : answered;
  return { "m.relates_to": { rel_type: "m.thread", event_id: threadId, ...fallback } };
}
