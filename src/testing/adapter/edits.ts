/** What was sent can be changed, where the platform can. */
import { beforeEach, describe, expect, it } from "vitest";
import { SendError } from "../../adapter/adapter.js";
import { HOSTILE, type Stage } from "./stage.js";

export function editCases(stage: Stage): void {
  describe("edits", () => {
    const edit = async (text: string, messageId: string): Promise<void> =>
      stage.adapter.edit(stage.outbound(text), messageId);

    beforeEach(async ({ skip }) => {
      await stage.connect();
      skip(!stage.speaker.edit, "The platform cannot edit.");
    });

    it("a message in its place", async () => {
      const [, second = ""] = await stage.sendAll(["one", "two", "three"]);
      await edit("two, or so", second);
      await stage.expectShown(["one", "two, or so", "three"]);
      for (const text of HOSTILE) await edit(text, second);
      await stage.expectShown(["one", HOSTILE.at(-1) ?? "", "three"]);
    });

    it("a message into what it says already", async () => {
      const [id = ""] = await stage.sendAll(["one"]);
      await edit("one", id);
      await stage.expectShown(["one"]);
    });

    it("a message into one of the greatest length", async () => {
      const [id = ""] = await stage.sendAll(["one"]);
      const text = "x".repeat(stage.adapter.capabilities.maxText);
      await edit(text, id);
      await stage.expectShown([text]);
    });

    it("away what it takes back, also twice, and nothing else", async ({ skip }) => {
      skip(!stage.speaker.remove, "The platform cannot take a message back.");
      const { adapter, fixture } = stage;
      const [, second = ""] = await stage.sendAll(["one", "two", "three"]);
      await adapter.remove(fixture.address, second);
      await stage.expectShown(["one", "three"]);
      await adapter.remove(fixture.address, second);
      await stage.expectShown(["one", "three"]);
      await expect(edit("two again", second)).rejects.toBeInstanceOf(SendError);
      await adapter.disconnect();
      await expect(adapter.remove(fixture.address, second)).rejects.toBeInstanceOf(SendError);
    });

    it("nothing that is not there, nor once it was disconnected", async () => {
      const [id = ""] = await stage.sendAll(["one"]);
      await expect(edit("two", `${id}0`)).rejects.toBeInstanceOf(SendError);
      await stage.adapter.disconnect();
      await expect(edit("two", id)).rejects.toBeInstanceOf(SendError);
      await stage.expectShown(["one"]);
    });
  });
}
