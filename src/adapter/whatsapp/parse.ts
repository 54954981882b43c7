/**
 * What Meta posts to the webhook, as messages and as word of our own: pure, total, and strict. Only what is for our
 * number counts; a sender that cannot be read is nobody.
 */
import type { SessionSource } from "../../session/source.js";
import type { InboundMessage, RemoteFile } from "../adapter.js";
import { field, idOf, isThere, listOf, textOf } from "../untrusted.js";
import { placeText } from "./limits.js";

/** A file as Meta names it. */
export interface MediaRef {
  readonly id: string;
  readonly name: string | undefined;
  readonly mediaType: string;
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
}

const PERSON = /^\d{5,20}$/;
const MEDIA = ["image", "video", "audio", "document", "sticker"] as const;

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
  const from = field(message, "from");
  const messageId = idOf(field(message, "id"));
  // Groups of the Cloud API are not served; what comes from one is not a chat of two.
  if (typeof from !== "string" || !PERSON.test(from) || !messageId || isThere(field(message, "group_id")))
    return null;
  const userName = nameOf(from, value);
  const source: SessionSource = { ...chatWith(from), ...(userName ? { userName } : {}) };
  const answered = idOf(field(message, "context", "id"));
  const replyTo = answered ? { replyTo: { messageId: answered } } : {};
  const type = field(message, "type");
  if (type === "reaction") return readReaction(message, source, messageId);
  const text = textIn(message, type);
  const files = MEDIA.flatMap((kind) => (type === kind ? readMedia(field(message, kind), setting) : []));
  if (text === undefined && files.length === 0) return null;
  return {
    kind: "message",
    source,
    messageId,
    text: text ?? "",
    ...(isForwarded(field(message, "context")) ? { forwarded: {} } : {}),
    ...replyTo,
    ...(files.length > 0 ? { files } : {}),
  };
}

function isForwarded(context: unknown): boolean {
  return field(context, "forwarded") === true || field(context, "frequently_forwarded") === true;
}

/** A chat of two is known by the other one's number. */
export function chatWith(number: string): SessionSource {
  return { platform: "whatsapp", chatId: number, chatType: "dm", userId: number };
}

function nameOf(from: string, value: unknown): string | undefined {
  const contact = listOf(field(value, "contacts")).find((each) => field(each, "wa_id") === from);
  return textOf(field(contact, "profile", "name"));
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
    case "location":
      return placeIn(field(message, "location"));
    case "image":
    case "video":
    case "document":
      return textOf(field(message, type, "caption"));
    default:
      return undefined;
  }
}

function placeIn(location: unknown): string | undefined {
  const names = [field(location, "name"), field(location, "address")].flatMap((name) => textOf(name) ?? []);
  return placeText(field(location, "latitude"), field(location, "longitude"), names);
}

function readReaction(
  message: unknown,
  source: InboundMessage["source"],
  messageId: string,
): InboundMessage | null {
  const text = textOf(field(message, "reaction", "emoji"));
  const target = idOf(field(message, "reaction", "message_id"));
  return text && target
    ? { kind: "reaction", source, messageId, text, replyTo: { messageId: target } }
    : null;
}

function readMedia(media: unknown, { file }: WhatsAppParseSetting): RemoteFile[] {
  const id = field(media, "id");
  if (typeof id !== "string" || !/^[\w.-]{1,200}$/.test(id)) return [];
  const mediaType = textOf(field(media, "mime_type")) ?? "application/octet-stream";
  return [file({ id, name: textOf(field(media, "filename")), mediaType })];
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
  return `a message to ${idOf(field(status, "recipient_id")) ?? "somebody"} was taken and then not delivered: ${reason ?? "Meta does not say why."}`;
}
