/** Where something was said, and to whom: groups, mentions, replies, bots. */
import { beforeEach, describe, expect, it } from "vitest";
import type { InboundMessage } from "../../adapter/adapter.js";
import { buildSessionKey } from "../../session/session-key.js";
import type { Stage } from "./stage.js";

export function placeCases(stage: Stage): void {
  const expectAddressed = ({ isAddressed, source }: InboundMessage, expected: boolean): void => {
    expect(source.chatId).toBe(stage.fixture.group?.chatId);
    expect(source.chatType).not.toBe("dm");
    expect(isAddressed !== false).toBe(expected);
  };

  describe("in a group", () => {
    beforeEach(async ({ skip }) => {
      skip(!stage.fixture.group, "There are no groups here.");
      await stage.connect();
    });

    it("what is said to others is not for us", async () => {
      const message = await stage.hear({ text: "hello, all of you", in: "group" });
      expectAddressed(message, false);
      expect(message.text).toBe("hello, all of you");
    });

    it("a mention is for us, and is not part of the text", async () => {
      const message = await stage.hear({ text: "what time is it?", in: "group", mentions: true });
      expectAddressed(message, true);
      expect(message.text.trim()).toBe("what time is it?");
    });

    it("a mention with a command is a command", async () => {
      const message = await stage.hear({ text: "/status", in: "group", mentions: true });
      expectAddressed(message, true);
      expect(message.text.trim()).toBe("/status");
    });

    it("a command is for us", async ({ skip }) => {
      const why = stage.lacks("commands");
      if (why) return skip(why);
      const message = await stage.hear({ text: "/status", in: "group" });
      expectAddressed(message, true);
      expect(message.text).toBe("/status");
    });

    it("an answer to what we said is for us, and one to another is not", async ({ skip }) => {
      const why = stage.lacks("replies");
      if (why) return skip(why);
      const { group } = stage.fixture;
      const ours = await stage.send("Shall I?", group ? { address: group } : {});
      const other = await stage.hear({ text: "hm", in: "group", from: "bob" });
      const toUs = await stage.hear({ text: "do", in: "group", replyTo: ours });
      expectAddressed(toUs, true);
      expect(toUs.replyTo?.messageId).toBe(ours);
      expectAddressed(await stage.hear({ text: "no", in: "group", replyTo: other.messageId }), false);
    });

    it("everyone is who they are elsewhere, and the group has one key", async () => {
      const dm = await stage.hear({ text: "hello" });
      const [ann, bob] = [
        await stage.hear({ text: "hello", in: "group" }),
        await stage.hear({ text: "hello", in: "group", from: "bob" }),
      ];
      expect(ann.source.userId).toBe(dm.source.userId);
      expect(ann.source.userId).toMatch(/\S/);
      expect(bob.source.userId).not.toBe(ann.source.userId);
      const [own, shared] = [dm, ann].map(({ source }) => buildSessionKey(source));
      expect(buildSessionKey(bob.source)).toBe(shared);
      expect(own).not.toBe(shared);
      expect(buildSessionKey(bob.source, { group: "member" })).not.toBe(
        buildSessionKey(ann.source, { group: "member" }),
      );
    });

    it("a bot is marked, or not heard at all", async ({ skip }) => {
      const why = stage.lacks("bots");
      if (why) return skip(why);
      await stage.fixture.write({ text: "beep", in: "group", from: "robot", isBot: true, mentions: true });
      await stage.fixture.write({ text: "after", in: "group" });
      await stage.until(() => stage.received.at(-1)?.text === "after");
      for (const { text, source } of stage.received.slice(0, -1)) {
        expect(text.trim()).toBe("beep");
        expect(source.isBot).toBe(true);
      }
    });

    it("what we say ourselves does not come back", async () => {
      const { group } = stage.fixture;
      await stage.send("It is noon.", group ? { address: group } : {});
      await stage.send("In private.");
      await stage.hear({ text: "after", in: "group" });
      expect(stage.received.map(({ text }) => text)).toEqual(["after"]);
    });
  });
}
