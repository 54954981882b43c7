import { describe, expect, it } from "vitest";
import { mutate } from "../../../test/support/mutated-json.js";
import { randomFrom } from "../../../test/support/random.mjs";
import { buildSessionKey } from "../../session/session-key.js";
import CHANNELS from "./fixtures/channels.json" with { type: "json" };
import INTERACTIONS from "./fixtures/interactions.json" with { type: "json" };
import MESSAGES from "./fixtures/messages.json" with { type: "json" };
import {
  type DiscordChannel,
  type DiscordPlace,
  parseChannel,
  parseDeletion,
  parseEdit,
  parseInteraction,
  parseMessage,
  placeOf,
} from "./parse.js";
import { isSnowflake } from "./snowflake.js";

const BOT = "1100000000000000001";
const ANN = "1100000000000000021";

const channel = (json: object): DiscordChannel => parseChannel(json) as DiscordChannel;
const DM: DiscordPlace = { channel: channel(CHANNELS.dm) };
const TEXT: DiscordPlace = { channel: channel(CHANNELS.text) };
const THREAD: DiscordPlace = { channel: channel(CHANNELS.thread), parent: channel(CHANNELS.text) };
const download = () => async () => new Uint8Array();

const read = (json: unknown, place = TEXT) => parseMessage(json, { place, self: BOT, download });

describe("a channel", () => {
  it("is a chat of two, a place in a server, or a thread in one", () => {
    expect(parseChannel(CHANNELS.dm)).toMatchObject({ kind: "dm", takesThreads: false });
    expect(parseChannel(CHANNELS.text)).toMatchObject({ kind: "text", takesThreads: true, name: "general" });
    expect(parseChannel(CHANNELS.announcements)).toMatchObject({ kind: "text", takesThreads: true });
    expect(parseChannel(CHANNELS.thread)).toMatchObject({
      kind: "thread",
      parentId: CHANNELS.text.id,
      ownerId: ANN,
    });
  });

  it("is nothing where nobody writes, or where its channel is missing", () => {
    expect(parseChannel(CHANNELS.category)).toBeNull();
    expect(parseChannel({ ...CHANNELS.thread, parent_id: null })).toBeNull();
    expect(parseChannel({ ...CHANNELS.text, id: 1_100_000_000 })).toBeNull();
    expect(parseChannel(null)).toBeNull();
  });
});

describe("a message", () => {
  it("of a group says where, who and what", () => {
    expect(read(MESSAGES.plain)).toEqual({
      kind: "message",
      source: {
        platform: "discord",
        chatId: CHANNELS.text.id,
        chatType: "group",
        chatName: "#general",
        chatTopic: "What there is to say",
        userId: ANN,
        userName: "Ann",
        messageId: MESSAGES.plain.id,
      },
      messageId: MESSAGES.plain.id,
      text: "hello there",
      isAddressed: false,
    });
  });

  it("gets its key by its place", () => {
    const key = (json: unknown, place: DiscordPlace) => {
      const source = read(json, place)?.source;
      return source && buildSessionKey(source);
    };
    expect(key(MESSAGES.direct, DM)).toBe(`agent:main:discord:dm:${CHANNELS.dm.id}`);
    expect(key(MESSAGES.plain, TEXT)).toBe(`agent:main:discord:group:${CHANNELS.text.id}`);
    expect(key(MESSAGES.inThread, THREAD)).toBe(
      `agent:main:discord:thread:${CHANNELS.text.id}:${CHANNELS.thread.id}`,
    );
    // As it is read after a gap: without the server, the nickname and the kind of channel.
    const { guild_id: _, member: __, ...later } = MESSAGES.inThread;
    expect(read(later, THREAD)).toEqual(read(MESSAGES.inThread, THREAD));
  });

  it("is for us where it names us, answers us, or is in a thread of ours", () => {
    expect(read(MESSAGES.direct, DM)).toMatchObject({ isAddressed: true });
    expect(read(MESSAGES.mentioned)).toMatchObject({ isAddressed: true, text: "what is new?" });
    expect(read(MESSAGES.mentionedInside)).toMatchObject({ isAddressed: true, text: "and you, , too" });
    expect(read(MESSAGES.reply)).toMatchObject({
      isAddressed: true,
      replyTo: { messageId: "1200000000000000090", text: "Tea or coffee?" },
    });
    expect(read(MESSAGES.replyToGone)).toMatchObject({
      isAddressed: false,
      replyTo: { messageId: "1200000000000000090" },
    });
    expect(read(MESSAGES.everyone)).toMatchObject({ isAddressed: false });
    expect(read(MESSAGES.inThread, THREAD)).toMatchObject({ isAddressed: false });
    const ours = { ...THREAD, channel: { ...THREAD.channel, ownerId: BOT } };
    expect(read(MESSAGES.inThread, ours)).toMatchObject({ isAddressed: true });
  });

  it("that was changed is an edit of itself; one that was pinned is not", () => {
    const reading = { place: TEXT, self: BOT, download };
    expect(parseEdit(MESSAGES.plain, reading)).toBeNull();
    expect(read(MESSAGES.edited)).toMatchObject({ kind: "message" });
    expect(parseEdit(MESSAGES.edited, reading)).toMatchObject({
      kind: "edit",
      messageId: MESSAGES.plain.id,
      text: "hello, all",
    });
  });

  it("that only names us is handed over, with what it answers", () => {
    const content = `<@${BOT}>`;
    expect(read({ ...MESSAGES.mentioned, content })).toMatchObject({ text: "", isAddressed: true });
    expect(read({ ...MESSAGES.mentioned, content })?.parts).toBeUndefined();
    const asked = { ...MESSAGES.reply, content, mentions: [{ id: BOT }] };
    expect(read(asked)).toMatchObject({ text: "", replyTo: { text: "Tea or coffee?" } });
  });

  it("names the author of what it answers, unless that is us, and brings its files", () => {
    expect(read(MESSAGES.reply)?.replyTo?.from).toBeUndefined();
    const referenced_message = { ...MESSAGES.withFile, id: "1200000000000000090" };
    expect(read({ ...MESSAGES.reply, referenced_message })).toMatchObject({
      replyTo: { from: "Ann", files: [{ name: "plan.pdf" }] },
    });
    expect(read({ ...MESSAGES.reply, referenced_message })?.files).toBeUndefined();
  });

  it("that somebody spoke says so", () => {
    const [spoken] = read({ ...MESSAGES.withFile, flags: 1 << 13 })?.files ?? [];
    expect(spoken?.voice).toBe(true);
    expect(read(MESSAGES.withFile)?.files?.[0]?.voice).toBeUndefined();
  });

  it("that is gone is known by its id", () => {
    const [channel_id, id] = [CHANNELS.text.id, MESSAGES.plain.id];
    expect(parseDeletion({ channel_id, id })).toEqual({ channelId: channel_id, messageIds: [id] });
    expect(parseDeletion({ channel_id, ids: [id, 1] })).toEqual({ channelId: channel_id, messageIds: [id] });
    for (const none of [{ channel_id }, { id }, null, { channel_id, ids: "x" }])
      expect(parseDeletion(none)).toBeNull();
  });

  it("brings its files, and what was forwarded", () => {
    expect(read(MESSAGES.withFile)).toMatchObject({
      text: "",
      files: [{ name: "plan.pdf", mediaType: "application/pdf" }],
    });
    expect(read(MESSAGES.forwarded)).toMatchObject({ text: "said elsewhere", forwarded: {} });
    expect(read(MESSAGES.withFile)?.forwarded).toBeUndefined();
    expect(read(MESSAGES.forwarded)?.replyTo).toBeUndefined();
  });

  it.each(["fromBot", "fromSelf", "fromWebhook", "fromDiscord", "joined", "threadBegun"] as const)(
    "%s is none",
    (name) => {
      expect(read(MESSAGES[name])).toBeNull();
    },
  );

  it("is none of another channel's", () => {
    expect(read(MESSAGES.inThread, TEXT)).toBeNull();
  });
});

describe("a slash command", () => {
  it("is a command with what follows it", () => {
    expect(parseInteraction(INTERACTIONS.command, TEXT)).toMatchObject({
      token: "aW50ZXJhY3Rpb24",
      message: { kind: "command", text: "/title Holiday plans", source: { userId: ANN, chatType: "group" } },
    });
    expect(parseInteraction(INTERACTIONS.bare, TEXT)?.message.text).toBe("/new");
    expect(parseInteraction(INTERACTIONS.direct, DM)?.message.source.chatType).toBe("dm");
  });

  it("is nothing else that people can press", () => {
    expect(parseInteraction(INTERACTIONS.button, TEXT)).toBeNull();
    expect(parseInteraction(INTERACTIONS.userMenu, TEXT)).toBeNull();
  });
});

describe("whatever comes", () => {
  const payloads = [...Object.values(MESSAGES), ...Object.values(INTERACTIONS), ...Object.values(CHANNELS)];
  const places = [DM, TEXT, THREAD];

  /** Who sent it, read again without the parser's help. */
  const senderOf = (json: unknown): Record<string, unknown> => {
    const { author, member, user } = (json ?? {}) as Record<string, Record<string, unknown> | undefined>;
    return (author ?? member?.user ?? user ?? {}) as Record<string, unknown>;
  };

  it("nothing is thrown, nobody becomes somebody else, and no place becomes another", () => {
    const random = randomFrom(20_260_110);
    const untouched = Object.getOwnPropertyNames(Object.prototype).sort();
    let understood = 0;
    const wrong: unknown[] = [];
    for (let n = 0; n < 20_000; n += 1) {
      const json = mutate(payloads[n % payloads.length], random);
      const channelId = random() < 0.8 ? placeOf(json)?.channelId : undefined;
      const own = places.find((each) => each.channel.id === channelId);
      const place = own ?? places[Math.floor(random() * places.length)] ?? TEXT;
      parseChannel(json);
      parseEdit(json, { place, self: BOT, download });
      const message = read(json, place) ?? parseInteraction(json, place)?.message;
      if (!message) continue;
      understood += 1;
      const { source } = message;
      const sender = senderOf(json);
      const isRight =
        isSnowflake(sender.id) &&
        source.userId === sender.id &&
        !sender.bot &&
        !sender.system &&
        isSnowflake(message.messageId) &&
        source.chatType === (place === DM ? "dm" : place === TEXT ? "group" : "thread") &&
        source.chatId === (place === DM ? CHANNELS.dm.id : CHANNELS.text.id) &&
        typeof message.text === "string" &&
        buildSessionKey(source) !== "";
      const isForUs =
        place === DM || message.kind === "command" || JSON.stringify(json).includes(`"id":"${BOT}"`);
      if (!isRight || (message.isAddressed && !isForUs)) wrong.push(json);
    }
    expect(wrong).toEqual([]);
    expect(understood).toBeGreaterThan(3_000);
    expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(untouched);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  }, 60_000);

  it("it is not slow either: a text full of mentions", () => {
    const content = `${"<@".repeat(8_000)} ${`<@${BOT}> `.repeat(500)}${" ".repeat(20_000)}x`;
    expect(read({ ...MESSAGES.plain, content })?.text.endsWith("x")).toBe(true);
  });
});
