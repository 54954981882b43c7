import { describe, expect, it } from "vitest";
import { fixturesIn } from "../../../test/support/json-fixtures.js";
import { mutate } from "../../../test/support/mutated-json.js";
import { randomFrom } from "../../../test/support/random.mjs";
import { buildSessionKey } from "../../session/session-key.js";
import { parseSource } from "../../session/source.js";
import { type MediaRef, parseWebhook, type WhatsAppParseSetting } from "./parse.js";

const fixtures = fixturesIn(new URL("./fixtures/", import.meta.url));
const source = {
  platform: "whatsapp",
  chatId: "15551234567",
  chatType: "dm",
  userId: "15551234567",
  userName: "Ann",
};
const files: MediaRef[] = [];
const setting: WhatsAppParseSetting = {
  phoneNumberId: "100000000000000",
  file: (media) => {
    files.push(media);
    return { mediaType: media.mediaType, read: async () => new Uint8Array() };
  },
};
const parse = (name: string) => parseWebhook(fixtures[name], setting);
const message = (name: string) => parse(name).messages[0];

describe("a post of Meta's", () => {
  it("has messages", () => {
    expect(parse("text")).toEqual({
      messages: [
        {
          kind: "message",
          source,
          messageId: "wamid.HBgLMTU1NTEyMzQ1NjcVAgASGBQ0QQ==",
          text: "What is on today?",
        },
      ],
      statuses: [],
    });
    expect(buildSessionKey(source as never)).toBe("agent:main:whatsapp:dm:15551234567");
  });

  it("says what a message answers", () => {
    expect(message("reply")).toMatchObject({ text: "Yes, do that", replyTo: { messageId: "wamid.OURS" } });
  });

  it.each(["forwarded", "frequently_forwarded"])("says that a message was %s", (mark) => {
    const post = JSON.parse(JSON.stringify(fixtures.text));
    post.entry[0].changes[0].value.messages[0].context = { [mark]: true };
    expect(parseWebhook(post, setting).messages[0]).toMatchObject({ forwarded: {} });
    expect(message("reply")?.forwarded).toBeUndefined();
  });

  it("has files, with their captions", () => {
    files.length = 0;
    expect(message("image")).toMatchObject({ text: "My cat", files: [{ mediaType: "image/jpeg" }] });
    expect(message("document")).toMatchObject({ text: "", files: [{}] });
    expect(message("voice")).toMatchObject({ text: "", files: [{}] });
    expect(files.map(({ id, name }) => [id, name])).toEqual([
      ["1003383421387256", undefined],
      ["1003383421387257", "notes.pdf"],
      ["1003383421387258", undefined],
    ]);
  });

  it("has places, presses and reactions", () => {
    expect(message("location")?.text).toBe("[location: 52.52, 13.405] Berlin Alexanderplatz");
    expect(message("button")).toMatchObject({ kind: "message", text: "Yes" });
    expect(message("reaction")).toMatchObject({
      kind: "reaction",
      text: "👍",
      replyTo: { messageId: "wamid.OURS" },
    });
    expect(parse("unsupported").messages).toEqual([]);
  });

  it("tells of messages of ours", () => {
    expect(parse("status").statuses).toEqual([{ messageId: "wamid.OURS", failure: null, deliveryId: "42" }]);
    expect(parse("failed").statuses).toEqual([
      {
        messageId: "wamid.OURS2",
        deliveryId: undefined,
        failure: expect.stringMatching(
          /^a message to 15551234567 was taken and then not delivered: .*more than 24 hours/,
        ),
      },
    ]);
  });

  it("is nothing to us where it is for another number", () => {
    const { messages, statuses } = parseWebhook(fixtures.text, { ...setting, phoneNumberId: "1" });
    expect([messages, statuses]).toEqual([[], []]);
  });

  it("may be anything: 20,000 that are wrong somewhere", () => {
    const random = randomFrom(6);
    const given = Object.values(fixtures);
    let parsed = 0;
    for (let n = 0; n < 20_000; n++) {
      const body = mutate(given[n % given.length], random);
      const text = JSON.stringify(body) ?? "";
      const { messages, statuses } = parseWebhook(body, setting);
      for (const { source: from, messageId, isAddressed } of messages) {
        parsed += 1;
        expect(parseSource(from)).toEqual(from);
        buildSessionKey(from);
        expect(from.chatType).toBe("dm");
        expect(from.chatId).toBe(from.userId);
        // Who it is from, and whose it is, was said in so many words.
        expect(text).toContain(`"from":${JSON.stringify(from.userId)}`);
        expect(text).toMatch(/"phone_number_id":"?100000000000000"?/);
        expect(messageId.length).toBeGreaterThan(0);
        expect(isAddressed).toBeUndefined();
      }
      for (const { messageId } of statuses) expect(messageId.length).toBeGreaterThan(0);
    }
    expect(parsed).toBeGreaterThan(2_000);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
