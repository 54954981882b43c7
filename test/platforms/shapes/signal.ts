/** Events of signal-cli's daemon, written from the records that it writes as JSON (`org.asamk.signal.json`). */
import { parseEvent } from "../../../src/adapter/signal/parse.js";
import type { PlatformShapes, Shape } from "./shape.js";

const ACCOUNT = "+15550000000";
const US = { authorNumber: ACCOUNT, authorUuid: "c0000000-0000-4000-8000-000000000003" };
const ANN_UUID = "a0000000-0000-4000-8000-000000000001";
const BOB = { authorNumber: "+15557654321", authorUuid: "b0000000-0000-4000-8000-000000000002" };
const GROUP = {
  groupId: "R3JvdXAgb2YgdGhlIHRlc3RzLCAzMiBieXRlcyBsb24=",
  groupName: "Team",
  revision: 4,
  type: "DELIVER",
};
const AT = 1_767_900_000_001;

function envelope(content: object): unknown {
  const sender = { sourceNumber: "+15551234567", sourceUuid: ANN_UUID, sourceName: "Ann", sourceDevice: 1 };
  return { account: ACCOUNT, envelope: { source: "+15551234567", ...sender, timestamp: AT, ...content } };
}

function sent(fields: object): unknown {
  const usual = {
    timestamp: AT,
    message: null,
    expiresInSeconds: 0,
    isExpirationUpdate: false,
    viewOnce: false,
  };
  return envelope({ dataMessage: { ...usual, ...fields } });
}

function inGroup(fields: object): unknown {
  return sent({ groupInfo: GROUP, ...fields });
}

function file(contentType: string, filename: string | null = null, more: object = {}): object {
  return {
    contentType,
    filename,
    id: "Yd8m2-Kq",
    size: 2_048,
    width: null,
    height: null,
    caption: null,
    uploadTimestamp: AT,
    ...more,
  };
}

function quote(fields: object, author: object = BOB): object {
  return { quote: { id: 1_767_899_999_000, ...author, text: null, attachments: [], ...fields } };
}

const mention = (start: number, who: object) => ({ start, length: 1, ...who });
const OURSELVES = { name: "Baton", number: ACCOUNT, uuid: US.authorUuid };
const ADA = {
  name: { nickname: null, given: "Ada", family: "Lovelace", prefix: null, suffix: null, middle: null },
  phone: [{ value: "+44 20 7946 0000", type: "WORK", label: null }],
  organization: null,
};
const POLL = { question: "Lunch?", allowMultiple: false, options: ["Pizza", "Soup"] };
const KNOWN = { attachments: [{ contentType: "image/jpeg", filename: "cat.jpg" }], id: 1_767_899_998_000 };

const shapes: readonly Shape[] = [
  { name: "text", payload: sent({ message: "hello" }) },
  {
    name: "text of somebody whose number is hidden",
    payload: envelope({ sourceNumber: null, dataMessage: { timestamp: AT, message: "hello" } }),
  },
  {
    name: "text with a style",
    payload: sent({ message: "hello", textStyles: [{ style: "BOLD", start: 0, length: 5 }] }),
  },
  {
    name: "text with a hidden passage",
    payload: sent({ message: "the butler did it", textStyles: [{ style: "SPOILER", start: 4, length: 6 }] }),
  },
  {
    name: "text with a link and its preview",
    payload: sent({
      message: "https://example.org",
      previews: [{ url: "https://example.org", title: "Example" }],
    }),
  },
  { name: "text that disappears", payload: sent({ message: "for a week", expiresInSeconds: 604_800 }) },
  { name: "command", payload: sent({ message: "/new" }) },
  { name: "text in a group", payload: inGroup({ message: "hello all" }) },
  { name: "command in a group", payload: inGroup({ message: "/new" }) },
  {
    name: "text in a group that names the bot",
    payload: inGroup({ message: "\ufffc hello", mentions: [mention(0, OURSELVES)] }),
  },
  {
    name: "bare mention in a group",
    payload: inGroup({ message: "\ufffc", mentions: [mention(0, OURSELVES)] }),
  },
  {
    name: "bare mention in answer to somebody",
    payload: inGroup({
      message: "\ufffc",
      mentions: [mention(0, OURSELVES)],
      ...quote({ text: "When is lunch?" }),
    }),
  },
  {
    name: "text in a group that names somebody else",
    payload: inGroup({
      message: "ask \ufffc",
      mentions: [mention(4, { name: "Bob", number: "+15557654321", uuid: BOB.authorUuid })],
    }),
  },
  { name: "answer to the agent", payload: sent({ message: "yes", ...quote({ text: "Shall I?" }, US) }) },
  {
    name: "answer to the agent in a group",
    payload: inGroup({ message: "yes", ...quote({ text: "Shall I?" }, US) }),
  },
  { name: "answer to somebody", payload: inGroup({ message: "yes", ...quote({ text: "Shall we?" }) }) },
  {
    name: "answer to oneself",
    payload: sent({
      message: "this",
      ...quote({ text: "Tea?" }, { authorNumber: "+15551234567", authorUuid: ANN_UUID }),
    }),
  },
  {
    name: "answer to somebody whose number is hidden",
    payload: sent({
      message: "yes",
      ...quote({ text: "Tea?" }, { authorNumber: null, authorUuid: BOB.authorUuid }),
    }),
  },
  {
    name: "answer to a text with a mention",
    payload: sent({
      message: "who?",
      ...quote({ text: "ask \ufffc", mentions: [mention(4, { name: "Bob" })] }),
    }),
  },
  {
    name: "answer to a picture that Baton has seen",
    payload: sent({ message: "what is it?", ...quote(KNOWN) }),
  },
  {
    name: "answer to a picture that Baton has not seen",
    payload: sent({
      message: "what is it?",
      ...quote({
        attachments: [{ contentType: "image/jpeg", filename: null, thumbnail: file("image/jpeg") }],
      }),
    }),
  },
  {
    name: "answer to a document that Baton has not seen",
    payload: sent({
      message: "read it",
      ...quote({ text: "here", attachments: [{ contentType: "application/pdf", filename: "notes.pdf" }] }),
    }),
  },
  {
    name: "answer to a story",
    payload: sent({ message: "lovely", storyContext: { ...BOB, sentTimestamp: 1_767_899_999_000 } }),
  },
  { name: "picture", payload: sent({ attachments: [file("image/jpeg")] }) },
  { name: "picture with a name", payload: sent({ attachments: [file("image/jpeg", "cat.jpg")] }) },
  { name: "picture with a text", payload: sent({ message: "my cat", attachments: [file("image/jpeg")] }) },
  {
    name: "several pictures",
    payload: sent({ attachments: [file("image/jpeg", "1.jpg"), file("image/jpeg", "2.jpg", { id: "Zz" })] }),
  },
  { name: "GIF", payload: sent({ attachments: [file("video/mp4", "fun.mp4")] }) },
  { name: "video", payload: sent({ attachments: [file("video/mp4")] }) },
  { name: "voice message", payload: sent({ attachments: [file("audio/aac")] }) },
  {
    name: "voice message, if signal-cli says so",
    payload: sent({ attachments: [file("audio/aac", "note.m4a", { voiceNote: true })] }),
  },
  { name: "music or other sound", payload: sent({ attachments: [file("audio/mpeg", "song.mp3")] }) },
  { name: "document", payload: sent({ attachments: [file("application/pdf", "notes.pdf")] }) },
  {
    name: "document with a text",
    payload: sent({ message: "read this", attachments: [file("text/plain", "notes.txt")] }),
  },
  {
    name: "long text",
    payload: sent({ message: "the beginning", attachments: [file("text/x-signal-plain")] }),
  },
  {
    name: "picture that may be seen only once",
    payload: sent({ viewOnce: true, attachments: [file("image/jpeg")] }),
  },
  {
    name: "video that may be seen only once",
    payload: sent({ viewOnce: true, attachments: [file("video/mp4")] }),
  },
  { name: "file in a group", payload: inGroup({ attachments: [file("image/jpeg")] }) },
  {
    name: "sticker",
    payload: sent({ sticker: { packId: "9acc9e8aba563d26a4994e69263e3b25", stickerId: 7 } }),
  },
  {
    name: "sticker with an emoji",
    payload: sent({ sticker: { packId: "9acc9e8aba563d26a4994e69263e3b25", stickerId: 7, emoji: "🎉" } }),
  },
  {
    name: "sticker in answer to the agent",
    payload: inGroup({ sticker: { packId: "9a", stickerId: 1 }, ...quote({ text: "Done." }, US) }),
  },
  { name: "contact", payload: sent({ contacts: [ADA] }) },
  {
    name: "contact with everything",
    payload: sent({
      contacts: [
        {
          ...ADA,
          organization: "Analytical Engines",
          email: [{ value: "ada@example.org", type: "HOME" }],
          address: [{ street: "1 Main Street", city: "London", postcode: "N1", country: "UK" }],
        },
      ],
    }),
  },
  { name: "contact without a number", payload: sent({ contacts: [{ name: { nickname: "Bobby" } }] }) },
  { name: "several contacts", payload: sent({ contacts: [ADA, { name: { given: "Bob" } }] }) },
  { name: "payment", payload: sent({ payment: { note: "for lunch", receipt: "cmVjZWlwdA==" } }) },
  { name: "payment without a note", payload: sent({ payment: { note: "", receipt: "cmVjZWlwdA==" } }) },
  { name: "poll", payload: sent({ pollCreate: POLL }) },
  { name: "poll in a group", payload: inGroup({ pollCreate: POLL }) },
  {
    name: "vote",
    payload: sent({ pollVote: { ...US, targetSentTimestamp: AT, optionIndexes: [1], voteCount: 1 } }),
  },
  {
    name: "vote for several options",
    payload: sent({ pollVote: { ...US, targetSentTimestamp: AT, optionIndexes: [0, 1], voteCount: 1 } }),
  },
  {
    name: "vote that was taken back",
    payload: sent({ pollVote: { ...US, targetSentTimestamp: AT, optionIndexes: [], voteCount: 2 } }),
  },
  { name: "end of a poll", payload: sent({ pollTerminate: { targetSentTimestamp: AT } }) },
  {
    name: "call",
    payload: envelope({ callMessage: { offerMessage: { id: 1, type: "AUDIO_CALL", opaque: "" } } }),
  },
  {
    name: "video call",
    payload: envelope({ callMessage: { offerMessage: { id: 1, type: "VIDEO_CALL", opaque: "" } } }),
  },
  { name: "a field that signal-cli adds one day", payload: sent({ giftBadge: { level: 1 } }) },
  {
    name: "reaction",
    payload: sent({
      reaction: {
        emoji: "👍",
        targetAuthorNumber: ACCOUNT,
        targetAuthorUuid: US.authorUuid,
        targetSentTimestamp: AT,
        isRemove: false,
      },
    }),
  },
  {
    name: "reaction that was taken off",
    ignored: true,
    payload: sent({
      reaction: {
        emoji: "👍",
        targetAuthorNumber: ACCOUNT,
        targetAuthorUuid: US.authorUuid,
        targetSentTimestamp: AT,
        isRemove: true,
      },
    }),
  },
  {
    name: "changed text",
    payload: envelope({
      editMessage: { targetSentTimestamp: AT, dataMessage: { timestamp: AT + 1, message: "tomorrow" } },
    }),
  },
  {
    name: "changed text in a group",
    payload: envelope({
      editMessage: {
        targetSentTimestamp: AT,
        dataMessage: { timestamp: AT + 1, message: "tomorrow", groupInfo: GROUP },
      },
    }),
  },
  { name: "deleted message", payload: sent({ remoteDelete: { timestamp: 1_767_899_999_000 } }) },
  {
    name: "deleted message in a group",
    payload: inGroup({ remoteDelete: { timestamp: 1_767_899_999_000 } }),
  },
  {
    name: "message of another that an administrator deleted",
    ignored: true,
    payload: inGroup({
      adminDelete: {
        targetAuthorNumber: "+15557654321",
        targetAuthorUuid: BOB.authorUuid,
        targetSentTimestamp: AT,
      },
    }),
  },
  {
    name: "pinned message",
    ignored: true,
    payload: inGroup({ pinMessage: { ...BOB, targetSentTimestamp: AT } }),
  },
  {
    name: "disappearing messages turned on",
    ignored: true,
    payload: sent({ isExpirationUpdate: true, expiresInSeconds: 604_800 }),
  },
  { name: "change of a group", ignored: true, payload: sent({ groupInfo: { ...GROUP, type: "UPDATE" } }) },
  {
    name: "story",
    ignored: true,
    payload: envelope({ storyMessage: { allowsReplies: true, textAttachment: { text: "on holiday" } } }),
  },
  {
    name: "end of a call",
    ignored: true,
    payload: envelope({ callMessage: { hangupMessage: { id: 1, type: "NORMAL", deviceId: 0 } } }),
  },
  {
    name: "sign of typing",
    ignored: true,
    payload: envelope({ typingMessage: { action: "STARTED", timestamp: AT } }),
  },
  {
    name: "receipt",
    ignored: true,
    payload: envelope({ receiptMessage: { when: AT, isDelivery: true, timestamps: [AT] } }),
  },
  {
    name: "message of another device of the account",
    ignored: true,
    payload: envelope({ syncMessage: { sentMessage: { message: "hi" } } }),
  },
];

export const signalShapes: PlatformShapes = {
  page: "signal",
  table: "signal",
  shapes,
  read: (payload) =>
    parseEvent(payload, {
      account: ACCOUNT,
      commands: new Set(["new"]),
      file: ({ name, mediaType, isVoice }) => ({
        mediaType,
        ...(name ? { name } : {}),
        ...(isVoice ? { voice: true } : {}),
        read: async () => new Uint8Array(),
      }),
      earlier: (_chat, messageId) =>
        messageId.startsWith(String(KNOWN.id))
          ? {
              messageId,
              from: "Bob",
              files: [{ name: "cat.jpg", mediaType: "image/jpeg", read: async () => new Uint8Array() }],
            }
          : undefined,
    }),
};
