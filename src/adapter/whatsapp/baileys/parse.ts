/**
 * A message of WhatsApp Web as one of ours: pure, total, and strict. What says nothing to us is null; so is what is odd
 * where it matters: a sender that cannot be read is nobody, and a group that cannot be read is not a chat of two.
 */
import type { InboundMessage, RemoteFile } from "../../adapter.js";
import { namesCommand } from "../../command-text.js";
import { field, isThere, listOf, textOf } from "../../untrusted.js";
import { placeText } from "../limits.js";
import { isGroup, isLid, isStanzaId, messageIdOf, personOf } from "./ids.js";

/** A file as the message names it: where it lies, and the key to it. */
export interface WebFile {
  readonly kind: "image" | "video" | "audio" | "document" | "sticker";
  readonly media: unknown;
  readonly name: string | undefined;
  readonly mediaType: string;
}

export interface BaileysParseSetting {
  /** Our own number and LID. */
  readonly us: readonly string[];
  /** The names of the commands there are. */
  readonly commands: ReadonlySet<string>;
  /** The number behind a LID, where it is known. */
  readonly numberOf: (lid: string) => string | undefined;
  readonly file: (file: WebFile) => RemoteFile;
}

interface BaileysSender {
  readonly number: string | undefined;
  readonly lid: string | undefined;
  /** The number where it is known: what the owner lets people in by. */
  readonly id: string;
}

const EDITED = 14;
/** What a message may be wrapped in. */
const WRAPPERS = [
  "ephemeralMessage",
  "viewOnceMessage",
  "viewOnceMessageV2",
  "viewOnceMessageV2Extension",
  "documentWithCaptionMessage",
  "editedMessage",
] as const;
const DEEPEST = 8;
const FILES = [
  ["imageMessage", "image"],
  ["videoMessage", "video"],
  ["ptvMessage", "video"],
  ["audioMessage", "audio"],
  ["documentMessage", "document"],
  ["stickerMessage", "sticker"],
] as const;
/** Where the words are, in the order they are looked for. */
const WORDS: readonly (readonly string[])[] = [
  ["conversation"],
  ["extendedTextMessage", "text"],
  ["imageMessage", "caption"],
  ["videoMessage", "caption"],
  ["documentMessage", "caption"],
  ["buttonsResponseMessage", "selectedDisplayText"],
  ["listResponseMessage", "title"],
  ["templateButtonReplyMessage", "selectedDisplayText"],
];
const WITH_CONTEXT = [
  "extendedTextMessage",
  ...FILES.map(([name]) => name),
  "locationMessage",
  "buttonsResponseMessage",
  "listResponseMessage",
  "templateButtonReplyMessage",
];

export function parseMessage(message: unknown, setting: BaileysParseSetting): InboundMessage | null {
  const key = field(message, "key");
  const place = field(key, "remoteJid");
  const id = field(key, "id");
  if (field(key, "fromMe") !== false || !isStanzaId(id)) return null;
  const sender = isGroup(place)
    ? readSender(field(key, "participant"), field(key, "participantAlt"), setting)
    : readSender(place, field(key, "remoteJidAlt"), setting);
  if (!sender || isUs(sender, setting)) return null;
  const { content, isOnce } = unwrapped(field(message, "message"));
  const name = textOf(field(message, "pushName"));
  const source: InboundMessage["source"] = {
    platform: "whatsapp",
    ...(isGroup(place)
      ? { chatType: "group", chatId: place }
      : {
          chatType: "dm",
          chatId: sender.id,
          ...(sender.lid && sender.lid !== sender.id ? { chatIdAlt: sender.lid } : {}),
        }),
    userId: sender.lid ?? sender.id,
    ...(name ? { userName: name } : {}),
    ...(sender.lid && sender.number ? { userIdAlt: sender.number } : {}),
  };
  const group = source.chatType === "group";
  const messageId = messageIdOf({ id, author: sender.id });
  const reaction = readReaction(field(content, "reactionMessage"), sender, setting);
  if (reaction)
    return { kind: "reaction", source, messageId, ...reaction, ...(group ? { isAddressed: false } : {}) };
  const change = field(content, "protocolMessage");
  if (isThere(change)) return readEdit(change, source, sender, setting);
  const files = isOnce ? [] : readFiles(content, setting);
  return readSaid(content, source, setting, { kind: "message", messageId, files });
}

/** Every person that a message names and of whom only the LID is known: their numbers are looked up before it is read. */
export function lidsIn(message: unknown): string[] {
  const key = field(message, "key");
  const context = contextOf(unwrapped(field(message, "message")).content);
  return ["remoteJid", "participant"]
    .map((name) => field(key, name))
    .concat(field(context, "participant"))
    .flatMap((jid) => personOf(jid) ?? [])
    .filter(isLid);
}

/** Null where a field is there and is not what it should be. */
function readSender(jid: unknown, alt: unknown, { numberOf }: BaileysParseSetting): BaileysSender | null {
  const first = personOf(jid);
  const second = isThere(alt) ? personOf(alt) : undefined;
  if (first === null || second === null) return null;
  const lid = [first, second].find((id) => id !== undefined && isLid(id));
  const given = [first, second].find((id) => id !== undefined && !isLid(id));
  const number = given ?? (lid ? numberOf(lid) : undefined);
  return { number, lid, id: number ?? first };
}

function isUs({ number, lid }: BaileysSender, { us }: BaileysParseSetting): boolean {
  return us.some((own) => own === number || own === lid);
}

function unwrapped(message: unknown): { readonly content: unknown; readonly isOnce: boolean } {
  let content = message;
  let isOnce = false;
  for (let depth = 0; depth < DEEPEST; depth += 1) {
    const wrapper = WRAPPERS.find((name) => isThere(field(content, name, "message")));
    if (!wrapper) break;
    isOnce ||= wrapper.startsWith("viewOnce");
    content = field(content, wrapper, "message");
  }
  return { content, isOnce };
}

function readEdit(
  change: unknown,
  source: InboundMessage["source"],
  sender: BaileysSender,
  setting: BaileysParseSetting,
): InboundMessage | null {
  const id = field(change, "key", "id");
  if (field(change, "type") !== EDITED || !isStanzaId(id)) return null;
  const { content } = unwrapped(field(change, "editedMessage"));
  const messageId = messageIdOf({ id, author: sender.id });
  return readSaid(content, source, setting, { kind: "edit", messageId, files: [] });
}

function readSaid(
  content: unknown,
  source: InboundMessage["source"],
  setting: BaileysParseSetting,
  rest: {
    readonly kind: "message" | "edit";
    readonly messageId: string;
    readonly files: readonly RemoteFile[];
  },
): InboundMessage | null {
  const { kind, messageId, files } = rest;
  const context = contextOf(content);
  const said = readText(wordsIn(content) ?? "", context, setting);
  const quote = readQuote(context, setting);
  if (said.text === "" && files.length === 0 && !said.mentionsUs) return null;
  const isForwarded = field(context, "isForwarded") === true || Number(field(context, "forwardingScore")) > 0;
  const isCommand = !isForwarded && namesCommand(said.text, setting.commands);
  const isAddressed = said.mentionsUs || quote?.isOurs === true || isCommand;
  return {
    kind,
    source,
    messageId,
    text: said.text,
    ...(isForwarded ? { forwarded: {} } : {}),
    ...(quote ? { replyTo: quote.replyTo } : {}),
    ...(source.chatType === "group" ? { isAddressed } : {}),
    ...(files.length > 0 ? { files } : {}),
  };
}

/** The words of a message, of whatever kind it is; undefined where it has none. */
function wordsIn(content: unknown): string | undefined {
  const words = WORDS.map((path) => textOf(field(content, ...path))).find((text) => text !== undefined);
  if (words !== undefined) return words;
  const location = field(content, "locationMessage");
  const names = [field(location, "name"), field(location, "address")].flatMap((name) => textOf(name) ?? []);
  return placeText(field(location, "degreesLatitude"), field(location, "degreesLongitude"), names);
}

function contextOf(content: unknown): unknown {
  return WITH_CONTEXT.map((name) => field(content, name, "contextInfo")).find(isThere);
}

/** A mention is `@` and the digits of an id; that of ourselves is taken out. */
function readText(
  text: string,
  context: unknown,
  { us }: BaileysParseSetting,
): { readonly text: string; readonly mentionsUs: boolean } {
  const mentioned = new Set(listOf(field(context, "mentionedJid")).flatMap((jid) => personOf(jid) ?? []));
  const ours = us.filter((own) => mentioned.has(own));
  if (ours.length === 0) return { text, mentionsUs: false };
  const digits = ours.map((own) => own.replace(/@lid$/, "")).join("|");
  return { text: text.replace(new RegExp(`@(?:${digits})(?!\\d)`, "g"), "").trim(), mentionsUs: true };
}

function readQuote(
  context: unknown,
  setting: BaileysParseSetting,
): { readonly replyTo: NonNullable<InboundMessage["replyTo"]>; readonly isOurs: boolean } | null {
  const id = field(context, "stanzaId");
  const author = readSender(field(context, "participant"), undefined, setting);
  if (!isStanzaId(id) || !author) return null;
  const isOurs = isUs(author, setting);
  const text = wordsIn(unwrapped(field(context, "quotedMessage")).content);
  const messageId = messageIdOf({ id, ...(isOurs ? {} : { author: author.id }) });
  return { isOurs, replyTo: { messageId, ...(text ? { text } : {}) } };
}

/** A mark that was put on a message; one that was taken off says nothing. */
function readReaction(
  reaction: unknown,
  sender: BaileysSender,
  setting: BaileysParseSetting,
): Pick<InboundMessage, "text" | "replyTo"> | null {
  const text = textOf(field(reaction, "text"));
  const id = field(reaction, "key", "id");
  if (!text || !isStanzaId(id)) return null;
  if (field(reaction, "key", "fromMe") === true) return { text, replyTo: { messageId: id } };
  const author = readSender(field(reaction, "key", "participant"), undefined, setting) ?? sender;
  return { text, replyTo: { messageId: messageIdOf({ id, author: author.id }) } };
}

/** What may be seen only once is not kept. */
function readFiles(content: unknown, { file }: BaileysParseSetting): RemoteFile[] {
  return FILES.flatMap(([name, kind]) => {
    const media = field(content, name);
    if (!isThere(field(media, "mediaKey")) || field(media, "viewOnce") === true) return [];
    const mediaType = textOf(field(media, "mimetype")) ?? "application/octet-stream";
    return [file({ kind, media, name: textOf(field(media, "fileName")), mediaType })];
  });
}
