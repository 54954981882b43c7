/** Reactions of people to messages of ours: which emoji, on which message, by whom. */
import { beforeEach, describe, expect, it } from "vitest";
import type { InboundMessage } from "../../adapter/adapter.js";
import { plainEmoji } from "../../util/emoji.js";
import type { AdapterFixture } from "./fixture.js";
import type { Stage } from "./stage.js";

export function reactionCases(stage: Stage): void {
  describe("reactions", () => {
    let react: NonNullable<AdapterFixture["react"]>;
    const reacted = async (...given: Parameters<typeof react>): Promise<InboundMessage> => {
      const before = stage.received.length;
      await react(...given);
      await stage.until(() => stage.received.length > before);
      return stage.received[before] as InboundMessage;
    };

    beforeEach(async ({ skip }) => {
      await stage.connect();
      if (!stage.fixture.react) return skip("People cannot react here.");
      react = stage.fixture.react;
    });

    it.each(["👎", "❤️"])("%s on a message of ours, by whoever put it there", async (emoji) => {
      const said = await stage.hear({ text: "hello" });
      const [first, second] = await stage.sendAll(["one", "two"]);
      const { platform, chatId, chatType, userId } = said.source;
      for (const id of [second, first]) {
        const { kind, messageId, text, source } = await reacted(id ?? "", emoji);
        expect([kind, messageId, plainEmoji(text)]).toEqual(["reaction", id, plainEmoji(emoji)]);
        expect(source).toMatchObject({ platform, chatId, chatType, userId });
      }
    });

    it("in a group tell who reacted", async ({ skip }) => {
      const { group } = stage.fixture;
      if (!group) return skip("There are no groups here.");
      const said = await stage.hear({ text: "hello", in: "group", from: "bob", mentions: true });
      const id = await stage.send("yes?", { address: group });
      const { source, messageId } = await reacted(id, "👎", { in: "group", from: "bob" });
      const { userId, chatId } = said.source;
      expect(source).toMatchObject({ userId, chatId });
      expect(messageId).toBe(id);
    });

    it("that are taken off say nothing", async ({ skip }) => {
      const { fixture } = stage;
      if (!fixture.takeOff) return skip("The server cannot play it.");
      const id = await stage.send("one");
      await reacted(id, "👎");
      await fixture.takeOff(id, "👎");
      await stage.hear({ text: "then" });
      expect(stage.received.map(({ kind }) => kind)).toEqual(["reaction", "message"]);
    });
  });
}
