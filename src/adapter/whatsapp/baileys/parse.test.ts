import { describe, expect, it } from "vitest";
import { fixturesIn } from "../../../../test/support/json-fixtures.js";
import { mutate } from "../../../../test/support/mutated-json.js";
import { randomFrom } from "../../../../test/support/random.mjs";
import { identityOf } from "../../../session/access.js";
import { buildSessionKey } from "../../../session/session-key.js";
import { parseSource } from "../../../session/source.js";
import type { WebFile } from "./content.js";
import { type BaileysParseSetting, lidsIn, parseMessage } from "./parse.js";

const fixtures = fixturesIn(new URL("./fixtures/", import.meta.url));
const files: WebFile[] = [];
const setting: BaileysParseSetting = {
  us: ["15550000000", "990000000000@lid"],
  commands: new Set(["status"]),
  numberOf: () => undefined,
  file: (file) => {
    files.push(file);
    return { mediaType: file.mediaType, read: async () => new Uint8Array() };
  },
};
const parse = (name: string, more: Partial<BaileysParseSetting> = {}) =>
  parseMessage(fixtures[name], { ...setting, ...more });
const ANN = {
  userId: "200000000001@lid",
  userName: "Ann",
  userIdAlt: "15551234567",
};

const having = (message: object) => ({ ...(fixtures.text as object), message });
const inGroup = (message: object) => ({
  ...(fixtures.group as object),
  ...message,
  key: (fixtures.group as { key: object }).key,
});
const answering = (quotedMessage: object, text = "This one", mentionedJid: string[] = []) =>
  having({
    extendedTextMessage: {
      text,
      contextInfo: {
        stanzaId: "3A77",
        participant: "15557654321@s.whatsapp.net",
        quotedMessage,
        mentionedJid,
      },
    },
  });

describe("a message of WhatsApp Web", () => {
  it("says from whom it is, by the number where that is known", () => {
    const source = {
      platform: "whatsapp",
      chatType: "dm",
      chatId: "15551234567",
      chatIdAlt: "200000000001@lid",
      ...ANN,
    } as const;
    expect(parse("text")).toEqual({
      kind: "message",
      source,
      messageId: "3A0B1C2D3E4F5A6B7C8D.15551234567",
      text: "What is on today?",
    });
    // As the Cloud API names them: who moves from one mode to the other keeps their sessions.
    expect(buildSessionKey(source)).toBe("agent:main:whatsapp:dm:15551234567");
    expect(identityOf(source)).toBe("whatsapp:15551234567");
  });

  it("may be of somebody whose number nobody knows, until it is known", () => {
    expect(lidsIn(fixtures["lid-only"])).toEqual(["200000000001@lid"]);
    expect(parse("lid-only")?.source).toMatchObject({
      chatId: "200000000001@lid",
      userId: "200000000001@lid",
    });
    const known = parse("lid-only", { numberOf: () => "15551234567" });
    expect(known?.source).toMatchObject({ chatId: "15551234567", ...ANN });
  });

  it("says what it answers, and whose that was", () => {
    expect(parse("reply")).toMatchObject({
      text: "Yes, do that",
      replyTo: { messageId: "3EB0AAAAAAAAAAAAAAAAAA", text: "Shall I?" },
    });
    expect(parse("reply")?.replyTo).not.toHaveProperty("from"); // It was ours.
    const others = { messageId: "3A3333333333333333AA.200000000002@lid", text: "Look" };
    expect(parse("group-reply")).toMatchObject({
      isAddressed: false,
      replyTo: { ...others, from: "somebody else" },
    });
    const nameOf = (person: string) => (person === "200000000002@lid" ? "Bob" : undefined);
    expect(parse("group-reply", { nameOf })?.replyTo).toMatchObject({ ...others, from: "Bob" });
    const numberOf = () => "15557654321";
    expect(parse("group-reply", { numberOf })?.replyTo).toMatchObject({ from: "+15557654321" });
  });

  it("has the file of the message that it answers", () => {
    const image = (fixtures.image as { message: object }).message;
    expect(parseMessage(answering(image), setting)?.replyTo).toMatchObject({
      text: "My cat",
      files: [{ mediaType: "image/jpeg" }],
    });
    const poll = { pollCreationMessageV3: { name: "Lunch?", options: [{ optionName: "Soup" }] } };
    expect(parseMessage(answering(poll), setting)?.replyTo).toMatchObject({
      parts: [{ kind: "poll", words: "Lunch?, options: Soup" }],
    });
  });

  it("takes a message back that its author deletes, and nobody else's", () => {
    expect(parse("revoke")).toEqual({
      kind: "deletion",
      source: parse("text")?.source,
      messageId: parse("text")?.messageId,
      text: "",
    });
    const others = structuredClone(fixtures.revoke) as { message: { protocolMessage: { key: object } } };
    Object.assign(others.message.protocolMessage.key, { participant: "15557654321@s.whatsapp.net" });
    expect(parseMessage(others, setting)).toBeNull();
  });

  it("belongs to its album, which says nothing itself; the same picture in another quality comes once", () => {
    const image = (fixtures.image as { message: object }).message;
    const child = (associationType: number) =>
      parseMessage(
        having({
          associatedChildMessage: { message: image },
          messageContextInfo: {
            messageAssociation: { associationType, parentMessageKey: { id: "3AALBUM" } },
          },
        }),
        setting,
      );
    expect(child(1)).toMatchObject({ album: "3AALBUM", text: "My cat", files: [{}] });
    expect(child(10)).toBeNull();
    expect(parseMessage(having({ albumMessage: { expectedImageCount: 2 } }), setting)).toBeNull();
  });

  it("may only name us, in answer to somebody", () => {
    const bare = answering({ conversation: "When is lunch?" }, "@15550000000", [
      "15550000000@s.whatsapp.net",
    ]);
    expect(parseMessage(inGroup(bare), setting)).toMatchObject({
      text: "",
      isAddressed: true,
      replyTo: { text: "When is lunch?", from: "+15557654321" },
    });
  });

  it.each([{ isForwarded: true }, { forwardingScore: 1 }])("says that it was forwarded: %j", (mark) => {
    const passedOn = JSON.parse(JSON.stringify(fixtures.text));
    passedOn.message = { extendedTextMessage: { text: "/stop", contextInfo: mark } };
    expect(parseMessage(passedOn, setting)).toMatchObject({ text: "/stop", forwarded: {} });
    expect(parse("reply")?.forwarded).toBeUndefined();
  });

  it("may change one of the same person's", () => {
    const changed = { kind: "edit", messageId: "3A0B1C2D3E4F5A6B7C8D.15551234567" };
    expect(parse("edit")).toMatchObject({ ...changed, text: "What is on tomorrow?" });
    expect(parse("edit-wrapped")).toMatchObject({ ...changed, text: "And the day after?" });
  });

  it("has files, with their captions, but none that may be seen only once", () => {
    files.length = 0;
    expect(parse("image")).toMatchObject({ text: "My cat", files: [{ mediaType: "image/jpeg" }] });
    expect(parse("document")).toMatchObject({ text: "Read this", files: [{}] });
    expect(parse("voice")).toMatchObject({ text: "", files: [{}] });
    expect(files.map(({ kind, name, isVoice }) => [kind, name, isVoice])).toEqual([
      ["image", undefined, false],
      ["document", "notes.pdf", false],
      ["audio", undefined, true],
    ]);
    files.length = 0;
    expect(parse("view-once")).toMatchObject({
      text: "",
      parts: [{ kind: "unsupported", words: "a picture that may be opened only once" }],
    });
    expect(files).toEqual([]);
  });

  it("has places and reactions, and words that disappear", () => {
    expect(parse("location")?.parts).toMatchObject([{ kind: "location" }]);
    expect(parse("reaction")).toMatchObject({
      kind: "reaction",
      text: "👍",
      messageId: "3EB0AAAAAAAAAAAAAAAAAA",
    });
    expect(parse("disappearing")?.text).toBe("For a week");
  });

  it("in a group is for us where it names us, whoever else it names", () => {
    expect(parse("group")).toMatchObject({ isAddressed: false, source: { chatType: "group", ...ANN } });
    expect(parse("group-mention")).toMatchObject({ isAddressed: true, text: "what time is it?" });
    expect(parse("group-mention", { us: ["15550000000"] })).toMatchObject({ isAddressed: false });
  });

  it.each(["own", "status", "stub", "sender-key"])("is nothing to us: %s", (name) => {
    expect(parse(name)).toBeNull();
  });

  it("may be anything: 20,000 that are wrong somewhere", () => {
    const random = randomFrom(9);
    const given = Object.values(fixtures);
    let parsed = 0;
    for (let n = 0; n < 20_000; n++) {
      const message = mutate(given[n % given.length], random);
      lidsIn(message);
      const read = parseMessage(message, setting);
      if (!read) continue;
      parsed += 1;
      const { kind, source, messageId, isAddressed } = read;
      const text = JSON.stringify(message);
      expect(parseSource(source)).toEqual(source);
      buildSessionKey(source);
      // Who it is from, and that it is not ours, was said in so many words.
      expect(text).toContain(`"fromMe":false`);
      for (const id of [source.userId, source.userIdAlt])
        if (id) expect(text).toContain(id.endsWith("@lid") ? id : `${id}@s.whatsapp.net`);
      expect(setting.us).not.toContain(source.userId);
      if (source.chatType === "group") {
        expect(text).toContain(`"remoteJid":${JSON.stringify(source.chatId)}`);
        expect(isAddressed).toBeTypeOf(kind === "reaction" ? "undefined" : "boolean");
      } else {
        expect([source.userId, source.userIdAlt]).toContain(source.chatId);
        expect(isAddressed).toBeUndefined();
      }
      if (kind !== "reaction") expect(messageId).toMatch(/^[^\n]+\.\d{5,20}(?:@lid)?$/);
    }
    expect(parsed).toBeGreaterThan(2_000);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
