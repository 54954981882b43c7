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

interface Value {
  messages: object[];
  contacts: object[];
}
const changed = (name: string, change: (value: Value) => void) => {
  const post = structuredClone(fixtures[name]) as { entry: [{ changes: [{ value: Value }] }] };
  change(post.entry[0].changes[0].value);
  return parseWebhook(post, setting).messages[0];
};

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

  it("says what was answered, if that is known here: Meta gives its id alone", () => {
    const earlier = (_: string, messageId: string) => ({ messageId, text: "Shall I?" });
    expect(parseWebhook(fixtures.reply, { ...setting, earlier }).messages[0]?.replyTo).toEqual({
      messageId: "wamid.OURS",
      text: "Shall I?",
    });
  });

  it("is from somebody whose number is hidden, by the id that they have for this business", () => {
    const hidden = (from: object) =>
      changed("text", (value) => {
        Object.assign(value.messages[0] ?? {}, { from: undefined, ...from });
        value.contacts = [
          { user_id: "US.13491208655302741918", profile: { name: "Ann", username: "ann.lee" } },
        ];
      })?.source;
    const id = "US.13491208655302741918";
    const found = { platform: "whatsapp", chatType: "dm", chatId: id, userId: id, userName: "Ann" };
    expect(hidden({ from_user_id: id })).toEqual(found);
    expect(hidden({ from_user_id: id, from: "" })).toEqual(found);
    expect(hidden({ from_user_id: "us.1" })).toBeUndefined();
    expect(hidden({ from_user_id: id, from: "+1 555" })).toBeUndefined();
    // Who writes with a number stays who they were.
    expect(hidden({ from_user_id: id, from: "15551234567" })).toMatchObject({ userId: "15551234567" });
  });

  it("changes a message, or takes it back", () => {
    const original_message_id = "wamid.EARLIER";
    const as = (fields: object) =>
      changed("text", (value) => Object.assign(value.messages[0] ?? {}, { text: undefined, ...fields }));
    const edit = { original_message_id, message: { type: "text", text: { body: "tomorrow" } } };
    expect(as({ type: "edit", edit })).toEqual({
      kind: "edit",
      source,
      messageId: original_message_id,
      text: "tomorrow",
    });
    expect(as({ type: "revoke", revoke: { original_message_id } })).toEqual({
      kind: "deletion",
      source,
      messageId: original_message_id,
      text: "",
    });
    expect(as({ type: "edit", edit: {} })).toBeUndefined();
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
    expect(files.map(({ id, name, isVoice }) => [id, name, isVoice])).toEqual([
      ["1003383421387256", undefined, false],
      ["1003383421387257", "notes.pdf", false],
      ["1003383421387258", undefined, true],
    ]);
  });

  it("has places, presses and reactions", () => {
    expect(message("location")?.parts).toMatchObject([{ kind: "location" }]);
    expect(message("button")).toMatchObject({ kind: "message", text: "Yes" });
    expect(message("reaction")).toMatchObject({
      kind: "reaction",
      text: "👍",
      messageId: "wamid.OURS",
    });
    expect(message("unsupported")).toMatchObject({ text: "", parts: [{ kind: "unsupported" }] });
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
