/**
 * What a message of WhatsApp Web has besides text and files: a contact, a poll, a place. What we do not know is named by
 * WhatsApp's own name for it.
 */
import { locationPart, type Part, part, pollPart } from "../../../session/parts.js";
import { field, isThere, listIn, numberIn, textIn, wordsIn } from "../../untrusted.js";
import { formWords } from "../form-words.js";
import { vcardPart } from "../vcard.js";
import { namesIn } from "./unwrap.js";

type Reader = (value: unknown) => Part | readonly Part[];

const poll: Reader = (value) =>
  pollPart(
    textIn(value, "name"),
    listIn(value, "options").flatMap((option) => textIn(option, "optionName") ?? []),
  );
const pollResult: Reader = (value) =>
  pollPart(
    textIn(value, "name"),
    listIn(value, "pollVotes").map(
      (vote) => `${wordsIn(vote, "optionName")} (${countOf(field(vote, "optionVoteCount")) ?? "?"} votes)`,
    ),
  );
const contact: Reader = (value) => vcardPart(wordsIn(value, "vcard"), textIn(value, "displayName"));
const channelInvitation: Reader = (value) => part("invitation", "channel", textIn(value, "newsletterName"));
const statusMention: Reader = () => part("story", "mentions you");

const READERS: Readonly<Record<string, Reader>> = {
  stickerMessage: (value) => part("sticker", textIn(value, "accessibilityLabel")),
  stickerPackMessage: (value) => part("sticker", "pack", textIn(value, "name"), textIn(value, "publisher")),
  contactMessage: contact,
  contactsArrayMessage: (value) => listIn(value, "contacts").flatMap(contact),
  locationMessage: (value) => placeOf(value, field(value, "isLive") === true),
  liveLocationMessage: (value) => placeOf(value, true),
  pollCreationMessage: poll,
  pollCreationMessageV2: poll,
  pollCreationMessageV3: poll,
  pollCreationMessageV5: poll,
  pollResultSnapshotMessage: pollResult,
  pollResultSnapshotMessageV3: pollResult,
  pollUpdateMessage: () => part("vote", "in a poll, WhatsApp encrypts for which answer"),
  eventMessage: (value) =>
    part(
      "event",
      field(value, "isCanceled") === true ? "cancelled" : undefined,
      textIn(value, "name"),
      timeOf(field(value, "startTime"), 1_000),
      textIn(value, "location", "name"),
      textIn(value, "description"),
      textIn(value, "joinLink"),
    ),
  encEventResponseMessage: () => part("event", "an answer to an invitation, which WhatsApp encrypts"),
  groupInviteMessage: (value) => part("invitation", "group", textIn(value, "groupName")),
  newsletterAdminInviteMessage: channelInvitation,
  newsletterFollowerInviteMessageV2: channelInvitation,
  productMessage: (value) =>
    part(
      "product",
      textIn(value, "product", "title") ?? textIn(value, "catalog", "title"),
      textIn(value, "product", "description") ?? textIn(value, "catalog", "description"),
      moneyOf(field(value, "product", "priceAmount1000"), textIn(value, "product", "currencyCode")),
      textIn(value, "product", "url"),
    ),
  orderMessage: (value) =>
    part(
      "order",
      textIn(value, "orderTitle"),
      numberIn(value, "itemCount") === undefined ? undefined : `${numberIn(value, "itemCount")} items`,
      moneyOf(field(value, "totalAmount1000"), textIn(value, "totalCurrencyCode")),
    ),
  invoiceMessage: (value) => part("invoice", textIn(value, "note")),
  sendPaymentMessage: (value) => part("payment", "sent", noteOf(value)),
  requestPaymentMessage: (value) =>
    part(
      "payment",
      "requested",
      moneyOf(field(value, "amount1000"), textIn(value, "currencyCodeIso4217")),
      noteOf(value),
    ),
  declinePaymentRequestMessage: () => part("payment", "request declined"),
  cancelPaymentRequestMessage: () => part("payment", "request cancelled"),
  paymentInviteMessage: () => part("payment", "an invitation to pay by WhatsApp"),
  interactiveResponseMessage: (value) =>
    part(
      "form",
      textIn(value, "nativeFlowResponseMessage", "name"),
      ...formWords(textIn(value, "nativeFlowResponseMessage", "paramsJson")),
    ),
  listResponseMessage: (value) => {
    const description = textIn(value, "description");
    return description ? part("choice", description) : [];
  },
  buttonsMessage: (value) =>
    card(value, ["text", "footerText"], listIn(value, "buttons"), ["buttonText", "displayText"]),
  listMessage: (value) =>
    card(
      value,
      ["title", "footerText"],
      listIn(value, "sections").flatMap((section) => listIn(section, "rows")),
      ["title"],
    ),
  templateMessage: (value) => {
    const template = field(value, "hydratedTemplate") ?? field(value, "hydratedFourRowTemplate");
    const buttons = listIn(template, "hydratedButtons").flatMap((button) =>
      ["quickReplyButton", "urlButton", "callButton"].map((name) => field(button, name)).filter(isThere),
    );
    return card(template, ["hydratedTitleText", "hydratedFooterText"], buttons, ["displayText"]);
  },
  interactiveMessage: (value) =>
    part("card", textIn(value, "header", "title"), textIn(value, "footer", "text")),
  highlyStructuredMessage: (value) => part("card", textIn(value, "elementName")),
  scheduledCallCreationMessage: (value) =>
    part("call", "planned", textIn(value, "title"), timeOf(field(value, "scheduledTimestampMs"), 1)),
  scheduledCallEditMessage: () => part("call", "a planned call was cancelled"),
  callLogMesssage: (value) => part("call", field(value, "isVideo") === true ? "video" : "voice"),
  call: () => part("call"),
  bcallMessage: (value) => part("call", textIn(value, "caption")),
  requestPhoneNumberMessage: () => part("contact", "asks for your phone number"),
  statusMentionMessage: statusMention,
  groupStatusMentionMessage: statusMention,
  encCommentMessage: () => part("unsupported", "a comment, which WhatsApp encrypts"),
  placeholderMessage: () => part("unsupported", "a message that WhatsApp shows on the phone only"),
  secretEncryptedMessage: () => part("unsupported", "a change that WhatsApp encrypts for the phone only"),
};

/** Where words and files are: these have no part of their own. */
const PLAIN = new Set([
  "conversation",
  "extendedTextMessage",
  "imageMessage",
  "videoMessage",
  "ptvMessage",
  "audioMessage",
  "documentMessage",
  "buttonsResponseMessage",
  "templateButtonReplyMessage",
  "questionResponseMessage",
  "statusQuestionAnswerMessage",
  "statusQuotedMessage",
]);

/** Not what somebody says: keys, settings, marks on other messages, and what announces messages that come by themselves. */
const SERVICE = new Set([
  "messageContextInfo",
  "senderKeyDistributionMessage",
  "fastRatchetKeySenderKeyDistributionMessage",
  "protocolMessage",
  "reactionMessage",
  "encReactionMessage",
  "keepInChatMessage",
  "pinInChatMessage",
  "albumMessage",
  "chat",
  "stickerSyncRmrMessage",
  "messageHistoryBundle",
  "messageHistoryNotice",
  "limitSharingMessage",
  "statusNotificationMessage",
  "deviceSentMessage",
]);

export function partsIn(content: unknown): readonly Part[] {
  return namesIn(content).flatMap((name) => {
    const reader = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
    if (reader) return reader(field(content, name));
    return PLAIN.has(name) || SERVICE.has(name) ? [] : [part("unsupported", plainName(name))];
  });
}

/** True if somebody says something with it. */
export function isSaid(content: unknown): boolean {
  return namesIn(content).some((name) => !SERVICE.has(name));
}

/** The name of what it is, if it has nothing that can be read. */
export function unreadPart(content: unknown): Part {
  const name = namesIn(content).find((each) => !SERVICE.has(each)) ?? "";
  return part("unsupported", plainName(name));
}

/** `encCommentMessage` → enc comment */
function plainName(name: string): string {
  const words = name.slice(0, 100).replace(/Message(?:V\d)?$/, "");
  return words.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim();
}

function placeOf(place: unknown, isLive: boolean): Part | readonly Part[] {
  const [latitude, longitude] = [numberIn(place, "degreesLatitude"), numberIn(place, "degreesLongitude")];
  const [name, address] = [textIn(place, "name"), textIn(place, "address")];
  if (latitude === undefined && name === undefined && address === undefined) return [];
  return locationPart({ latitude, longitude, name, address, isLive });
}

/** What a business wrote with buttons under it; its words are the message's text. */
function card(
  value: unknown,
  names: readonly string[],
  buttons: readonly unknown[],
  label: readonly string[],
): Part {
  const shown = buttons.slice(0, 20).flatMap((button) => textIn(button, ...label) ?? []);
  const choices = shown.length > 0 ? `buttons: ${shown.join(", ")}` : undefined;
  return part("card", ...names.map((name) => textIn(value, name)), choices);
}

function noteOf(value: unknown): string | undefined {
  const note = field(value, "noteMessage");
  return textIn(note, "conversation") ?? textIn(note, "extendedTextMessage", "text");
}

/** A number as protocol buffers have it: a number, or a long one in an object. */
function countOf(value: unknown): number | undefined {
  const isLong = typeof value === "object" && value !== null;
  const [low, high] = isLong ? [field(value, "low"), field(value, "high")] : [value, 0];
  if (typeof low !== "number" || typeof high !== "number") return undefined;
  const number = high * 2 ** 32 + (isLong ? low >>> 0 : low);
  return Number.isFinite(number) ? number : undefined;
}

function moneyOf(thousandths: unknown, currency: string | undefined): string | undefined {
  const amount = countOf(thousandths);
  return amount === undefined ? undefined : `${amount / 1_000} ${currency ?? ""}`.trim();
}

/** Of a moment in seconds or milliseconds; undefined if there is no such day. */
function timeOf(moment: unknown, unitMs: number): string | undefined {
  const ms = (countOf(moment) ?? Number.NaN) * unitMs;
  return Math.abs(ms) < 8.64e15 ? `${new Date(ms).toISOString().slice(0, 16)}Z` : undefined;
}
