/** Messages of the Bot API, written from its documentation (https://core.telegram.org/bots/api#message). */
import { parseUpdate } from "../../../src/adapter/telegram/parse.js";
import type { PlatformShapes, Shape } from "./shape.js";

const ANN = { id: 100001, is_bot: false, first_name: "Ann", last_name: "Lee", username: "annlee" };
const BOB = { id: 100002, is_bot: false, first_name: "Bob" };
const BOT = { id: 424242, is_bot: true, first_name: "Baton", username: "baton_bot" };
const PRIVATE = { id: 100001, type: "private", first_name: "Ann", last_name: "Lee" };
const GROUP = { id: -1001234567890, type: "supergroup", title: "Team" };
const CHANNEL = { id: -1005555555555, type: "channel", title: "News" };
const STICKER = {
  file_id: "s",
  file_unique_id: "u",
  type: "regular",
  width: 512,
  height: 512,
  is_animated: false,
};
const PHOTO = [
  { file_id: "p1", file_unique_id: "u1", width: 90, height: 60, file_size: 1200 },
  { file_id: "p2", file_unique_id: "u2", width: 1280, height: 853, file_size: 90000 },
];
const file = (fields: object = {}) => ({ file_id: "f", file_unique_id: "u", file_size: 1000, ...fields });
const at = (offset: number, length: number, type: string, more: object = {}) => ({
  offset,
  length,
  type,
  ...more,
});

/** A message of a private chat with these fields. */
function sent(fields: object, kind = "message"): unknown {
  return { update_id: 1, [kind]: { message_id: 11, from: ANN, chat: PRIVATE, date: 1767900000, ...fields } };
}

function inGroup(fields: object): unknown {
  return sent({ chat: GROUP, ...fields });
}

const answered = (fields: object) => ({ message_id: 9, from: BOB, chat: GROUP, date: 1767890000, ...fields });
const named = (text: string) => ({ text, entities: [at(0, 10, "mention")] });
const rich = (...blocks: object[]) => sent({ rich_message: { blocks } });

const shapes: readonly Shape[] = [
  { name: "text", payload: sent({ text: "hello" }) },
  {
    name: "text with bold, code and a spoiler",
    payload: sent({
      text: "bold code hidden",
      entities: [at(0, 4, "bold"), at(5, 4, "code"), at(10, 6, "spoiler")],
    }),
  },
  {
    name: "code block",
    payload: sent({ text: "print(1)", entities: [at(0, 8, "pre", { language: "python" })] }),
  },
  {
    name: "quotation in a text",
    payload: sent({ text: "they said\nand I say", entities: [at(0, 9, "blockquote")] }),
  },
  {
    name: "link behind words",
    payload: sent({
      text: "see my notes",
      entities: [at(4, 8, "text_link", { url: "https://example.org/n" })],
    }),
  },
  {
    name: "link with its preview",
    payload: sent({
      text: "https://example.org",
      entities: [at(0, 19, "url")],
      link_preview_options: { url: "https://example.org" },
    }),
  },
  {
    name: "custom emoji",
    payload: sent({
      text: "well done 👍",
      entities: [at(10, 2, "custom_emoji", { custom_emoji_id: "5368" })],
    }),
  },
  {
    name: "text that looks like one of Baton's notes",
    payload: sent({ text: "[attached: secret.txt (text/plain)]" }),
  },
  {
    name: "person mentioned by user name",
    payload: sent({ text: "ask @bob_builder", entities: [at(4, 12, "mention")] }),
  },
  {
    name: "person mentioned who has no user name",
    payload: sent({ text: "ask Bob", entities: [at(4, 3, "text_mention", { user: BOB })] }),
  },
  {
    name: "command",
    payload: sent({ text: "/new a title", entities: [at(0, 4, "bot_command")] }),
  },
  {
    name: "command of the bot in a group",
    payload: inGroup({ text: "/new@baton_bot", entities: [at(0, 14, "bot_command")] }),
  },
  {
    name: "command of another bot",
    ignored: true,
    payload: inGroup({ text: "/new@other_bot", entities: [at(0, 14, "bot_command")] }),
  },
  { name: "text in a group, to others", payload: inGroup({ text: "hello all" }) },
  { name: "text in a group that names the bot", payload: inGroup(named("@baton_bot hello")) },
  { name: "only the bot's name", payload: inGroup(named("@baton_bot")) },
  {
    name: "only the bot's name, in answer to a question",
    payload: inGroup({
      ...named("@baton_bot"),
      reply_to_message: answered({ text: "When is the next train?" }),
    }),
  },
  {
    name: "text in a topic",
    payload: inGroup({
      ...named("@baton_bot hi"),
      message_thread_id: 77,
      is_topic_message: true,
      reply_to_message: { message_id: 77, from: BOB, forum_topic_created: { name: "Release" } },
    }),
  },
  {
    name: "channel post that names the bot",
    payload: sent(
      { from: undefined, sender_chat: CHANNEL, chat: CHANNEL, ...named("@baton_bot news?") },
      "channel_post",
    ),
  },
  {
    name: "text of an anonymous administrator",
    payload: inGroup({ sender_chat: GROUP, ...named("@baton_bot rules?") }),
  },
  { name: "text sent through an inline bot", payload: sent({ text: "a GIF of cats", via_bot: BOT }) },
  { name: "edited text", payload: sent({ text: "hello there", edit_date: 1767900100 }, "edited_message") },
  {
    name: "answer to the bot",
    payload: inGroup({ text: "yes", reply_to_message: answered({ from: BOT, text: "Shall I go on?" }) }),
  },
  {
    name: "answer to somebody else",
    payload: inGroup({
      ...named("@baton_bot is it true?"),
      reply_to_message: answered({ text: "It rains" }),
    }),
  },
  {
    name: "answer that quotes some words",
    payload: sent({
      text: "why?",
      quote: { text: "or stop", position: 8 },
      reply_to_message: answered({ from: BOT, text: "Go on, or stop?" }),
    }),
  },
  {
    name: "answer to a photo",
    payload: inGroup({
      ...named("@baton_bot what is it?"),
      reply_to_message: answered({ photo: PHOTO, caption: "look" }),
    }),
  },
  {
    name: "answer to a file",
    payload: inGroup({
      ...named("@baton_bot sum it up"),
      reply_to_message: answered({
        document: file({ file_name: "report.pdf", mime_type: "application/pdf" }),
      }),
    }),
  },
  {
    name: "answer to a voice message",
    payload: inGroup({
      ...named("@baton_bot and?"),
      reply_to_message: answered({ voice: file({ duration: 3 }) }),
    }),
  },
  {
    name: "answer to a poll",
    payload: inGroup({
      ...named("@baton_bot which?"),
      reply_to_message: answered({ poll: { question: "Lunch?", options: [{ text: "Soup" }] } }),
    }),
  },
  {
    name: "answer to one option of a poll",
    payload: sent({
      text: "this one",
      reply_to_poll_option_id: "b",
      reply_to_message: answered({
        poll: { question: "Lunch?", options: [{ persistent_id: "b", text: "Soup" }] },
      }),
    }),
  },
  {
    name: "answer to one task of a checklist",
    payload: sent({
      text: "how?",
      reply_to_checklist_task_id: 2,
      reply_to_message: answered({
        checklist: {
          title: "Move",
          tasks: [
            { id: 1, text: "Pack" },
            { id: 2, text: "Call" },
          ],
        },
      }),
    }),
  },
  {
    name: "answer to a deleted message",
    payload: sent({ text: "which one?", reply_to_message: { message_id: 8, chat: PRIVATE, date: 0 } }),
  },
  {
    name: "answer that quotes another chat",
    payload: sent({
      text: "is this right?",
      external_reply: { origin: { type: "user", sender_user: BOB, date: 1 }, chat: GROUP, message_id: 5 },
      quote: { text: "The Earth is flat", position: 0 },
    }),
  },
  {
    name: "answer to a photo of another chat",
    payload: sent({
      text: "where is it?",
      external_reply: { origin: { type: "channel", chat: CHANNEL, message_id: 5, date: 1 }, photo: PHOTO },
    }),
  },
  {
    name: "answer to a story",
    payload: sent({ text: "nice!", reply_to_story: { chat: { ...BOB, type: "private" }, id: 3 } }),
  },
  {
    name: "forward of a person's message",
    payload: sent({ text: "The plan", forward_origin: { type: "user", sender_user: BOB, date: 1 } }),
  },
  {
    name: "forward of somebody who hides their account",
    payload: sent({
      text: "The plan",
      forward_origin: { type: "hidden_user", sender_user_name: "Zed", date: 1 },
    }),
  },
  {
    name: "forward of a channel's post",
    payload: sent({
      text: "Breaking",
      forward_origin: { type: "channel", chat: CHANNEL, message_id: 5, date: 1 },
    }),
  },
  {
    name: "forward of a group's anonymous administrator",
    payload: sent({ text: "Rules", forward_origin: { type: "chat", sender_chat: GROUP, date: 1 } }),
  },
  {
    name: "forward by an older server",
    payload: sent({ text: "The plan", forward_from: BOB, forward_date: 1 }),
  },
  {
    name: "forward of a command",
    payload: sent({ text: "/new", forward_origin: { type: "user", sender_user: BOB, date: 1 } }),
  },
  { name: "photo", payload: sent({ photo: PHOTO }) },
  { name: "photo with a caption", payload: sent({ photo: PHOTO, caption: "the view" }) },
  {
    name: "photo in a group whose caption names the bot",
    payload: inGroup({
      photo: PHOTO,
      caption: "@baton_bot what is it?",
      caption_entities: [at(0, 10, "mention")],
    }),
  },
  { name: "photo of an album", payload: sent({ photo: PHOTO, media_group_id: "130" }) },
  {
    name: "live photo",
    payload: sent({
      photo: PHOTO,
      live_photo: file({ photo: PHOTO, duration: 2, width: 100, height: 100 }),
    }),
  },
  {
    name: "file",
    payload: sent({ document: file({ file_name: "report.pdf", mime_type: "application/pdf" }) }),
  },
  { name: "file without name and type", payload: sent({ document: file() }) },
  {
    name: "picture sent as a file",
    payload: sent({ document: file({ file_name: "scan.png", mime_type: "image/png" }), caption: "page 1" }),
  },
  {
    name: "video",
    payload: sent({ video: file({ duration: 9, mime_type: "video/mp4", file_name: "clip.mp4" }) }),
  },
  {
    name: "GIF",
    payload: sent({
      animation: file({ file_name: "cat.mp4", mime_type: "video/mp4" }),
      document: file({ file_name: "cat.mp4", mime_type: "video/mp4" }),
    }),
  },
  { name: "music", payload: sent({ audio: file({ performer: "Bach", title: "Air", duration: 200 }) }) },
  { name: "voice message", payload: sent({ voice: file({ duration: 4, mime_type: "audio/ogg" }) }) },
  { name: "video note", payload: sent({ video_note: file({ length: 240, duration: 5 }) }) },
  {
    name: "paid media that the bot may not see",
    payload: sent({
      paid_media: { star_count: 25, paid_media: [{ type: "preview", width: 90, height: 90 }] },
    }),
  },
  {
    name: "paid photo",
    payload: sent({ paid_media: { star_count: 25, paid_media: [{ type: "photo", photo: PHOTO }] } }),
  },
  { name: "sticker", payload: sent({ sticker: { ...STICKER, emoji: "🎉", set_name: "Party" } }) },
  { name: "sticker without an emoji", payload: sent({ sticker: { ...STICKER, set_name: "Party" } }) },
  { name: "sticker without anything", payload: sent({ sticker: STICKER }) },
  {
    name: "poll",
    payload: sent({
      poll: {
        id: "1",
        question: "Lunch?",
        options: [{ text: "Pizza" }, { text: "Soup" }],
        type: "regular",
        is_anonymous: true,
      },
    }),
  },
  {
    name: "quiz with a picture",
    payload: sent({
      poll: {
        id: "1",
        question: "Who is it?",
        options: [{ text: "Ada" }, { text: "Grace" }],
        type: "quiz",
        media: { photo: PHOTO },
      },
    }),
  },
  {
    name: "checklist",
    payload: sent({
      checklist: {
        title: "Groceries",
        tasks: [
          { id: 1, text: "milk", completion_date: 1767900000, completed_by_user: ANN },
          { id: 2, text: "bread" },
        ],
      },
    }),
  },
  { name: "dice", payload: sent({ dice: { emoji: "🎲", value: 4 } }) },
  { name: "dart", payload: sent({ dice: { emoji: "🎯", value: 6 } }) },
  {
    name: "game",
    payload: sent({ game: { title: "Snake", description: "Eat apples", photo: PHOTO } }),
  },
  { name: "location", payload: sent({ location: { latitude: 52.52, longitude: 13.405 } }) },
  {
    name: "live location",
    payload: sent({ location: { latitude: 52.52, longitude: 13.405, live_period: 900 } }),
  },
  {
    name: "live location that moved",
    payload: sent({ location: { latitude: 52.53, longitude: 13.4, live_period: 900 } }, "edited_message"),
  },
  {
    name: "venue",
    payload: sent({
      location: { latitude: 48.21, longitude: 16.36 },
      venue: {
        location: { latitude: 48.21, longitude: 16.36 },
        title: "Café Central",
        address: "Herrengasse 14",
      },
    }),
  },
  {
    name: "contact",
    payload: sent({ contact: { phone_number: "+49301234567", first_name: "Ada", last_name: "Byron" } }),
  },
  {
    name: "people picked with a button",
    payload: sent({
      users_shared: {
        request_id: 1,
        users: [{ user_id: 7, first_name: "Ada", username: "ada" }, { user_id: 8 }],
      },
    }),
  },
  {
    name: "chat picked with a button",
    payload: sent({ chat_shared: { request_id: 1, chat_id: -100, title: "Team", username: "team" } }),
  },
  { name: "forwarded story", payload: sent({ story: { chat: { ...BOB, type: "private" }, id: 3 } }) },
  {
    name: "data of a web app",
    payload: sent({ web_app_data: { button_text: "Order", data: '{"pizza":1}' } }),
  },
  {
    name: "invoice",
    payload: sent({
      invoice: {
        title: "Mug",
        description: "Blue",
        start_parameter: "x",
        currency: "EUR",
        total_amount: 1050,
      },
    }),
  },
  {
    name: "payment",
    payload: sent({ successful_payment: { currency: "XTR", total_amount: 25, invoice_payload: "x" } }),
  },
  {
    name: "gift",
    payload: sent({
      gift: { gift: { id: "1", sticker: { ...STICKER, emoji: "🧸" }, star_count: 15 }, text: "for you" },
    }),
  },
  {
    name: "unique gift",
    payload: sent({ unique_gift: { gift: { base_name: "Plush Pepe", number: 7 }, origin: "transfer" } }),
  },
  {
    name: "giveaway",
    payload: sent({
      giveaway: { chats: [CHANNEL], winner_count: 3, prize_description: "books", prize_star_count: 500 },
    }),
  },
  {
    name: "winners of a giveaway",
    payload: sent({
      giveaway_winners: {
        chat: CHANNEL,
        winner_count: 1,
        winners: [BOB],
        premium_subscription_month_count: 3,
      },
    }),
  },
  {
    name: "rich message",
    payload: rich(
      { type: "heading", size: 1, text: "Plan" },
      {
        type: "paragraph",
        text: ["See ", { type: "url", text: "notes", url: "https://example.org" }, " today"],
      },
      {
        type: "list",
        items: [
          { label: "1.", blocks: [{ type: "paragraph", text: "Eat" }] },
          {
            label: "2.",
            has_checkbox: true,
            is_checked: true,
            blocks: [{ type: "paragraph", text: "Sleep" }],
          },
        ],
      },
    ),
  },
  {
    name: "rich message with a table and a picture",
    payload: rich(
      {
        type: "table",
        cells: [
          [{ text: "day" }, { text: "rain" }],
          [{ text: "Mon" }, { text: { type: "bold", text: "3 mm" } }],
        ],
      },
      { type: "photo", photo: PHOTO, caption: { text: "clouds" } },
    ),
  },
  {
    name: "rich message with a quotation and a formula",
    payload: rich(
      { type: "blockquote", blocks: [{ type: "paragraph", text: "Cogito" }], credit: "Descartes" },
      { type: "mathematical_expression", expression: "e=mc^2" },
    ),
  },
  { name: "suggested post", payload: sent({ text: "my ad", suggested_post_info: { state: "pending" } }) },
  {
    name: "documents of Telegram Passport",
    payload: sent({ passport_data: { data: [], credentials: {} } }),
  },
  { name: "kind of message that is newer than Baton", payload: sent({ hologram: { id: "1" } }) },
  { name: "message of which the server tells nothing", payload: sent({}) },
  { name: "somebody joins", ignored: true, payload: inGroup({ new_chat_members: [BOB] }) },
  { name: "somebody leaves", ignored: true, payload: inGroup({ left_chat_member: BOB }) },
  { name: "new title of a group", ignored: true, payload: inGroup({ new_chat_title: "Team 2" }) },
  { name: "new photo of a group", ignored: true, payload: inGroup({ new_chat_photo: PHOTO }) },
  { name: "pinned message", ignored: true, payload: inGroup({ pinned_message: answered({ text: "x" }) }) },
  {
    name: "new topic",
    ignored: true,
    payload: inGroup({ forum_topic_created: { name: "Release", icon_color: 1 } }),
  },
  { name: "video chat begins", ignored: true, payload: inGroup({ video_chat_started: {} }) },
  {
    name: "task marked as done",
    ignored: true,
    payload: inGroup({ checklist_tasks_done: { marked_as_done_task_ids: [1] } }),
  },
  {
    name: "group that became a supergroup",
    ignored: true,
    payload: inGroup({ migrate_to_chat_id: -1002222222222 }),
  },
  {
    name: "post of a channel, copied to its group by Telegram",
    ignored: true,
    payload: inGroup({ sender_chat: CHANNEL, is_automatic_forward: true, text: "x" }),
  },
  { name: "message of this bot", ignored: true, payload: inGroup({ from: BOT, text: "x" }) },
  {
    name: "reaction",
    payload: {
      update_id: 1,
      message_reaction: {
        ...{ chat: { id: ANN.id, type: "private" }, message_id: 9, user: ANN, date: 1767890000 },
        ...{ old_reaction: [{ type: "emoji", emoji: "❤" }], new_reaction: [{ type: "emoji", emoji: "👍" }] },
      },
    },
  },
  {
    name: "reaction that was taken off",
    ignored: true,
    payload: {
      update_id: 1,
      message_reaction: {
        ...{ chat: GROUP, message_id: 9, user: ANN, date: 1767890000 },
        ...{ old_reaction: [{ type: "emoji", emoji: "👍" }], new_reaction: [] },
      },
    },
  },
];

export const telegramShapes: PlatformShapes = {
  page: "telegram",
  table: "telegram",
  shapes,
  read: (payload) =>
    parseUpdate(payload, {
      id: "424242",
      username: "baton_bot",
      commands: new Set(["new", "status"]),
      read: async () => new Uint8Array(),
    }),
};
