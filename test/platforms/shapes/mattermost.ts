/** Events of Mattermost's WebSocket, written from its API reference (https://developers.mattermost.com/api-documentation). */
import { parseEvent } from "../../../src/adapter/mattermost/parse.js";
import { record } from "../../../src/adapter/untrusted.js";
import { idNamed } from "../../support/mattermost-ids.js";
import type { PlatformShapes, Shape } from "./shape.js";

const [ANN, BOT, DM, TOWN, ROOT] = ["ann", "bot", "dm", "town", "root"].map(idNamed);
const FILE = {
  id: idNamed("file"),
  name: "notes.pdf",
  mime_type: "application/pdf",
  size: 2_048,
  extension: "pdf",
};
const PICTURE = { ...FILE, id: idNamed("picture"), name: "cat.png", mime_type: "image/png" };

function event(kind: string, fields: object, data: object): unknown {
  const post = {
    id: idNamed("new"),
    channel_id: DM,
    user_id: ANN,
    message: "",
    type: "",
    root_id: "",
    props: {},
    ...fields,
  };
  return {
    event: kind,
    data: { sender_name: "@ann", ...data, post },
    broadcast: { channel_id: DM },
  };
}

const sent = (message: string, fields: object = {}): unknown =>
  event("posted", { message, ...fields }, { channel_type: "D" });
const inChannel = (message: string, fields: object = {}): unknown =>
  event(
    "posted",
    { message, channel_id: TOWN, ...fields },
    { channel_type: "O", channel_display_name: "Town" },
  );
const files = (...infos: (typeof FILE)[]): object => ({
  file_ids: infos.map(({ id }) => id),
  metadata: { files: infos },
});
const attached = (...attachments: object[]): object => ({ props: { attachments } });
const quoting = (post: object, more: object = {}): object => ({
  metadata: { embeds: [{ type: "permalink", url: "", data: { post_id: ROOT, post, ...more } }] },
});

const shapes: readonly Shape[] = [
  { name: "text", payload: sent("hello") },
  { name: "formatted text", payload: sent("some **bold** text") },
  {
    name: "text with a link",
    payload: sent("see https://example.org", {
      metadata: { embeds: [{ type: "opengraph", url: "https://example.org" }] },
    }),
  },
  { name: "text with an emoji", payload: sent("good :smile:", { metadata: { emojis: [] } }) },
  { name: "emote (/me)", payload: sent("*waves*", { type: "me" }) },
  { name: "urgent text", payload: sent("help", { metadata: { priority: { priority: "urgent" } } }) },
  { name: "command", payload: sent(" /new") },
  { name: "text in a channel", payload: inChannel("hello all") },
  { name: "text in a channel that names the bot", payload: inChannel("@baton hello") },
  { name: "bare mention in a channel", payload: inChannel("@baton") },
  { name: "bare mention in a thread", payload: inChannel("@baton", { root_id: ROOT }) },
  { name: "mention of all", payload: inChannel("@all hello") },
  {
    name: "text in a private group",
    payload: event(
      "posted",
      { message: "@baton hello" },
      { channel_type: "P", channel_display_name: "Team" },
    ),
  },
  {
    name: "text in a group message",
    payload: event("posted", { message: "@baton hello" }, { channel_type: "G" }),
  },
  { name: "first text to the bot in a thread", payload: inChannel("@baton where?", { root_id: ROOT }) },
  { name: "document", payload: sent("", files(FILE)) },
  { name: "document with a text", payload: sent("read this", files(FILE)) },
  { name: "several files", payload: sent("", files(PICTURE, FILE)) },
  { name: "file of which the server tells only the id", payload: sent("", { file_ids: [FILE.id] }) },
  { name: "picture in a channel", payload: inChannel("@baton what is it?", files(PICTURE)) },
  { name: "sound", payload: sent("", files({ ...FILE, name: "note.m4a", mime_type: "audio/mp4" })) },
  {
    name: "card of an integration",
    payload: sent(
      "",
      attached({ title: "Build failed", title_link: "https://example.org/1", text: "2 tests fail" }),
    ),
  },
  {
    name: "card with a text above it",
    payload: sent("look", attached({ pretext: "From CI", text: "2 tests fail" })),
  },
  {
    name: "card with fields",
    payload: sent(
      "",
      attached({
        fields: [
          { title: "Branch", value: "main" },
          { title: "Tries", value: 2 },
        ],
      }),
    ),
  },
  {
    name: "card with buttons",
    payload: sent(
      "",
      attached({
        text: "Deploy?",
        actions: [
          { id: "1", name: "Yes" },
          { id: "2", name: "No" },
        ],
      }),
    ),
  },
  {
    name: "card of which only the summary is there",
    payload: sent("", attached({ fallback: "Build failed" })),
  },
  { name: "several cards", payload: sent("", attached({ text: "one" }, { text: "two" })) },
  {
    name: "card of a webhook",
    payload: sent("", {
      type: "slack_attachment",
      props: { from_webhook: "true", attachments: [{ text: "Build failed" }] },
    }),
  },
  {
    name: "link to a message elsewhere",
    payload: sent("see this", quoting({ message: "lunch at noon" }, { channel_display_name: "Town" })),
  },
  {
    name: "link to a message without a channel's name",
    payload: sent("", quoting({ message: "lunch at noon" })),
  },
  { name: "call", payload: sent("", { type: "custom_calls", props: { title: "Weekly" } }) },
  {
    name: "poll of a plugin",
    payload: sent("", {
      type: "custom_matterpoll",
      ...attached({ title: "Lunch?", actions: [{ name: "Pizza" }, { name: "Soup" }] }),
    }),
  },
  {
    name: "post of a plugin with a text",
    payload: sent("Meeting: https://example.org", { type: "custom_zoom" }),
  },
  { name: "post of a plugin that we do not know", payload: sent("", { type: "custom_hologram" }) },
  { name: "text that is deleted once it was read", payload: sent("", { type: "burn_on_read" }) },
  { name: "text of another bot", payload: sent("beep", { props: { from_bot: "true" } }) },
  { name: "changed text", payload: event("post_edited", { message: "tomorrow" }, {}) },
  {
    name: "changed text in a channel",
    payload: event("post_edited", { message: "@baton tomorrow", channel_id: TOWN }, {}),
  },
  { name: "deleted message", payload: event("post_deleted", { message: "hello" }, { delete_by: ANN }) },
  {
    name: "deleted message in a channel",
    payload: event("post_deleted", { message: "hello", channel_id: TOWN }, { delete_by: ANN }),
  },
  { name: "empty post", ignored: true, payload: sent("") },
  {
    name: "somebody joined",
    ignored: true,
    payload: inChannel("ann joined", { type: "system_join_channel" }),
  },
  {
    name: "message that only one person sees",
    ignored: true,
    payload: sent("hint", { type: "system_ephemeral" }),
  },
  { name: "reaction", ignored: true, payload: { event: "reaction_added", data: { reaction: "{}" } } },
  { name: "sign of typing", ignored: true, payload: { event: "typing", data: { user_id: ANN } } },
];

export const mattermostShapes: PlatformShapes = {
  page: "mattermost",
  table: "mattermost",
  atLeast: 30,
  shapes,
  read: (payload) => {
    const event = record(payload);
    const { post, ...data } = record(event.data);
    // It comes as JSON in a text.
    const message = parseEvent(
      { ...event, data: { ...data, post: JSON.stringify(post) } },
      {
        self: { id: BOT ?? "", username: "baton" },
        known: (id) => (id === DM ? { type: "dm" } : { type: "channel", name: "Town" }),
        file: ({ name, mediaType }) => ({
          mediaType,
          ...(name ? { name } : {}),
          read: async () => new Uint8Array(),
        }),
      },
    );
    // The adapter looks up the first post of a thread.
    if (message?.kind !== "message" || !message.replyTo) return message;
    return { ...message, replyTo: { ...message.replyTo, text: "When is lunch?", from: "bob" } };
  },
};
