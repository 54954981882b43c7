/**
 * Slack's events and slash commands as messages. Total: whatever JSON comes, it is a message or null, and what is odd or
 * missing never gives anybody more. Bots are not heard, this one least of all.
 *
 * Whoever mentions the bot in a channel begins a thread: the message has its own id as its thread, and the replies to it
 * carry that id, so that both have the same key, and so has the thread that a handoff makes. What is said there to others
 * is the channel's. A chat of two is one conversation, beside which its threads are others.
 */
import type { ChatType, SessionSource } from "../../session/source.js";
import type { InboundMessage } from "../adapter.js";
import { field, listIn, wordsIn } from "../untrusted.js";
import { mentions, plainTextOf } from "./plain-text.js";

/** Whom the token belongs to. */
export interface SlackSelf {
  readonly teamId: string;
  readonly userId: string;
}

/** A file as an event tells of it. */
export interface SharedFile {
  readonly name: string;
  readonly mediaType: string;
  readonly url: string;
}

export interface Heard {
  readonly message: Omit<InboundMessage, "files">;
  readonly files: readonly SharedFile[];
}

const PLATFORM = "slack";
const TIMESTAMP = /^\d{1,12}\.\d{1,9}$/;
const ID = /^[A-Z0-9]{2,32}$/;
const SLACKBOT = "USLACKBOT";
const TRIGGER = /^[\w.-]{1,200}$/;
/** What a person can say; all others are Slack's own notices, or bots'. */
const SPOKEN = new Set(["", "file_share", "thread_broadcast", "me_message"]);

export function isTimestamp(text: string): boolean {
  return TIMESTAMP.test(text);
}

export function isId(text: string): boolean {
  return ID.test(text);
}

/** The `event` of an Events API envelope. */
export function parseEvent(event: unknown, self: SlackSelf): Heard | null {
  const type = wordsIn(event, "type");
  if (type !== "message" && type !== "app_mention") return null;
  const place = { channel: wordsIn(event, "channel"), channelType: wordsIn(event, "channel_type") };
  if (wordsIn(event, "subtype") !== "message_changed") {
    return heard("message", event, place, self, type === "app_mention");
  }
  // Slack also tells so when it adds a preview or counts replies: the text is then as it was.
  const [now, before] = [field(event, "message"), field(event, "previous_message")];
  return wordsIn(now, "text") === wordsIn(before, "text") ? null : heard("edit", now, place, self, false);
}

function heard(
  kind: "message" | "edit",
  said: unknown,
  { channel, channelType }: { readonly channel: string; readonly channelType: string },
  self: SlackSelf,
  isMention: boolean,
): Heard | null {
  const userId = wordsIn(said, "user");
  const messageId = wordsIn(said, "ts");
  if (!isId(channel) || !isId(userId) || !isTimestamp(messageId)) return null;
  if (!isSpoken(said) || isByBot(said) || userId === self.userId) return null;
  const thread = wordsIn(said, "thread_ts");
  const replyTo = isTimestamp(thread) && thread !== messageId ? thread : null;
  const isPrivate = isChatOfTwo(channel, channelType);
  const text = wordsIn(said, "text");
  const isAddressed =
    isPrivate ||
    isMention ||
    mentions(text, self.userId) ||
    (replyTo !== null && wordsIn(said, "parent_user_id") === self.userId);
  const threadId = replyTo ?? (isAddressed && !isPrivate ? messageId : null);
  const source: SessionSource = { ...placeOf(channel, channelType, threadId), userId };
  const plain = plainTextOf(text, self.userId);
  const files = kind === "message" ? filesOf(said) : [];
  if (plain === "" && files.length === 0) return null; // A bare mention says nothing.
  return {
    message: {
      kind,
      source,
      messageId,
      text: plain,
      ...(replyTo === null ? {} : { replyTo: { messageId: replyTo } }),
      isAddressed,
    },
    files,
  };
}

/** Neither a notice of Slack's own nor something that is not what it should be. */
function isSpoken(said: unknown): boolean {
  const subtype = field(said, "subtype") ?? "";
  return typeof subtype === "string" && SPOKEN.has(subtype);
}

function isChatOfTwo(channel: string, channelType: string): boolean {
  return channelType === "im" && channel.startsWith("D");
}

function placeOf(chatId: string, channelType: string, threadId: string | null): SessionSource {
  const isPrivate = isChatOfTwo(chatId, channelType);
  return {
    platform: PLATFORM,
    chatId,
    chatType: isPrivate ? "dm" : threadId !== null ? "thread" : groupType(channelType),
    ...(threadId === null ? {} : { threadId }),
  };
}

/** What is said in a channel, as Slack itself tells of the channel; null where the bot is not in it. */
export function parsePlace(channel: unknown, threadId: string | null, self: SlackSelf): SessionSource | null {
  const [chatId, userId] = [wordsIn(channel, "id"), wordsIn(channel, "user")];
  const is = (mark: string): boolean => field(channel, mark) === true;
  const channelType = is("is_im") ? "im" : is("is_mpim") ? "mpim" : is("is_private") ? "group" : "channel";
  const place = isId(chatId) ? placeOf(chatId, channelType, threadId) : null;
  if (place?.chatType !== "dm") return field(channel, "is_member") === false ? null : place;
  const isPerson = isId(userId) && userId !== self.userId && userId !== SLACKBOT;
  return isPerson ? { ...place, userId } : null;
}

function groupType(channelType: string): ChatType {
  return channelType === "group" || channelType === "mpim" ? "group" : "channel";
}

function isByBot(said: unknown): boolean {
  const marks = [field(said, "bot_id"), field(said, "bot_profile")];
  return marks.some((mark) => (mark ?? "") !== "") || wordsIn(said, "user") === SLACKBOT;
}

function filesOf(said: unknown): SharedFile[] {
  return listIn(said, "files").flatMap((file) => {
    if (wordsIn(file, "mode") === "tombstone") return [];
    const url = wordsIn(file, "url_private_download") || wordsIn(file, "url_private");
    return [{ name: wordsIn(file, "name"), mediaType: wordsIn(file, "mimetype"), url }];
  });
}

/**
 * A slash command. `/new …` is the gateway's `/new`; any other one, as `/baton`, carries the command or the message as
 * its text: Slack keeps some names, `/status` and `/search` among them, for itself. A thread has no slash commands.
 */
export function parseCommand(body: unknown, names: ReadonlySet<string>, self: SlackSelf): Heard | null {
  const [chatId, userId] = [wordsIn(body, "channel_id"), wordsIn(body, "user_id")];
  const messageId = wordsIn(body, "trigger_id");
  const command = wordsIn(body, "command");
  if (!isId(chatId) || !isId(userId) || userId === self.userId) return null;
  if (!TRIGGER.test(messageId) || !/^\/\S+$/.test(command)) return null;
  const words = wordsIn(body, "text").trim();
  const isOurs = names.has(command.slice(1)) || words === "";
  const text = isOurs ? `${command} ${words}`.trim() : asCommand(words, names);
  const chatType = chatTypeOf(chatId, wordsIn(body, "channel_name"));
  return {
    message: {
      kind: text.startsWith("/") ? "command" : "message",
      source: { platform: PLATFORM, chatId, chatType, userId },
      messageId,
      text,
      isAddressed: true,
    },
    files: [],
  };
}

function asCommand(words: string, names: ReadonlySet<string>): string {
  const [first = ""] = words.split(/\s/, 1);
  return names.has(first) ? `/${words}` : words;
}

function chatTypeOf(channel: string, name: string): ChatType {
  if (channel.startsWith("D") && name === "directmessage") return "dm";
  return name === "privategroup" || name.startsWith("mpdm-") ? "group" : "channel";
}
