/**
 * Feishu's events as messages. Total: whatever JSON comes, it is a message or null. A message in a thread has the first
 * message of the thread as its `root_id`, and that is the thread's id here: by it one can answer there, which Feishu's own
 * id of a thread (`omt_…`) does not allow. Notices of Feishu's own, and what this bot says, are no messages.
 */
import type { SessionSource } from "../../session/source.js";
import type { InboundMessage } from "../adapter.js";
import { pressedCommand } from "../buttons.js";
import { namesCommand } from "../command-text.js";
import { field, idOf, jsonOf, textIn, wordsIn } from "../untrusted.js";
import { emojiOf } from "./emoji.js";
import { isChat, isMessage, isPerson } from "./ids.js";
import { type FeishuReading, saidIn } from "./said.js";

const PLATFORM = "feishu";

/** What is known of a chat beside its id. */
export interface FeishuChat {
  readonly isPrivate: boolean;
  readonly name?: string;
}

export interface FeishuParseSetting extends FeishuReading {
  readonly commands: ReadonlySet<string>;
  /** Only events of messages say what their chat is. */
  readonly known: (chatId: string) => FeishuChat | undefined;
}

function eventType(body: unknown): string {
  return wordsIn(body, "header", "event_type");
}

export function parseEvent(body: unknown, setting: FeishuParseSetting): InboundMessage | null {
  const event = field(body, "event");
  switch (eventType(body)) {
    case "im.message.receive_v1":
      return heard("message", event, setting);
    case "im.message.updated_v1":
      return heard("edit", event, setting);
    case "im.message.recalled_v1":
      return recalled(event, setting);
    case "card.action.trigger":
      return pressed(body, setting);
    default:
      return null;
  }
}

/** What an event of a message says of its chat. */
export function chatIn(body: unknown): readonly [string, FeishuChat] | null {
  const message = field(body, "event", "message");
  const [id, type] = [field(message, "chat_id"), field(message, "chat_type")];
  const isKnown = type === "p2p" || type === "group" || type === "topic_group";
  return isChat(id) && isKnown ? [id, { isPrivate: type === "p2p" }] : null;
}

function heard(kind: "message" | "edit", event: unknown, setting: FeishuParseSetting): InboundMessage | null {
  const { self, commands, known } = setting;
  const message = field(event, "message");
  const [messageId, chatId] = [field(message, "message_id"), field(message, "chat_id")];
  const userId = field(event, "sender", "sender_id", "open_id");
  if (!isMessage(messageId) || !isChat(chatId) || !isPerson(userId) || userId === self.openId) return null;
  const chat = chatIn({ event })?.[1] ?? known(chatId) ?? { isPrivate: false };
  const type = wordsIn(message, "message_type") || wordsIn(message, "msg_type");
  const content = jsonOf(wholeText(field(message, "content")));
  const said = saidIn({ messageId, type, content, mentions: field(message, "mentions") }, setting);
  if (!said) return null;
  const { words: text, parts, files, isNamed } = said;
  if (text === "" && parts.length === 0 && files.length === 0 && !isNamed) return null;
  const threadId = threadIn(message, messageId);
  const parent = field(message, "parent_id");
  const isBot = (textIn(event, "sender", "sender_type") ?? "user") !== "user";
  return {
    kind,
    source: {
      ...placeOf(chatId, chat, threadId),
      userId,
      ...(isBot ? { isBot: true } : {}),
    },
    messageId,
    text,
    ...(parts.length > 0 ? { parts } : {}),
    ...(files.length > 0 && kind === "message" ? { files } : {}),
    ...(isMessage(parent) ? { replyTo: { messageId: parent } } : {}),
    ...(type === "merge_forward" ? { forwarded: {} } : {}),
    isAddressed: chat.isPrivate || isNamed || namesCommand(text, commands),
  };
}

/** The first message of the thread that it is in. In a group of threads a message that answers nothing begins one. */
function threadIn(message: unknown, messageId: string): string | undefined {
  if (!textIn(message, "thread_id")) return undefined;
  const root = field(message, "root_id");
  return isMessage(root) ? root : messageId;
}

/** Where it was is all that counts, also if its chat has not been heard of since the start. */
function recalled(event: unknown, { known }: FeishuParseSetting): InboundMessage | null {
  const [messageId, chatId] = [field(event, "message_id"), field(event, "chat_id")];
  if (!isMessage(messageId) || !isChat(chatId)) return null;
  const chat = known(chatId) ?? { isPrivate: false };
  return { kind: "deletion", source: placeOf(chatId, chat), messageId, text: "" };
}

/** A button under a message of ours: whoever pressed it sends its command where that message is. */
function pressed(body: unknown, { self, known }: FeishuParseSetting): InboundMessage | null {
  const event = field(body, "event");
  const [context, userId] = [field(event, "context"), field(event, "operator", "open_id")];
  const chatId = field(context, "open_chat_id") ?? field(event, "open_chat_id");
  const messageId = idOf(field(body, "header", "event_id")) ?? idOf(field(event, "token"));
  const text = pressedCommand(field(event, "action", "value", "baton"));
  if (!isChat(chatId) || !isPerson(userId) || userId === self.openId || !messageId || text === null)
    return null;
  const thread = field(event, "action", "value", "thread");
  const chat = known(chatId) ?? { isPrivate: false };
  const source = { ...placeOf(chatId, chat, isMessage(thread) ? thread : undefined), userId };
  return { kind: "button", source, messageId, text, isAddressed: true };
}

/** On which message somebody put a reaction; its chat is not told. */
export function reactedTo(body: unknown): string | null {
  if (eventType(body) !== "im.message.reaction.created_v1") return null;
  const messageId = field(body, "event", "message_id");
  return isMessage(messageId) && field(body, "event", "operator_type") === "user" ? messageId : null;
}

/** Who put it there. */
export function reactor(body: unknown): string {
  return wordsIn(body, "event", "user_id", "open_id");
}

/** `message`: what the API has under that id. */
export function parseReaction(
  body: unknown,
  message: unknown,
  { self, known }: Pick<FeishuParseSetting, "self" | "known">,
): InboundMessage | null {
  const messageId = reactedTo(body);
  const [chatId, userId] = [field(message, "chat_id"), reactor(body)];
  const text = emojiOf(wordsIn(body, "event", "reaction_type", "emoji_type"));
  if (!messageId || !isChat(chatId) || !isPerson(userId) || userId === self.openId || text === null)
    return null;
  const chat = known(chatId) ?? { isPrivate: false };
  const source = { ...placeOf(chatId, chat, threadIn(message, messageId)), userId };
  return { kind: "reaction", source, messageId, text, ...(chat.isPrivate ? {} : { isAddressed: false }) };
}

export function placeOf(chatId: string, { isPrivate, name }: FeishuChat, threadId?: string): SessionSource {
  return {
    platform: PLATFORM,
    chatId,
    chatType: isPrivate ? "dm" : threadId === undefined ? "group" : "thread",
    ...(name && !isPrivate ? { chatName: name } : {}),
    ...(threadId === undefined ? {} : { threadId }),
  };
}

/** JSON in a text: it is cut only once it was read. */
function wholeText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
