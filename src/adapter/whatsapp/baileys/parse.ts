/**
 * A message of WhatsApp Web as one of ours: pure, total, and strict. What says nothing to us is null; so is what is odd
 * where it matters: a sender that cannot be read is nobody, and a group that cannot be read is not a chat of two.
 */
import { part } from "../../../session/parts.js";
import type { Answered, InboundMessage, RemoteFile } from "../../adapter.js";
import { namesCommand } from "../../command-text.js";
import { field, isThere, listOf, textIn, textOf } from "../../untrusted.js";
import { readContent, type WebContent, type WebFile } from "./content.js";
import { isGroup, isLid, isStanzaId, messageIdOf, personOf } from "./ids.js";
import { contextOf, unwrapped } from "./unwrap.js";

export interface BaileysParseSetting {
  /** Our own number and LID. */
  readonly us: readonly string[];
  /** The names of the commands there are. */
  readonly commands: ReadonlySet<string>;
  /** The number behind a LID, where it is known. */
  readonly numberOf: (lid: string) => string | undefined;
  /** How somebody was called when they last wrote. */
  readonly nameOf?: (person: string) => string | undefined;
  readonly file: (file: WebFile) => RemoteFile;
}

interface BaileysSender {
  readonly number: string | undefined;
  readonly lid: string | undefined;
  /** The number where it is known: what the owner lets people in by. */
  readonly id: string;
}

const REVOKED = 0;
const EDITED = 14;
/** The status of all: what was shown there is a story. */
const STATUS = "status@broadcast";
const ALBUM = 1;
/** The same picture or video once more, in another quality. */
const AGAIN = new Set<unknown>([5, 10, 12]);

export function parseMessage(message: unknown, setting: BaileysParseSetting): InboundMessage | null {
  const key = field(message, "key");
  const place = field(key, "remoteJid");
  const id = field(key, "id");
  if (field(key, "fromMe") !== false || !isStanzaId(id)) return null;
  const sender = isGroup(place)
    ? readSender(field(key, "participant"), field(key, "participantAlt"), setting)
    : readSender(place, field(key, "remoteJidAlt"), setting);
  if (!sender || isUs(sender, setting)) return null;
  const { content, association } = unwrapped(field(message, "message"));
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
  const messageId = messageIdOf({ id, author: sender.id });
  const reaction = readReaction(field(content, "reactionMessage"), sender, setting);
  if (reaction) return { kind: "reaction", source, ...reaction };
  const change = field(content, "protocolMessage");
  if (isThere(change)) return readChange(change, source, sender, setting);
  if (AGAIN.has(field(association, "associationType"))) return null;
  const said = readContent(field(message, "message"), setting.file);
  const album = field(association, "parentMessageKey", "id");
  const isAlbum = field(association, "associationType") === ALBUM && isStanzaId(album);
  return (
    said && {
      ...readSaid(said, content, source, setting),
      kind: "message",
      messageId,
      ...(said.files.length > 0 ? { files: said.files } : {}),
      ...(isAlbum ? { album } : {}),
    }
  );
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

/** One of their own messages has other words now, or is gone. WhatsApp's servers cannot see whose it was. */
function readChange(
  change: unknown,
  source: InboundMessage["source"],
  sender: BaileysSender,
  setting: BaileysParseSetting,
): InboundMessage | null {
  const [id, type] = [field(change, "key", "id"), field(change, "type")];
  if (!isStanzaId(id)) return null;
  const messageId = messageIdOf({ id, author: sender.id });
  // An administrator may delete what others wrote, but who is one cannot be told from the message.
  const author = personOf(field(change, "key", "participant"));
  const isOwn = author === null || [sender.lid, sender.number].includes(author);
  if (type === REVOKED) return isOwn ? { kind: "deletion", source, messageId, text: "" } : null;
  if (type !== EDITED) return null;
  const edited = field(change, "editedMessage");
  const said = readContent(edited, setting.file);
  return said && { ...readSaid(said, unwrapped(edited).content, source, setting), kind: "edit", messageId };
}

function readSaid(
  { text: written, parts }: WebContent,
  content: unknown,
  source: InboundMessage["source"],
  setting: BaileysParseSetting,
): Omit<InboundMessage, "kind" | "messageId"> {
  const context = contextOf(content);
  const said = readText(written, context, setting);
  const quote = readQuote(context, setting);
  const isForwarded = field(context, "isForwarded") === true || Number(field(context, "forwardingScore")) > 0;
  const isCommand = !isForwarded && namesCommand(said.text, setting.commands);
  const isAddressed = said.mentionsUs || quote?.isOurs === true || isCommand;
  const channel = textIn(context, "forwardedNewsletterMessageInfo", "newsletterName");
  return {
    source,
    text: said.text,
    ...(parts.length > 0 ? { parts } : {}),
    ...(isForwarded ? { forwarded: channel ? { from: channel } : {} } : {}),
    ...(quote ? { replyTo: quote.replyTo } : {}),
    ...(source.chatType === "group" ? { isAddressed } : {}),
  };
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
): { readonly replyTo: Answered; readonly isOurs: boolean } | null {
  const id = field(context, "stanzaId");
  const author = readSender(field(context, "participant"), undefined, setting);
  if (!isStanzaId(id) || !author) return null;
  const isOurs = isUs(author, setting);
  const quoted = readContent(field(context, "quotedMessage"), setting.file);
  const messageId = messageIdOf({ id, ...(isOurs ? {} : { author: author.id }) });
  const isStory = field(context, "remoteJid") === STATUS;
  const parts = [...(isStory ? [part("story")] : []), ...(quoted?.parts ?? [])];
  const replyTo: Answered = {
    messageId,
    ...(quoted?.text ? { text: quoted.text } : {}),
    ...(parts.length > 0 ? { parts } : {}),
    ...(quoted && quoted.files.length > 0 ? { files: quoted.files } : {}),
    ...(isOurs ? {} : { from: nameFor(author, setting) }),
  };
  return { isOurs, replyTo };
}

/** A quotation has no name, only an id. */
function nameFor({ id, lid, number }: BaileysSender, { nameOf }: BaileysParseSetting): string {
  const name = [id, lid].flatMap((each) => (each && nameOf?.(each)) || [])[0];
  return name ?? (number ? `+${number}` : "somebody else");
}

/** A mark that was put on a message; one that was taken off says nothing. */
function readReaction(
  reaction: unknown,
  sender: BaileysSender,
  setting: BaileysParseSetting,
): Pick<InboundMessage, "text" | "messageId"> | null {
  const text = textOf(field(reaction, "text"));
  const id = field(reaction, "key", "id");
  if (!text || !isStanzaId(id)) return null;
  if (field(reaction, "key", "fromMe") === true) return { text, messageId: id };
  const author = readSender(field(reaction, "key", "participant"), undefined, setting) ?? sender;
  return { text, messageId: messageIdOf({ id, author: author.id }) };
}
