/**
 * What Meta posts to the webhook, as messages and as word of our own: pure, total, and strict. Only what is for our
 * number counts; a sender that cannot be read is nobody.
 */
import { type Part, part } from "../../session/parts.js";
import type { SessionSource } from "../../session/source.js";
import type { Answered, InboundMessage, RemoteFile } from "../adapter.js";
import { pressedCommand } from "../buttons.js";
import { field, idOf, isThere, listOf, textOf } from "../untrusted.js";
import { isBusinessScoped, isNumber } from "./ids.js";
import { cameFrom, partsOf } from "./parts.js";

/** A file as Meta names it. */
export interface MediaRef {
  readonly id: string;
  readonly name: string | undefined;
  readonly mediaType: string;
  /** Somebody spoke it. */
  readonly isVoice: boolean;
}

/** Word of a message of ours. */
interface MessageStatus {
  readonly messageId: string;
  /** Why it did not arrive; null where it did, or may yet. */
  readonly failure: string | null;
  /** As we gave it when we sent it. */
  readonly deliveryId: string | undefined;
}

export interface Delivered {
  readonly messages: readonly InboundMessage[];
  readonly statuses: readonly MessageStatus[];
}

export interface WhatsAppParseSetting {
  readonly phoneNumberId: string;
  readonly file: (media: MediaRef) => RemoteFile;
  /** A message of this chat that was seen or sent lately: Meta names the one that is answered by its id alone. */
  readonly earlier?: (chatId: string, messageId: string) => Answered | undefined;
}

const MEDIA = ["image", "video", "audio", "document", "sticker"] as const;
/** Nobody's words: a number that changed, and the first look at a chat. */
const SERVICE = new Set<unknown>(["system", "request_welcome"]);

export function parseWebhook(body: unknown, setting: WhatsAppParseSetting): Delivered {
  const values = listOf(field(body, "entry"))
    .flatMap((entry) => listOf(field(entry, "changes")))
    .filter((change) => field(change, "field") === "messages")
    .map((change) => field(change, "value"))
    .filter((value) => idOf(field(value, "metadata", "phone_number_id")) === setting.phoneNumberId);
  return {
    messages: values.flatMap((value) =>
      listOf(field(value, "messages")).flatMap((message) => readMessage(message, value, setting) ?? []),
    ),
    statuses: values.flatMap((value) =>
      listOf(field(value, "statuses")).flatMap((status) => readStatus(status)),
    ),
  };
}

function readMessage(message: unknown, value: unknown, setting: WhatsAppParseSetting): InboundMessage | null {
  const source = senderOf(message, value);
  const messageId = idOf(field(message, "id"));
  const type = field(message, "type");
  // Groups of the Cloud API are not served; what comes from one is not a chat of two.
  if (!source || !messageId || isThere(field(message, "group_id")) || SERVICE.has(type)) return null;
  if (type === "reaction") return readReaction(message, source);
  if (type === "revoke") return readDeletion(message, source);
  if (type === "edit") return readEdit(message, source, setting);
  const command = pressedCommand(field(message, "interactive", "button_reply", "id"));
  if (type === "interactive" && command !== null) return { kind: "button", source, messageId, text: command };
  const answered = idOf(field(message, "context", "id"));
  return {
    kind: "message",
    source,
    messageId,
    ...contentOf(message, type, setting),
    ...(isForwarded(field(message, "context")) ? { forwarded: {} } : {}),
    ...(answered ? { replyTo: setting.earlier?.(source.chatId, answered) ?? notTold(answered) } : {}),
  };
}

/** That it answers something is all that Meta says. */
function notTold(messageId: string): Answered {
  return { messageId, parts: [part("unsupported", "an earlier message, which WhatsApp does not repeat")] };
}

/** Its words, its files and what else it has: something of these, always. */
function contentOf(
  message: unknown,
  type: unknown,
  setting: WhatsAppParseSetting,
): Pick<InboundMessage, "text" | "files" | "parts"> {
  const text = textIn(message, type) ?? "";
  const files = MEDIA.flatMap((kind) => (type === kind ? readMedia(field(message, kind), setting) : []));
  const own = partsOf(message, type);
  const isUnknown = text === "" && own.length === 0 && files.length === 0;
  const parts = [...(isUnknown ? [unknownPart(message, type)] : own), ...cameFrom(message)];
  return { text, ...(parts.length > 0 ? { parts } : {}), ...(files.length > 0 ? { files } : {}) };
}

/** By Meta's own word for it. */
function unknownPart(message: unknown, type: unknown): Part {
  const kind = type === "interactive" ? textOf(field(message, "interactive", "type")) : undefined;
  return part("unsupported", kind ?? textOf(type));
}

/** What was written before has other words now. */
function readEdit(
  message: unknown,
  source: SessionSource,
  setting: WhatsAppParseSetting,
): InboundMessage | null {
  const messageId = idOf(field(message, "edit", "original_message_id"));
  const changed = field(message, "edit", "message");
  if (!messageId) return null;
  const { files: _, ...content } = contentOf(changed, field(changed, "type"), setting);
  return { kind: "edit", source, messageId, ...content };
}

function readDeletion(message: unknown, source: SessionSource): InboundMessage | null {
  const messageId = idOf(field(message, "revoke", "original_message_id"));
  return messageId ? { kind: "deletion", source, messageId, text: "" } : null;
}

function isForwarded(context: unknown): boolean {
  return field(context, "forwarded") === true || field(context, "frequently_forwarded") === true;
}

/** A chat of two is known by the other one's number, or by their id if the number is hidden. */
export function chatWith(person: string): SessionSource {
  return { platform: "whatsapp", chatId: person, chatType: "dm", userId: person };
}

/** Null where a sender is not what it should be. */
function senderOf(message: unknown, value: unknown): SessionSource | null {
  const [number, scoped] = [field(message, "from"), field(message, "from_user_id")];
  const isHidden = !isThere(number) || number === "";
  const person = isHidden ? scoped : number;
  if (isHidden ? !isBusinessScoped(person) : !isNumber(person)) return null;
  const userName = nameOf(person as string, value);
  return { ...chatWith(person as string), ...(userName ? { userName } : {}) };
}

function nameOf(person: string, value: unknown): string | undefined {
  const contact = listOf(field(value, "contacts")).find((each) =>
    [field(each, "wa_id"), field(each, "user_id")].includes(person),
  );
  return textOf(field(contact, "profile", "name")) ?? textOf(field(contact, "profile", "username"));
}

/** The words of a message, of whatever kind it is; undefined where it has none. */
function textIn(message: unknown, type: unknown): string | undefined {
  switch (type) {
    case "text":
      return textOf(field(message, "text", "body"));
    case "button":
      return textOf(field(message, "button", "text"));
    case "interactive":
      return (
        textOf(field(message, "interactive", "button_reply", "title")) ??
        textOf(field(message, "interactive", "list_reply", "title"))
      );
    case "order":
      return textOf(field(message, "order", "text"));
    case "image":
    case "video":
    case "document":
      return textOf(field(message, type, "caption"));
    default:
      return undefined;
  }
}

/** One that was taken off has no emoji. */
function readReaction(message: unknown, source: InboundMessage["source"]): InboundMessage | null {
  const text = textOf(field(message, "reaction", "emoji"));
  const messageId = idOf(field(message, "reaction", "message_id"));
  return text && messageId ? { kind: "reaction", source, messageId, text } : null;
}

function readMedia(media: unknown, { file }: WhatsAppParseSetting): RemoteFile[] {
  const id = field(media, "id");
  if (typeof id !== "string" || !/^[\w.-]{1,200}$/.test(id)) return [];
  const mediaType = textOf(field(media, "mime_type")) ?? "application/octet-stream";
  const isVoice = field(media, "voice") === true;
  return [file({ id, name: textOf(field(media, "filename")), mediaType, isVoice })];
}

function readStatus(status: unknown): MessageStatus[] {
  const messageId = idOf(field(status, "id"));
  const kind = field(status, "status");
  if (!messageId || typeof kind !== "string") return [];
  const deliveryId = idOf(field(status, "biz_opaque_callback_data"));
  return [{ messageId, failure: kind === "failed" ? failureIn(status) : null, deliveryId }];
}

function failureIn(status: unknown): string {
  const [error] = listOf(field(status, "errors"));
  const reason = textOf(field(error, "error_data", "details")) ?? textOf(field(error, "title"));
  return `a message to ${idOf(field(status, "recipient_id")) ?? idOf(field(status, "recipient_user_id")) ?? "somebody"} was taken and then not delivered: ${reason ?? "Meta does not say why."}`;
}
