/**
 * Events of rooms, written from the specification (https://spec.matrix.org/latest/client-server-api/#mroommessage-msgtypes)
 * and its proposals.
 */
import type { InboundMessage } from "../../../src/adapter/adapter.js";
import type { MatrixSelf } from "../../../src/adapter/matrix/mention.js";
import {
  answeredEvent,
  parseEvent,
  placeIn,
  type RoomFacts,
  reactionIn,
  redactedBy,
} from "../../../src/adapter/matrix/parse.js";
import { type MediaReference, votePart } from "../../../src/adapter/matrix/said.js";
import { record } from "../../../src/adapter/untrusted.js";
import type { PlatformShapes, Shape } from "./shape.js";

const ANN = "@ann:example.org";
const BOT = "@baton:example.org";
const self: MatrixSelf = { userId: BOT, displayName: "Baton", commands: new Set(["new"]) };
const names = new Map([
  [ANN, "Ann"],
  ["@bob:example.org", "Bob"],
]);
const dm: RoomFacts = { roomId: "!dm:example.org", chatType: "dm", nameOf: (userId) => names.get(userId) };
const group: RoomFacts = { ...dm, roomId: "!team:example.org", chatType: "group" };

interface Given {
  readonly isGroup: boolean;
  readonly event: Record<string, unknown>;
}

function event(type: string, content: object, more: object = {}, isGroup = false): Given {
  return { isGroup, event: { type, sender: ANN, event_id: "$new", origin_server_ts: 1, content, ...more } };
}

const sent = (msgtype: string, body: string, more: object = {}): Given =>
  event("m.room.message", { msgtype, body, ...more });
const text = (body: string, more: object = {}): Given => sent("m.text", body, more);
const inGroup = ({ event: given }: Given): Given => ({ isGroup: true, event: given });
const file = (mimetype: string, more: object = {}): object => ({
  url: "mxc://example.org/AbC1",
  info: { mimetype, size: 2_048 },
  ...more,
});
const answers = (event_id: string): object => ({ "m.relates_to": { "m.in_reply_to": { event_id } } });
const html = (formatted_body: string): object => ({ format: "org.matrix.custom.html", formatted_body });
const PILL = html(`<a href="https://matrix.to/#/${BOT}">Baton</a> `);
const IMAGE = { itemtype: "m.image", body: "1.jpg", ...file("image/jpeg") };
const POLL = {
  question: { "m.text": [{ body: "Lunch?" }] },
  answers: [
    { "m.id": "a", "m.text": [{ body: "Pizza" }] },
    { "m.id": "b", "m.text": [{ body: "Soup" }] },
  ],
};
const OLD_POLL = {
  question: { "org.matrix.msc1767.text": "Lunch?" },
  answers: [
    { id: "a", "org.matrix.msc1767.text": "Pizza" },
    { id: "b", "org.matrix.msc1767.text": "Soup" },
  ],
};
const reference = { rel_type: "m.reference", event_id: "$poll" };
const replaces = { rel_type: "m.replace", event_id: "$earlier" };

const by = (sender: string, type: string, content: object): Record<string, unknown> => ({
  type,
  sender,
  event_id: "$x",
  content,
});
/** What is in the room already. */
const EARLIER: Readonly<Record<string, Record<string, unknown>>> = {
  $ours: by(BOT, "m.room.message", { msgtype: "m.text", body: "Shall I?" }),
  $bobs: by("@bob:example.org", "m.room.message", { msgtype: "m.text", body: "When is lunch?" }),
  $notice: by(BOT, "m.room.message", { msgtype: "m.notice", body: "A new session began." }),
  $picture: by("@bob:example.org", "m.room.message", {
    msgtype: "m.image",
    body: "cat.png",
    ...file("image/png"),
  }),
  $voice: by("@bob:example.org", "m.room.message", {
    msgtype: "m.audio",
    body: "Voice message",
    ...file("audio/ogg"),
    "org.matrix.msc3245.voice": {},
  }),
  $poll: by("@bob:example.org", "m.poll.start", { "m.poll": POLL }),
  $place: by("@bob:example.org", "m.room.message", {
    msgtype: "m.location",
    body: "Big Ben",
    geo_uri: "geo:51.5,-0.12",
  }),
};

const shapes: readonly Shape[] = [
  { name: "text", payload: text("hello") },
  { name: "formatted text", payload: text("some **bold** text", html("some <b>bold</b> text")) },
  { name: "text with a link", payload: text("see https://example.org") },
  { name: "emote (/me)", payload: sent("m.emote", "waves") },
  { name: "notice, as bots write it", ignored: true, payload: sent("m.notice", "backup done") },
  {
    name: "spoiler",
    payload: text("the butler did it", html("the <span data-mx-spoiler>butler</span> did it")),
  },
  {
    name: "spoiler whose plain text is only a link",
    payload: text(
      "the [Spoiler](mxc://example.org/x) did it",
      html("the <span data-mx-spoiler>butler</span> did it"),
    ),
  },
  { name: "command", payload: text("/new") },
  { name: "command as Matrix has it", payload: text("!new") },
  { name: "text in a group", payload: inGroup(text("hello all")) },
  { name: "text in a group that names the bot", payload: inGroup(text("Baton: hello")) },
  { name: "text in a group with a link to the bot", payload: inGroup(text("Baton hello", PILL)) },
  {
    name: "text in a group with the bot among those meant",
    payload: inGroup(text("hello you", { "m.mentions": { user_ids: [BOT] } })),
  },
  { name: "bare mention in a group", payload: inGroup(text("Baton", PILL)) },
  {
    name: "bare mention in answer to somebody",
    payload: inGroup(text("Baton", { ...PILL, ...answers("$bobs") })),
  },
  {
    name: "bare mention in a thread",
    payload: inGroup(
      text("Baton", {
        ...PILL,
        "m.relates_to": {
          rel_type: "m.thread",
          event_id: "$root",
          is_falling_back: true,
          "m.in_reply_to": { event_id: "$bobs" },
        },
      }),
    ),
  },
  {
    name: "bare mention in answer to a picture",
    payload: inGroup(text("Baton", { ...PILL, ...answers("$picture") })),
  },
  {
    name: "text in a thread",
    payload: text("and this?", {
      "m.relates_to": { rel_type: "m.thread", event_id: "$root", is_falling_back: true },
    }),
  },
  { name: "answer to the agent", payload: text("yes", answers("$ours")) },
  { name: "answer to a notice of Baton's", payload: text("why?", answers("$notice")) },
  { name: "answer to somebody", payload: text("at noon", answers("$bobs")) },
  { name: "answer to a picture", payload: text("what is it?", answers("$picture")) },
  { name: "answer to a voice message", payload: text("what does it say?", answers("$voice")) },
  { name: "answer to a poll", payload: text("neither", answers("$poll")) },
  { name: "answer to a place", payload: text("how far?", answers("$place")) },
  { name: "answer to a message that cannot be read", payload: text("yes", answers("$unknown")) },
  {
    name: "answer of an older app to a message that cannot be read",
    payload: text("> <@bob:example.org> When is lunch?\n\nat noon", answers("$unknown")),
  },
  {
    name: "forwarded text, if the app says so",
    payload: text("news", { "m.forwarded": { sender: "@bob:example.org" } }),
  },
  {
    name: "forwarded text, without its author",
    payload: text("news", { "org.matrix.msc4553.forwarded": true }),
  },
  {
    name: "forwarded picture",
    payload: sent("m.image", "cat.png", { ...file("image/png"), "m.forwarded": {} }),
  },
  { name: "picture", payload: sent("m.image", "cat.png", file("image/png")) },
  {
    name: "picture with a caption",
    payload: sent("m.image", "look", { filename: "cat.png", ...file("image/png") }),
  },
  {
    name: "picture in answer to the agent",
    payload: sent("m.image", "cat.png", { ...file("image/png"), ...answers("$ours") }),
  },
  {
    name: "encrypted picture",
    payload: sent("m.image", "cat.png", {
      info: { mimetype: "image/png" },
      file: { url: "mxc://example.org/Enc1", v: "v2" },
    }),
  },
  {
    name: "picture from somewhere else",
    payload: sent("m.image", "cat.png", { url: "https://elsewhere.example/cat.png" }),
  },
  { name: "video", payload: sent("m.video", "film.mp4", file("video/mp4")) },
  { name: "GIF", payload: sent("m.image", "fun.gif", file("image/gif")) },
  {
    name: "voice message",
    payload: sent("m.audio", "Voice message", { ...file("audio/ogg"), "org.matrix.msc3245.voice": {} }),
  },
  {
    name: "voice message, by its final name",
    payload: sent("m.audio", "Voice message", { ...file("audio/ogg"), "m.voice": {} }),
  },
  { name: "music or other sound", payload: sent("m.audio", "song.mp3", file("audio/mpeg")) },
  { name: "document", payload: sent("m.file", "notes.pdf", file("application/pdf")) },
  {
    name: "document with a caption",
    payload: sent("m.file", "read this", { filename: "notes.pdf", ...file("application/pdf") }),
  },
  { name: "document without a type", payload: sent("m.file", "data.bin", { url: "mxc://example.org/AbC1" }) },
  {
    name: "gallery",
    payload: sent("m.gallery", "our holiday", { itemtypes: [IMAGE, { ...IMAGE, body: "2.jpg" }] }),
  },
  {
    name: "gallery, by the name of its proposal",
    payload: sent("dm.filament.gallery", "our holiday", { itemtypes: [IMAGE] }),
  },
  {
    name: "gallery with something unknown",
    payload: sent("m.gallery", "", { itemtypes: [IMAGE, { itemtype: "m.hologram" }] }),
  },
  { name: "sticker", payload: event("m.sticker", { body: "Landing", ...file("image/png") }) },
  { name: "sticker without a file", payload: event("m.sticker", { body: "Landing" }) },
  { name: "place", payload: sent("m.location", "Big Ben, London", { geo_uri: "geo:51.5008,-0.1247" }) },
  {
    name: "place of the one who sends it",
    payload: sent("m.location", "Location was shared at geo:51.5,-0.12;u=35", {
      geo_uri: "geo:51.5,-0.12;u=35",
      "org.matrix.msc3488.location": { uri: "geo:51.5,-0.12;u=35", description: "Ann's location" },
    }),
  },
  {
    name: "live location",
    payload: event(
      "m.beacon_info",
      { live: true, description: "on my way", timeout: 60_000 },
      { state_key: ANN },
    ),
  },
  {
    name: "end of a live location",
    ignored: true,
    payload: event("m.beacon_info", { live: false }, { state_key: ANN }),
  },
  { name: "poll", payload: event("m.poll.start", { "m.poll": POLL, "m.text": [{ body: "Lunch?" }] }) },
  {
    name: "poll, by the name of its proposal",
    payload: event("org.matrix.msc3381.poll.start", { "org.matrix.msc3381.poll.start": OLD_POLL }),
  },
  { name: "poll in a group", payload: event("m.poll.start", { "m.poll": POLL }, {}, true) },
  { name: "vote", payload: event("m.poll.response", { "m.relates_to": reference, "m.selections": ["b"] }) },
  {
    name: "vote, by the name of its proposal",
    payload: event("org.matrix.msc3381.poll.response", {
      "m.relates_to": reference,
      "org.matrix.msc3381.poll.response": { answers: ["a"] },
    }),
  },
  {
    name: "vote that was taken back",
    payload: event("m.poll.response", { "m.relates_to": reference, "m.selections": [] }),
  },
  {
    name: "end of a poll",
    payload: event("m.poll.end", { "m.relates_to": reference, "m.text": [{ body: "Soup won" }] }),
  },
  {
    name: "changed poll",
    payload: event("m.poll.start", { "m.relates_to": replaces, "m.new_content": { "m.poll": POLL } }),
  },
  {
    name: "call",
    payload: event("m.call.invite", { call_id: "1", version: "1", offer: { type: "offer", sdp: "" } }),
  },
  {
    name: "call of a group",
    payload: event("org.matrix.msc4075.rtc.notification", { notification_type: "ring" }),
  },
  {
    name: "request to verify keys",
    payload: sent("m.key.verification.request", "Ann wants to verify", { to: BOT, methods: [] }),
  },
  { name: "a kind of message that we do not know", payload: sent("com.example.dance", "Ann dances") },
  { name: "one without a text", payload: event("m.room.message", { msgtype: "com.example.dance" }) },
  { name: "notice of the server", payload: sent("m.server_notice", "Maintenance tonight") },
  {
    name: "changed text",
    payload: text("* tomorrow", {
      "m.relates_to": replaces,
      "m.new_content": { msgtype: "m.text", body: "tomorrow" },
    }),
  },
  {
    name: "changed caption",
    payload: sent("m.image", "* look here", {
      "m.relates_to": replaces,
      "m.new_content": { msgtype: "m.image", body: "look here", filename: "cat.png", ...file("image/png") },
    }),
  },
  {
    name: "deleted message",
    payload: event("m.room.redaction", { reason: "oops" }, { redacts: "$earlier" }),
  },
  { name: "deleted message in newer rooms", payload: event("m.room.redaction", { redacts: "$earlier" }) },
  { name: "what is left of a deleted message", ignored: true, payload: event("m.room.message", {}) },
  {
    name: "reaction",
    payload: event("m.reaction", {
      "m.relates_to": { rel_type: "m.annotation", event_id: "$ours", key: "👍" },
    }),
  },
  {
    name: "change of the room",
    ignored: true,
    payload: event("m.room.topic", { topic: "Plans" }, { state_key: "" }),
  },
  {
    name: "somebody joined",
    ignored: true,
    payload: event("m.room.member", { membership: "join" }, { state_key: ANN }),
  },
];

export const matrixShapes: PlatformShapes = { page: "matrix", table: "matrix", shapes, read };

/** As the timeline does, with the events that are there already. */
function read(payload: unknown): InboundMessage | null {
  const { isGroup, event: heard } = record(payload);
  const [room, given] = [isGroup ? group : dm, record(heard)];
  const deleted = redactedBy(given);
  if (deleted)
    return {
      kind: "deletion",
      source: { platform: "matrix", chatId: room.roomId, chatType: "group" },
      messageId: deleted,
      text: "",
    };
  const reaction = reactionIn(given);
  if (reaction) return { kind: "reaction", source: placeIn(room, undefined), ...reaction };
  const parsed = parseEvent(given, room, self);
  if (!parsed) return null;
  const { media, parts, votes, replyTo, ...message } = parsed;
  const answered = (replyTo && EARLIER[replyTo.messageId]) ?? null;
  const isAddressed = room.chatType === "dm" || message.isAddressed;
  const shown = votes ? [votePart(answered, votes)] : parts;
  const { media: quoted, ...told } = answered
    ? answeredEvent(answered, room, self)
    : { ...replyTo, media: [] };
  return {
    ...message,
    isAddressed,
    ...(shown.length > 0 ? { parts: shown } : {}),
    ...(media.length > 0 ? { files: media.map(fileOf) } : {}),
    ...(replyTo ? { replyTo: { messageId: replyTo.messageId, ...told, files: quoted.map(fileOf) } } : {}),
  };
}

function fileOf({ name, mediaType, voice }: MediaReference) {
  return {
    mediaType,
    ...(name ? { name } : {}),
    ...(voice ? { voice } : {}),
    read: async () => new Uint8Array(),
  };
}
