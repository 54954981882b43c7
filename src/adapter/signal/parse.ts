/**
 * An event of the daemon as a message: pure, total, and strict. What says nothing to us is null; so is what is odd where
 * it matters: a sender that cannot be read is nobody, and a group that cannot be read is not a chat of two.
 */
import type { SessionSource } from "../../session/source.js";
import type { InboundMessage, RemoteFile } from "../adapter.js";
import { namesCommand } from "../command-text.js";
import { field, idOf, isThere, listOf, textOf } from "../untrusted.js";
import { isGroupId, isNumber, isTimestamp, isUuid, messageIdOf } from "./ids.js";

/** A file as the daemon names it. */
export interface SignalFile {
  readonly id: string;
  /** Where it was sent: a group's id or a person's. */
  readonly chatId: string;
  readonly size: number | null;
  readonly name: string | undefined;
  readonly mediaType: string;
}

export interface SignalParseSetting {
  /** Our own number or UUID. */
  readonly account: string;
  /** The names of the commands there are. */
  readonly commands: ReadonlySet<string>;
  readonly file: (file: SignalFile) => RemoteFile;
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
  if (isThere(field(envelope, "syncMessage"))) return null;
  const sender = readSender(envelope);
  if (!sender || isUs(sender, setting)) return null;
  const edit = field(envelope, "editMessage");
  return isThere(edit)
    ? readMessage(field(edit, "dataMessage"), sender, setting, field(edit, "targetSentTimestamp"))
    : readMessage(field(envelope, "dataMessage"), sender, setting, null);
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
  if (reaction) {
    return { kind: "reaction", source, messageId, ...reaction, ...(group ? { isAddressed: false } : {}) };
  }
  const said = readText(data, setting);
  const quote = readQuote(data, setting);
  const files = edited === null ? readFiles(data, source.chatId, setting) : [];
  if (said.text === "" && files.length === 0 && !said.mentionsUs) return null;
  const isAddressed = said.mentionsUs || quote?.isOurs === true || namesCommand(said.text, setting.commands);
  return {
    kind: edited === null ? "message" : "edit",
    source,
    messageId,
    text: said.text,
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
function readText(data: unknown, setting: SignalParseSetting): { text: string; mentionsUs: boolean } {
  const text = textOf(field(data, "message")) ?? "";
  const mentions = listOf(field(data, "mentions"))
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

function readQuote(
  data: unknown,
  setting: SignalParseSetting,
): { replyTo: NonNullable<InboundMessage["replyTo"]>; isOurs: boolean } | null {
  const quote = field(data, "quote");
  const timestamp = field(quote, "id");
  if (!isTimestamp(timestamp)) return null;
  const isOurs = namesUs(quote, "authorNumber", "authorUuid", setting);
  const author = idOf(field(quote, "authorUuid")) ?? idOf(field(quote, "authorNumber"));
  const text = textOf(field(quote, "text"));
  const messageId = messageIdOf({ timestamp, ...(isOurs || !author ? {} : { author }) });
  return { isOurs, replyTo: { messageId, ...(text ? { text } : {}) } };
}

/** A mark that was put on a message; one that was taken off says nothing. */
function readReaction(
  data: unknown,
  setting: SignalParseSetting,
): Pick<InboundMessage, "text" | "replyTo"> | null {
  const reaction = field(data, "reaction");
  const text = textOf(field(reaction, "emoji"));
  const timestamp = field(reaction, "targetSentTimestamp");
  if (!text || !isTimestamp(timestamp) || field(reaction, "isRemove") === true) return null;
  const isOurs = namesUs(reaction, "targetAuthorNumber", "targetAuthorUuid", setting);
  const author = idOf(field(reaction, "targetAuthorUuid")) ?? idOf(field(reaction, "targetAuthorNumber"));
  return {
    text,
    replyTo: { messageId: messageIdOf({ timestamp, ...(isOurs || !author ? {} : { author }) }) },
  };
}

/** What may be seen only once is not kept. */
function readFiles(data: unknown, chatId: string, { file }: SignalParseSetting): RemoteFile[] {
  if (field(data, "viewOnce") === true) return [];
  return listOf(field(data, "attachments")).flatMap((attachment) => {
    const id = idOf(field(attachment, "id"));
    if (!id || !/^[\w-][\w.-]*$/.test(id)) return [];
    const size = field(attachment, "size");
    return [
      file({
        id,
        chatId,
        size: isPlace(size) ? size : null,
        name: textOf(field(attachment, "filename")),
        mediaType: textOf(field(attachment, "contentType")) ?? "application/octet-stream",
      }),
    ];
  });
}
