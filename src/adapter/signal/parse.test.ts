import { describe, expect, it } from "vitest";
import { fixturesIn } from "../../../test/support/json-fixtures.js";
import { mutate } from "../../../test/support/mutated-json.js";
import { randomFrom } from "../../../test/support/random.mjs";
import { buildSessionKey } from "../../session/session-key.js";
import { parseSource } from "../../session/source.js";
import { field, isThere } from "../untrusted.js";
import { parseEvent, type SignalFile, type SignalParseSetting } from "./parse.js";

const fixtures = fixturesIn(new URL("./fixtures/", import.meta.url));
const ACCOUNT = "+15550000000";
const ANN = { userId: "+15551234567", userName: "Ann", userIdAlt: "a0000000-0000-4000-8000-000000000001" };
const dm = {
  platform: "signal",
  chatId: "+15551234567",
  chatType: "dm",
  chatIdAlt: ANN.userIdAlt,
  ...ANN,
};
const group = {
  platform: "signal",
  chatId: "R3JvdXAgb2YgdGhlIHRlc3RzLCAzMiBieXRlcyBsb24=",
  chatName: "Team",
  chatType: "group",
  ...ANN,
};

const files: SignalFile[] = [];
const setting: SignalParseSetting = {
  account: ACCOUNT,
  commands: new Set(["new", "status"]),
  file: (file) => {
    files.push(file);
    return { mediaType: file.mediaType, read: async () => new Uint8Array() };
  },
};
const parse = (event: unknown) => parseEvent(event, setting);
const changed = (name: string, change: (data: Record<string, unknown>) => void): unknown => {
  const event = structuredClone(fixtures[name]) as { envelope: { dataMessage: Record<string, unknown> } };
  change(event.envelope.dataMessage);
  return event;
};

describe("an event of Signal's", () => {
  it("is a message", () => {
    expect(parse(fixtures.message)).toEqual({
      kind: "message",
      source: dm,
      messageId: `1750000000001.${ANN.userIdAlt}`,
      text: "What is on today?",
    });
  });

  it("comes from a UUID where the number is hidden", () => {
    const uuid = ANN.userIdAlt;
    const { chatIdAlt: _, ...source } = { ...dm, chatId: uuid, userId: uuid };
    expect(parse(fixtures["hidden-number"])).toMatchObject({ messageId: `1750000000002.${uuid}` });
    expect(parse(fixtures["hidden-number"])?.source).toEqual(source);
  });

  it("names people in a group, and us no more", () => {
    expect(parse(fixtures["group-mention"])).toEqual({
      kind: "message",
      source: group,
      messageId: `1750000000003.${ANN.userIdAlt}`,
      text: "ask @+15557654321 about it 👍",
      isAddressed: true,
    });
  });

  it("is for us in a group by a mention, an answer to us, or a command of ours, and by nothing else", () => {
    const isAddressed = (change: (data: Record<string, unknown>) => void) =>
      parse(changed("group-mention", change))?.isAddressed;
    expect(parse(fixtures["group-quote"])).toMatchObject({
      isAddressed: true,
      replyTo: { messageId: "1749999999000", text: "Shall I go on?" },
    });
    const say = (message: string) => (data: Record<string, unknown>) =>
      Object.assign(data, { message, mentions: [] });
    expect(isAddressed(say("/status now"))).toBe(true);
    expect(isAddressed(say("/etc/passwd"))).toBe(false);
    expect(isAddressed(say("/other"))).toBe(false);
    expect(isAddressed(say(`hello ${ACCOUNT}`))).toBe(false);
    expect(
      isAddressed((data) => Object.assign(data, { mentions: [{ number: ACCOUNT, start: 900, length: 1 }] })),
    ).toBe(false);
  });

  it("changes a message under its id", () => {
    expect(parse(fixtures.edit)).toEqual({
      kind: "edit",
      source: dm,
      messageId: parse(fixtures.message)?.messageId,
      text: "What is on tomorrow?",
    });
  });

  it("brings files, but none that may be seen only once", () => {
    files.length = 0;
    expect(parse(fixtures.attachment)).toMatchObject({ kind: "message", text: "", files: [{}] });
    expect(files).toEqual([
      {
        id: "Yd8m2-Kq.jpg",
        chatId: "+15551234567",
        size: 20_480,
        name: "cat.jpg",
        mediaType: "image/jpeg",
        isVoice: false,
      },
    ]);
    files.length = 0;
    expect(parse(changed("attachment", (data) => Object.assign(data, { viewOnce: true })))).toMatchObject({
      parts: [{ kind: "unsupported", words: "a picture that may be opened only once" }],
    });
    expect(files).toEqual([]);
    const climbing = { attachments: [{ id: "../../etc/passwd" }] };
    expect(parse(changed("attachment", (data) => Object.assign(data, climbing)))).toBeNull();
  });

  it("takes back what its sender wrote", () => {
    const remoteDelete = { timestamp: 1_750_000_000_001 };
    expect(parse(changed("message", (data) => Object.assign(data, { message: null, remoteDelete })))).toEqual(
      {
        kind: "deletion",
        source: dm,
        messageId: parse(fixtures.message)?.messageId,
        text: "",
      },
    );
  });

  it("has the files of what it answers, if they came in the same chat", () => {
    const asked: string[][] = [];
    const earlier = (...of: string[]) => {
      asked.push(of);
      return {
        messageId: "1",
        from: "Bob",
        files: [{ mediaType: "image/png", read: async () => new Uint8Array() }],
      };
    };
    const authorUuid = "b0000000-0000-4000-8000-000000000002";
    const quote = {
      id: 1_749_999_999_000,
      authorUuid,
      text: null,
      attachments: [{ contentType: "image/png" }],
    };
    const event = changed("group-quote", (data) => Object.assign(data, { quote }));
    expect(parseEvent(event, { ...setting, earlier })?.replyTo).toMatchObject({
      messageId: `1749999999000.${authorUuid}`,
      from: "Bob",
      files: [{ mediaType: "image/png" }],
    });
    expect(asked).toEqual([[group.chatId, `1749999999000.${authorUuid}`]]);
    const { replyTo } = parse(event) ?? {};
    expect(replyTo).toMatchObject({ from: "somebody else", parts: [{ kind: "unsupported" }] });
    expect(replyTo).not.toHaveProperty("files");
  });

  it("is a reaction", () => {
    expect(parse(fixtures.reaction)).toMatchObject({
      kind: "reaction",
      text: "👍",
      messageId: "1749999999000",
    });
  });

  it("says nothing where it is our own, another account's, or a sign", () => {
    for (const name of ["sync", "typing"]) expect(parse(fixtures[name])).toBeNull();
    expect(parse({ ...(fixtures.message as object), account: "+15559999999" })).toBeNull();
    expect(parseEvent(fixtures.message, { ...setting, account: "+15551234567" })).toBeNull();
  });

  it("is no chat of two where its group cannot be read", () => {
    for (const groupInfo of [{}, { groupId: 7 }, { groupId: "" }, [], "x", { groupId: "+15551234567" }])
      expect(parse(changed("message", (data) => Object.assign(data, { groupInfo })))).toBeNull();
  });

  it("is nobody's where its sender is odd", () => {
    for (const odd of [
      { sourceUuid: 7 },
      { sourceUuid: "x" },
      { sourceNumber: ["+15551234567"] },
      { sourceNumber: " +15551234567" },
    ]) {
      const { envelope } = fixtures.message as { envelope: object };
      expect(parse({ account: ACCOUNT, envelope: { ...envelope, ...odd } })).toBeNull();
    }
  });

  it("may be anything: 20,000 that are wrong somewhere", () => {
    const random = randomFrom(5);
    const given = Object.values(fixtures);
    let parsed = 0;
    for (let n = 0; n < 20_000; n++) {
      const event = mutate(given[n % given.length], random);
      const message = parse(event);
      if (!message) continue;
      parsed += 1;
      const { kind, source, messageId, isAddressed } = message;
      const isReaction = kind === "reaction";
      expect(parseSource(source)).toEqual(source);
      buildSessionKey(source, { group: "member" });
      expect(messageId).toMatch(isReaction ? /^\d+(\..+)?/ : /^\d+\..+/);
      const envelope = field(event, "envelope");
      const senders = [field(envelope, "sourceNumber"), field(envelope, "sourceUuid")];
      expect(senders.map((id) => String(id).toLowerCase())).toContain(source.userId?.toLowerCase());
      const data = field(envelope, "dataMessage") ?? field(envelope, "editMessage", "dataMessage");
      const isEdit = isThere(field(envelope, "editMessage"));
      const inGroup = isThere(
        field(isEdit ? field(envelope, "editMessage", "dataMessage") : data, "groupInfo"),
      );
      expect([source.chatType, typeof isAddressed]).toEqual(
        inGroup ? ["group", isReaction ? "undefined" : "boolean"] : ["dm", "undefined"],
      );
      if (!inGroup) expect(source.chatId).toBe(source.userId);
      expect(isThere(field(envelope, "syncMessage"))).toBe(false);
    }
    expect(parsed).toBeGreaterThan(2_000);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
