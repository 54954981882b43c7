/**
 * An event of a room's timeline → what the gateway is told of it. Pure and total: whatever the event is, nothing throws,
 * and what is missing or odd gives no message rather than a guessed one. What cannot be told from the event alone (whose
 * message it answers, whose it changes) is named here and looked up by the adapter.
 */
import type { ChatType, SessionSource } from "../../session/source.js";
import type { Fields } from "../../util/json.js";
import { cleanLine, shorten } from "../../util/text.js";
import type { InboundMessage } from "../adapter.js";
import { record, textOf } from "../untrusted.js";
import { id } from "./ids.js";
import { type MatrixSelf, withoutMention } from "./mention.js";

export interface RoomFacts {
  readonly roomId: string;
  readonly chatType: ChatType;
  readonly name?: string;
  readonly topic?: string;
  readonly nameOf: (userId: string) => string | undefined;
}

/** Where a file is, and how to read it where it is encrypted. */
export interface MediaReference {
  readonly server: string;
  readonly mediaId: string;
  readonly name?: string;
  readonly mediaType: string;
  /** The keys of an encrypted file, as its message has them. */
  readonly encrypted?: Fields;
}

export interface Parsed {
  readonly kind: "message" | "edit";
  readonly source: SessionSource & { readonly userId: string };
  /** For an edit, that of the message that is changed: only its sender may. */
  readonly messageId: string;
  readonly text: string;
  /** It names the bot, or is a command; whether it answers the bot is looked up. */
  readonly isAddressed: boolean;
  readonly replyTo?: NonNullable<InboundMessage["replyTo"]>;
  readonly forwarded?: NonNullable<InboundMessage["forwarded"]>;
  readonly media?: MediaReference;
}

/**
 * Under these names some apps say that a message was forwarded. Only proposals have one (MSC2723, MSC4553); Element sends a
 * forward as a new message that says nothing of it.
 */
const FORWARDED = [
  "m.forwarded",
  "org.matrix.msc4553.forwarded",
  "com.famedly.app.forwarded",
  "moe.sable.message.forward",
  "xyz.extera.forward",
] as const;
const NO_COMMANDS: ReadonlySet<string> = new Set();
const MEDIA_TYPES = new Set(["m.image", "m.file", "m.audio", "m.video"]);

export function parseEvent(given: unknown, room: RoomFacts, bot: MatrixSelf): Parsed | null {
  const event = record(given);
  const sender = id(event.sender, "@");
  const eventId = id(event.event_id, "$");
  if (event.type !== "m.room.message" || event.state_key !== undefined || !sender || !eventId) return null;
  if (sender === bot.userId) return null;

  const outer = record(event.content);
  const relation = record(outer["m.relates_to"]);
  const isEdit = relation.rel_type === "m.replace";
  const messageId = isEdit ? id(relation.event_id, "$") : eventId;
  const content = isEdit ? record(outer["m.new_content"]) : outer;
  if (!messageId || content.msgtype === "m.notice") return null; // Notices are what bots say, and are never answered.

  const isForwarded = FORWARDED.some((name) => outer[name] ?? content[name] ?? false);
  const self = isForwarded ? { ...bot, commands: NO_COMMANDS } : bot;
  const answered = isEdit ? undefined : answeredBy(relation);
  const written = writtenIn(content, self, answered !== undefined, room.chatType === "dm");
  if (!written) return null;
  const { text, quoted, media } = written;
  const threadId = isEdit ? undefined : threadOf(relation);
  return {
    kind: isEdit ? "edit" : "message",
    source: { ...placeIn(room, threadId), ...personIn(room, sender), messageId },
    messageId,
    text,
    isAddressed: written.isMentioned || isCommand(text, self),
    ...(answered ? { replyTo: { messageId: answered, ...(quoted ? { text: quoted } : {}) } } : {}),
    ...(isForwarded ? { forwarded: {} } : {}),
    ...(media && !isEdit ? { media } : {}),
  };
}

/** The text of a message, to be shown where another answers it. */
export function quotedText(given: unknown): string | undefined {
  const event = record(given);
  const content = record(event.content);
  const replaced = record(record(record(record(event.unsigned)["m.relations"])["m.replace"]).content);
  const body = textOf(record(replaced["m.new_content"]).body) ?? textOf(content.body);
  if (event.type !== "m.room.message" || body === undefined) return undefined;
  return answeredBy(record(content["m.relates_to"])) ? withoutFallback(body).text : body;
}

/** What encrypted it is when it came out of the clear: the envelope is the room's, type and content were inside. */
export function decryptedEvent(envelope: unknown, inside: unknown): Fields {
  const { type, content } = record(inside);
  return { ...record(envelope), type, content };
}

/** A thread is a part of its room, whatever that is. */
export function placeIn(room: RoomFacts, threadId: string | undefined): SessionSource {
  const chatName = label(room.name);
  const chatTopic = label(room.topic);
  return {
    platform: "matrix",
    chatId: room.roomId,
    chatType: room.chatType,
    ...(chatName ? { chatName } : {}),
    ...(chatTopic ? { chatTopic } : {}),
    ...(threadId ? { threadId } : {}),
  };
}

export function personIn(
  room: RoomFacts,
  userId: string,
): { readonly userId: string; readonly userName?: string } {
  const userName = label(room.nameOf(userId));
  return { userId, ...(userName ? { userName } : {}) };
}

function label(name: string | undefined): string {
  return shorten(cleanLine(name ?? ""), 200);
}

interface MatrixContent {
  readonly text: string;
  readonly isMentioned: boolean;
  readonly quoted?: string;
  readonly media?: MediaReference;
}

function writtenIn(
  content: Fields,
  self: MatrixSelf,
  isReply: boolean,
  isPrivate: boolean,
): MatrixContent | null {
  const body = textOf(content.body);
  const msgtype = textOf(content.msgtype);
  if (msgtype === undefined || body === undefined) return null;
  if (MEDIA_TYPES.has(msgtype)) {
    const media = mediaOf(content, body);
    if (!media) return null;
    // A file's body is its name, unless the name stands elsewhere: then it is what was written with it.
    const filename = textOf(content.filename);
    const caption = filename !== undefined && filename !== body ? body : "";
    const { text, isMentioned } = withoutMention({ ...content, body: caption }, self);
    return { text: command(text, self), isMentioned, media };
  }
  if (msgtype !== "m.text" && msgtype !== "m.emote") return null;
  const { text: own, quoted } = isReply ? withoutFallback(body) : { text: body, quoted: undefined };
  const { text, isMentioned } = withoutMention({ ...content, body: own }, self);
  // A name alone is no question in a room of two, but is all that was written.
  const shown = text === "" && isPrivate ? own : text;
  return { text: command(shown, self), isMentioned, ...(quoted ? { quoted } : {}) };
}

function command(text: string, { commands }: MatrixSelf): string {
  const [, name = ""] = /^!([a-z][a-z0-9_-]{0,31})(?:\s|$)/.exec(text) ?? [];
  return commands.has(name) ? `/${text.slice(1)}` : text;
}

function isCommand(text: string, { commands }: MatrixSelf): boolean {
  const [, name = ""] = /^\/([a-z][a-z0-9_-]{0,31})(?:\s|$)/.exec(text) ?? [];
  return commands.has(name);
}

/** The message that it answers; in a thread only where that was meant, not where it is there for older clients. */
function answeredBy(relation: Fields): string | undefined {
  if (relation.rel_type === "m.thread" && relation.is_falling_back === true) return undefined;
  return id(record(relation["m.in_reply_to"]).event_id, "$");
}

function threadOf(relation: Fields): string | undefined {
  return relation.rel_type === "m.thread" ? id(relation.event_id, "$") : undefined;
}

/** Older clients put what they answer before the text, as a quotation with its author. */
function withoutFallback(body: string): { readonly text: string; readonly quoted: string | undefined } {
  const lines = body.split("\n");
  const end = lines.findIndex((line) => line !== ">" && !line.startsWith("> "));
  if (end <= 0 || lines[end] !== "") return { text: body, quoted: undefined };
  const quoted = lines.slice(0, end).map((line) => line.slice(2));
  quoted[0] = (quoted[0] ?? "").replace(/^(?:\* )?<@[^>]{1,255}> ?/, "");
  return { text: lines.slice(end + 1).join("\n"), quoted: quoted.join("\n") };
}

function mediaOf(content: Fields, body: string): MediaReference | undefined {
  const encrypted = content.file === undefined ? undefined : record(content.file);
  const address = textOf(encrypted ? encrypted.url : content.url) ?? "";
  const [, server, mediaId] =
    /^mxc:\/\/([A-Za-z0-9.:[\]-]{1,255})\/([A-Za-z0-9_-]{1,255})$/.exec(address) ?? [];
  if (!server || !mediaId) return undefined;
  return {
    server,
    mediaId,
    name: textOf(content.filename) ?? body,
    mediaType: textOf(record(content.info).mimetype) ?? "application/octet-stream",
    ...(encrypted ? { encrypted } : {}),
  };
}
