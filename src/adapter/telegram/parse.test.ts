import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { randomFrom } from "../../../test/support/random.mjs";
import { buildSessionKey } from "../../session/session-key.js";
import { parseSource } from "../../session/source.js";
import type { InboundMessage } from "../adapter.js";
import { type Bot, parseMove, parseUpdate, updateId, updatesAsked } from "./parse.js";

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const updates: Readonly<Record<string, Json>> = JSON.parse(
  readFileSync(new URL("./fixtures/updates.json", import.meta.url), "utf8"),
);
const bot: Bot = {
  id: "424242",
  username: "baton_bot",
  commands: new Set(["new", "status"]),
  read: async (id) => new TextEncoder().encode(id),
};
const parse = (name: string): InboundMessage | null => parseUpdate(updates[name], bot);

/** The update with some fields of its message changed. */
function changed(name: string, fields: object): InboundMessage | null {
  const update = updates[name] as { message: object };
  return parseUpdate({ ...update, message: { ...update.message, ...fields } }, bot);
}

describe("an update", () => {
  it("of a private chat says who wrote what", () => {
    expect(parse("dm")).toEqual({
      kind: "message",
      source: {
        platform: "telegram",
        chatId: "100001",
        chatName: "Ann Lee",
        chatType: "dm",
        userId: "100001",
        userName: "Ann Lee",
        messageId: "11",
      },
      messageId: "11",
      text: "hello",
    });
  });

  it("with a command for us is one, without our name; for another bot it is nothing", () => {
    expect(parse("command")).toMatchObject({ kind: "command", text: "/new a title", isAddressed: true });
    const command = (text: string) =>
      changed("command", {
        text,
        entities: [{ type: "bot_command", offset: 0, length: text.split(" ")[0]?.length }],
      });
    expect(command("/NEW@BATON_BOT now")).toMatchObject({ text: "/NEW now", isAddressed: true });
    expect(command("/new@another_bot now")).toBeNull();
    expect(command("/status")).toMatchObject({ text: "/status", isAddressed: true });
    expect(command("/dance")).toMatchObject({ text: "/dance", isAddressed: false });
  });

  it("with a mention is for us; the mention goes, and links are written out", () => {
    expect(parse("mention")).toMatchObject({
      text: "👋 hey what is this? see notes (https://example.org/notes)",
      isAddressed: true,
      source: { chatId: "-4012345678", chatType: "group", userId: "100002" },
    });
    const named = (text: string, type: string, more: object = {}) =>
      changed("mention", { text, entities: [{ type, offset: 0, length: text.indexOf(" "), ...more }] });
    expect(named("@another_bot hello", "mention")).toMatchObject({
      isAddressed: false,
      text: "@another_bot hello",
    });
    expect(named("@baton_bot, hello", "mention")?.isAddressed).toBe(false); // The name and its comma are nobody.
    expect(named("Baton hello", "text_mention", { user: { id: 424242 } })).toMatchObject({
      isAddressed: true,
      text: "hello",
    });
    expect(named("Baton hello", "text_mention", { user: { id: 1 } })?.isAddressed).toBe(false);
  });

  it("that only looks like a mention is for nobody in particular", () => {
    expect(changed("mention", { entities: [] })?.isAddressed).toBe(false);
  });

  it("that answers us is for us, and quotes what was marked", () => {
    expect(parse("reply")).toMatchObject({
      text: "yes",
      isAddressed: true,
      replyTo: { messageId: "9", text: "Shall I go on?" },
      source: { chatType: "group" },
    });
    expect(parse("reply")?.source.threadId).toBeUndefined(); // Every answer has a thread; only topics are places.
    expect(changed("reply", { quote: undefined })?.replyTo?.text).toBe("Shall I go on? Or stop?");
  });

  it("in a topic has the key of the topic, answers nobody by being there, and is for us where we began it", () => {
    const message = parse("topic");
    expect(message).toMatchObject({
      isAddressed: true,
      source: { chatType: "thread", threadId: "77", chatTopic: "Release 2" },
    });
    expect(message?.replyTo).toBeUndefined();
    expect(message && buildSessionKey(message.source)).toBe("agent:main:telegram:thread:-1009876543210:77");
    const begun = {
      message_id: 77,
      from: { id: 100002, is_bot: false },
      forum_topic_created: { name: "Theirs" },
    };
    expect(changed("topic", { reply_to_message: begun })).toMatchObject({ isAddressed: false });
  });

  it("in the topic General, or in a topic of a private chat, has the key of that", () => {
    const [general, own] = [parse("generalTopic"), parse("privateTopic")];
    expect(general && buildSessionKey(general.source)).toBe("agent:main:telegram:group:-1009876543210");
    expect(general?.replyTo).toEqual({ messageId: "10", text: "who is here?", from: "Bob" });
    expect(own && buildSessionKey(own.source)).toBe("agent:main:telegram:dm:100001:5");
    expect(changed("topic", { message_thread_id: 1 })?.source).toMatchObject({ chatType: "group" });
  });

  it("of an edit has the id of what it changes", () => {
    expect(parse("edited")).toMatchObject({ kind: "edit", messageId: "11", text: "hello there" });
  });

  it("of a channel, or of somebody who writes as a chat, is from that chat", () => {
    expect(parse("channelPost")).toMatchObject({
      text: "what is new?",
      isAddressed: true,
      source: { chatType: "channel", userId: "-1005555555555", userName: "News" },
    });
    const { source } = parse("anonymousAdmin") ?? {};
    expect(source).toMatchObject({ userId: "-1001234567890" }); // Not the account that all anonymous people share.
    expect(source?.isBot).toBeUndefined();
  });

  it("of a bot is marked, and one of our own is nothing", () => {
    const from = { id: 5, is_bot: true, first_name: "Other" };
    expect(changed("dm", { from })?.source.isBot).toBe(true);
    expect(changed("dm", { from: { id: 5, first_name: "Silent about it" } })?.source.isBot).toBe(true);
    expect(changed("dm", { from: { ...from, id: 424242 } })).toBeNull();
    expect(changed("dm", { is_automatic_forward: true })).toBeNull();
  });

  it("says that it was forwarded, by whichever field tells, and from whom", () => {
    const user = { id: 7, is_bot: false, first_name: "Ada", last_name: "L" };
    const cases: [object, string | undefined][] = [
      [{ forward_origin: { type: "user", sender_user: user, date: 1 } }, "Ada L"],
      [{ forward_origin: { type: "hidden_user", sender_user_name: "Hidden", date: 1 } }, "Hidden"],
      [{ forward_origin: { type: "channel", chat: { id: -1, title: "News" }, date: 1 } }, "News"],
      [{ forward_origin: { type: "chat", sender_chat: { id: -1, title: "Group" }, date: 1 } }, "Group"],
      [{ forward_from: user, forward_date: 1 }, "Ada L"],
      [{ forward_sender_name: "Hidden", forward_date: 1 }, "Hidden"],
      [{ forward_date: 1 }, undefined],
    ];
    for (const [fields, from] of cases)
      expect(changed("dm", fields)?.forwarded).toEqual(from === undefined ? {} : { from });
    expect(parse("dm")?.forwarded).toBeUndefined();
  });

  it("with files has them, the largest photo among them", async () => {
    const [photo] = parse("photo")?.files ?? [];
    expect(parse("photo")).toMatchObject({ text: "the view" });
    expect(photo?.mediaType).toBe("image/jpeg");
    expect(Buffer.from((await photo?.read(100_000, new AbortController().signal)) ?? []).toString()).toBe(
      "large",
    );
    await expect(photo?.read(1_000, new AbortController().signal)).rejects.toThrow("larger");
    expect(parse("document")).toMatchObject({
      text: "",
      files: [{ name: "report.pdf", mediaType: "application/pdf" }],
    });
    expect(parse("voice")?.files).toMatchObject([{ mediaType: "audio/ogg", voice: true }]);
    expect(parse("document")?.files?.[0]?.voice).toBeUndefined();
  });

  it("of an album says which", () => {
    expect(changed("photo", { media_group_id: "130" })).toMatchObject({ album: "130", text: "the view" });
    expect(parse("photo")?.album).toBeUndefined();
  });

  it("that only names us is handed over, with what it answers", () => {
    const text = "@baton_bot";
    const entities = [{ type: "mention", offset: 0, length: text.length }];
    expect(changed("mention", { text, entities })).toMatchObject({ text: "", isAddressed: true });
    const asked = { message_id: 9, from: { id: 7, is_bot: false, first_name: "Ada" }, text: "who knows?" };
    expect(changed("mention", { text, entities, reply_to_message: asked })).toMatchObject({
      text: "",
      replyTo: { messageId: "9", text: "who knows?", from: "Ada" },
    });
    expect(changed("mention", { text, entities })?.parts).toBeUndefined();
  });

  it("brings what it answers with its files, read only on demand, and names its author unless that is us", async () => {
    const { message: photo } = updates.photo as { message: object };
    const answer = changed("dm", { reply_to_message: photo });
    const [file] = answer?.replyTo?.files ?? [];
    expect(answer?.replyTo).toMatchObject({ text: "the view" });
    expect(Buffer.from((await file?.read(100_000, new AbortController().signal)) ?? []).toString()).toBe(
      "large",
    );
    expect(answer?.files).toBeUndefined();
    expect(parse("reply")?.replyTo?.from).toBeUndefined();
  });

  it("of something else is told in words, or is nothing", () => {
    expect(parse("location")).toMatchObject({
      text: "",
      parts: [{ kind: "location", words: "52.52, 13.405" }],
    });
    for (const nothing of ["migratedTo", "migratedFrom", "joined"]) expect(parse(nothing)).toBeNull();
    expect(parseUpdate({ update_id: 1, poll: { id: "1" } }, bot)).toBeNull();
  });

  it("of a group that became a supergroup says so, from either side", () => {
    const move = { from: "-4012345678", to: "-1002222222222" };
    expect(parseMove(updates.migratedTo)).toEqual(move);
    expect(parseMove(updates.migratedFrom)).toEqual(move);
    expect(parseMove(updates.dm)).toBeNull();
  });
});

describe("whatever comes", () => {
  const random = randomFrom(20260110);
  const any = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const fixtures = Object.values(updates);
  const odd = (): Json =>
    any<() => Json>([
      () => null,
      () => any([true, false]),
      () => any([0, -1, 1.5, 1e300, 2 ** 53 + 2, 424242, 100001, -1001234567890, 777000, 1]),
      () => any(["", "424242", "private", "group", "__proto__", "\ud800", "/new@baton_bot", "x".repeat(500)]),
      () => [],
      () => [any(fixtures), null, [[]]],
      () =>
        JSON.parse('{"__proto__":{"isBot":false,"polluted":true},"constructor":{"prototype":1},"id":100001}'),
      () => any(fixtures),
    ])();

  /** One node anywhere, changed: gone, odd, doubled, renamed or taken from another update. */
  function mutated(value: Json): Json {
    if (typeof value !== "object" || value === null || random() < 0.12) return odd();
    if (Array.isArray(value)) {
      const at = Math.floor(random() * (value.length + 1));
      return random() < 0.3
        ? [...value, odd()]
        : value.map((each, index) => (index === at ? mutated(each) : each));
    }
    const entries = Object.entries(value);
    if (entries.length === 0) return odd();
    const [name, inner] = any(entries);
    const rest = Object.fromEntries(entries.filter(([each]) => each !== name));
    const how = random();
    if (how < 0.1) return rest as Json;
    if (how < 0.15)
      return { ...rest, [any(["from", "sender_chat", "chat", "message", "text", "id"])]: inner } as Json;
    return { ...rest, [name]: mutated(inner) } as Json;
  }

  type Loose = { readonly [name: string]: unknown } | undefined;
  const own = (value: unknown, name: string): unknown =>
    typeof value === "object" && value !== null && Object.hasOwn(value, name)
      ? (value as Loose)?.[name]
      : undefined;
  const isObject = (value: unknown): boolean =>
    typeof value === "object" && value !== null && !Array.isArray(value);

  /** What a message may claim, said once more without the parser. */
  function expectHonest(update: Json, { kind, source, messageId, text, isAddressed }: InboundMessage): void {
    const name = updatesAsked(false).find((each) => isObject(own(update, each))) ?? "";
    const message = own(update, name);
    const writer = isObject(own(message, "sender_chat")) ? own(message, "sender_chat") : own(message, "from");
    expect(parseSource(source)).toEqual(source);
    expect(source.userId).toBe(String(own(writer, "id")));
    expect(typeof own(writer, "id")).toBe("number");
    expect(source.userId).not.toBe(bot.id);
    expect(source.chatId).toBe(String(own(own(message, "chat"), "id")));
    expect(messageId).toBe(String(own(message, "message_id")));
    expect(kind === "edit").toBe(name.startsWith("edited_"));
    expect(typeof text).toBe("string");
    const isPerson = writer === own(message, "sender_chat") || own(writer, "is_bot") === false;
    expect(source.isBot ?? false).toBe(!isPerson);
    expect(source.chatType === "dm").toBe(own(own(message, "chat"), "type") === "private");
    if (source.chatType === "dm") return;
    expect(typeof isAddressed).toBe("boolean");
    if (isAddressed) expect(JSON.stringify(message)).toMatch(/baton_bot|424242|"text":"\/(new|status)/i);
  }

  it("nothing is thrown, nobody becomes another, and no prototype is touched", () => {
    const before = Object.getOwnPropertyNames(Object.prototype).join();
    let messages = 0;
    for (let round = 0; round < 25_000; round++) {
      let update = any(fixtures);
      for (let times = 1 + Math.floor(random() * 4); times > 0; times--) update = mutated(update);
      const message = parseUpdate(update, bot);
      parseMove(update);
      const id = updateId(update);
      if (id !== null) expect(Number.isSafeInteger(id)).toBe(true);
      if (!message) continue;
      messages += 1;
      expectHonest(update, message);
    }
    expect(messages).toBeGreaterThan(3_000); // Most of what is fuzzed must still be read, or nothing is tested.
    expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(before);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("is read where it is no object at all", () => {
    for (const value of [undefined, null, 1, "x", [], [[]], { message: [] }, { message: { chat: 1 } }]) {
      expect(parseUpdate(value, bot)).toBeNull();
      expect(parseMove(value)).toBeNull();
      expect(updateId(value)).toBeNull();
    }
  });
});
