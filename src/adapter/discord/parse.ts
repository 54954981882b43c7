/**
 * What Discord sends, as the port has it. Total: whatever the JSON is, the answer is a message or null. Where a message
 * is decided by its channel alone, never by what it says of itself: what comes over the gateway and what is read
 * afterwards must get the same key.
 */

import type { SessionSource } from "../../session/source.js";
import type { Fields } from "../../util/json.js";
import type { Answered, InboundMessage } from "../adapter.js";
import { pressedCommand } from "../buttons.js";
import { boundedText } from "../inbound-limit.js";
import { takenOut } from "../take-out.js";
import { listOf, objectIn, record } from "../untrusted.js";
import { contentOf, type DiscordContent, type DiscordDownload, unknownPart } from "./content.js";
import { type DiscordNames, personName } from "./plain-text.js";
import { isSnowflake } from "./snowflake.js";

export interface DiscordChannel {
  readonly id: string;
  readonly kind: "dm" | "text" | "thread";
  /** A thread can be begun in it. */
  readonly takesThreads: boolean;
  readonly name?: string;
  readonly topic?: string;
  /** Of a thread: the channel it is in. */
  readonly parentId?: string;
  /** Of a thread: only those who were let in see it. */
  readonly isPrivate?: true;
  /** Of a thread: who began it. */
  readonly ownerId?: string;
  readonly lastMessageId?: string;
  /** Of a chat of two: the other one. */
  readonly partner?: DiscordSender;
}

/** A channel and, where it is a thread, the one it is in. */
export interface DiscordPlace {
  readonly channel: DiscordChannel;
  readonly parent?: DiscordChannel;
}

export interface DiscordParseSetting {
  readonly place: DiscordPlace;
  /** The bot's user. */
  readonly self: string;
  readonly download: DiscordDownload;
  /** Without it, channels and roles appear as ids. */
  readonly nameOf?: DiscordNames;
}

export interface Interaction {
  readonly message: InboundMessage;
  /** To answer it with. */
  readonly token: string;
  /** The message whose button was pressed; absent for a command. */
  readonly pressedOn?: string;
}

const DM = 1;
const PRIVATE_THREAD = 12;
const THREADS = [10, 11, PRIVATE_THREAD];
/** Text, voice, announcements, stage: people write in all of them. */
const PLACES_TO_WRITE = [0, 2, 5, 13];
const PLACES_FOR_THREADS = [0, 5];

/** A message that people wrote; joins, pins and the like have other numbers. */
const WRITTEN = [0, 19];
const SLASH_COMMAND = 2;
const PRESS = 3;
const CHAT_INPUT = 1;
const TEXT_OPTION = 3;

export function parseChannel(json: unknown): DiscordChannel | null {
  const { id, type, name, topic, parent_id, owner_id, last_message_id, recipients } = record(json);
  if (!isSnowflake(id) || typeof type !== "number") return null;
  const named = {
    ...(isText(name) ? { name } : {}),
    ...(isText(topic) ? { topic } : {}),
    ...(isSnowflake(last_message_id) ? { lastMessageId: last_message_id } : {}),
  };
  if (type === DM) {
    const [partner] = listOf(recipients).flatMap((author) => person({ author }) ?? []);
    return { id, kind: "dm", takesThreads: false, ...named, ...(partner ? { partner } : {}) };
  }
  if (PLACES_TO_WRITE.includes(type))
    return { id, kind: "text", takesThreads: PLACES_FOR_THREADS.includes(type), ...named };
  if (!THREADS.includes(type) || !isSnowflake(parent_id)) return null;
  const owner = isSnowflake(owner_id) ? { ownerId: owner_id } : {};
  const hidden = type === PRIVATE_THREAD ? ({ isPrivate: true } as const) : {};
  return { id, kind: "thread", takesThreads: false, parentId: parent_id, ...owner, ...hidden, ...named };
}

/** Where a message is, before its channel is known. */
export function placeOf(json: unknown): { readonly channelId: string; readonly messageId: string } | null {
  const { id, channel_id } = record(json);
  return isSnowflake(id) && isSnowflake(channel_id) ? { channelId: channel_id, messageId: id } : null;
}

/** Nobody looks further at what bots say, and we hear all that we say ourselves. */
export function isFromPerson(json: unknown): boolean {
  return person(record(json)) !== null;
}

export function parseMessage(json: unknown, reading: DiscordParseSetting): InboundMessage | null {
  const message = record(json);
  const { id, channel_id, type } = message;
  const { place, self } = reading;
  if (!isSnowflake(id) || channel_id !== place.channel.id || !WRITTEN.includes(type as number)) return null;
  const sender = person(message);
  if (!sender) return null;
  const { text, parts, files } = said(message, reading);
  const isEmpty = text === "" && parts.length === 0 && files.length === 0;
  const saysNothing = isEmpty && !isText(message.content);
  const replyTo = repliedTo(message, reading);
  return {
    kind: "message",
    source: sourceOf(place, sender, id),
    messageId: id,
    text,
    ...(saysNothing ? { parts: [unknownPart(message)] } : parts.length > 0 ? { parts } : {}),
    ...(isForwarded(message) ? { forwarded: {} } : {}),
    ...(replyTo ? { replyTo } : {}),
    isAddressed: isAddressed(message, place, self),
    ...(files.length > 0 ? { files } : {}),
  };
}

/** Where what was forwarded is: there its author can be looked up, whom Discord does not name. */
export function forwardedFrom(
  json: unknown,
): { readonly channelId: string; readonly messageId: string } | null {
  const message = record(json);
  const { channel_id, message_id } = record(message.message_reference);
  return isForwarded(message) && isSnowflake(channel_id) && isSnowflake(message_id)
    ? { channelId: channel_id, messageId: message_id }
    : null;
}

export function authorOf(json: unknown): string | undefined {
  return personName(record(json).author);
}

/** Messages that are gone. Discord does not say whose they were. */
export interface DiscordDeletion {
  readonly channelId: string;
  readonly messageIds: readonly string[];
}

/** Of one message, or of many at once. */
export function parseDeletion(json: unknown): DiscordDeletion | null {
  const { channel_id, id, ids } = record(json);
  const messageIds = [id, ...listOf(ids)].filter(isSnowflake);
  return isSnowflake(channel_id) && messageIds.length > 0 ? { channelId: channel_id, messageIds } : null;
}

/** Null where something else about it has changed: a pin, a preview, a thread. */
export function parseEdit(json: unknown, reading: DiscordParseSetting): InboundMessage | null {
  const message = isText(record(json).edited_timestamp) ? parseMessage(json, reading) : null;
  return message && { ...message, kind: "edit" };
}

/** An emoji that somebody put on a message; one of a server's own has a name. */
export function parseReaction(json: unknown, place: DiscordPlace): InboundMessage | null {
  const { user_id, channel_id, message_id, member, emoji } = record(json);
  const { id, name } = record(emoji);
  const sender = person({ author: { id: user_id, ...record(record(member).user) } });
  if (!sender || !isSnowflake(message_id) || channel_id !== place.channel.id || !isText(name)) return null;
  const text = isSnowflake(id) ? `:${boundedText(name)}:` : boundedText(name);
  return { kind: "reaction", source: sourceOf(place, sender, message_id), messageId: message_id, text };
}

/** Where a reaction is, before its channel is known. */
export function placeOfReaction(json: unknown): ReturnType<typeof placeOf> {
  const { message_id, channel_id } = record(json);
  return placeOf({ id: message_id, channel_id });
}

export function parseInteraction(json: unknown, place: DiscordPlace): Interaction | null {
  const { id, type, token, data, member, user, channel_id, message } = record(json);
  const sender = person({ author: record(member).user ?? user });
  if (!sender || !isSnowflake(id) || channel_id !== place.channel.id || !isText(token)) return null;
  const said = { source: sourceOf(place, sender, id), messageId: id, isAddressed: true };
  if (type === PRESS) {
    const text = pressedCommand(record(data).custom_id);
    const { id: pressedOn } = record(message);
    if (text === null || !isSnowflake(pressedOn)) return null;
    return { token, pressedOn, message: { kind: "button", ...said, text } };
  }
  const text = type === SLASH_COMMAND ? commandIn(data) : null;
  return text === null ? null : { token, message: { kind: "command", ...said, text } };
}

function commandIn(data: unknown): string | null {
  const { name, type: kind, options } = record(data);
  if (kind !== CHAT_INPUT || !isText(name) || !/^[\w-]{1,32}$/.test(name)) return null;
  const words = listOf(options)
    .map(record)
    .flatMap((option) =>
      option.type === TEXT_OPTION && isText(option.value) ? [boundedText(option.value)] : [],
    );
  return [`/${name}`, ...words].join(" ");
}

interface DiscordSender {
  readonly userId: string;
  readonly userName?: string;
}

/** Null for bots, webhooks, Discord itself, and whoever cannot be named. */
function person(message: Fields): DiscordSender | null {
  const { id, username, global_name, bot, system } = record(message.author);
  const isPerson = isNo(bot) && isNo(system) && message.webhook_id === undefined;
  if (!isPerson || !isSnowflake(id)) return null;
  const userName = [global_name, username].find(isText);
  return { userId: id, ...(userName ? { userName } : {}) };
}

/** Said to be no, or not said at all; anything else could be a yes. */
function isNo(value: unknown): boolean {
  return value === undefined || value === null || value === false;
}

function sourceOf(place: DiscordPlace, sender: DiscordSender, messageId: string): SessionSource {
  return { ...sourceIn(place), ...sender, messageId };
}

/**
 * A thread is a place of its own, in the channel it was begun in: `thread:<channel>:<thread>`, as for one that
 * `createThread` made.
 */
export function sourceIn({ channel, parent }: DiscordPlace): SessionSource {
  const platform = "discord";
  if (channel.kind === "dm") return { platform, chatId: channel.id, chatType: "dm" };
  if (channel.kind === "text" || channel.parentId === undefined)
    return { platform, chatId: channel.id, chatType: "group", ...named(channel) };
  return {
    platform,
    chatId: channel.parentId,
    chatType: "thread",
    threadId: channel.id,
    parentChatId: channel.parentId,
    ...(parent ? named(parent) : {}),
    ...(channel.name ? { chatTopic: channel.name } : {}),
  };
}

function named({ name, topic }: DiscordChannel): Pick<SessionSource, "chatName" | "chatTopic"> {
  return { ...(name ? { chatName: `#${name}` } : {}), ...(topic ? { chatTopic: topic } : {}) };
}

/** In a group only what names the bot, answers it, or stands in a thread that it began. */
function isAddressed(message: Fields, { channel }: DiscordPlace, self: string): boolean {
  if (channel.kind === "dm") return true;
  if (channel.kind === "thread" && channel.ownerId === self) return true;
  const mentioned = listOf(message.mentions).some((user) => record(user).id === self);
  return mentioned || record(record(message.referenced_message).author).id === self;
}

/** What was forwarded has its content in a copy. */
function said(message: Fields, { self, nameOf, download }: DiscordParseSetting): DiscordContent {
  const snapshot = objectIn(listOf(message.message_snapshots)[0], "message");
  const named = nameOf ?? (() => undefined);
  const content = typeof message.content === "string" ? withoutMention(message.content, self) : "";
  const own = contentOf({ ...message, content }, named, download);
  if (!snapshot) return own;
  const copy = contentOf(snapshot, named, download);
  return {
    text: [own.text, copy.text].filter((text) => text !== "").join("\n"),
    parts: [...own.parts, ...copy.parts],
    files: [...own.files, ...copy.files],
  };
}

function withoutMention(content: string, self: string): string {
  return takenOut(boundedText(content), new RegExp(`<@!?${self}>`, "g"));
}

function repliedTo(message: Fields, reading: DiscordParseSetting): Answered | null {
  const { message_id, type } = record(message.message_reference);
  if (!isSnowflake(message_id) || type === FORWARDED) return null;
  const answered = record(message.referenced_message);
  const { text, parts, files } = said(answered, reading);
  const author = record(answered.author);
  const from = author.id === reading.self ? undefined : personName(author);
  return {
    messageId: message_id,
    ...(text ? { text } : {}),
    ...(parts.length > 0 ? { parts } : {}),
    ...(files.length > 0 ? { files } : {}),
    ...(from ? { from } : {}),
  };
}

const FORWARDED = 1;

function isForwarded(message: Fields): boolean {
  return record(message.message_reference).type === FORWARDED || listOf(message.message_snapshots).length > 0;
}

/** Own fields only: what a prototype says was not sent. */
function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
