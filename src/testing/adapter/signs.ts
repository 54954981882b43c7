/** The small signs around an answer: typing, marks, the menu of commands. */
import { describe, expect, it } from "vitest";
import type { Stage } from "./stage.js";

export function signCases(stage: Stage): void {
  describe("shows that", () => {
    it("somebody types", async ({ skip }) => {
      await stage.connect();
      if (!stage.speaker.typing || !stage.fixture.typed) return skip("Nobody sees typing here.");
      const before = await stage.fixture.typed();
      await stage.adapter.typing(stage.fixture.address);
      const { typed } = stage.fixture;
      await stage.until(async () => (await typed()) > before);
      await stage.expectShown([]);
    });

    it("a message was seen, and that it failed", async ({ skip }) => {
      const { adapter, fixture } = stage;
      const { marks } = fixture;
      await stage.connect();
      if (!stage.speaker.react || !marks) return skip("There are no marks here.");
      const { messageId } = await stage.hear({ text: "hello" });
      expect(await marks(messageId)).toEqual([]);
      await adapter.react(fixture.address, messageId, "seen");
      await stage.until(async () => (await marks(messageId)).length > 0);
      const seen = await marks(messageId);
      await adapter.react(fixture.address, messageId, "failed");
      await stage.until(async () => (await marks(messageId)).join() !== seen.join());
    });

    it("there are commands", async ({ skip }) => {
      const { menu } = stage.fixture;
      if (!menu) return skip("There is no menu of commands here.");
      await stage.connect();
      await stage.until(async () => (await menu()).length > 0);
      expect(await menu()).toEqual(expect.arrayContaining(["new", "status"]));
    });
  });
}
