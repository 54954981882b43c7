/** Messages of WhatsApp Web, written from the fields that Baileys' protocol buffers have (`proto.IMessage`). */
import { parseMessage } from "../../../src/adapter/whatsapp/baileys/parse.js";
import type { PlatformShapes, Shape } from "./shape.js";

const ANN = "15551234567@s.whatsapp.net";
const BOB = "15557654321@s.whatsapp.net";
const US = "15550000000@s.whatsapp.net";
const GROUP = "120363000000000001@g.us";

function sent(message: object): unknown {
  return {
    key: { remoteJid: ANN, fromMe: false, id: "3A01" },
    messageTimestamp: 1767900000,
    pushName: "Ann",
    message,
  };
}

function inGroup(message: object): unknown {
  const key = { remoteJid: GROUP, participant: ANN, fromMe: false, id: "3A02" };
  return { key, messageTimestamp: 1767900000, pushName: "Ann", message };
}

function file(mimetype: string, more: object = {}): object {
  return { mediaKey: new Uint8Array(32), directPath: "/v/1.enc", fileLength: 2_048, mimetype, ...more };
}

function text(words: string, contextInfo: object): object {
  return { extendedTextMessage: { text: words, contextInfo } };
}

/** Words in answer to a message of Bob's. */
function answering(quotedMessage: object, more: object = {}): object {
  return text("this one", { stanzaId: "3A77", participant: BOB, quotedMessage, ...more });
}

const wrapped = (name: string, message: object): object => ({ [name]: { message } });
const PICTURE = { imageMessage: file("image/jpeg", { caption: "my cat" }) };
const VCARD =
  "BEGIN:VCARD\nVERSION:3.0\nFN:Ada Lovelace\nORG:Analytical Engines;\nitem1.TEL;waid=442079460000:+44 20 7946 0000\nEND:VCARD";
const POLL = { name: "Lunch?", options: [{ optionName: "Pizza" }, { optionName: "Soup" }] };
const PARENT = { id: "3AALBUM", remoteJid: ANN };
const LONG = (low: number) => ({ low, high: 0, unsigned: true });

function child(associationType: number): unknown {
  const messageAssociation = { associationType, parentMessageKey: PARENT };
  return sent({ ...wrapped("associatedChildMessage", PICTURE), messageContextInfo: { messageAssociation } });
}

const shapes: readonly Shape[] = [
  { name: "text", payload: sent({ conversation: "hello" }) },
  {
    name: "text with a link",
    payload: sent({ extendedTextMessage: { text: "see https://example.org", title: "Example" } }),
  },
  {
    name: "text that disappears",
    payload: sent(wrapped("ephemeralMessage", { conversation: "for a week" })),
  },
  { name: "command", payload: sent({ conversation: "/new" }) },
  { name: "text in a group", payload: inGroup({ conversation: "hello all" }) },
  {
    name: "text in a group that names the bot",
    payload: inGroup(text("@15550000000 hello", { mentionedJid: [US] })),
  },
  { name: "bare mention in a group", payload: inGroup(text("@15550000000", { mentionedJid: [US] })) },
  {
    name: "bare mention in answer to somebody",
    payload: inGroup(
      text("@15550000000", {
        mentionedJid: [US],
        stanzaId: "3A77",
        participant: BOB,
        quotedMessage: { conversation: "When is lunch?" },
      }),
    ),
  },
  {
    name: "mention of a whole group",
    payload: inGroup(wrapped("groupMentionedMessage", text("hello @all", {}))),
  },
  {
    name: "answer to the agent",
    payload: sent(
      text("yes", { stanzaId: "3EB0AA", participant: US, quotedMessage: { conversation: "Shall I?" } }),
    ),
  },
  { name: "answer to somebody's text", payload: sent(answering({ conversation: "Shall I?" })) },
  { name: "answer to a picture", payload: sent(answering(PICTURE)) },
  {
    name: "answer to a voice message",
    payload: sent(answering({ audioMessage: file("audio/ogg", { ptt: true }) })),
  },
  {
    name: "answer to a document",
    payload: sent(answering({ documentMessage: file("application/pdf", { fileName: "notes.pdf" }) })),
  },
  { name: "answer to a poll", payload: sent(answering({ pollCreationMessageV3: POLL })) },
  {
    name: "answer to a contact",
    payload: sent(answering({ contactMessage: { displayName: "Ada", vcard: VCARD } })),
  },
  {
    name: "answer to a status",
    payload: sent(
      answering({ extendedTextMessage: { text: "on holiday" } }, { remoteJid: "status@broadcast" }),
    ),
  },
  { name: "forwarded text", payload: sent(text("news", { isForwarded: true, forwardingScore: 1 })) },
  {
    name: "text forwarded from a channel",
    payload: sent(
      text("news", { isForwarded: true, forwardedNewsletterMessageInfo: { newsletterName: "Daily News" } }),
    ),
  },
  {
    name: "forwarded picture",
    payload: sent({ imageMessage: file("image/jpeg", { contextInfo: { isForwarded: true } }) }),
  },
  {
    name: "text from an advertisement",
    payload: sent(
      text("hi", {
        externalAdReply: { title: "Summer sale", body: "Half price", sourceUrl: "https://fb.me/x" },
      }),
    ),
  },
  { name: "picture", payload: sent({ imageMessage: file("image/jpeg") }) },
  { name: "picture with a caption", payload: sent(PICTURE) },
  { name: "picture of an album", payload: child(1) },
  {
    name: "announcement of an album",
    ignored: true,
    payload: sent({ albumMessage: { expectedImageCount: 3 } }),
  },
  { name: "a picture again, in better quality", ignored: true, payload: child(10) },
  { name: "picture that may be seen only once", payload: sent(wrapped("viewOnceMessageV2", PICTURE)) },
  {
    name: "voice message that may be heard only once",
    payload: sent(wrapped("viewOnceMessageV2Extension", { audioMessage: file("audio/ogg", { ptt: true }) })),
  },
  { name: "video", payload: sent({ videoMessage: file("video/mp4", { caption: "look" }) }) },
  { name: "GIF", payload: sent({ videoMessage: file("video/mp4", { gifPlayback: true }) }) },
  { name: "round video", payload: sent({ ptvMessage: file("video/mp4") }) },
  {
    name: "voice message",
    payload: sent({ audioMessage: file("audio/ogg; codecs=opus", { ptt: true, seconds: 4 }) }),
  },
  { name: "music or other sound", payload: sent({ audioMessage: file("audio/mpeg") }) },
  {
    name: "document",
    payload: sent({ documentMessage: file("application/pdf", { fileName: "notes.pdf" }) }),
  },
  {
    name: "document with a caption",
    payload: sent(
      wrapped("documentWithCaptionMessage", {
        documentMessage: file("application/pdf", { fileName: "notes.pdf", caption: "read this" }),
      }),
    ),
  },
  { name: "sticker", payload: sent({ stickerMessage: file("image/webp", { accessibilityLabel: "party" }) }) },
  {
    name: "sticker that moves",
    payload: sent(
      wrapped("lottieStickerMessage", { stickerMessage: file("application/was", { isLottie: true }) }),
    ),
  },
  { name: "pack of stickers", payload: sent({ stickerPackMessage: { name: "Cats", publisher: "Ann" } }) },
  {
    name: "place",
    payload: sent({ locationMessage: { degreesLatitude: 51.5074, degreesLongitude: -0.1278 } }),
  },
  {
    name: "place with a name",
    payload: sent({
      locationMessage: {
        degreesLatitude: 51.5074,
        degreesLongitude: -0.1278,
        name: "Big Ben",
        address: "London",
      },
    }),
  },
  {
    name: "live location",
    payload: sent({
      liveLocationMessage: { degreesLatitude: 51.5, degreesLongitude: -0.12, caption: "on my way" },
    }),
  },
  { name: "contact", payload: sent({ contactMessage: { displayName: "Ada Lovelace", vcard: VCARD } }) },
  {
    name: "several contacts",
    payload: sent({
      contactsArrayMessage: {
        displayName: "2 contacts",
        contacts: [
          { displayName: "Ada", vcard: VCARD },
          { displayName: "Bob", vcard: "" },
        ],
      },
    }),
  },
  { name: "poll", payload: sent({ pollCreationMessage: POLL }) },
  {
    name: "poll with one answer each",
    payload: sent({ pollCreationMessageV3: { ...POLL, selectableOptionsCount: 1 } }),
  },
  {
    name: "poll with pictures",
    payload: sent(wrapped("pollCreationMessageV4", { pollCreationMessageV5: POLL })),
  },
  {
    name: "vote",
    payload: sent({
      pollUpdateMessage: { pollCreationMessageKey: { id: "3A77" }, vote: { encPayload: new Uint8Array(4) } },
    }),
  },
  {
    name: "results of a poll",
    payload: sent({
      pollResultSnapshotMessage: {
        name: "Lunch?",
        pollVotes: [{ optionName: "Pizza", optionVoteCount: LONG(2) }],
      },
    }),
  },
  {
    name: "event",
    payload: sent({
      eventMessage: {
        name: "Picnic",
        description: "Bring cake",
        startTime: LONG(1_767_960_000),
        location: { name: "Park" },
      },
    }),
  },
  { name: "event that was cancelled", payload: sent({ eventMessage: { name: "Picnic", isCanceled: true } }) },
  {
    name: "answer to an event",
    payload: sent({ encEventResponseMessage: { encPayload: new Uint8Array(4) } }),
  },
  {
    name: "invitation to a group",
    payload: sent({ groupInviteMessage: { groupJid: GROUP, groupName: "Team", caption: "join us" } }),
  },
  {
    name: "invitation to a channel",
    payload: sent({
      newsletterFollowerInviteMessageV2: { newsletterName: "Daily News", caption: "worth it" },
    }),
  },
  {
    name: "invitation to run a channel",
    payload: sent({ newsletterAdminInviteMessage: { newsletterName: "Daily News" } }),
  },
  {
    name: "product",
    payload: sent({
      productMessage: {
        product: {
          title: "Lamp",
          description: "Blue",
          currencyCode: "EUR",
          priceAmount1000: LONG(7_500),
          url: "https://example.org/lamp",
        },
      },
    }),
  },
  {
    name: "order",
    payload: sent({
      orderMessage: {
        orderTitle: "Ann's cart",
        itemCount: 2,
        message: "by Friday",
        totalAmount1000: LONG(15_000),
        totalCurrencyCode: "EUR",
      },
    }),
  },
  { name: "invoice", payload: sent({ invoiceMessage: { note: "October" } }) },
  {
    name: "payment",
    payload: sent({ sendPaymentMessage: { noteMessage: { extendedTextMessage: { text: "for lunch" } } } }),
  },
  {
    name: "request for a payment",
    payload: sent({
      requestPaymentMessage: {
        amount1000: LONG(5_000),
        currencyCodeIso4217: "BRL",
        noteMessage: { conversation: "lunch" },
      },
    }),
  },
  {
    name: "payment that was declined",
    payload: sent({ declinePaymentRequestMessage: { key: { id: "3A77" } } }),
  },
  {
    name: "button",
    payload: sent({ buttonsResponseMessage: { selectedButtonId: "b1", selectedDisplayText: "Yes" } }),
  },
  {
    name: "button of a template",
    payload: sent({ templateButtonReplyMessage: { selectedId: "b1", selectedDisplayText: "Yes" } }),
  },
  {
    name: "entry of a list",
    payload: sent({
      listResponseMessage: {
        title: "Express",
        description: "by noon",
        singleSelectReply: { selectedRowId: "r1" },
      },
    }),
  },
  {
    name: "form (flow)",
    payload: sent({
      interactiveResponseMessage: {
        body: { text: "Sent" },
        nativeFlowResponseMessage: { name: "flow", paramsJson: '{"day":"Monday"}' },
      },
    }),
  },
  {
    name: "card with buttons",
    payload: sent({
      buttonsMessage: {
        contentText: "Your parcel is here",
        footerText: "Post",
        buttons: [{ buttonText: { displayText: "Track" } }],
      },
    }),
  },
  {
    name: "list to choose from",
    payload: sent({
      listMessage: {
        title: "Menu",
        description: "What would you like?",
        sections: [{ rows: [{ title: "Soup" }, { title: "Pizza" }] }],
      },
    }),
  },
  {
    name: "template",
    payload: sent({
      templateMessage: {
        hydratedTemplate: {
          hydratedContentText: "Your code is 123",
          hydratedButtons: [{ urlButton: { displayText: "Open" } }],
        },
      },
    }),
  },
  {
    name: "interactive card",
    payload: sent({ interactiveMessage: { header: { title: "Shop" }, body: { text: "Choose a lamp" } } }),
  },
  {
    name: "planned call",
    payload: sent({ scheduledCallCreationMessage: { title: "Weekly", scheduledTimestampMs: LONG(1_000) } }),
  },
  { name: "call", payload: sent({ callLogMesssage: { isVideo: true } }) },
  {
    name: "status that mentions the bot",
    payload: sent(wrapped("statusMentionMessage", { protocolMessage: { type: 25 } })),
  },
  {
    name: "comment",
    payload: sent({
      commentMessage: { message: { conversation: "well said" }, targetMessageKey: { id: "3A77" } },
    }),
  },
  { name: "request for the phone number", payload: sent({ requestPhoneNumberMessage: {} }) },
  { name: "message for the phone only", payload: sent({ placeholderMessage: { type: 0 } }) },
  { name: "encrypted comment", payload: sent({ encCommentMessage: { encPayload: new Uint8Array(4) } }) },
  { name: "a type that WhatsApp adds one day", payload: sent({ hologramMessage: { caption: "hi" } }) },
  {
    name: "reaction",
    payload: sent({ reactionMessage: { text: "👍", key: { id: "3EB0AA", fromMe: true } } }),
  },
  {
    name: "reaction that was taken off",
    ignored: true,
    payload: sent({ reactionMessage: { text: "", key: { id: "3EB0AA" } } }),
  },
  {
    name: "changed text",
    payload: sent({
      protocolMessage: { type: 14, key: { id: "3A77" }, editedMessage: { conversation: "tomorrow" } },
    }),
  },
  {
    name: "changed caption",
    payload: sent(
      wrapped("editedMessage", {
        protocolMessage: { type: 14, key: { id: "3A77" }, editedMessage: PICTURE },
      }),
    ),
  },
  {
    name: "change that is encrypted",
    payload: sent({ secretEncryptedMessage: { targetMessageKey: { id: "3A77" } } }),
  },
  {
    name: "deleted message",
    payload: sent({ protocolMessage: { type: 0, key: { id: "3A77", fromMe: true } } }),
  },
  {
    name: "message of another that an administrator deleted",
    ignored: true,
    payload: inGroup({ protocolMessage: { type: 0, key: { id: "3A77", participant: BOB } } }),
  },
  {
    name: "disappearing messages turned on",
    ignored: true,
    payload: sent({ protocolMessage: { type: 3, ephemeralExpiration: 604_800 } }),
  },
  {
    name: "pinned message",
    ignored: true,
    payload: inGroup({ pinInChatMessage: { key: { id: "3A77" }, type: 1 } }),
  },
  {
    name: "kept message",
    ignored: true,
    payload: sent({ keepInChatMessage: { key: { id: "3A77" }, keepType: 1 } }),
  },
  {
    name: "keys of a group",
    ignored: true,
    payload: inGroup({ senderKeyDistributionMessage: { groupId: GROUP } }),
  },
  {
    name: "somebody joined a group",
    ignored: true,
    payload: { key: { remoteJid: GROUP, participant: ANN, fromMe: false, id: "3A03" }, messageStubType: 27 },
  },
];

export const baileysShapes: PlatformShapes = {
  page: "whatsapp",
  table: "whatsapp by Baileys",
  shapes,
  read: (payload) =>
    parseMessage(payload, {
      us: ["15550000000"],
      commands: new Set(["new"]),
      numberOf: () => undefined,
      nameOf: (person) => (person === "15557654321" ? "Bob" : undefined),
      file: ({ name, mediaType, isVoice }) => ({
        mediaType,
        ...(name ? { name } : {}),
        ...(isVoice ? { voice: true } : {}),
        read: async () => new Uint8Array(),
      }),
    }),
};
