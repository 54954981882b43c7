/**
 * Slack's events and slash commands as messages. Total: whatever JSON comes, it is a message or null, and what is odd or
 * missing never gives anybody more. Bots are not heard, this one least of all.
 *
 * Whoever mentions the bot in a channel begins a thread: the message has its own id as its thread, and the replies to it
 * carry that id, so that both have the same key, and so has the thread that a handoff makes. What is said there to others
 * is the channel's. A chat of two is one conversation, beside which its threads are others.
 */
import { type Part, part } from "../../session/parts.js";
import type { ChatType, SessionSource } from "../../session/source.js";
import type { Answered, InboundMessage } from "../adapter.js";
import { pressedCommand } from "../buttons.js";
import { emojiNamed } from "../emoji-names.js";
import { field, firstUnknown, listOf, record, textIn, wordsIn } from "../untrusted.js";
import { contentOf, type SlackContent, type SlackReading, sharedIn, together } from "./content.js";
import { mentions, type SlackReader } from "./plain-text.js";

/** Whom the token belongs to. */
export interface SlackSelf {
  readonly teamId: string;
  readonly userId: string;
}

const PLATFORM = "slack";
const TIMESTAMP = /^\d{1,12}\.\d{1,9}$/;
const ID = /^[A-Z0-9]{2,32}$/;
const SLACKBOT = "USLACKBOT";
const TRIGGER = /^[\w.-]{1,200}$/;
/** What a person can say; all others are Slack's own notices, or bots'. */
const SPOKEN = new Set(["", "file_share", "thread_broadcast", "me_message"]);
/** They say nothing by themselves. */
const TOLD = new Set(
  `type subtype user text ts client_msg_id team user_team source_team event_ts channel channel_type thread_ts
  parent_user_id root edited upload display_as_bot is_locked hidden user_profile reactions pinned_to permalink
  reply_count reply_users latest_reply subscribed assistant_thread app_id metadata`.split(/\s+/),
);

export function isTimestamp(text: string): boolean {
  return TIMESTAMP.test(text);
}

export function isId(text: string): boolean {
  return ID.test(text);
}

/** The `event` of an Events API envelope. */
export function parseEvent(
  event: unknown,
  reading: SlackReading,
  withReactions = true,
): InboundMessage | null {
  const type = wordsIn(event, "type");
  if (type === "reaction_added") return withReactions ? parseReaction(event, reading) : null;
  if (type !== "message" && type !== "app_mention") return null;
  const place = { channel: wordsIn(event, "channel"), channelType: wordsIn(event, "channel_type") };
  const subtype = wordsIn(event, "subtype");
  if (subtype === "message_deleted")
    return deletion(wordsIn(event, "deleted_ts"), field(event, "previous_message"), place);
  if (subtype !== "message_changed") return heard("message", event, place, reading, type === "app_mention");
  const [now, before] = [field(event, "message"), field(event, "previous_message")];
  // What has replies leaves its place when it is deleted.
  if (wordsIn(now, "subtype") === "tombstone") return deletion(wordsIn(now, "ts"), before, place);
  // Slack also tells so when it adds a preview or counts replies: the text is then as it was.
  return wordsIn(now, "text") === wordsIn(before, "text") ? null : heard("edit", now, place, reading, false);
}

/** Slack does not say in which thread the message is. */
function parseReaction(event: unknown, self: SlackReader): InboundMessage | null {
  const [chatId, messageId] = [wordsIn(event, "item", "channel"), wordsIn(event, "item", "ts")];
  const [userId, name] = [wordsIn(event, "user"), wordsIn(event, "reaction")];
  if (!isId(chatId) || !isTimestamp(messageId) || !isId(userId) || userId === self.userId) return null;
  if (name === "" || userId === SLACKBOT) return null;
  const source = { ...placeOf(chatId, chatId.startsWith("D") ? "im" : "", null), userId };
  return { kind: "reaction", source, messageId, text: emojiNamed(name) };
}

interface SlackPlace {
  readonly channel: string;
  readonly channelType: string;
}

function deletion(
  messageId: string,
  before: unknown,
  { channel, channelType }: SlackPlace,
): InboundMessage | null {
  if (!isId(channel) || !isTimestamp(messageId)) return null;
  const thread = wordsIn(before, "thread_ts");
  const threadId = isTimestamp(thread) && thread !== messageId ? thread : null;
  return { kind: "deletion", source: placeOf(channel, channelType, threadId), messageId, text: "" };
}

function heard(
  kind: "message" | "edit",
  said: unknown,
  { channel, channelType }: SlackPlace,
  reading: SlackReading,
  isMention: boolean,
): InboundMessage | null {
  const self = reading.userId;
  const userId = wordsIn(said, "user");
  const messageId = wordsIn(said, "ts");
  if (!isId(channel) || !isId(userId) || !isTimestamp(messageId)) return null;
  if (!isSpoken(said) || isByBot(said) || userId === self) return null;
  const thread = wordsIn(said, "thread_ts");
  const parent = isTimestamp(thread) && thread !== messageId ? thread : null;
  const isPrivate = isChatOfTwo(channel, channelType);
  const isNamed = isMention || mentions(wordsIn(said, "text"), self);
  const isAddressed = isPrivate || isNamed || (parent !== null && wordsIn(said, "parent_user_id") === self);
  const threadId = parent ?? (isAddressed && !isPrivate ? messageId : null);
  return {
    kind,
    source: { ...placeOf(channel, channelType, threadId), userId },
    messageId,
    ...saidIn(said, parent, isNamed, reading),
    isAddressed,
  };
}

type SlackSaid = Pick<InboundMessage, "text" | "parts" | "files" | "replyTo" | "forwarded">;

/**
 * Who writes something to a message that they share speaks of it, as in an answer; who only shares it passes it on. What
 * is shared is the words of others: it names nobody, and is no command.
 */
function saidIn(said: unknown, parent: string | null, isNamed: boolean, reading: SlackReading): SlackSaid {
  const own = contentOf(said, reading);
  const [first, ...others] = sharedIn(said, reading);
  const inThread = parent === null ? {} : { replyTo: { messageId: parent } };
  if (!first) {
    const isEmpty = own.text === "" && own.parts.length === 0 && own.files.length === 0 && !isNamed;
    return { ...withoutNothing(isEmpty ? { ...own, parts: [unknownPart(said)] } : own), ...inThread };
  }
  const { ts, from: author, ...words } = first;
  const shared = together([words, ...others]);
  const from = author ? { from: author } : {};
  if (own.text === "" && !isNamed)
    return { ...withoutNothing(together([own, shared])), forwarded: from, ...inThread };
  return {
    ...withoutNothing(own),
    replyTo: { messageId: ts || "elsewhere", ...withoutNothing(shared), ...from },
  };
}

function unknownPart(said: unknown): Part {
  return part("unsupported", wordsIn(said, "subtype") || firstUnknown(record(said), TOLD));
}

function withoutNothing({
  text,
  parts,
  files,
}: SlackContent): Pick<InboundMessage, "text" | "parts" | "files"> {
  return { text, ...(parts.length > 0 ? { parts } : {}), ...(files.length > 0 ? { files } : {}) };
}

/** A message as the beginning of a thread, for those who answer in it. */
export function parseBeginning(root: unknown, reading: SlackReading): Omit<Answered, "messageId"> {
  const author = wordsIn(root, "user");
  const name = textIn(root, "bot_profile", "name") ?? textIn(root, "username") ?? reading.nameOf(author);
  const all = together([contentOf(root, reading), ...sharedIn(root, reading)]);
  return { ...withoutNothing(all), ...(name && author !== reading.userId ? { from: name } : {}) };
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

/**
 * A slash command. `/new …` is the gateway's `/new`; any other one, as `/baton`, carries the command or the message as
 * its text: Slack keeps some names, `/status` and `/search` among them, for itself. A thread has no slash commands.
 */
export function parseCommand(
  body: unknown,
  names: ReadonlySet<string>,
  self: SlackReader,
): InboundMessage | null {
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
    kind: text.startsWith("/") ? "command" : "message",
    source: { platform: PLATFORM, chatId, chatType, userId },
    messageId,
    text,
    isAddressed: true,
  };
}

/** A button under a message of ours: whoever pressed it sends its command where that message is. */
export function parsePress(body: unknown, self: SlackReader): InboundMessage | null {
  const [chatId, userId] = [wordsIn(body, "channel", "id"), wordsIn(body, "user", "id")];
  const messageId = wordsIn(body, "trigger_id");
  const text = pressedCommand(field(listOf(field(body, "actions"))[0], "value"));
  if (wordsIn(body, "type") !== "block_actions" || text === null) return null;
  if (!isId(chatId) || !isId(userId) || userId === self.userId || !TRIGGER.test(messageId)) return null;
  const [ts, thread] = [wordsIn(body, "message", "ts"), wordsIn(body, "message", "thread_ts")];
  const threadId = isTimestamp(thread) && thread !== ts ? thread : null;
  const type = chatTypeOf(chatId, wordsIn(body, "channel", "name"));
  const source = { ...placeOf(chatId, type === "dm" ? "im" : type, threadId), userId };
  return { kind: "button", source, messageId, text, isAddressed: true };
}

function asCommand(words: string, names: ReadonlySet<string>): string {
  const [first = ""] = words.split(/\s/, 1);
  return names.has(first) ? `/${words}` : words;
}

function chatTypeOf(channel: string, name: string): ChatType {
  if (channel.startsWith("D") && name === "directmessage") return "dm";
  return name === "privategroup" || name.startsWith("mpdm-") ? "group" : "channel";
}
