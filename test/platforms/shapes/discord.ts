/** Messages of Discord's gateway, written from its documentation (https://docs.discord.com/developers/resources/message). */
import {
  type DiscordChannel,
  parseChannel,
  parseDeletion,
  parseEdit,
  parseInteraction,
  parseMessage,
  parseReaction,
  sourceIn,
} from "../../../src/adapter/discord/parse.js";
import type { PlatformShapes, Shape } from "./shape.js";

const BOT = "1100000000000000001";
const ROOM = "1100000000000000010";
const DM = "1100000000000000012";
const ROLE = "1100000000000000031";
const OTHER = "1100000000000000077";
const ANN = { id: "1100000000000000021", username: "ann.example", global_name: "Ann" };
const BOB = { id: "1100000000000000022", username: "bob.example", global_name: "Bob" };
const SELF = { id: BOT, username: "baton", bot: true };
const HELPER = { id: "1100000000000000023", username: "helper", bot: true };
const NAMES = new Map([
  [`channel ${OTHER}`, "plans"],
  [`role ${ROLE}`, "Moderators"],
]);

const TEXT = parseChannel({ id: ROOM, type: 0, name: "general" }) as DiscordChannel;
const DIRECT = parseChannel({ id: DM, type: 1, recipients: [ANN] }) as DiscordChannel;

/** A message of a direct chat with these fields. */
function sent(fields: object): object {
  return {
    id: "1200000000000000100",
    type: 0,
    channel_id: DM,
    author: ANN,
    content: "",
    mentions: [],
    ...fields,
  };
}

function inServer(fields: object): object {
  return sent({ channel_id: ROOM, guild_id: "1100000000000000011", ...fields });
}

const MENTION = { content: `<@${BOT}>`, mentions: [SELF] };
const asking = (words: string) => ({ content: `<@${BOT}> ${words}`, mentions: [SELF] });
const file = (fields: object = {}) => ({
  id: "1",
  filename: "plan.pdf",
  content_type: "application/pdf",
  size: 1000,
  url: "https://cdn.discordapp.com/attachments/1/2/plan.pdf",
  ...fields,
});
const VOICE = file({
  filename: "voice-message.ogg",
  content_type: "audio/ogg",
  duration_secs: 1.3,
  waveform: "AAAA",
});
const reply = (answered: object | null) => ({
  type: 19,
  message_reference: { type: 0, message_id: "1200000000000000090", channel_id: ROOM },
  referenced_message: answered && { id: "1200000000000000090", author: BOB, content: "", ...answered },
});
const forward = (snapshot: object) => ({
  message_reference: { type: 1, message_id: "1200000000000000080", channel_id: OTHER },
  message_snapshots: [{ message: { type: 0, content: "", attachments: [], embeds: [], ...snapshot } }],
});
const POLL = {
  question: { text: "Lunch?" },
  answers: [
    { answer_id: 1, poll_media: { text: "Pizza", emoji: { name: "🍕" } } },
    { answer_id: 2, poll_media: { text: "Soup" } },
  ],
};
const CARD = {
  type: "rich",
  author: { name: "CI" },
  title: "Build 7 failed",
  description: "2 tests",
  fields: [{ name: "Branch", value: "main" }],
  footer: { text: "just now" },
};
const STICKER = { sticker_items: [{ id: "1", name: "Wave", format_type: 1 }] };
const V2 = {
  flags: 1 << 15,
  components: [
    {
      type: 17,
      components: [
        { type: 10, content: "# Menu" },
        {
          type: 9,
          components: [{ type: 10, content: "Soup of the day" }],
          accessory: { type: 11, media: { url: "https://example.org/soup.png" }, description: "a bowl" },
        },
        { type: 1, components: [{ type: 2, style: 1, label: "Order", custom_id: "1" }] },
      ],
    },
  ],
};

/** What the gateway sends of it, if it is no new message. */
const edited = (message: object) => ({ t: "MESSAGE_UPDATE", d: message });
const EDITED_AT = "2026-01-10T12:01:00.000000+00:00";

const shapes: readonly Shape[] = [
  { name: "text", payload: sent({ content: "hello" }) },
  {
    name: "text with formatting",
    payload: sent({ content: "**bold** _italic_ ||hidden||\n> quoted\n- item" }),
  },
  { name: "code block", payload: sent({ content: "```python\nprint(1)\n```" }) },
  { name: "masked link", payload: sent({ content: "see [notes](https://example.org/n)" }) },
  {
    name: "text that looks like one of Baton's notes",
    payload: sent({ content: "[attached: secret.txt (text/plain)]" }),
  },
  { name: "person mentioned", payload: sent({ content: `ask <@${BOB.id}>`, mentions: [BOB] }) },
  {
    name: "person mentioned who has a name in the server",
    payload: inServer({
      content: `<@${BOT}> ask <@!${BOB.id}>`,
      mentions: [SELF, { ...BOB, member: { nick: "Bobby" } }],
    }),
  },
  { name: "channel mentioned", payload: sent({ content: `see <#${OTHER}>` }) },
  { name: "role mentioned", payload: sent({ content: `ask <@&${ROLE}>` }) },
  { name: "unknown channel mentioned", payload: sent({ content: "see <#1100000000000000099>" }) },
  { name: "custom emoji", payload: sent({ content: "hi <:wave:1> <a:dance:2>" }) },
  { name: "time", payload: sent({ content: "at <t:1767960000:R>" }) },
  { name: "command mentioned", payload: sent({ content: "use </new:1100000000000000055>" }) },
  { name: "text read aloud", payload: sent({ content: "hear me", tts: true }) },
  { name: "silent text", payload: sent({ content: "hush", flags: 1 << 12 }) },
  {
    name: "link with its preview",
    payload: sent({
      content: "https://example.org/a",
      embeds: [
        {
          type: "article",
          url: "https://example.org/a",
          title: "Otters",
          description: "They float.",
          provider: { name: "Example" },
        },
      ],
    }),
  },
  {
    name: "short link, with the page that it leads to",
    payload: sent({
      content: "https://youtu.be/1",
      embeds: [
        { type: "video", url: "https://www.youtube.com/watch?v=1", title: "Otters", description: "/new" },
      ],
    }),
  },
  {
    name: "GIF of Discord's search",
    payload: sent({
      content: "https://tenor.com/view/cat-1",
      embeds: [
        {
          type: "gifv",
          url: "https://tenor.com/view/cat-1",
          video: { url: "https://media.tenor.com/cat.mp4" },
        },
      ],
    }),
  },
  { name: "text in a channel, to others", payload: inServer({ content: "hello all" }) },
  { name: "text in a channel that names the bot", payload: inServer(asking("hello")) },
  {
    name: "text that names the bot in the middle",
    payload: inServer({ content: `and <@${BOT}>, too?`, mentions: [SELF] }),
  },
  { name: "@everyone", payload: inServer({ content: "@everyone hi", mention_everyone: true }) },
  { name: "only the bot's name", payload: inServer(MENTION) },
  {
    name: "only the bot's name, in answer to a question",
    payload: inServer({ ...MENTION, ...reply({ content: "When is the next train?" }) }),
  },
  {
    name: "only the bot's name, in answer to a file",
    payload: inServer({ ...MENTION, ...reply({ attachments: [file()] }) }),
  },
  {
    name: "slash command",
    payload: {
      t: "INTERACTION_CREATE",
      d: {
        id: "1200000000000000101",
        type: 2,
        token: "x",
        channel_id: ROOM,
        member: { user: ANN },
        data: { name: "title", type: 1, options: [{ name: "text", type: 3, value: "Holiday plans" }] },
      },
    },
  },
  {
    name: "edited text",
    payload: edited(sent({ content: "hello there", edited_timestamp: EDITED_AT })),
  },
  {
    name: "preview that Discord adds later",
    ignored: true,
    payload: edited(sent({ content: "https://example.org", edited_timestamp: null, embeds: [CARD] })),
  },
  {
    name: "deleted message",
    payload: { t: "MESSAGE_DELETE", d: { id: "1200000000000000100", channel_id: ROOM } },
  },
  {
    name: "many messages deleted at once",
    payload: { t: "MESSAGE_DELETE_BULK", d: { ids: ["1200000000000000100"], channel_id: ROOM } },
  },
  {
    name: "answer to the bot",
    payload: inServer({ content: "yes", ...reply({ author: SELF, content: "Shall I go on?" }) }),
  },
  {
    name: "answer to somebody else",
    payload: inServer({ ...asking("is it true?"), ...reply({ content: "It rains" }) }),
  },
  {
    name: "answer to a picture",
    payload: inServer({
      ...asking("what is it?"),
      ...reply({ content: "look", attachments: [file({ filename: "x.png", content_type: "image/png" })] }),
    }),
  },
  {
    name: "answer to a sticker",
    payload: inServer({ ...asking("why?"), ...reply(STICKER) }),
  },
  { name: "answer to a poll", payload: inServer({ ...asking("which?"), ...reply({ poll: POLL }) }) },
  {
    name: "answer to another bot's embed",
    payload: inServer({ ...asking("why?"), ...reply({ author: HELPER, embeds: [CARD] }) }),
  },
  {
    name: "answer to another bot's components",
    payload: inServer({ ...asking("is it good?"), ...reply({ author: HELPER, ...V2 }) }),
  },
  {
    name: "answer to a forwarded message",
    payload: inServer({ ...asking("is it true?"), ...reply(forward({ content: "said elsewhere" })) }),
  },
  {
    name: "answer to a message that mentions somebody",
    payload: inServer({
      ...asking("did they?"),
      ...reply({ content: `ask <@${ANN.id}>`, mentions: [ANN] }),
    }),
  },
  {
    name: "answer to a deleted message",
    payload: inServer({ ...asking("which one?"), ...reply(null) }),
  },
  { name: "forward of text", payload: sent(forward({ content: "said elsewhere" })) },
  {
    name: "forward of a file",
    payload: sent(forward({ attachments: [file()] })),
  },
  {
    name: "forward of a picture with text",
    payload: sent(
      forward({ content: "look", attachments: [file({ filename: "x.png", content_type: "image/png" })] }),
    ),
  },
  { name: "forward of an embed", payload: sent(forward({ embeds: [CARD] })) },
  {
    name: "forward of an embed with only a picture",
    payload: sent(forward({ embeds: [{ type: "rich", image: { url: "https://example.org/x.png" } }] })),
  },
  { name: "forward of components", payload: sent(forward(V2)) },
  { name: "forward of a sticker", payload: sent(forward(STICKER)) },
  {
    name: "forward of a voice message",
    payload: sent(forward({ flags: 1 << 13, attachments: [VOICE] })),
  },
  {
    name: "forward of a link with its preview",
    payload: sent(
      forward({
        content: "https://example.org/a",
        embeds: [{ type: "link", url: "https://example.org/a", title: "Otters" }],
      }),
    ),
  },
  { name: "forward of which Discord tells nothing", payload: sent(forward({})) },
  { name: "file", payload: sent({ attachments: [file()] }) },
  { name: "file with text", payload: sent({ content: "sum it up", attachments: [file()] }) },
  {
    name: "picture",
    payload: sent({
      attachments: [file({ filename: "x.png", content_type: "image/png", width: 10, height: 10 })],
    }),
  },
  {
    name: "picture with a description",
    payload: sent({
      attachments: [file({ filename: "x.png", content_type: "image/png", description: "A cat on a roof" })],
    }),
  },
  {
    name: "several pictures",
    payload: sent({
      content: "which one?",
      attachments: [
        file({ filename: "a.png", content_type: "image/png" }),
        file({ filename: "b.png", content_type: "image/png" }),
      ],
    }),
  },
  {
    name: "hidden picture",
    payload: sent({ attachments: [file({ filename: "SPOILER_x.png", content_type: "image/png" })] }),
  },
  {
    name: "video",
    payload: sent({ attachments: [file({ filename: "clip.mp4", content_type: "video/mp4" })] }),
  },
  {
    name: "music",
    payload: sent({ attachments: [file({ filename: "song.mp3", content_type: "audio/mpeg" })] }),
  },
  { name: "file without a type", payload: sent({ attachments: [file({ content_type: undefined })] }) },
  {
    name: "long text that Discord made a file",
    payload: sent({
      attachments: [file({ filename: "message.txt", content_type: "text/plain; charset=utf-8" })],
    }),
  },
  { name: "voice message", payload: sent({ flags: 1 << 13, attachments: [VOICE] }) },
  { name: "sticker", payload: sent(STICKER) },
  { name: "sticker with text", payload: sent({ content: "hi", ...STICKER }) },
  {
    name: "several stickers",
    payload: sent({
      sticker_items: [
        { id: "1", name: "Wave" },
        { id: "2", name: "Dance" },
      ],
    }),
  },
  { name: "poll", payload: sent({ poll: POLL }) },
  {
    name: "poll in a channel, with a mention",
    payload: inServer({ ...asking("what do you say?"), poll: POLL }),
  },
  {
    name: "invitation to a game",
    payload: sent({ activity: { type: 1, party_id: "p" }, application: { id: "1", name: "Chess" } }),
  },
  { name: "invitation to a server", payload: sent({ content: "https://discord.gg/abc" }) },
  { name: "first message of a forum post", payload: inServer({ ...asking("a bug"), position: 0 }) },
  { name: "kind of message that is newer than Baton", payload: sent({ hologram: { id: "1" } }) },
  { name: "message of which Discord tells nothing", payload: sent({}) },
  { name: "somebody joins", ignored: true, payload: inServer({ type: 7 }) },
  { name: "pinned message", ignored: true, payload: inServer({ type: 6 }) },
  { name: "boost of the server", ignored: true, payload: inServer({ type: 8 }) },
  { name: "new thread", ignored: true, payload: inServer({ type: 18, content: "plans" }) },
  { name: "beginning of a thread, again", ignored: true, payload: inServer({ type: 21 }) },
  { name: "result of a poll", ignored: true, payload: inServer({ type: 46, embeds: [CARD] }) },
  { name: "call", ignored: true, payload: sent({ type: 3, call: { participants: [] } }) },
  { name: "new name of a group", ignored: true, payload: sent({ type: 4, content: "x" }) },
  {
    name: "message of another bot",
    ignored: true,
    payload: inServer({ author: HELPER, ...asking("hello") }),
  },
  { name: "message of this bot", ignored: true, payload: inServer({ author: SELF, content: "x" }) },
  {
    name: "message of a webhook",
    ignored: true,
    payload: inServer({ webhook_id: "1", ...asking("hello") }),
  },
  {
    name: "button that somebody presses",
    ignored: true,
    payload: {
      t: "INTERACTION_CREATE",
      d: {
        id: "1200000000000000101",
        type: 3,
        token: "x",
        channel_id: ROOM,
        member: { user: ANN },
        data: {},
      },
    },
  },
  {
    name: "reaction",
    payload: {
      t: "MESSAGE_REACTION_ADD",
      d: {
        user_id: ANN.id,
        channel_id: DM,
        message_id: "135000000000000077",
        emoji: { id: null, name: "👍" },
      },
    },
  },
  {
    name: "reaction with an emoji of the server",
    payload: {
      t: "MESSAGE_REACTION_ADD",
      d: {
        ...{ user_id: ANN.id, member: { user: ANN }, channel_id: TEXT.id, message_id: "135000000000000077" },
        emoji: { id: "135000000000000078", name: "ship_it" },
      },
    },
  },
];

export const discordShapes: PlatformShapes = {
  page: "discord",
  table: "discord",
  shapes,
  read: (payload) => {
    const { t, d } = { t: "MESSAGE_CREATE", d: payload, ...(payload as { t?: string; d?: unknown }) };
    const place = { channel: (d as { channel_id?: string }).channel_id === DM ? DIRECT : TEXT };
    const reading = {
      place,
      self: BOT,
      download: () => async () => new Uint8Array(),
      nameOf: (kind: string, id: string) => NAMES.get(`${kind} ${id}`),
    };
    if (t === "INTERACTION_CREATE") return parseInteraction(d, place)?.message ?? null;
    if (t === "MESSAGE_REACTION_ADD") return parseReaction(d, place);
    if (t === "MESSAGE_UPDATE") return parseEdit(d, reading);
    if (t === "MESSAGE_CREATE") return parseMessage(d, reading);
    const [messageId] = parseDeletion(d)?.messageIds ?? [];
    return messageId ? { kind: "deletion", source: sourceIn(place), messageId, text: "" } : null;
  },
};
