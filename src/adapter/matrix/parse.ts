/**
 * An event of a room's timeline → what the gateway is told of it. Pure and total: whatever the event is, nothing throws,
 * and what is missing or odd gives no message rather than a guessed one. What cannot be told from the event alone (whose
 * message it answers, whose it changes) is named here and looked up by the adapter.
 */
import type { Part } from "../../session/parts.js";
import type { ChatType, SessionSource } from "../../session/source.js";
import type { Fields } from "../../util/json.js";
import { cleanLine, shorten } from "../../util/text.js";
import type { Answered, InboundMessage } from "../adapter.js";
import { record, textOf } from "../untrusted.js";
import { id } from "./ids.js";
import { type MatrixSelf, withoutMention } from "./mention.js";
import { isSaid, type MediaReference, saidIn } from "./said.js";

export interface RoomFacts {
  readonly roomId: string;
  readonly chatType: ChatType;
  readonly name?: string;
  readonly topic?: string;
  readonly nameOf: (userId: string) => string | undefined;
}

export interface Parsed {
  readonly kind: "message" | "edit";
  readonly source: SessionSource & { readonly userId: string };
  /** For an edit, that of the message that is changed: only its sender may. */
  readonly messageId: string;
  readonly text: string;
  /** It names the bot, or is a command; whether it answers the bot is looked up. */
  readonly isAddressed: boolean;
  readonly parts: readonly Part[];
  readonly media: readonly MediaReference[];
  /** As far as the event itself tells. */
  readonly replyTo?: Answered;
  readonly forwarded?: NonNullable<InboundMessage["forwarded"]>;
  /** The answers of a poll that were chosen: their words are in the event that it answers. */
  readonly votes?: readonly string[];
}

/** A message that another one answers, as its own event tells. */
export interface AnsweredEvent extends Pick<Answered, "text" | "parts" | "from"> {
  readonly media: readonly MediaReference[];
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

export function parseEvent(given: unknown, room: RoomFacts, bot: MatrixSelf): Parsed | null {
  const event = record(given);
  const sender = id(event.sender, "@");
  const eventId = id(event.event_id, "$");
  if (!isSaid(event) || !sender || !eventId || sender === bot.userId) return null;

  const outer = record(event.content);
  const relation = record(outer["m.relates_to"]);
  const isEdit = relation.rel_type === "m.replace";
  const messageId = isEdit ? id(relation.event_id, "$") : eventId;
  const content = isEdit ? record(outer["m.new_content"]) : outer;
  const meant = isEdit ? undefined : answeredBy(relation);
  const said = saidIn(event.type, content, meant !== undefined);
  if (!messageId || !said) return null;

  const mark = FORWARDED.map((name) => outer[name] ?? content[name]).find(Boolean);
  const self = mark ? { ...bot, commands: NO_COMMANDS } : bot;
  const written = withoutMention({ ...content, body: said.words }, self);
  // A name alone is no question in a room of two, but is all that was written.
  const text = command(written.text === "" && room.chatType === "dm" ? said.words : written.text, self);
  const { media, parts, votes, fallback } = said;
  // A name alone in a thread is about what was said there last.
  const isBare = written.isMentioned && text === "" && media.length === 0 && parts.length === 0;
  const answered = meant ?? (isBare && !isEdit ? inReplyTo(relation) : undefined);
  const threadId = isEdit ? undefined : threadOf(relation);
  return {
    kind: isEdit ? "edit" : "message",
    source: { ...placeIn(room, threadId), ...personIn(room, sender), messageId },
    messageId,
    text,
    parts,
    media: isEdit ? [] : media,
    isAddressed: written.isMentioned || isCommand(text, self),
    ...(answered ? { replyTo: { messageId: answered, ...quotation(fallback, room, bot) } } : {}),
    ...(mark ? { forwarded: forwardedFrom(mark, room) } : {}),
    ...(votes ? { votes } : {}),
  };
}

/** A message that another one answers: its words as they are now, and who wrote it, unless it was the bot. */
export function answeredEvent(given: unknown, room: RoomFacts, bot: MatrixSelf): AnsweredEvent {
  const event = record(given);
  const content = record(event.content);
  const replaced = record(record(record(record(event.unsigned)["m.relations"])["m.replace"]).content);
  const changed = record(replaced["m.new_content"]);
  const isReply = answeredBy(record(content["m.relates_to"])) !== undefined;
  // Of a notice of ours, and of other bots, the words are all the same the words.
  const now = changed.body === undefined ? content : { ...content, body: changed.body };
  const msgtype = now.msgtype === "m.notice" ? "m.text" : now.msgtype;
  const said = isSaid(event) ? saidIn(event.type, { ...now, msgtype }, isReply) : null;
  const sender = id(event.sender, "@");
  return {
    ...(said?.words ? { text: said.words } : {}),
    ...(said && said.parts.length > 0 ? { parts: said.parts } : {}),
    ...(sender && sender !== bot.userId ? { from: nameIn(room, sender) } : {}),
    media: said?.media ?? [],
  };
}

/** What somebody put on a message, and on which. */
export function reactionIn(event: Fields): { readonly messageId: string; readonly text: string } | null {
  if (event.type !== "m.reaction" || event.state_key !== undefined) return null;
  const { rel_type, event_id, key } = record(record(event.content)["m.relates_to"]);
  const messageId = id(event_id, "$");
  const text = textOf(key);
  return rel_type === "m.annotation" && messageId && text ? { messageId, text } : null;
}

/** The event that was deleted. The homeserver has looked whether that was allowed. */
export function redactedBy(event: Fields): string | undefined {
  if (event.type !== "m.room.redaction") return undefined;
  return id(event.redacts, "$") ?? id(record(event.content).redacts, "$");
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

function nameIn(room: RoomFacts, userId: string): string {
  return label(room.nameOf(userId)) || userId;
}

/** What older clients say of the message that they answer. */
function quotation(
  fallback: { readonly author: string | undefined; readonly text: string } | undefined,
  room: RoomFacts,
  bot: MatrixSelf,
): Pick<Answered, "text" | "from"> {
  if (!fallback?.text) return {};
  const author = id(fallback.author, "@");
  return { text: fallback.text, ...(author && author !== bot.userId ? { from: nameIn(room, author) } : {}) };
}

function forwardedFrom(mark: unknown, room: RoomFacts): { readonly from?: string } {
  const author = id(record(mark).sender, "@");
  return author ? { from: nameIn(room, author) } : {};
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
  if (relation.rel_type === "m.reference") return id(relation.event_id, "$"); // A vote, or the end of a poll.
  if (relation.rel_type === "m.thread" && relation.is_falling_back === true) return undefined;
  return inReplyTo(relation);
}

function inReplyTo(relation: Fields): string | undefined {
  return id(record(relation["m.in_reply_to"]).event_id, "$");
}

function threadOf(relation: Fields): string | undefined {
  return relation.rel_type === "m.thread" ? id(relation.event_id, "$") : undefined;
}
