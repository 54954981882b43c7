/**
 * An event of the daemon as a message: pure, total, and strict. What says nothing to us is null; so is what is odd where
 * it matters: a sender that cannot be read is nobody, and a group that cannot be read is not a chat of two.
 */
import { part } from "../../session/parts.js";
import type { SessionSource } from "../../session/source.js";
import type { Answered, InboundMessage, RemoteFile } from "../adapter.js";
import { namesCommand } from "../command-text.js";
import { field, idOf, isThere, listOf, textOf } from "../untrusted.js";
import { isGroupId, isNumber, isTimestamp, isUuid, messageIdOf } from "./ids.js";
import { callPart, partsIn, quotedFilePart } from "./parts.js";

/** A file as the daemon names it. */
export interface SignalFile {
  readonly id: string;
  /** Where it was sent: a group's id or a person's. */
  readonly chatId: string;
  readonly size: number | null;
  readonly name: string | undefined;
  readonly mediaType: string;
  /** Somebody spoke it. */
  readonly isVoice: boolean;
}

export interface SignalParseSetting {
  /** Our own number or UUID. */
  readonly account: string;
  /** The names of the commands there are. */
  readonly commands: ReadonlySet<string>;
  readonly file: (file: SignalFile) => RemoteFile;
  /** Read what the account's owner writes to themselves on another device. */
  readonly noteToSelf?: boolean;
  /** A message of this chat that came lately: Signal quotes its text, and not its files. */
  readonly earlier?: (chatId: string, messageId: string) => Answered | undefined;
}

interface SignalSender {
  readonly id: string;
  readonly uuid: string | undefined;
  readonly name: string | undefined;
}

interface SignalGroup {
  readonly id: string;
  readonly name: string | undefined;
}

export function parseEvent(event: unknown, setting: SignalParseSetting): InboundMessage | null {
  const account = field(event, "account");
  if (isThere(account) && account !== setting.account) return null;
  const envelope = field(event, "envelope");
  const sender = readSender(envelope);
  const sync = field(envelope, "syncMessage");
  if (isThere(sync)) return sender && readNote(field(sync, "sentMessage"), sender, setting);
  if (!sender || isUs(sender, setting)) return null;
  const call = callPart(field(envelope, "callMessage"));
  const calledAt = field(envelope, "timestamp");
  if (call && isTimestamp(calledAt)) {
    const messageId = messageIdOf({ timestamp: calledAt, author: sender.uuid ?? sender.id });
    return { kind: "message", source: chatWith(sender), messageId, text: "", parts: [call] };
  }
  const edit = field(envelope, "editMessage");
  return isThere(edit)
    ? readMessage(field(edit, "dataMessage"), sender, setting, field(edit, "targetSentTimestamp"))
    : readMessage(field(envelope, "dataMessage"), sender, setting, null);
}

/** What the account's owner wrote to themselves, and to nobody else. */
function readNote(sent: unknown, sender: SignalSender, setting: SignalParseSetting): InboundMessage | null {
  const isNote = namesUs(sent, "destinationNumber", "destinationUuid", setting);
  if (!setting.noteToSelf || !isUs(sender, setting) || !isNote) return null;
  const edit = field(sent, "editMessage");
  const [data, edited] = isThere(edit)
    ? [field(edit, "dataMessage"), field(edit, "targetSentTimestamp")]
    : [sent, null];
  return isThere(field(data, "groupInfo")) ? null : readMessage(data, sender, setting, edited);
}

/** Null where a field is there and is not what it should be. */
function readSender(envelope: unknown): SignalSender | null {
  const ids = { number: field(envelope, "sourceNumber"), uuid: field(envelope, "sourceUuid") };
  return readPerson(ids, textOf(field(envelope, "sourceName")));
}

/** By the number where it is known, as the daemon names who writes. */
function readPerson(
  ids: { readonly number: unknown; readonly uuid: unknown },
  name: string | undefined,
): SignalSender | null {
  const number = readId(ids.number, isNumber);
  const given = readId(ids.uuid, isUuid);
  const uuid = given?.toLowerCase();
  const id = number ?? uuid;
  if (number === null || given === null || id === undefined) return null;
  return { id, uuid, name };
}

function personOf({
  id,
  uuid,
  name,
}: SignalSender): Pick<SessionSource, "userId" | "userName" | "userIdAlt"> {
  return { userId: id, ...(name ? { userName: name } : {}), ...(uuid ? { userIdAlt: uuid } : {}) };
}

function chatWith(sender: SignalSender): SessionSource {
  const { id, uuid } = sender;
  const alt = uuid && uuid !== id ? { chatIdAlt: uuid } : {};
  return { platform: "signal", chatType: "dm", chatId: id, ...alt, ...personOf(sender) };
}

function groupPlace({ id, name }: SignalGroup): SessionSource {
  return { platform: "signal", chatType: "group", chatId: id, ...(name ? { chatName: name } : {}) };
}

/** The chat of two with somebody whom the daemon knows; null where that is nobody, or ourselves. */
export function parseContact(contact: unknown, account: string): SessionSource | null {
  const profile = [field(contact, "profile", "givenName"), field(contact, "profile", "familyName")];
  const own = profile.flatMap((name) => textOf(name) ?? []).join(" ");
  const ids = { number: field(contact, "number"), uuid: field(contact, "uuid") };
  const person = readPerson(ids, textOf(field(contact, "name")) ?? textOf(own));
  return person && !isUs(person, { account }) ? chatWith(person) : null;
}

/** A group as the daemon lists it; null where we are not in it. */
export function parseGroup(group: unknown): SessionSource | null {
  const id = field(group, "id");
  if (typeof id !== "string" || !isGroupId(id) || field(group, "isMember") !== true) return null;
  return groupPlace({ id, name: textOf(field(group, "name")) });
}

function readId(value: unknown, isOne: (id: string) => boolean): string | undefined | null {
  if (!isThere(value)) return undefined;
  return typeof value === "string" && isOne(value) ? value : null;
}

function isUs(
  { id, uuid }: Pick<SignalSender, "id" | "uuid">,
  { account }: Pick<SignalParseSetting, "account">,
): boolean {
  return id === account || (uuid !== undefined && uuid === account.toLowerCase());
}

/** `edited`: when what it changes was sent; null for a new message. */
function readMessage(
  data: unknown,
  sender: SignalSender,
  setting: SignalParseSetting,
  edited: unknown,
): InboundMessage | null {
  const timestamp = edited ?? field(data, "timestamp");
  const group = readGroup(data);
  if (!isTimestamp(timestamp) || group === null) return null;
  const author = sender.uuid ?? sender.id;
  const source = group ? { ...groupPlace(group), ...personOf(sender) } : chatWith(sender);
  const messageId = messageIdOf({ timestamp, author });
  const reaction = readReaction(data, setting);
  if (reaction) return { kind: "reaction", source, ...reaction };
  const deleted = field(data, "remoteDelete", "timestamp");
  if (isTimestamp(deleted))
    return { kind: "deletion", source, messageId: messageIdOf({ timestamp: deleted, author }), text: "" };
  const said = readText(field(data, "message"), field(data, "mentions"), setting);
  const quote = readQuote(data, sender, source.chatId, setting);
  const files = edited === null ? readFiles(data, source.chatId, setting) : [];
  const parts = partsIn(data);
  if (said.text === "" && files.length === 0 && parts.length === 0 && !said.mentionsUs) return null;
  const isAddressed = said.mentionsUs || quote?.isOurs === true || namesCommand(said.text, setting.commands);
  return {
    kind: edited === null ? "message" : "edit",
    source,
    messageId,
    text: said.text,
    ...(parts.length > 0 ? { parts } : {}),
    ...(quote ? { replyTo: quote.replyTo } : {}),
    ...(group ? { isAddressed } : {}),
    ...(files.length > 0 ? { files } : {}),
  };
}

/** Undefined in a chat of two; null where it is a group, but not which. */
function readGroup(data: unknown): SignalGroup | undefined | null {
  const group = field(data, "groupInfo");
  if (!isThere(group)) return undefined;
  const id = field(group, "groupId");
  if (typeof id !== "string" || !isGroupId(id)) return null;
  return { id, name: textOf(field(group, "groupName")) };
}

/** The text with mentions as people see them; that of ourselves is taken out. */
function readText(
  written: unknown,
  named: unknown,
  setting: SignalParseSetting,
): { text: string; mentionsUs: boolean } {
  const text = textOf(written) ?? "";
  const mentions = listOf(named)
    .map((mention) => ({ mention, start: field(mention, "start"), length: field(mention, "length") }))
    .filter(
      (found): found is { mention: unknown; start: number; length: number } =>
        isPlace(found.start) && isPlace(found.length) && found.start + found.length <= text.length,
    )
    .sort((a, b) => a.start - b.start);
  let mentionsUs = false;
  let shown = "";
  let at = 0;
  for (const { mention, start, length } of mentions) {
    if (start < at) continue;
    const isOurs = namesUs(mention, "number", "uuid", setting);
    mentionsUs ||= isOurs;
    const name = ["name", "number", "uuid"].map((key) => idOf(field(mention, key))).find(isThere);
    shown += text.slice(at, start) + (isOurs ? "" : `@${name ?? "somebody"}`);
    at = start + length;
  }
  shown += text.slice(at);
  return { text: mentionsUs ? shown.trim() : shown, mentionsUs };
}

function isPlace(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function namesUs(value: unknown, number: string, uuid: string, { account }: SignalParseSetting): boolean {
  if (field(value, number) === account) return true;
  const id = field(value, uuid);
  return typeof id === "string" && id.toLowerCase() === account.toLowerCase();
}

/** The message that it answers, or the story. */
function readQuote(
  data: unknown,
  sender: SignalSender,
  chatId: string,
  setting: SignalParseSetting,
): { replyTo: Answered; isOurs: boolean } | null {
  const quote = field(data, "quote");
  const story = field(data, "storyContext");
  const timestamp = field(quote, "id") ?? field(story, "sentTimestamp");
  const target = isThere(quote) ? quote : story;
  if (!isTimestamp(timestamp)) return null;
  const isOurs = namesUs(target, "authorNumber", "authorUuid", setting);
  const [uuid, number] = [idOf(field(target, "authorUuid")), idOf(field(target, "authorNumber"))];
  const author = uuid ?? number;
  const messageId = messageIdOf({ timestamp, ...(isOurs || !author ? {} : { author }) });
  const known = setting.earlier?.(chatId, messageId);
  const { text } = readText(field(quote, "text"), field(quote, "mentions"), setting);
  const files = known?.files ?? [];
  const unknownFiles = files.length > 0 ? [] : listOf(field(quote, "attachments")).map(quotedFilePart);
  const parts = [...(isThere(quote) ? [] : [part("story")]), ...(known?.parts ?? []), ...unknownFiles];
  const isTheirs = author !== undefined && [sender.uuid, sender.id].includes(author);
  const name = isTheirs ? (sender.name ?? sender.id) : (known?.from ?? number ?? "somebody else");
  const replyTo: Answered = {
    messageId,
    ...(text ? { text } : {}),
    ...(parts.length > 0 ? { parts } : {}),
    ...(files.length > 0 ? { files } : {}),
    ...(isOurs ? {} : { from: name }),
  };
  return { isOurs, replyTo };
}

/** A mark that was put on a message; one that was taken off says nothing. */
function readReaction(
  data: unknown,
  setting: SignalParseSetting,
): Pick<InboundMessage, "text" | "messageId"> | null {
  const reaction = field(data, "reaction");
  const text = textOf(field(reaction, "emoji"));
  const timestamp = field(reaction, "targetSentTimestamp");
  if (!text || !isTimestamp(timestamp) || field(reaction, "isRemove") === true) return null;
  const isOurs = namesUs(reaction, "targetAuthorNumber", "targetAuthorUuid", setting);
  const author = idOf(field(reaction, "targetAuthorUuid")) ?? idOf(field(reaction, "targetAuthorNumber"));
  return { text, messageId: messageIdOf({ timestamp, ...(isOurs || !author ? {} : { author }) }) };
}

/** What may be seen only once is not kept. */
function readFiles(data: unknown, chatId: string, { file }: SignalParseSetting): RemoteFile[] {
  if (field(data, "viewOnce") === true) return [];
  return listOf(field(data, "attachments")).flatMap((attachment) => {
    const id = idOf(field(attachment, "id"));
    if (!id || !/^[\w-][\w.-]*$/.test(id)) return [];
    const [size, name] = [field(attachment, "size"), textOf(field(attachment, "filename"))];
    const mediaType = textOf(field(attachment, "contentType")) ?? "application/octet-stream";
    return [
      file({
        id,
        chatId,
        size: isPlace(size) ? size : null,
        name,
        mediaType,
        // signal-cli does not say it: a sound that somebody chose has a name, and one that they spoke has none.
        isVoice: field(attachment, "voiceNote") === true || (!name && mediaType.startsWith("audio/")),
      }),
    ];
  });
}
