/**
 * An update of the Bot API as a message of ours. Pure and total: whatever the JSON is, nothing is thrown, and what has no
 * chat, no id or no sender is nothing. Who somebody is follows from ids that Telegram gives, never from names.
 */

import type { SessionSource } from "../../session/source.js";
import type { InboundMessage, RemoteFile } from "../adapter.js";
import { type Addressed, addressed } from "./addressed.js";
import { filesOf, type ReadFile } from "./files.js";
import { type Fields, field, idIn, isTrueIn, numberIn, objectIn, textIn } from "./json.js";

/** The bot, as far as reading a message needs it. */
export interface Bot {
  readonly id: string;
  readonly username: string;
  /** The names of the commands that it knows. */
  readonly commands: ReadonlySet<string>;
  readonly read: ReadFile;
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
  const chat = idIn(objectIn(message, "chat"), "id");
  const to = idIn(message, "migrate_to_chat_id");
  const from = idIn(message, "migrate_from_chat_id");
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
  const messageId = idIn(message, "message_id");
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
    ...replyOf(message),
    ...(source.chatType === "dm" ? {} : { isAddressed: isForUs(message, read, bot) }),
    ...withFiles(files),
  };
}

function sourceOf(message: Fields, messageId: string, bot: Bot): SessionSource | null {
  const chat = objectIn(message, "chat");
  const chatId = idIn(chat, "id");
  const sender = senderOf(message);
  if (!chatId || !sender || sender.userId === bot.id || isTrueIn(message, "is_automatic_forward"))
    return null;
  const place = placeOf(message, chat);
  if (!place) return null;
  const chatName = textIn(chat, "title") ?? nameOf(chat);
  const chatTopic = place.threadId ? topicOf(message) : undefined;
  return {
    platform: "telegram",
    chatId,
    ...(chatName ? { chatName } : {}),
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
  const userId = idIn(who, "id");
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
function placeOf(message: Fields, chat: unknown): Pick<SessionSource, "chatType" | "threadId"> | null {
  const thread = idIn(message, "message_thread_id");
  switch (field(chat, "type")) {
    case "private":
      return { chatType: "dm", ...(thread ? { threadId: thread } : {}) };
    case "group":
    case "supergroup": {
      // Answers to a message have a thread too, everywhere; only topics are marked as such.
      const isTopic = isTrueIn(message, "is_topic_message") && thread !== GENERAL_TOPIC;
      return thread && isTopic ? { chatType: "thread", threadId: thread } : { chatType: "group" };
    }
    case "channel":
      return { chatType: "channel" };
    default:
      return null;
  }
}

/** A message in a topic that answers no other one answers the topic's beginning. */
function topicOf(message: Fields): string | undefined {
  return textIn(objectIn(objectIn(message, "reply_to_message"), "forum_topic_created"), "name");
}

function answeredBy(message: Fields): Fields | undefined {
  const answered = objectIn(message, "reply_to_message");
  return objectIn(answered, "forum_topic_created") ? undefined : answered;
}

function replyOf(message: Fields): Pick<InboundMessage, "replyTo"> {
  const answered = answeredBy(message);
  const messageId = idIn(answered, "message_id");
  if (!messageId) return {};
  const text =
    textIn(objectIn(message, "quote"), "text") ?? textIn(answered, "text") ?? textIn(answered, "caption");
  return { replyTo: { messageId, ...(text ? { text } : {}) } };
}

function isForUs(message: Fields, read: Addressed, bot: Bot): boolean {
  return read.to === "us" || idIn(objectIn(answeredBy(message), "from"), "id") === bot.id;
}

/** In words, what is neither text nor file. */
function otherText(message: Fields): string {
  const place = objectIn(message, "location");
  const [latitude, longitude] = [numberIn(place, "latitude"), numberIn(place, "longitude")];
  if (latitude !== undefined && longitude !== undefined) return `[location: ${latitude}, ${longitude}]`;
  const contact = objectIn(message, "contact");
  const phone = textIn(contact, "phone_number");
  if (phone) return `[contact: ${[nameOf(contact), phone].filter(Boolean).join(", ")}]`;
  return textIn(objectIn(message, "sticker"), "emoji") ?? "";
}

function nameOf(who: unknown): string | undefined {
  const names = [textIn(who, "first_name"), textIn(who, "last_name")].filter((name) => name !== undefined);
  return names.join(" ") || textIn(who, "username");
}

function withFiles(files: readonly RemoteFile[]): Pick<InboundMessage, "files"> {
  return files.length > 0 ? { files } : {};
}
