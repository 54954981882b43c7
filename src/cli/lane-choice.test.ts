import { describe, expect, it } from "vitest";
import { LOCAL } from "../session/platform.js";
import type { SessionEntry } from "../session/session.js";
import { localSource } from "../session/source.js";
import { chooseLane, type LaneFacts, type LaneWish, laneFor } from "./lane-choice.js";

const entry = (chatId: string, platform: string = LOCAL): SessionEntry =>
  ({
    platform,
    sessionId: "s1",
    key: `k:${chatId}`,
    origin: { ...localSource(), platform, chatId },
  }) as unknown as SessionEntry;
const choice = (wish: LaneWish["kind"], facts: Partial<LaneFacts> = {}) => {
  const { source, ...rest } = laneFor(wish === "session" ? { kind: "session", which: "x" } : { kind: wish }, {
    isScript: false,
    isShared: false,
    named: null,
    ...facts,
  });
  return { chat: source.chatId.replace(/-[0-9a-f]{8}$/, "-*"), ...rest };
};

describe("a chat", () => {
  it("begins in the usual lane", () => {
    const usual = { chat: "cli", first: { kind: "nothing" }, session: null, isOwn: false, backTo: null };
    expect(choice("usual")).toEqual(usual);
    expect(choice("usual", { isShared: true })).toEqual(usual);
  });

  it("begins anew there, unless somebody else is in it", () => {
    expect(choice("new")).toMatchObject({ chat: "cli", first: { kind: "begin" } });
    expect(choice("new", { isShared: true })).toMatchObject({ chat: "cli-*", first: { kind: "nothing" } });
  });

  it("joins a session that a terminal has, and brings any other to a lane that is free", () => {
    const there = { entry: entry("cli-1"), isMeetingTaken: false, lane: { kind: "terminal" } } as const;
    expect(choice("session", { named: there, isShared: true })).toMatchObject({
      chat: "cli-1",
      session: "s1",
      first: { kind: "nothing" },
    });
    const ended = { entry: entry("cli-1"), isMeetingTaken: false, lane: { kind: "none" } } as const;
    expect(choice("session", { named: ended })).toMatchObject({ chat: "cli", first: { kind: "bring" } });
    expect(choice("session", { named: ended, isShared: true })).toMatchObject({ chat: "cli-s1" });
    const scripts = {
      entry: entry("script-s1"),
      isMeetingTaken: false,
      lane: { kind: "scripts", backTo: null },
    } as const;
    expect(choice("session", { named: scripts })).toMatchObject({
      chat: "script-s1",
      first: { kind: "nothing" },
      isOwn: false,
    });
  });
});

describe("a script", () => {
  it("has a lane of its own unless it goes on with the terminal's conversation", () => {
    const facts = { isScript: true };
    expect(choice("new", facts)).toEqual({
      chat: "script-*",
      first: { kind: "nothing" },
      session: null,
      isOwn: true,
      backTo: null,
    });
    expect(choice("usual", facts)).toMatchObject({ chat: "cli", isOwn: false });
  });

  it("gives back what it takes from a chat", () => {
    const named = { entry: entry("7", "telegram"), isMeetingTaken: false, lane: { kind: "chat" } } as const;
    expect(choice("session", { isScript: true, named })).toMatchObject({
      chat: "script-s1",
      first: { kind: "bring" },
      isOwn: true,
      backTo: "k:7",
    });
  });

  it("meets other scripts in the same session, and gives back what they took", () => {
    const named = {
      entry: entry("script-s1"),
      lane: { kind: "scripts", backTo: "k:7" },
    } as LaneFacts["named"];
    expect(choice("session", { isScript: true, named })).toMatchObject({
      chat: "script-s1",
      first: { kind: "bring" },
      isOwn: true,
      backTo: "k:7",
    });
  });

  it.each(["when it looks for the session", "when it looks who gives it back"])(
    "borrows from the chat what another script gave back %s",
    async (moment) => {
      const [lent, back] = [entry("script-s1"), entry("7", "telegram")];
      let isBack = false;
      const givesBack = (when: string): void => {
        isBack ||= when === moment;
      };
      const { source, backTo, first } = await chooseLane({ kind: "session", which: "s1" }, true, {
        sessions: {
          find: async () => {
            const found = isBack ? back : lent;
            givesBack("when it looks for the session");
            return found;
          },
          current: async (key) => (key === (isBack ? back : lent).key ? (isBack ? back : lent) : null),
          laneOf: (of) => ({ key: `k:${of.chatId}` }) as never,
        },
        terminals: {
          others: async () => 0,
          backTo: async () => {
            givesBack("when it looks who gives it back");
            return null;
          },
        },
      });
      expect([source.chatId, backTo]).toEqual(["script-s1", "k:7"]);
      expect(first).toEqual({ kind: "bring", entry: back });
    },
  );

  it("displaces nobody who sits in that lane with another session", () => {
    const named = { entry: entry("cli-1"), isMeetingTaken: true, lane: { kind: "none" } } as const;
    expect(choice("session", { isScript: true, named })).toMatchObject({ chat: "script-*", isOwn: true });
    expect(choice("session", { isShared: true, named })).toMatchObject({ chat: "cli-*" });
  });
});
