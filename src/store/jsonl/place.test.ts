import { describe, expect, it } from "vitest";
import type { SessionSource } from "../../session/source.js";
import { ownersPlace, placeOfKey, placeOfOwnSession, placeOfUser, placeUnderKey } from "./place.js";

const group: SessionSource = {
  platform: "discord",
  chatId: "g",
  chatType: "group",
  userId: "alice",
  userName: "Alice",
};

describe("placeUnderKey", () => {
  it("keeps a member's own session theirs, though our scopes share groups", () => {
    const place = placeUnderKey("agent:main:discord:group:g:alice", group, { group: "chat" });
    expect(place).toMatchObject({
      key: "agent:main:discord:group:g:alice",
      owner: "person:discord:alice",
      chat: "discord:g",
    });
  });

  it("keeps a shared session the group's, though our scopes give each member their own", () => {
    const place = placeUnderKey("agent:main:discord:group:g", group, { group: "member" });
    expect(place).toMatchObject({ key: "agent:main:discord:group:g", owner: "chat:discord:g" });
  });

  it("goes by the key's member, not by whoever wrote first", () => {
    const place = placeUnderKey("agent:main:discord:group:g:bob", group, {});
    expect(place?.owner).toBe("person:discord:bob");
    expect(place?.origin).toEqual({ platform: "discord", chatId: "g", chatType: "group", userId: "bob" });
  });

  it("knows a member by their second id", () => {
    const source = { ...group, platform: "signal", userIdAlt: "uuid-1" };
    expect(placeUnderKey("agent:main:signal:group:g:uuid-1", source, {})?.owner).toBe("person:signal:uuid-1");
  });

  it("reads ids with colons, escaped or not", () => {
    const room: SessionSource = {
      platform: "matrix",
      chatId: "!r:ex.org",
      chatType: "group",
      userId: "@a:ex.org",
    };
    for (const key of [
      "agent:main:matrix:group:!r:ex.org:@a:ex.org",
      "agent:main:matrix:group:!r%3Aex.org:@a%3Aex.org",
    ]) {
      expect(placeUnderKey(key, room, {})).toMatchObject({
        key: "agent:main:matrix:group:!r%3Aex.org:@a%3Aex.org",
        owner: "person:matrix:@a%3Aex.org",
      });
    }
    expect(placeUnderKey("agent:main:matrix:group:!r:ex.org", room, {})?.owner).toBe(
      "chat:matrix:!r%3Aex.org",
    );
  });

  it("reads a shared thread and a member's session in it apart", () => {
    const thread: SessionSource = { ...group, threadId: "7" };
    expect(placeUnderKey("agent:main:discord:group:g:7", thread, {})).toMatchObject({
      key: "agent:main:discord:thread:g:7",
      owner: "chat:discord:g",
    });
    expect(placeUnderKey("agent:main:discord:group:g:7:alice", thread, {})).toMatchObject({
      key: "agent:main:discord:thread:g:7:alice",
      owner: "person:discord:alice",
    });
    // The member's session of the whole group, last used in a thread.
    expect(placeUnderKey("agent:main:discord:group:g:alice", thread, {})).toMatchObject({
      key: "agent:main:discord:group:g:alice",
      owner: "person:discord:alice",
    });
  });

  it("says nothing where the key is another chat's", () => {
    expect(placeUnderKey("agent:main:discord:group:other:alice", group, {})).toBeNull();
    expect(placeUnderKey("discord-g-alice", group, {})).toBeNull();
  });

  it("takes direct chats under the gateway's scopes, also from keys of a whole platform", () => {
    const dm: SessionSource = { platform: "telegram", chatId: "99", chatType: "dm", userId: "99" };
    expect(placeUnderKey("agent:main:telegram:dm", dm, {})?.key).toBe("agent:main:telegram:dm:99");
    expect(placeUnderKey("agent:main:telegram:dm:99", dm, { dm: "platform" })?.key).toBe(
      "agent:main:telegram:dm",
    );
    expect(placeUnderKey("agent:main:telegram:dm:99", dm, { agent: "aide" })?.key).toBe(
      "agent:aide:telegram:dm:99",
    );
  });
});

describe("placeOfKey", () => {
  it.each([
    ["telegram:12345", "agent:main:telegram:dm:12345", "person:telegram:12345"],
    ["telegram:-100777", "agent:main:telegram:group:-100777", "chat:telegram:-100777"],
    ["Discord:55", "agent:main:discord:dm:55", "person:discord:55"],
    ["matrix:!r:ex.org", "agent:main:matrix:dm:!r%3Aex.org", "person:matrix:!r%3Aex.org"],
    ["cli:direct", "agent:main:local:dm:cli", "chat:local:cli"],
    ["pigeon:coop:7", "agent:main:local:dm:pigeon%3Acoop%3A7", "chat:local:cli"],
    ["agent:main:telegram:group:-5", "agent:main:telegram:group:-5", "chat:telegram:-5"],
    // A thread or a member: it cannot be told, so nobody is given it.
    [
      "agent:main:telegram:group:-5:7",
      "agent:main:local:dm:agent%3Amain%3Atelegram%3Agroup%3A-5%3A7",
      "chat:local:cli",
    ],
  ])("%s → %s", (key, ours, owner) => {
    expect(placeOfKey(key, {})).toMatchObject({ key: ours, owner });
  });

  it("never puts strange sessions into the terminal's lane", () => {
    expect(ownersPlace("x", { dm: "platform" }).key).toBe("agent:main:local:dm:x");
  });
});

it("keeps the key of one of our sessions that moved away from its source", () => {
  const dm: SessionSource = { platform: "telegram", chatId: "99", chatType: "dm", userId: "99" };
  expect(placeOfOwnSession("agent:main:local:dm:cli", dm, {}).key).toBe("agent:main:local:dm:cli");
  expect(placeOfOwnSession("agent:old:telegram:dm:99", dm, { agent: "new" }).key).toBe(
    "agent:new:telegram:dm:99",
  );
});

it("gives a user's session to that user, and one without a user to the owner", () => {
  expect(placeOfUser("telegram", "9", "s1", {})).toMatchObject({
    key: "agent:main:telegram:dm:9",
    owner: "person:telegram:9",
  });
  expect(placeOfUser("telegram", undefined, "s1", {})).toMatchObject({
    owner: "chat:local:cli",
    chat: "local:telegram%3As1",
  });
  expect(placeOfUser("cli", "9", "s1", {}).key).toBe("agent:main:local:dm:cli");
  expect(placeOfUser("cron", "9", "s1", {}).key).toBe("agent:main:local:dm:cron%3A9");
});
