import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { platforms, registerPlatform } from "./platform.js";
import {
  addressOf,
  describeSource,
  formatAddress,
  localSource,
  parseAddress,
  parseAnyAddress,
  parseSource,
  type SessionSource,
  serializeSource,
} from "./source.js";

describe("parseSource", () => {
  it("reads snake_case, keeps ids as strings and defaults to a DM", () => {
    expect(
      parseSource({ platform: "telegram", chat_id: -100, user_id: 7n, thread_id: "3", chat_name: "" }),
    ).toEqual({
      platform: "telegram",
      chatId: "-100",
      chatType: "dm",
      userId: "7",
      threadId: "3",
    });
  });

  it.each([
    ["unknown_platform", { platform: "icq", chat_id: 1 }, /icq/],
    ["unknown_platform", { chat_id: 1 }, /platform/],
    ["missing_chat_id", { platform: "telegram" }, /chat_id/],
    ["missing_chat_id", { platform: "telegram", chat_id: "" }, /chat_id/],
    ["missing_chat_id", { platform: "telegram", chat_id: {} }, /chat_id/],
    ["missing_chat_id", { platform: "telegram", chat_id: 2 ** 60 }, /2\^53/],
    ["invalid_source", { platform: "telegram", chat_id: 1, user_id: [1] }, /user_id/],
    ["invalid_source", { platform: "telegram", chat_id: 1, chat_type: "forum" }, /forum/],
    ["invalid_source", null, /object/],
  ])("refuses with %s", (code, json, message) => {
    expect(() => parseSource(json)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });

  it("round-trips through its JSON form", () => {
    const id = fc.string({ minLength: 1 });
    const optional = fc.option(id, { nil: undefined });
    const sources = fc.record(
      {
        platform: fc.constantFrom(...platforms()),
        chatId: id,
        chatType: fc.constantFrom("dm", "group", "channel", "thread" as const),
        chatName: optional,
        userId: optional,
        userName: optional,
        threadId: optional,
        chatTopic: optional,
        userIdAlt: optional,
        chatIdAlt: optional,
        isBot: fc.constant(true as const),
        parentChatId: optional,
        messageId: optional,
      },
      { requiredKeys: ["platform", "chatId", "chatType"] },
    );
    fc.assert(
      fc.property(sources, (from) => {
        const json = JSON.parse(JSON.stringify(serializeSource(from as SessionSource)));
        expect(parseSource(json)).toEqual(JSON.parse(JSON.stringify(from)));
      }),
    );
  });

  it("leaves empty keys out", () => {
    expect(serializeSource({ ...localSource(), userName: "", isBot: false })).toEqual({
      platform: "local",
      chat_id: "cli",
      chat_type: "dm",
    });
  });
});

describe("describeSource", () => {
  const base = { platform: "discord", chatId: "c1" } as const;
  it.each<[string, SessionSource]>([
    ["CLI terminal", localSource()],
    ["DM with Ann", { ...base, chatType: "dm", userName: "Ann", userId: "7" }],
    ["DM with 7", { ...base, chatType: "dm", userId: "7" }],
    ["DM with user", { ...base, chatType: "dm" }],
    ["group: Team", { ...base, chatType: "group", chatName: "Team" }],
    ["group: c1", { ...base, chatType: "group" }],
    ["channel: news", { ...base, chatType: "channel", chatName: "news" }],
    ["help, thread: t1", { ...base, chatType: "thread", chatName: "help", threadId: "t1" }],
    ["group: Team, thread: 9", { ...base, chatType: "group", chatName: "Team", threadId: "9" }],
  ])("%s", (text, from) => {
    expect(describeSource(from)).toBe(text);
  });
});

describe("Address", () => {
  it("is where a reply to a source goes", () => {
    const from = parseSource({
      platform: "matrix",
      chat_id: "!r:ex.org",
      chat_type: "group",
      thread_id: "$e",
    });
    expect(formatAddress(addressOf(from))).toBe("matrix:!r%3Aex.org:$e");
  });

  /** With what ids are made of somewhere, and what separates and escapes them here. */
  const awkward = fc.oneof(
    fc.string({ minLength: 1, unit: "binary" }),
    fc.string({ minLength: 1, unit: fc.constantFrom(..."!$:%@+/=#. 3AaZ\n\u0000\ud800".split("")) }),
  );
  const thread = fc.option(awkward, { nil: undefined });
  const at = (platform: string, chatId: string, threadId: string | undefined) =>
    threadId === undefined ? { platform, chatId } : { platform, chatId, threadId };

  it("round-trips in the store, whatever the ids are", () => {
    fc.assert(
      fc.property(fc.constantFrom(...platforms()), awkward, thread, (platform, chatId, threadId) => {
        const address = at(platform, chatId, threadId);
        expect(parseAnyAddress(formatAddress(address))).toEqual(address);
      }),
    );
  });

  it("round-trips as people see it, with ids as the platform makes them", () => {
    const isMatrix = (platform: string) => platform === "matrix";
    fc.assert(
      fc.property(fc.constantFrom(...platforms()), awkward, thread, (platform, chatId, threadId) => {
        const address = isMatrix(platform)
          ? at(platform, `!${chatId}`, threadId && `$${threadId}`)
          : at(platform, chatId, threadId);
        expect(parseAddress(formatAddress(address))).toEqual(address);
      }),
    );
  });

  it.each([
    ["matrix:!r:ex.org", "!r:ex.org", undefined],
    ["Matrix:!r:ex.org:8448", "!r:ex.org:8448", undefined],
    ["matrix:!r:ex.org:$e", "!r:ex.org", "$e"],
    ["matrix:!r%3Aex.org:$e", "!r:ex.org", "$e"],
    ["matrix:#room:ex.org", "#room:ex.org", undefined],
    ["matrix:#room:ex.org:8448:$e", "#room:ex.org:8448", "$e"],
    ["matrix:@ann:ex.org", "@ann:ex.org", undefined],
  ])("%s is a room as people know it", (text, chatId, threadId) => {
    expect(parseAddress(text)).toEqual(at("matrix", chatId, threadId));
  });

  it("takes the platform in any case and ids as they are", () => {
    expect(parseAddress("Telegram:AbC")).toEqual({ platform: "telegram", chatId: "AbC" });
  });

  it.each(["telegram", "telegram:", "telegram:1:", "telegram:1:2:3", "matrix:%3a"])("refuses %j", (text) => {
    expect(() => parseAddress(text)).toThrow(expect.objectContaining({ code: "invalid_address" }));
  });
});

describe("registerPlatform", () => {
  it("adds a platform that sources and keys then know", () => {
    registerPlatform("irc", { title: "IRC" });
    expect(parseSource({ platform: "irc", chat_id: "#x" }).platform).toBe("irc");
    expect(platforms().at(-1)).toBe("irc");
    expect(() => registerPlatform("irc", { title: "IRC" })).toThrow(/already/);
    expect(() => registerPlatform("I R C", { title: "" })).toThrow(
      expect.objectContaining({ code: "invalid_platform" }),
    );
  });
});
