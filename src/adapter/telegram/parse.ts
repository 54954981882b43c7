/**
 * An update of the Bot API as a message of ours. Pure and total: whatever the JSON is, nothing is thrown, and what has no
 * chat, no id or no sender is nothing. Who somebody is follows from ids that Telegram gives, never from names.
 */

import type { SessionSource } from "../../session/source.js";
import type { Fields } from "../../util/json.js";
import type { Answered, InboundMessage } from "../adapter.js";
import { pressedCommand } from "../buttons.js";
import { field, isThere, listIn, numberIn, numericIdIn, objectIn, textIn } from "../untrusted.js";
import { type Addressed, addressed } from "./addressed.js";
import { filesOf, type ReadFile } from "./files.js";
import { nameOf, titleOf } from "./names.js";
import { isNotice, partsOf, unknownPart } from "./parts.js";
import { GENERAL_TOPIC } from "./topics.js";

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
const MESSAGES = ["message", "edited_message", "channel_post", "edited_channel_post"] as const;
const UPDATES = [...MESSAGES, "callback_query"] as const;

/** Reactions only where they can mean something. */
export function updatesAsked(reactions: boolean) {
  return reactions ? ([...UPDATES, "message_reaction"] as const) : UPDATES;
}

export function parseUpdate(update: unknown, bot: Bot): InboundMessage | null {
  for (const name of MESSAGES) {
    const message = objectIn(update, name);
    if (message) return parseMessage(message, name.startsWith("edited_"), bot);
  }
  const query = objectIn(update, "callback_query");
  return query ? parsePress(query, bot) : parseReaction(objectIn(update, "message_reaction"), bot);
}

/** What somebody put on a message that was not on it; Telegram does not say in which topic the message is. */
function parseReaction(change: Fields | undefined, bot: Bot): InboundMessage | null {
  const messageId = numericIdIn(change, "message_id");
  const before = listIn(change, "old_reaction").map(emojiOf);
  const text = listIn(change, "new_reaction")
    .map(emojiOf)
    .find((emoji) => emoji !== null && !before.includes(emoji));
  if (!change || !messageId || !text) return null;
  const from = { from: change.user, sender_chat: change.actor_chat };
  const source = sourceOf({ chat: change.chat, ...from }, messageId, bot);
  return source ? { kind: "reaction", source, messageId, text } : null;
}

/** A custom emoji by its id. */
function emojiOf(reaction: unknown): string | null {
  const custom = textIn(reaction, "custom_emoji_id");
  return textIn(reaction, "emoji") ?? (custom ? `:${custom}:` : null);
}

/** A button under a message of ours: whoever pressed it sends its command where that message is. */
function parsePress(query: Fields, bot: Bot): InboundMessage | null {
  const id = textIn(query, "id");
  const message = objectIn(query, "message");
  const text = pressedCommand(field(query, "data"));
  if (!id || !message || text === null) return null;
  const messageId = `press/${id}`;
  const source = sourceOf({ ...message, from: field(query, "from"), sender_chat: undefined }, messageId, bot);
  return source ? { kind: "button", source, messageId, text } : null;
}

/** What Telegram waits to hear of a press, also of one that is none of ours; `on` has the buttons. */
export function pressIn(update: unknown): { readonly id: string; readonly on: number | undefined } | null {
  const query = objectIn(update, "callback_query");
  const id = textIn(query, "id");
  return id ? { id, on: numberIn(query, "message", "message_id") } : null;
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
  if (!messageId || !source || isNotice(message)) return null;
  const read = addressed(message, bot);
  if (read.to === "another bot") return null;
  const { parts, files } = besidesText(message, bot);
  const isEmpty = read.text === "" && !parts && !files && read.to !== "us";
  const album = textIn(message, "media_group_id");
  return {
    kind: isEdit ? "edit" : read.isCommand ? "command" : "message",
    source,
    messageId,
    text: read.text,
    ...(parts ? { parts } : {}),
    ...(isEmpty ? { parts: [unknownPart(message)] } : {}),
    ...forwardOf(message),
    ...answeredBy(message, bot),
    ...(source.chatType === "dm" ? {} : { isAddressed: isForUs(message, read, bot) }),
    ...(files ? { files } : {}),
    ...(album ? { album } : {}),
  };
}

function besidesText(message: Fields, { read }: Bot): Pick<InboundMessage, "parts" | "files"> {
  const [parts, files] = [partsOf(message), filesOf(message, read)];
  return { ...(parts.length > 0 ? { parts } : {}), ...(files.length > 0 ? { files } : {}) };
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
  const userName = titleOf(who);
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
  const chatName = titleOf(chat);
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

/** It was written elsewhere. An older server has other fields for it. */
function forwardOf(message: Fields): Pick<InboundMessage, "forwarded"> {
  const origin = objectIn(message, "forward_origin");
  const fields = ["forward_date", "forward_from", "forward_from_chat", "forward_sender_name"];
  if (!origin && fields.every((name) => field(message, name) === undefined)) return {};
  const from = origin
    ? originName(origin)
    : (nameOf(objectIn(message, "forward_from")) ??
      textIn(message, "forward_from_chat", "title") ??
      textIn(message, "forward_sender_name"));
  return { forwarded: from ? { from } : {} };
}

/** By whichever field tells: who hides their account has a name only. */
function originName(origin: Fields | undefined): string | undefined {
  const chat = objectIn(origin, "sender_chat") ?? objectIn(origin, "chat");
  return nameOf(objectIn(origin, "sender_user")) ?? titleOf(chat) ?? textIn(origin, "sender_user_name");
}

function answeredBy(message: Fields, bot: Bot): Pick<InboundMessage, "replyTo"> {
  const replyTo = answeredHere(message, bot) ?? answeredElsewhere(message, bot) ?? answeredStory(message);
  return replyTo ? { replyTo } : {};
}

/** A message in a topic that answers no other one answers the topic's beginning, which says nothing. */
function answeredHere(message: Fields, bot: Bot): Answered | null {
  const answered = objectIn(message, "reply_to_message");
  const messageId = numericIdIn(answered, "message_id");
  if (!answered || !messageId || objectIn(answered, "forum_topic_created")) return null;
  const text = markedIn(message, answered) ?? addressed(answered, bot).text;
  const writer = senderOf(answered);
  const from = writer?.userId === bot.id ? undefined : writer?.userName;
  return {
    messageId,
    ...(text ? { text } : {}),
    ...besidesText(answered, bot),
    ...(from ? { from } : {}),
  };
}

/** The words that were marked, or the task or option of a list that is meant. */
function markedIn(message: Fields, answered: Fields): string | undefined {
  const task = field(message, "reply_to_checklist_task_id");
  const option = field(message, "reply_to_poll_option_id");
  const meant = [
    ...listIn(answered, "checklist", "tasks").filter((each) => isThere(task) && field(each, "id") === task),
    ...listIn(answered, "poll", "options").filter(
      (each) => isThere(option) && field(each, "persistent_id") === option,
    ),
  ];
  return textIn(message, "quote", "text") ?? textIn(meant[0], "text");
}

/** Of another chat Telegram gives the words that were marked, and what else the message had. */
function answeredElsewhere(message: Fields, bot: Bot): Answered | null {
  const answered = objectIn(message, "external_reply");
  if (!answered) return null;
  const text = textIn(message, "quote", "text");
  const from = originName(objectIn(answered, "origin"));
  const [chat, id] = [numericIdIn(answered, "chat", "id"), numericIdIn(answered, "message_id")];
  return {
    messageId: `${chat ?? "elsewhere"}/${id ?? ""}`,
    ...(text ? { text } : {}),
    ...besidesText(answered, bot),
    ...(from ? { from } : {}),
  };
}

function answeredStory(message: Fields): Answered | null {
  const story = objectIn(message, "reply_to_story");
  return story ? { messageId: `story/${numericIdIn(story, "id") ?? ""}`, parts: partsOf({ story }) } : null;
}

/** What names the bot, answers it, or stands in a topic that it began and answers nobody. */
function isForUs(message: Fields, read: Addressed, bot: Bot): boolean {
  return read.to === "us" || numericIdIn(objectIn(message, "reply_to_message"), "from", "id") === bot.id;
}
