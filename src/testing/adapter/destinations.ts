/** Places that a conversation is moved to, told of before anybody wrote there: with the key and the person of who does. */
import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { SendError } from "../../adapter/adapter.js";
import { identityOf } from "../../session/access.js";
import { buildSessionKey } from "../../session/session-key.js";
import { type Address, addressOf, type SessionSource } from "../../session/source.js";
import type { Written } from "./fixture.js";
import type { Stage } from "./stage.js";

export function destinationCases(stage: Stage): void {
  describe("of a destination", () => {
    const place = async (address: Address): Promise<SessionSource | null> => stage.adapter.place(address);

    /** What is told is true of what is then heard. */
    const expectTrue = async (address: Address, written: Written): Promise<SessionSource> => {
      const told = await place(address);
      const { source } = await stage.hear(written);
      if (!told) throw new Error("There is no such place.");
      expect(source).toMatchObject(told);
      expect(told.messageId).toBeUndefined();
      expect(addressOf(told)).toEqual(addressOf(source));
      for (const scopes of [{}, { dm: "platform" }] as const)
        expect(buildSessionKey(told, scopes)).toBe(buildSessionKey(source, scopes));
      expect(identityOf(told)).toBe(told.chatType === "dm" ? identityOf(source) : null);
      expect(await place(addressOf(source))).toMatchObject(told);
      return told;
    };

    beforeEach(async ({ skip }) => {
      await stage.connect();
      skip(!stage.speaker.place, "The adapter does not tell of places.");
    });

    it("a chat of two is known, and whose it is", async () => {
      const told = await expectTrue(stage.fixture.address, { text: "here I am" });
      expect(told.chatType).toBe("dm");
      expect(identityOf(told)).not.toBeNull();
    });

    it("a group is known", async ({ skip }) => {
      const { group } = stage.fixture;
      if (!group) return skip("There are no groups here.");
      await expectTrue(group, { text: "here I am", in: "group" });
    });

    it("a thread that was made is known", async ({ skip }) => {
      const { adapter, fixture, speaker } = stage;
      if (!speaker.createThread) return skip("There are no threads here.");
      const parent = fixture.group ?? fixture.address;
      const made = await adapter.createThread(parent, "Moved here", null, randomUUID());
      if (!made?.threadId) throw new Error("No thread was made.");
      await expectTrue(made, { text: "here I am", in: "thread", threadId: made.threadId });
    });

    it("what is not there is not made up", async ({ skip }) => {
      const { nowhere } = stage.fixture;
      if (!nowhere) return skip("The platform does not tell which chats there are.");
      const told = await place(nowhere).catch((error: unknown) => error);
      if (told !== null) expect(told).toMatchObject({ outcome: "permanent" });
    });

    it("nothing is known before it was connected, nor afterwards", async () => {
      const unknown = async (): Promise<void> => {
        const error = await place(stage.fixture.address).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(SendError);
        expect(error).toMatchObject({ outcome: "retryable" });
      };
      await stage.adapter.disconnect();
      await unknown();
      await stage.connect();
      await place(stage.fixture.address);
      await stage.adapter.disconnect();
      await unknown();
    });
  });
}
