/** Threads for handoffs: what is said in one has exactly the key of the address that was given for it. */
import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { buildSessionKey } from "../../session/session-key.js";
import { type Address, addressOf, type SessionSource } from "../../session/source.js";
import { HOSTILE, type Stage } from "./stage.js";

export function threadCases(stage: Stage): void {
  describe("a thread", () => {
    const parent = (): Address => stage.fixture.group ?? stage.fixture.address;
    const make = async (
      title = "Moved here",
      once: string = randomUUID(),
    ): Promise<Address & { threadId: string }> => {
      const made = await stage.adapter.createThread(parent(), title, "ann", once);
      if (!made?.threadId) throw new Error("No thread was made.");
      return { ...made, threadId: made.threadId };
    };

    beforeEach(async ({ skip }) => {
      await stage.connect();
      skip(!stage.speaker.createThread, "There are no threads here.");
    });

    it("has the key of what people write in it", async () => {
      const made = await make();
      const { source } = await stage.hear({ text: "here I am", in: "thread", threadId: made.threadId });
      expect(addressOf(source)).toEqual(made);
      const destination: SessionSource = { ...made, chatType: source.chatType };
      for (const scopes of [{}, { dm: "platform" }, { group: "member" }] as const)
        expect(buildSessionKey(source, scopes)).toBe(buildSessionKey(destination, scopes));
      const bob = await stage.hear({ text: "me too", in: "thread", threadId: made.threadId, from: "bob" });
      expect(buildSessionKey(bob.source)).toBe(buildSessionKey(source));
    });

    it("is another place than its parent, and than the next thread", async () => {
      const [one, two] = [await make("one"), await make("two")];
      const sources = [
        (await stage.hear({ text: "a", in: "thread", threadId: one.threadId })).source,
        (await stage.hear({ text: "b", in: "thread", threadId: two.threadId })).source,
        (await stage.hear({ text: "c", in: stage.fixture.group ? "group" : "dm" })).source,
      ];
      expect(new Set(sources.map((source) => buildSessionKey(source))).size).toBe(3);
    });

    it("can be sent to", async () => {
      const made = await make();
      for (const text of ["one", "two"]) await stage.send(text, { address: made });
      const expected = ["one", "two"].flatMap((text) => stage.asShown(text));
      expect((await stage.fixture.shown(made)).slice(-expected.length)).toEqual(expected);
    });

    it("takes any title", async () => {
      for (const title of ["", ...HOSTILE, "x".repeat(500)])
        expect((await make(title)).threadId).toMatch(/\S/);
    });

    it("is made in a chat of two, or there is none", async () => {
      const made = await stage.adapter.createThread(stage.fixture.address, "Moved here", "ann", randomUUID());
      if (made)
        expect(made).toMatchObject({ platform: stage.adapter.platform, threadId: expect.any(String) });
      else expect(made).toBeNull();
    });

    describe("made once", () => {
      const count = async (): Promise<number> => (await stage.fixture.threads?.(parent())) ?? Number.NaN;
      beforeEach(({ skip }) => {
        skip(!stage.adapter.capabilities.threadsOnce, "A thread that is made twice is there twice.");
        skip(!stage.fixture.threads, "The server does not count threads.");
      });

      it("is the same by the same name, and another by another", async () => {
        const before = await count();
        const [one, again, other] = [
          await make("Moved here", "one"),
          await make("Moved here", "one"),
          await make("Moved here", "other"),
        ];
        expect(again).toEqual(one);
        expect(other.threadId).not.toBe(one.threadId);
        expect((await count()) - before).toBe(2);
      });

      it("is the same for the next process, also where its making was not answered", async ({ skip }) => {
        const why = stage.fixture.again ? stage.spares("swallowed") : "The server takes no second adapter.";
        if (why) return skip(why);
        const before = await count();
        const one = await make("Moved here", "one");
        await stage.fixture.trouble?.("swallowed");
        const unsure = await make("Moved here", "two").catch(() => null);
        await stage.nextProcess();
        await stage.connect();
        expect(await make("Moved here", "one")).toEqual(one);
        const two = await make("Moved here", "two");
        if (unsure) expect(two).toEqual(unsure);
        expect((await count()) - before).toBe(2);
      });
    });
  });
}
