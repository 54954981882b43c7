/** Buttons under a letter: a press is a command of the person who pressed. */
import { beforeEach, describe, expect, it } from "vitest";
import type { InboundMessage, LetterButton } from "../../adapter/adapter.js";
import type { AdapterFixture } from "./fixture.js";
import type { Stage } from "./stage.js";

const BUTTONS: readonly LetterButton[] = [
  { label: "Allow once", command: "/approve 1503" },
  { label: "Deny", command: "/deny 1503" },
];

export function buttonCases(stage: Stage): void {
  describe("buttons", () => {
    let press: NonNullable<AdapterFixture["press"]>;
    const pressed = async (...given: Parameters<typeof press>): Promise<InboundMessage> => {
      const known = new Set(stage.received.map(({ messageId }) => messageId));
      const isNew = ({ messageId }: InboundMessage): boolean => !known.has(messageId); // It may come again.
      await press(...given);
      await stage.until(() => stage.received.some(isNew));
      return stage.received.find(isNew) as InboundMessage;
    };

    beforeEach(async ({ skip }) => {
      await stage.connect();
      const { capabilities } = stage.adapter;
      if (!capabilities.buttons || !stage.fixture.press) return skip("There are no buttons here.");
      press = stage.fixture.press;
    });

    it("say their command, by whoever presses them and where they are", async () => {
      const said = await stage.hear({ text: "hello" });
      const id = await stage.send("May I?", { buttons: BUTTONS });
      await stage.expectShown(["May I?"]);
      const deny = await pressed(id, "Deny");
      expect(deny).toMatchObject({ kind: "button", text: "/deny 1503" });
      const { platform, chatId, chatType, userId } = said.source;
      expect(deny.source).toMatchObject({ platform, chatId, chatType, userId });
      expect(deny.isAddressed).not.toBe(false);
    });

    it("are a press of their own each time", async () => {
      const id = await stage.send("May I?", { buttons: BUTTONS });
      const [first, second] = [await pressed(id, "Allow once"), await pressed(id, "Allow once")];
      expect(first.text).toBe("/approve 1503");
      expect(second.text).toBe("/approve 1503");
      expect(second.messageId).not.toBe(first.messageId);
    });

    it("go with an edit", async ({ skip }) => {
      const { fixture, speaker } = stage;
      if (!speaker.edit || !fixture.buttonsOn) return skip("The platform cannot edit.");
      const id = await stage.send("May I?", { buttons: BUTTONS });
      expect(await fixture.buttonsOn(id)).toEqual(["Allow once", "Deny"]);
      await stage.adapter.edit(stage.outbound("May I?"), id);
      expect(await fixture.buttonsOn(id)).toEqual([]);
      await stage.expectShown(["May I?"]);
    });

    it("of a choice are as many as the platform says, each with its own command", async ({ skip }) => {
      const { fixture, adapter } = stage;
      if (!fixture.buttonsOn) return skip("The server does not tell what buttons there are.");
      const choices = Array.from({ length: adapter.capabilities.buttons ?? 0 }, (_, n) => ({
        label: `${n + 1}. A long title …`,
        command: `/resume 20260110-120000-0123456789${n}`,
      }));
      const id = await stage.send("Which one?", { buttons: choices });
      expect(await fixture.buttonsOn(id)).toEqual(choices.map(({ label }) => label));
      const last = choices.at(-1);
      expect((await pressed(id, last?.label ?? "")).text).toBe(last?.command);
    });

    it("in a group tell who pressed", async ({ skip }) => {
      const { group } = stage.fixture;
      if (!group) return skip("There are no groups here.");
      const said = await stage.hear({ text: "hello", in: "group", from: "bob", mentions: true });
      const id = await stage.send("May I?", { buttons: BUTTONS, address: group });
      const { source } = await pressed(id, "Allow once", { in: "group", from: "bob" });
      const { userId, chatId } = said.source;
      expect(source).toMatchObject({ userId, chatId });
    });
  });
}
