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
  { name: "code", payload: sent("```js\nlet a = 1;\n```") },
  { name: "table", payload: sent("| a | b |\n|---|---|\n| 1 | 2 |") },
  { name: "formula", payload: sent("$x^2$ and `code`") },
  { name: "hashtag", payload: sent("#lunch today", { hashtags: "#lunch" }) },
  { name: "link to a channel", payload: sent("see ~town-square", { props: { channel_mentions: {} } }) },
  {
    name: "text with a custom emoji",
    payload: sent("done :ship-it:", { metadata: { emojis: [{ name: "ship-it" }] } }),
  },
  {
    name: "link to a picture",
    payload: sent("https://example.org/cat.png", {
      metadata: { embeds: [{ type: "image", url: "https://example.org/cat.png" }], images: {} },
    }),
  },
  {
    name: "message that asks to confirm that it was read",
    payload: sent("please read", { metadata: { priority: { priority: "important", requested_ack: true } } }),
  },
  { name: "text from another server", payload: sent("hello from afar", { remote_id: idNamed("remote") }) },
  { name: "text that others see as pinned", payload: sent("the plan", { is_pinned: true }) },
  { name: "reminder", payload: sent("Reminder: lunch", { type: "reminder" }) },
  { name: "video", payload: sent("", files({ ...FILE, name: "clip.mp4", mime_type: "video/mp4" })) },
  { name: "file in a thread", payload: inChannel("@baton and this?", { root_id: ROOT, ...files(FILE) }) },
  {
    name: "voice message of a plugin",
    payload: sent("", {
      type: "custom_voice",
      ...files({ ...FILE, name: "voice.mp3", mime_type: "audio/mpeg" }),
    }),
  },
  {
    name: "card with a picture",
    payload: sent("", attached({ title: "Chart", image_url: "https://example.org/chart.png", footer: "CI" })),
  },
  {
    name: "card with a menu",
    payload: sent(
      "",
      attached({ text: "Which one?", actions: [{ name: "Choose", type: "select", options: [] }] }),
    ),
  },
  { name: "card with an author", payload: sent("", attached({ author_name: "Ann", text: "2 tests fail" })) },
  {
    name: "board that is linked",
    payload: sent("https://example.org/boards/1", { metadata: { embeds: [{ type: "boards", url: "" }] } }),
  },
  {
    name: "forwarded message with a comment",
    payload: sent(
      "look at this",
      quoting({ message: "the build is red", user_id: ROOT }, { channel_display_name: "CI" }),
    ),
  },
  {
    name: "meeting of a plugin without words",
    payload: sent("", { type: "custom_jitsi", props: { meeting_link: "" } }),
  },
  { name: "update of a playbook", payload: sent("", { type: "custom_run_update", props: {} }) },
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
  {
    name: "reaction",
    payload: {
      event: "reaction_added",
      data: { reaction: JSON.stringify({ user_id: ANN, post_id: ROOT, emoji_name: "+1" }) },
      broadcast: { channel_id: DM },
    },
  },
  {
    name: "reaction that is taken off",
    ignored: true,
    payload: {
      event: "reaction_removed",
      data: { reaction: JSON.stringify({ user_id: ANN, post_id: ROOT, emoji_name: "+1" }) },
      broadcast: { channel_id: DM },
    },
  },
  {
    name: "somebody was added",
    ignored: true,
    payload: inChannel("bob added by ann", {
      type: "system_add_to_channel",
      props: { addedUsername: "bob" },
    }),
  },
  {
    name: "changed header of a channel",
    ignored: true,
    payload: inChannel("ann updated the header", { type: "system_header_change" }),
  },
  {
    name: "confirmation that somebody has read a post",
    ignored: true,
    payload: { event: "post_acknowledgement_added", data: { acknowledgement: "{}" } },
  },
  { name: "sign of typing", ignored: true, payload: { event: "typing", data: { user_id: ANN } } },
];

export const mattermostShapes: PlatformShapes = {
  page: "mattermost",
  table: "mattermost",
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
        file: ({ name, mediaType, voice }) => ({
          mediaType,
          ...(voice ? { voice } : {}),
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
