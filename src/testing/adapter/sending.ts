/** What is sent is there: in order, whatever is in it, up to the length that the adapter says. */
import { beforeEach, describe, expect, it } from "vitest";
import { SendError } from "../../adapter/adapter.js";
import { splitInTurns } from "../../delivery/split.js";
import { HOSTILE, type Stage } from "./stage.js";

/** Longer messages than this are no matter of platforms: nobody reads them. */
const WORTH_SPLITTING = 100_000;

const PARAGRAPHS = [
  "It was a long day, and there is much to tell: 日本語, 👩‍👩‍👧 and e\u0301, <b> & *so* on.",
  '```ts\nconst answer = "42"; // <all> of it\n```',
  "- one\n- two\n  - and a half",
];

export function sendingCases(stage: Stage): void {
  describe("sends", () => {
    beforeEach(() => stage.connect());

    it("in order, and says under which ids", async () => {
      const ids = await stage.sendAll(["one", "two", "three"]);
      expect(new Set(ids).size).toBe(3);
      for (const id of ids) expect(id).toMatch(/\S/);
      await stage.expectShown(["one", "two", "three"]);
    });

    it.each(HOSTILE)("%j as the platform wants it", async (text) => {
      await stage.sendAll([text]);
      await stage.expectShown([text]);
    });

    it("a text of the greatest length", async () => {
      const text = "x".repeat(stage.adapter.capabilities.maxText);
      await stage.sendAll([text]);
      await stage.expectShown([text]);
    });

    it("as much as fits of a text whose characters are long", async () => {
      const room = Math.min(stage.adapter.capabilities.maxText, WORTH_SPLITTING);
      const [first] = await splitInTurns("日本語 👩‍👩‍👧 e\u0301 ".repeat(Math.ceil(room / 10)), stage.room);
      const text = first ?? "";
      expect(stage.fits(text)).toBe(true);
      await stage.sendAll([text]);
      await stage.expectShown([text]);
    });

    it("every piece of a text that is too long", async ({ skip }) => {
      const { maxText } = stage.adapter.capabilities;
      if (maxText > WORTH_SPLITTING) return skip(`It takes ${maxText} characters at once.`);
      let text = "";
      for (let n = 0; text.length < 2.5 * maxText; n++) text += `${PARAGRAPHS[n % PARAGRAPHS.length]}\n\n`;
      const pieces = await splitInTurns(text, stage.room);
      expect(pieces.length).toBeGreaterThan(2);
      for (const piece of pieces) expect(stage.fits(piece)).toBe(true);
      await stage.sendAll(pieces);
      await stage.expectShown(pieces);
    });

    it("several at once, none of them lost", async () => {
      const texts = ["a", "b", "c", "d"];
      const ids = await Promise.all(texts.map((text) => stage.send(text)));
      expect(new Set(ids).size).toBe(texts.length);
      expect([...(await stage.fixture.shown())].sort()).toEqual(texts.flatMap((text) => stage.asShown(text)));
    });

    it("to the group what is for the group", async ({ skip }) => {
      const { group } = stage.fixture;
      if (!group) return skip("There are no groups here.");
      await stage.send("for all", { address: group });
      await stage.expectShown(["for all"], group);
      await stage.expectShown([]);
    });

    it("an answer to a message", async ({ skip }) => {
      const why = stage.lacks("replies");
      if (why) return skip(why);
      const { messageId } = await stage.hear({ text: "what time is it?" });
      const ours = await stage.send("noon", { replyTo: messageId });
      await stage.expectShown(["noon"]);
      if (stage.fixture.answeredBy) expect(await stage.fixture.answeredBy(ours)).toBe(messageId);
    });

    it("an answer to a message that is not there any more", async ({ skip }) => {
      const why = stage.lacks("replies");
      if (why) return skip(why);
      const { messageId } = await stage.hear({ text: "what time is it?" });
      await stage.send("noon", { replyTo: `${messageId}0` });
      await stage.expectShown(["noon"]);
    });

    it("the same delivery once, however often", async ({ skip }) => {
      if (!stage.adapter.capabilities.idempotent) return skip("The platform has no key for that.");
      const message = stage.outbound("once");
      const first = await stage.adapter.send(message);
      expect(await stage.adapter.send(message)).toEqual(first);
      await stage.expectShown(["once"]);
    });

    it("and finds what it sent", async ({ skip }) => {
      if (!stage.speaker.find) return skip("The platform cannot be asked.");
      const message = stage.outbound("there");
      const sent = await stage.adapter.send(message);
      expect([null, sent.messageId]).toContain(idOf(await stage.adapter.find(message)));
      expect(["not there", null]).toContain(await stage.adapter.find(stage.outbound("there")));
    });

    it("nothing once it was disconnected, and says so", async () => {
      await stage.adapter.disconnect();
      await expect(stage.send("too late")).rejects.toBeInstanceOf(SendError);
      await stage.expectShown([]);
    });
  });
}

function idOf(found: { readonly messageId: string } | "not there" | null): string | null {
  return typeof found === "object" ? (found?.messageId ?? null) : found;
}
