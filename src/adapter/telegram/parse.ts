/**
 * An update of the Bot API as a message of ours. Pure and total: whatever the JSON is, nothing is thrown, and what has no
 * chat, no id or no sender is nothing. Who somebody is follows from ids that Telegram gives, never from names.
 */

import type { SessionSource } from "../../session/source.js";
import type { Fields } from "../../util/json.js";
import type { InboundMessage, RemoteFile } from "../adapter.js";
import { field, numberIn, numericIdIn, objectIn, textIn } from "../untrusted.js";
import { type Addressed, addressed } from "./addressed.js";
import { filesOf, type ReadFile } from "./files.js";

/** The bot, as far as reading a message needs it. */
export interface Bot {
  readonly id: string;
  readonly username: string;
  /** The names of the commands that it knows. */
  readonly commands: ReadonlySet<string>;
  readonly read: ReadFile;
}

/** The bot, as far as its places need it. */
export interface BotPlaces {
  readonly id: string;
  /** In private chats. */
  readonly hasTopics: boolean;
}

/** What is asked for: the kinds of update that are read here. */
export const UPDATES = ["message", "edited_message", "channel_post", "edited_channel_post"] as const;

/** Of a forum: messages in it belong to no topic. */
const GENERAL_TOPIC = "1";

export function parseUpdate(update: unknown, bot: Bot): InboundMessage | null {
  for (const name of UPDATES) {
    const message = objectIn(update, name);
    if (message) return parseMessage(message, name.startsWith("edited_"), bot);
  }
  return null;
}

/** A group that became a supergroup has another id from then on. Both chats say so; one of them is enough. */
export function parseMove(update: unknown): { readonly from: string; readonly to: string } | null {
  const message = objectIn(update, "message");
  const chat = numericIdIn(message, "chat", "id");
  const to = numericIdIn(message, "migrate_to_chat_id");
  const from = numericIdIn(message, "migrate_from_chat_id");
  if (!chat?.startsWith("-")) return null;
  if (to?.startsWith("-") && to !== chat) return { from: chat, to };
  if (from?.startsWith("-") && from !== chat) return { from, to: chat };
  return null;
}

/** Null where it has no valid number. */
export function updateId(update: unknown): number | null {
  const id = numberIn(update, "update_id");
  return id !== undefined && Number.isSafeInteger(id) && id >= 0 ? id : null;
}

function parseMessage(message: Fields, isEdit: boolean, bot: Bot): InboundMessage | null {
  const messageId = numericIdIn(message, "message_id");
  const source = messageId ? sourceOf(message, messageId, bot) : null;
  if (!messageId || !source) return null;
  const read = addressed(message, bot);
  if (read.to === "another bot") return null;
  const files = filesOf(message, bot.read);
  const text = read.text || (files.length === 0 ? otherText(message) : "");
  if (text === "" && files.length === 0) return null;
  return {
    kind: isEdit ? "edit" : read.isCommand ? "command" : "message",
    source,
    messageId,
    text,
    ...forwardOf(message),
    ...replyOf(message),
    ...(source.chatType === "dm" ? {} : { isAddressed: isForUs(message, read, bot) }),
    ...withFiles(files),
  };
}

function sourceOf(message: Fields, messageId: string, bot: Bot): SessionSource | null {
  const chat = objectIn(message, "chat");
  const sender = senderOf(message);
  if (!sender || sender.userId === bot.id || field(message, "is_automatic_forward") === true) return null;
  const place = placeIn(
    chat,
    numericIdIn(message, "message_thread_id"),
    field(message, "is_topic_message") === true,
  );
  if (!place) return null;
  const chatTopic = place.threadId ? topicOf(message) : undefined;
  return {
    ...place,
    ...sender,
    ...(chatTopic ? { chatTopic } : {}),
    messageId,
  };
}

/**
 * Who wrote it. Those who write as a chat (anonymous admins, channels) share one stand-in account in `from`: they are the
 * chat that they write as.
 */
function senderOf(message: Fields): Pick<SessionSource, "userId" | "userName" | "isBot"> | null {
  const as = objectIn(message, "sender_chat");
  const from = objectIn(message, "from");
  const who = as ?? from;
  const userId = numericIdIn(who, "id");
  if (!userId) return null;
  const userName = textIn(who, "title") ?? nameOf(who);
  // What is not plainly said to be a person's is a bot's.
  const isBot = as === undefined && field(from, "is_bot") !== false;
  return { userId, ...(userName ? { userName } : {}), ...(isBot ? { isBot } : {}) };
}

/**
 * The same for every message of a place, so that a topic that was made for a handoff has the key of what is written in
 * it: a topic of a group is a thread, one of a private chat is a part of that chat.
 */
function placeIn(chat: unknown, thread: string | undefined, isInTopic: boolean): SessionSource | null {
  const chatId = numericIdIn(chat, "id");
  if (!chatId) return null;
  const chatName = textIn(chat, "title") ?? nameOf(chat);
  const named = { platform: "telegram", chatId, ...(chatName ? { chatName } : {}) };
  switch (field(chat, "type")) {
    case "private":
      return { ...named, chatType: "dm", ...(thread ? { threadId: thread } : {}) };
    case "group":
    case "supergroup": {
      // Answers to a message have a thread too, everywhere; only topics are marked as such.
      const isTopic = isInTopic && thread !== GENERAL_TOPIC;
      return thread && isTopic
        ? { ...named, chatType: "thread", threadId: thread }
        : { ...named, chatType: "group" };
    }
    case "channel":
      return { ...named, chatType: "channel" };
    default:
      return null;
  }
}

/**
 * A place as the Bot API tells of its chat; null where it has no such topic. Which topics a forum has, nobody tells.
 * A private chat has the id of whom it is with.
 */
export function parsePlace(chat: unknown, thread: string | undefined, bot: BotPlaces): SessionSource | null {
  const place = placeIn(chat, thread, field(chat, "is_forum") === true);
  if (!place || place.chatId === bot.id) return null;
  if (place.chatType !== "dm") {
    const isElsewhere = thread !== undefined && thread !== GENERAL_TOPIC && !place.threadId;
    return isElsewhere ? null : place;
  }
  if (place.threadId && !bot.hasTopics) return null;
  const userName = nameOf(chat);
  return { ...place, userId: place.chatId, ...(userName ? { userName } : {}) };
}

/** Whether the bot is in a chat, as the Bot API tells of it as a member. */
export function isInChat(member: unknown): boolean {
  const status = field(member, "status");
  return status === "restricted"
    ? field(member, "is_member") === true
    : status !== "left" && status !== "kicked";
}

/** A message in a topic that answers no other one answers the topic's beginning. */
function topicOf(message: Fields): string | undefined {
  return textIn(objectIn(message, "reply_to_message"), "forum_topic_created", "name");
}

function answeredBy(message: Fields): Fields | undefined {
  const answered = objectIn(message, "reply_to_message");
  return objectIn(answered, "forum_topic_created") ? undefined : answered;
}

/** By whichever field tells: an older server has other ones, and who hides their account has a name only. */
function forwardOf(message: Fields): Pick<InboundMessage, "forwarded"> {
  const origin = objectIn(message, "forward_origin");
  const fields = ["forward_date", "forward_from", "forward_from_chat", "forward_sender_name"];
  if (!origin && fields.every((name) => field(message, name) === undefined)) return {};
  const person = objectIn(origin, "sender_user") ?? objectIn(message, "forward_from");
  const chat =
    objectIn(origin, "sender_chat") ?? objectIn(origin, "chat") ?? objectIn(message, "forward_from_chat");
  const hidden = textIn(origin, "sender_user_name") ?? textIn(message, "forward_sender_name");
  const from = nameOf(person) ?? textIn(chat, "title") ?? hidden;
  return { forwarded: from ? { from } : {} };
}

function replyOf(message: Fields): Pick<InboundMessage, "replyTo"> {
  const answered = answeredBy(message);
  const messageId = numericIdIn(answered, "message_id");
  if (!messageId) return {};
  const text = textIn(message, "quote", "text") ?? textIn(answered, "text") ?? textIn(answered, "caption");
  return { replyTo: { messageId, ...(text ? { text } : {}) } };
}

/** What names the bot, answers it, or stands in a topic that it began and answers nobody. */
function isForUs(message: Fields, read: Addressed, bot: Bot): boolean {
  return read.to === "us" || numericIdIn(objectIn(message, "reply_to_message"), "from", "id") === bot.id;
}

/** In words, what is neither text nor file. */
function otherText(message: Fields): string {
  const place = objectIn(message, "location");
  const [latitude, longitude] = [numberIn(place, "latitude"), numberIn(place, "longitude")];
  if (latitude !== undefined && longitude !== undefined) return `[location: ${latitude}, ${longitude}]`;
  const contact = objectIn(message, "contact");
  const phone = textIn(contact, "phone_number");
  if (phone) return `[contact: ${[nameOf(contact), phone].filter(Boolean).join(", ")}]`;
  return textIn(message, "sticker", "emoji") ?? "";
}

function nameOf(who: unknown): string | undefined {
  const names = [textIn(who, "first_name"), textIn(who, "last_name")].filter((name) => name !== undefined);
  return names.join(" ") || textIn(who, "username");
}

function withFiles(files: readonly RemoteFile[]): Pick<InboundMessage, "files"> {
  return files.length > 0 ? { files } : {};
}
