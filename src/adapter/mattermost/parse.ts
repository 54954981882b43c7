/**
 * Mattermost's events as messages. Total: any JSON is a message or null. A post in a thread has the thread's first post as
 * its `root_id`, which is the thread's id here. Notices of the server's own, and posts of this bot, are no messages.
 */
import type { ChatType, SessionSource } from "../../session/source.js";
import type { InboundMessage, RemoteFile } from "../adapter.js";
import { emojiNamed } from "../emoji-names.js";
import { field, idOf, jsonOf, textOf } from "../untrusted.js";
import type { MattermostSelf } from "./api.js";
import { isId, type MattermostFile, saidIn } from "./said.js";

const PLATFORM = "mattermost";
const CHAT_TYPES: ReadonlyMap<unknown, ChatType> = new Map([
  ["D", "dm"],
  ["G", "group"],
  ["P", "group"],
  ["O", "channel"],
]);

/** What is known of a channel beside its id. */
export interface MattermostChannel {
  readonly type: ChatType;
  readonly name?: string;
}

export interface MattermostParseSetting {
  readonly self: MattermostSelf;
  readonly known: (channelId: string) => MattermostChannel | undefined;
  readonly file: (file: MattermostFile) => RemoteFile;
}

export function parseEvent(
  event: unknown,
  { self, known, file }: MattermostParseSetting,
): InboundMessage | null {
  if (field(event, "event") === "reaction_added") return parseReaction(event, self, known);
  const kind = KINDS.get(field(event, "event"));
  const post = jsonOf(textIn(field(event, "data", "post")));
  const [messageId, chatId, userId] = ["id", "channel_id", "user_id"].map((name) => field(post, name));
  if (!kind || !isId(messageId) || !isId(chatId) || !isId(userId) || userId === self.id) return null;
  const said = saidIn(post, file);
  const told = channelIn(event) ?? known(chatId);
  // Where a deleted post was is all that counts, also if its channel has not been heard of since the start.
  const channel = told ?? (kind === "deletion" ? UNKNOWN : undefined);
  if (!channel || !said) return null;
  const rootId = field(post, "root_id");
  const userName = textOf(field(event, "data", "sender_name"))?.replace(/^@/, "");
  const source: SessionSource = {
    ...placeOf(chatId, channel, isId(rootId) ? rootId : undefined),
    userId,
    ...(userName ? { userName } : {}),
    ...(isBot(post) ? { isBot: true } : {}),
  };
  if (kind === "deletion") return { kind, source, messageId, text: "" };
  const text = withoutMention(said.words, self.username);
  const isNamed = text !== said.words.trim();
  const { parts, files } = said;
  if (text === "" && parts.length === 0 && files.length === 0 && !isNamed) return null;
  return {
    kind,
    source,
    messageId,
    text,
    ...(parts.length > 0 ? { parts } : {}),
    ...(files.length > 0 && kind === "message" ? { files } : {}),
    ...(isId(rootId) ? { replyTo: { messageId: rootId } } : {}),
    isAddressed: channel.type === "dm" || isNamed,
  };
}

/** The server does not say what the channel is, nor in which thread the post is. */
function parseReaction(
  event: unknown,
  self: MattermostSelf,
  known: MattermostParseSetting["known"],
): InboundMessage | null {
  const reaction = jsonOf(textIn(field(event, "data", "reaction")));
  const chatId = field(event, "broadcast", "channel_id");
  const [messageId, userId] = [field(reaction, "post_id"), field(reaction, "user_id")];
  const name = textOf(field(reaction, "emoji_name"));
  if (!name || !isId(messageId) || !isId(chatId) || !isId(userId) || userId === self.id) return null;
  const source = { ...placeOf(chatId, known(chatId) ?? UNKNOWN, undefined), userId };
  return { kind: "reaction", source, messageId, text: emojiNamed(name) };
}

const KINDS: ReadonlyMap<unknown, "message" | "edit" | "deletion"> = new Map([
  ["posted", "message"],
  ["post_edited", "edit"],
  ["post_deleted", "deletion"],
]);
const UNKNOWN: MattermostChannel = { type: "group" };

/** Only the event of a new post says what its channel is. */
export function channelIn(event: unknown): MattermostChannel | undefined {
  const type = CHAT_TYPES.get(field(event, "data", "channel_type"));
  const name = textOf(field(event, "data", "channel_display_name"));
  return type && { type, ...(name && type !== "dm" ? { name } : {}) };
}

/** The place of a channel as the API tells of it; in a chat of two with the other one's id. */
export function parsePlace(
  channel: unknown,
  threadId: string | undefined,
  self: MattermostSelf,
): SessionSource | null {
  const id = idOf(field(channel, "id"));
  const type = CHAT_TYPES.get(field(channel, "type"));
  if (!isId(id) || !type) return null;
  const name = textOf(field(channel, "display_name"));
  const place = placeOf(id, { type, ...(name && type !== "dm" ? { name } : {}) }, threadId);
  if (type !== "dm") return place;
  const others = (textOf(field(channel, "name")) ?? "").split("__").filter((each) => each !== self.id);
  return isId(others[0]) ? { ...place, userId: others[0] } : null;
}

function placeOf(
  chatId: string,
  { type, name }: MattermostChannel,
  threadId: string | undefined,
): SessionSource {
  return {
    platform: PLATFORM,
    chatId,
    chatType: threadId === undefined || type === "dm" ? type : "thread",
    ...(name ? { chatName: name } : {}),
    ...(threadId === undefined ? {} : { threadId }),
  };
}

/** `@baton`, as a word of its own and in any case, is taken out. */
function withoutMention(text: string, username: string): string {
  const mention = `@${username.toLowerCase()}`;
  const words = text.split(/(\s)/);
  const others = words.filter((word) => word.toLowerCase().replace(/[,:]$/, "") !== mention);
  return (others.length === words.length ? text : others.join("")).trim();
}

function isBot(post: unknown): boolean {
  return field(post, "props", "from_bot") === "true" || field(post, "props", "from_webhook") === "true";
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}
