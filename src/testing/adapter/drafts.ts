/** What is shown before it is sent, where the platform can: a text that grows, and what the bot is doing. */
import { beforeEach, describe, expect, it } from "vitest";
import { SendError } from "../../adapter/adapter.js";
import type { Address } from "../../session/source.js";
import type { AdapterFixture } from "./fixture.js";
import { HOSTILE, type Stage } from "./stage.js";

export function draftCases(stage: Stage): void {
  describe("drafts", () => {
    let drafted: NonNullable<AdapterFixture["drafted"]>;
    const draft = (text: string, address: Address = stage.fixture.address): Promise<boolean> =>
      stage.adapter.draft(stage.outbound(text, { address, deliveryId: "the same" }));

    beforeEach(async ({ skip }) => {
      await stage.connect();
      skip(!stage.speaker.draft || !stage.fixture.drafted, "The platform has no drafts.");
      drafted = stage.fixture.drafted ?? (() => null);
    });

    it("grow in their place, are no messages, and go when one is sent", async () => {
      for (const text of ["one", "one, two", ...HOSTILE, "one, **two**, three"]) {
        expect(await draft(text)).toBe(true);
        expect([await drafted()]).toEqual(stage.asShown(text));
      }
      await stage.expectShown([]);
      await stage.send("one, two, three");
      expect(await drafted()).toBeNull();
      await stage.expectShown(["one, two, three"]);
    });

    it("take a text of the greatest length", async () => {
      const text = "x".repeat(stage.adapter.capabilities.maxText);
      expect(await draft(text)).toBe(true);
      expect(await drafted()).toBe(text);
    });

    it("last for a time that is known, and are not shown more often than that", () => {
      const { drafts } = stage.adapter.capabilities;
      expect(drafts?.lastMs).toBeGreaterThan(drafts?.paceMs ?? Number.POSITIVE_INFINITY);
      expect(drafts?.paceMs).toBeGreaterThan(0);
    });

    it("are not there where the platform has none, which is no failure", async ({ skip }) => {
      const { group } = stage.fixture;
      if (!group) return skip("There are no groups here.");
      if (await draft("one", group)) return; // Here they are.
      expect(await drafted(group)).toBeNull();
      await stage.expectShown([], group);
    });

    it("fail in trouble, so that nobody goes on with them", async ({ skip }) => {
      const why = stage.spares("rate limited");
      if (why) return skip(why);
      await stage.fixture.trouble?.("rate limited");
      await expect(draft("one")).rejects.toMatchObject({ outcome: "retryable" });
      expect(await draft("one, two")).toBe(true);
      await stage.adapter.disconnect();
      await expect(draft("three")).rejects.toBeInstanceOf(SendError);
    });
  });

  describe("the line about what the bot is doing", () => {
    it("is there in a thread or not, goes if there is nothing to say, and is no message", async ({
      skip,
    }) => {
      await stage.connect();
      const { fixture, adapter } = stage;
      const { status, group = fixture.address } = fixture;
      if (!stage.speaker.status || !status) return skip("There is no such line here.");
      const thread = await stage.speaker.createThread?.(group, "a thread", null, "once");
      if (!thread) return skip("There are no threads here.");
      const before = await fixture.shown(thread);
      if (!(await adapter.status(thread, "is running one"))) return;
      expect(await status(thread)).toBe("is running one");
      await adapter.status(thread, HOSTILE.join(" "));
      await adapter.status(thread, "is running two");
      expect(await status(thread)).toBe("is running two");
      await adapter.status(thread, "");
      expect(await status(thread)).toBe("");
      await adapter.status(thread, "is running three");
      expect(await fixture.shown(thread)).toEqual(before);
      await adapter.send(stage.outbound("done", { address: thread }));
      expect(await status(thread)).toBe("");
    });

    it("is not there for a chat that has none, which is no failure", async ({ skip }) => {
      await stage.connect();
      const { fixture, adapter } = stage;
      const { status, address } = fixture;
      if (!stage.speaker.status || !status) return skip("There is no such line here.");
      const isThere = await adapter.status(address, "is running one");
      expect(await status(address)).toBe(isThere ? "is running one" : "");
      await stage.expectShown([]);
    });
  });
}
