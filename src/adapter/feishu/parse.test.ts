import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type FeishuParseSetting, parseEvent, parseReaction, reactedTo } from "./parse.js";

const BOT = "ou_b0700000000000000000000000000000";
const [ANN, CHAT, MESSAGE] = ["ou_ann", "oc_chat", "om_message"];

const setting: FeishuParseSetting = {
  self: { openId: BOT, appId: "cli_app" },
  commands: new Set(["status"]),
  known: () => undefined,
  file: ({ mediaType, key, type, messageId }) => ({
    mediaType,
    ref: `${type} ${messageId} ${key}`,
    read: async () => new Uint8Array(),
  }),
};

function fixture(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), "utf8"));
}

function event(content: unknown, message: object = {}, sender: object = {}) {
  return {
    header: { event_type: "im.message.receive_v1", event_id: "e1" },
    event: {
      sender: { sender_id: { open_id: ANN }, sender_type: "user", ...sender },
      message: {
        message_id: MESSAGE,
        chat_id: CHAT,
        chat_type: "group",
        message_type: "text",
        content: typeof content === "string" ? content : JSON.stringify(content),
        ...message,
      },
    },
  };
}

const mention = (n: number, id: string, name: string) => ({ key: `@_user_${n}`, id: { open_id: id }, name });
const read = (...given: Parameters<typeof event>) => parseEvent(event(...given), setting);

describe("Feishu's own examples", () => {
  it("are read: a text in private, and one that names the bot in a thread", () => {
    expect(parseEvent(fixture("message"), setting)).toEqual({
      kind: "message",
      source: {
        platform: "feishu",
        chatId: "oc_5ce6d572455d361153b7xx51da133945",
        chatType: "dm",
        userId: "ou_84aad35d084aa403a838cf73ee18467",
      },
      messageId: "om_5ce6d572455d361153b7cb51da133945",
      text: "hello",
      isAddressed: true,
    });
    const root = "om_5ce6d572455d361153b7cb5xxfsdfsdfdsf";
    expect(parseEvent(fixture("thread-mention"), setting)).toMatchObject({
      text: "hello",
      isAddressed: true,
      source: { chatType: "thread", threadId: root },
      replyTo: { messageId: root },
    });
  });

  it("are read: a recalled message, a press, a reaction", () => {
    const known = () => ({ isPrivate: true });
    expect(parseEvent(fixture("recalled"), setting)).toMatchObject({
      kind: "deletion",
      source: { chatType: "group" },
    });
    expect(parseEvent(fixture("press"), { ...setting, known })).toEqual({
      kind: "button",
      source: {
        platform: "feishu",
        chatId: "oc_5ad11d72b830411d72b836c20",
        chatType: "dm",
        userId: "ou_84aad35d084aa403a838cf73ee18467",
      },
      messageId: "5e3702a84e847582be8db7fb73283c02",
      text: "/approve 1503",
      isAddressed: true,
    });
    const reaction = fixture("reaction");
    expect(reactedTo(reaction)).toBe("om_dc13264520392913993dd051dba21dcf");
    const message = { chat_id: CHAT, thread_id: "omt_1", root_id: "om_root" };
    expect(parseReaction(reaction, message, setting)).toMatchObject({
      kind: "reaction",
      text: "😄",
      messageId: "om_dc13264520392913993dd051dba21dcf",
      source: { chatId: CHAT, chatType: "thread", threadId: "om_root" },
      isAddressed: false,
    });
    expect(parseReaction(reaction, undefined, setting)).toBeNull();
  });
});

describe("names in a text", () => {
  it("become names, the bot's own goes, and everybody is nobody in particular", () => {
    const mentions = [
      mention(1, BOT, "Baton"),
      mention(2, "ou_bob", "Bob"),
      mention(11, "ou_eve", "Eve @_user_2"),
    ];
    const text = "@_user_1 tell @_user_2 and @_user_11 of @_user_3, @_all";
    expect(read({ text }, { mentions })).toMatchObject({
      text: "tell @Bob and @Eve @_user_2 of @_user_3, @all",
      isAddressed: true,
    });
    expect(read({ text: "@_all hello" })).toMatchObject({ text: "@all hello", isAddressed: false });
    expect(read({ text: "@_user_1" }, { mentions })).toMatchObject({ text: "", isAddressed: true });
  });

  it("are no patterns", () => {
    const mentions = [{ key: "@_user_1(.*)+$", id: { open_id: BOT }, name: "x" }, { key: 7 }, null, "odd"];
    expect(read({ text: "@_user_1 hello" }, { mentions })).toMatchObject({
      text: "@_user_1 hello",
      isAddressed: false,
    });
  });

  it("in a rich text are nodes", () => {
    const content = [
      [
        { tag: "at", user_id: "@_user_1" },
        { tag: "text", text: " ask " },
        { tag: "at", user_id: "all" },
      ],
    ];
    const post = { title: "", content };
    expect(read(post, { message_type: "post", mentions: [mention(1, BOT, "Baton")] })).toMatchObject({
      text: "ask @all",
      isAddressed: true,
    });
  });
});

describe("a message", () => {
  it("in a group is for us if it names us or is a command, and not for what it answers alone", () => {
    expect(read({ text: "/status now" })).toMatchObject({ isAddressed: true });
    expect(read({ text: "/unknown" })).toMatchObject({ isAddressed: false });
    expect(read({ text: "yes" }, { parent_id: "om_parent", root_id: "om_root" })).toMatchObject({
      isAddressed: false,
      replyTo: { messageId: "om_parent" },
      source: { chatType: "group" },
    });
  });

  it("that begins a thread is in the thread that it begins", () => {
    expect(read({ text: "a topic" }, { thread_id: "omt_1" })?.source).toMatchObject({
      chatType: "thread",
      threadId: MESSAGE,
    });
  });

  it("of ours is none, and one of another bot is marked", () => {
    expect(read({ text: "x" }, {}, { sender_id: { open_id: BOT } })).toBeNull();
    expect(read({ text: "x" }, {}, { sender_type: "app" })?.source.isBot).toBe(true);
  });

  it("has its files by message and key, and says of one that has no key that it is lost", () => {
    expect(
      read({ file_key: "file_v3_1", file_name: "a.pdf" }, { message_type: "file" })?.files,
    ).toMatchObject([{ mediaType: "application/pdf", ref: `file ${MESSAGE} file_v3_1` }]);
    expect(read({ image_key: "../../x" }, { message_type: "image" })).toMatchObject({
      parts: [{ kind: "unsupported", words: "1 file without a key" }],
    });
  });

  it("whose content is no JSON says at least what it is", () => {
    expect(read("{", { message_type: "hologram" })).toMatchObject({
      parts: [{ kind: "unsupported", words: "hologram" }],
    });
    expect(read("{", { message_type: "text" })).toBeNull();
  });

  it("that is Feishu's own, or of which nothing can be told, is none", () => {
    expect(read({ template: "{from_user} invited {to_chatters}" }, { message_type: "system" })).toBeNull();
    for (const odd of [null, 7, "x", [], {}, { header: { event_type: "im.message.receive_v1" } }])
      expect(parseEvent(odd, setting)).toBeNull();
    expect(
      parseEvent({ header: { event_type: "im.chat.member.bot.added_v1" }, event: {} }, setting),
    ).toBeNull();
  });
});

describe("a press", () => {
  const press = (value: unknown, more: object = {}) => ({
    header: { event_type: "card.action.trigger", event_id: "e1" },
    event: { operator: { open_id: ANN }, action: { value }, context: { open_chat_id: CHAT }, ...more },
  });

  it("says the command of a button of ours, in the thread of its card, and of no other", () => {
    expect(parseEvent(press({ baton: "baton /deny 7", thread: "om_root" }), setting)).toMatchObject({
      text: "/deny 7",
      source: { threadId: "om_root", chatType: "thread" },
    });
    for (const value of [
      { baton: "/deny 7" },
      { baton: "baton rm -rf" },
      { other: 1 },
      "baton /deny 7",
      null,
    ])
      expect(parseEvent(press(value), setting)).toBeNull();
    expect(parseEvent(press({ baton: "baton /deny 7" }, { operator: { open_id: BOT } }), setting)).toBeNull();
  });
});
