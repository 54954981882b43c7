/**
 * Events of Feishu's long connection, written from its documentation (https://open.feishu.cn/document: Receive message, Message
 * content, Recall message, Add a reaction, Card callback).
 */
import { parseEvent, parseReaction, reactedTo } from "../../../src/adapter/feishu/parse.js";
import { field } from "../../../src/adapter/untrusted.js";
import type { PlatformShapes, Shape } from "./shape.js";

const [BOT, ANN, BOB] = ["ou_bot", "ou_ann", "ou_bob"];
const [DM, GROUP] = ["oc_dm", "oc_group"];
const TOWN = { chat_id: GROUP, chat_type: "group" };
const TIMES = { start_time: "1767960000000", end_time: "1767963600000" };
const BOT_MENTION = { key: "@_user_1", id: { open_id: BOT }, name: "Baton" };
const BOB_MENTION = { key: "@_user_2", id: { open_id: BOB }, name: "Bob" };

function event(type: string, body: object): unknown {
  return { schema: "2.0", header: { event_id: "e1", event_type: type }, event: body };
}

/** `content` stands in the event as JSON; it is put there when it is read. */
function sent(
  message_type: string,
  content: object,
  message: object = {},
  type = "im.message.receive_v1",
): unknown {
  return event(type, {
    sender: { sender_id: { open_id: ANN }, sender_type: "user" },
    message: { message_id: "om_new", chat_id: DM, chat_type: "p2p", message_type, content, ...message },
  });
}

const text = (words: string, message: object = {}): unknown => sent("text", { text: words }, message);
const inGroup = (words: string, ...mentions: object[]): unknown => text(words, { ...TOWN, mentions });
const post = (content: readonly (readonly object[])[], message: object = {}, title = ""): unknown =>
  sent("post", { title, content }, message);
const words = (said: string): object => ({ tag: "text", text: said, style: [] });
const PICTURE = { tag: "img", image_key: "img_v3_1" };
const card = (content: object): unknown => sent("interactive", content);

const shapes: readonly Shape[] = [
  { name: "text", payload: text("hello") },
  { name: "text in several lines", payload: text("one\ntwo") },
  { name: "text with a link", payload: text("see [the docs](https://example.org)") },
  { name: "text with an emoji", payload: text("good [OK]") },
  { name: "command", payload: text("/new") },
  { name: "text in a group", payload: inGroup("hello all") },
  { name: "text in a group that names the bot", payload: inGroup("@_user_1 hello", BOT_MENTION) },
  { name: "text that names somebody else", payload: inGroup("@_user_2 hello", BOB_MENTION) },
  { name: "text that names both", payload: inGroup("@_user_1 ask @_user_2", BOT_MENTION, BOB_MENTION) },
  { name: "text that names everybody", payload: inGroup("@_all hello") },
  { name: "text that names somebody who is not told of", payload: inGroup("@_user_7 hello") },
  { name: "bare mention", payload: inGroup("@_user_1", BOT_MENTION) },
  {
    name: "bare mention in answer to a message",
    payload: text("@_user_1", { ...TOWN, mentions: [BOT_MENTION], parent_id: "om_asked" }),
  },
  { name: "command in a group", payload: inGroup("/status") },
  { name: "command in a group that names the bot", payload: inGroup("@_user_1 /status", BOT_MENTION) },
  { name: "answer to a message", payload: text("yes", { parent_id: "om_asked", root_id: "om_asked" }) },
  { name: "answer to an answer", payload: text("yes", { parent_id: "om_asked", root_id: "om_root" }) },
  {
    name: "first text to the bot in a thread",
    payload: text("@_user_1 where?", {
      ...TOWN,
      mentions: [BOT_MENTION],
      thread_id: "omt_1",
      root_id: "om_asked",
      parent_id: "om_asked",
    }),
  },
  { name: "text in a thread", payload: text("where?", { ...TOWN, thread_id: "omt_1", root_id: "om_root" }) },
  {
    name: "text that begins a topic",
    payload: text("lunch", { ...TOWN, chat_type: "topic_group", thread_id: "omt_1" }),
  },
  { name: "rich text", payload: post([[words("one, "), words("two")], [words("three")]]) },
  { name: "rich text with a title", payload: post([[words("at noon")]], {}, "Lunch") },
  {
    name: "rich text in two languages",
    payload: sent("post", { zh_cn: { content: [[words("午饭")]] }, en_us: { content: [[words("lunch")]] } }),
  },
  {
    name: "rich text with a link",
    payload: post([[{ tag: "a", text: "the docs", href: "https://example.org" }]]),
  },
  {
    name: "rich text with a bare link",
    payload: post([[{ tag: "a", text: "https://example.org", href: "https://example.org" }]]),
  },
  { name: "rich text with a picture", payload: post([[words("look")], [PICTURE]]) },
  { name: "rich text of pictures", payload: post([[PICTURE], [{ ...PICTURE, image_key: "img_v3_2" }]]) },
  {
    name: "rich text with a video",
    payload: post([[{ tag: "media", file_key: "file_v3_1", image_key: "img_v3_1" }]]),
  },
  {
    name: "rich text with an emoji",
    payload: post([[words("good "), { tag: "emotion", emoji_type: "SMILE" }]]),
  },
  {
    name: "rich text with a block of code",
    payload: post([[{ tag: "code_block", language: "GO", text: "func main() {}" }]]),
  },
  { name: "rich text with a rule", payload: post([[words("above")], [{ tag: "hr" }], [words("below")]]) },
  {
    name: "rich text that names the bot",
    payload: post([[{ tag: "at", user_id: "@_user_1" }, words(" hello")]], {
      ...TOWN,
      mentions: [BOT_MENTION],
    }),
  },
  {
    name: "rich text that names somebody else",
    payload: post([[{ tag: "at", user_id: "@_user_2" }]], { ...TOWN, mentions: [BOB_MENTION] }),
  },
  {
    name: "rich text that names everybody",
    payload: post([[{ tag: "at", user_id: "all" }, words(" hello")]], TOWN),
  },
  {
    name: "rich text with a part that we do not know",
    payload: post([[words("look"), { tag: "hologram" }]]),
  },
  { name: "picture", payload: sent("image", { image_key: "img_v3_1" }) },
  { name: "picture in a group", payload: sent("image", { image_key: "img_v3_1" }, TOWN) },
  { name: "document", payload: sent("file", { file_key: "file_v3_1", file_name: "notes.pdf" }) },
  { name: "document without a name", payload: sent("file", { file_key: "file_v3_1" }) },
  { name: "file without a key", payload: sent("file", { file_name: "notes.pdf" }) },
  { name: "folder", payload: sent("folder", { file_key: "file_v3_1", file_name: "Photos" }) },
  { name: "voice message", payload: sent("audio", { file_key: "file_v3_1", duration: 2_000 }) },
  {
    name: "video",
    payload: sent("media", {
      file_key: "file_v3_1",
      image_key: "img_v3_1",
      file_name: "cat.mp4",
      duration: 2_000,
    }),
  },
  { name: "video without a name", payload: sent("media", { file_key: "file_v3_1" }) },
  { name: "sticker", payload: sent("sticker", { file_key: "file_v3_1" }) },
  {
    name: "card, as Feishu retells it",
    payload: card({
      title: "Build failed",
      elements: [[words("2 tests fail"), { tag: "a", text: "open", href: "https://example.org/1" }]],
    }),
  },
  {
    name: "card with buttons",
    payload: card({
      title: "Deploy?",
      elements: [
        [
          { tag: "button", text: "Yes", type: "primary" },
          { tag: "button", text: "No" },
        ],
      ],
    }),
  },
  {
    name: "card, as it was made",
    payload: card({
      header: { title: { tag: "plain_text", content: "Build failed" } },
      elements: [{ tag: "div", text: { tag: "lark_md", content: "2 tests fail" } }],
    }),
  },
  { name: "card with a note", payload: card({ elements: [[{ tag: "note", elements: [words("by CI")] }]] }) },
  {
    name: "card of the second kind",
    payload: card({ schema: "2.0", body: { elements: [{ tag: "markdown", content: "**done**" }] } }),
  },
  {
    name: "card of which nothing can be read",
    payload: card({ type: "template", data: { template_id: "ctp_1" } }),
  },
  { name: "red packet", payload: sent("hongbao", { text: "[红包]" }) },
  {
    name: "shared event of a calendar",
    payload: sent("share_calendar_event", { summary: "Lunch", ...TIMES }),
  },
  { name: "invitation to an event", payload: sent("calendar", { summary: "Lunch", ...TIMES }) },
  {
    name: "event that was passed on",
    payload: sent("general_calendar", { summary: "Lunch", start_time: TIMES.start_time }),
  },
  { name: "card of a group", payload: sent("share_chat", { chat_id: GROUP }) },
  { name: "card of a person", payload: sent("share_user", { user_id: BOB }) },
  {
    name: "place",
    payload: sent("location", { name: "Herrengasse 14", longitude: "16.36", latitude: "48.21" }),
  },
  { name: "place without a name", payload: sent("location", { longitude: "16.36", latitude: "48.21" }) },
  { name: "video call", payload: sent("video_chat", { topic: "Weekly", start_time: TIMES.start_time }) },
  {
    name: "task",
    payload: sent("todo", {
      task_id: "1",
      summary: { title: "", content: [[words("Buy milk")]] },
      due_time: TIMES.end_time,
    }),
  },
  {
    name: "task without a day",
    payload: sent("todo", { task_id: "1", summary: { title: "Buy milk", content: [] } }),
  },
  { name: "poll", payload: sent("vote", { topic: "Lunch?", options: ["Pizza", "Soup"] }) },
  {
    name: "messages that were forwarded together",
    payload: sent("merge_forward", { content: "Merged and Forwarded Message" }),
  },
  { name: "message of a kind that we do not know", payload: sent("hologram", { text: "a cat" }) },
  {
    name: "text of another bot",
    payload: event("im.message.receive_v1", {
      sender: { sender_id: { open_id: BOB }, sender_type: "app" },
      message: {
        message_id: "om_new",
        ...TOWN,
        message_type: "text",
        content: { text: "@_user_1 beep" },
        mentions: [BOT_MENTION],
      },
    }),
  },
  { name: "changed text", payload: sent("text", { text: "tomorrow" }, {}, "im.message.updated_v1") },
  {
    name: "deleted message",
    payload: event("im.message.recalled_v1", {
      message_id: "om_old",
      chat_id: DM,
      recall_type: "message_owner",
    }),
  },
  {
    name: "press of a button",
    payload: event("card.action.trigger", {
      operator: { open_id: ANN },
      action: { tag: "button", value: { baton: "baton /approve 1503" } },
      context: { open_message_id: "om_ours", open_chat_id: DM },
    }),
  },
  {
    name: "reaction",
    payload: event("im.message.reaction.created_v1", {
      message_id: "om_ours",
      reaction_type: { emoji_type: "THUMBSUP" },
      operator_type: "user",
      user_id: { open_id: ANN },
    }),
  },
  {
    name: "reaction that is no emoji",
    payload: event("im.message.reaction.created_v1", {
      message_id: "om_ours",
      reaction_type: { emoji_type: "OnIt" },
      operator_type: "user",
      user_id: { open_id: ANN },
    }),
  },
  {
    name: "press of a button of another program",
    ignored: true,
    payload: event("card.action.trigger", {
      operator: { open_id: ANN },
      action: { tag: "button", value: { key: "value" } },
      context: { open_message_id: "om_theirs", open_chat_id: DM },
    }),
  },
  {
    name: "reaction of a bot",
    ignored: true,
    payload: event("im.message.reaction.created_v1", {
      message_id: "om_ours",
      reaction_type: { emoji_type: "THUMBSUP" },
      operator_type: "app",
      app_id: "cli_app",
    }),
  },
  { name: "empty text", ignored: true, payload: text("") },
  {
    name: "notice that somebody joined",
    ignored: true,
    payload: sent("system", { template: "{from_user} invited {to_chatters} to this chat." }, TOWN),
  },
  {
    name: "what the bot says",
    ignored: true,
    payload: event("im.message.receive_v1", {
      sender: { sender_id: { open_id: BOT }, sender_type: "app" },
      message: { message_id: "om_own", ...TOWN, message_type: "text", content: { text: "hi" } },
    }),
  },
  {
    name: "receipt that a message was read",
    ignored: true,
    payload: event("im.message.message_read_v1", { reader: { reader_id: { open_id: ANN } } }),
  },
  {
    name: "the bot was added to a group",
    ignored: true,
    payload: event("im.chat.member.bot.added_v1", { chat_id: GROUP }),
  },
];

/** Its content comes as JSON in a text. */
function asSent(payload: unknown): unknown {
  const message = field(payload, "event", "message");
  const content = field(message, "content");
  if (typeof content !== "object" || content === null) return payload;
  const told = { ...(message as object), content: JSON.stringify(content) };
  return { ...(payload as object), event: { ...(field(payload, "event") as object), message: told } };
}

export const feishuShapes: PlatformShapes = {
  page: "feishu",
  table: "feishu",
  shapes,
  read: (payload) => {
    const setting = {
      self: { openId: BOT ?? "", appId: "cli_app" },
      commands: new Set(["new", "status"]),
      known: (id: string) => ({ isPrivate: id === DM }),
      file: ({ name, mediaType, voice }: { name?: string; mediaType: string; voice?: true }) => ({
        mediaType,
        ...(name ? { name } : {}),
        ...(voice ? { voice } : {}),
        read: async () => new Uint8Array(),
      }),
    };
    const body = asSent(payload);
    if (reactedTo(body)) return parseReaction(body, { chat_id: DM }, setting);
    const message = parseEvent(body, setting);
    // The adapter looks up what is answered, and what was forwarded.
    if (message?.kind === "message" && message.forwarded) {
      const { parts: _, ...rest } = message;
      return { ...rest, text: "bob: When is lunch?\nann: At noon." };
    }
    if (message?.kind !== "message" || !message.replyTo) return message;
    return { ...message, replyTo: { ...message.replyTo, text: "When is lunch?", from: "bob" } };
  },
};
