import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { randomFrom } from "../../../test/support/random.mjs";
import { buildSessionKey } from "../../session/session-key.js";
import { record } from "../untrusted.js";
import { id } from "./ids.js";
import type { MatrixSelf } from "./mention.js";
import { answeredEvent, decryptedEvent, parseEvent, type RoomFacts, redactedBy } from "./parse.js";

/** Made by hand from the shapes that the specification gives; a real Synapse's are in test/platforms. */
const events: Record<string, Record<string, unknown>> = JSON.parse(
  readFileSync(new URL("./fixtures/events.json", import.meta.url), "utf8"),
);

const self: MatrixSelf = {
  userId: "@baton:example.org",
  displayName: "Baton",
  commands: new Set(["new", "stop"]),
};
const people = new Map([["@ann:example.org", "Ann"]]);
const group: RoomFacts = {
  roomId: "!room:example.org",
  chatType: "group",
  name: "Team",
  topic: "Plans",
  nameOf: (userId) => people.get(userId),
};
const dm: RoomFacts = { ...group, chatType: "dm" };

const said = (body: string, more: object = {}) => ({
  ...events.text,
  content: { msgtype: "m.text", body, ...more },
});

describe("an event", () => {
  it("of a text says who, where and what", () => {
    expect(parseEvent(events.text, group, self)).toEqual({
      kind: "message",
      messageId: "$text",
      text: "hello there",
      parts: [],
      media: [],
      isAddressed: false,
      source: {
        platform: "matrix",
        chatId: "!room:example.org",
        chatType: "group",
        chatName: "Team",
        chatTopic: "Plans",
        userId: "@ann:example.org",
        userName: "Ann",
        messageId: "$text",
      },
    });
    expect(parseEvent(events.formatted, dm, self)).toMatchObject({ text: "some **bold** text" });
  });

  it.each(["notice", "own", "redacted", "state", "reaction"])("of a %s is nothing to answer", (name) => {
    expect(parseEvent(events[name], group, self)).toBeNull();
  });

  it.each([
    "m.forwarded",
    "org.matrix.msc4553.forwarded",
    "com.famedly.app.forwarded",
    "moe.sable.message.forward",
    "xyz.extera.forward",
  ])("that an app marks as forwarded (%s) is text, and no command", (mark) => {
    const forwarded = said("!stop", { [mark]: { event_id: "$elsewhere" } });
    expect(parseEvent(forwarded, group, self)).toMatchObject({
      text: "!stop",
      isAddressed: false,
      forwarded: {},
    });
    const edited = { "m.relates_to": { rel_type: "m.replace", event_id: "$earlier" } };
    const content = { msgtype: "m.text", body: "/stop", [mark]: true };
    expect(parseEvent(said("* /stop", { ...edited, "m.new_content": content }), group, self)).toMatchObject({
      text: "/stop",
      isAddressed: false,
      forwarded: {},
    });
    expect(parseEvent(said("!stop", { [mark]: false }), group, self)).toMatchObject({ text: "/stop" });
    expect(parseEvent(said("!stop"), group, self)?.forwarded).toBeUndefined();
  });

  it("that answers another names it, without what older clients put before it", () => {
    expect(parseEvent(events["reply with fallback"], group, self)).toMatchObject({
      text: "I agree",
      replyTo: { messageId: "$earlier", text: "first line\nsecond line" },
    });
    expect(parseEvent(events["reply without fallback"], group, self)).toMatchObject({
      text: "so do I",
      replyTo: { messageId: "$earlier" },
      isAddressed: false,
    });
    expect(answeredEvent(events["reply with fallback"], group, self)).toMatchObject({
      text: "I agree",
      from: "Ann",
    });
  });

  it("that quotes by itself and answers nothing keeps its quotation", () => {
    expect(parseEvent(said("> wise words\n\nindeed"), dm, self)?.text).toBe("> wise words\n\nindeed");
  });

  it("that changes another has its id and the new text", () => {
    const edited = parseEvent(events.edit, group, self);
    expect(edited).toMatchObject({ kind: "edit", messageId: "$text", text: "hello everybody" });
  });

  it("in a thread has the thread, and a reply only where one was meant", () => {
    const inThread = parseEvent(events["in a thread"], group, self);
    expect(inThread?.source.threadId).toBe("$root");
    expect(inThread?.replyTo).toBeUndefined();
    const reply = parseEvent(events["reply in a thread"], group, self);
    expect(reply).toMatchObject({ source: { threadId: "$root" }, replyTo: { messageId: "$that" } });
    const key = (room: RoomFacts) =>
      buildSessionKey(parseEvent(events["in a thread"], room, self)?.source ?? never());
    expect(key(group)).toBe("agent:main:matrix:group:!room%3Aexample.org:$root");
    expect(key(dm)).toBe("agent:main:matrix:dm:!room%3Aexample.org:$root");
  });

  it("with a file says where it is, and takes what was written with it for the text", () => {
    expect(parseEvent(events.image, dm, self)).toMatchObject({
      text: "look at this",
      media: [{ server: "example.org", mediaId: "AbC_d-1", name: "cat.png", mediaType: "image/png" }],
    });
    expect(parseEvent(events["encrypted file"], dm, self)).toMatchObject({
      text: "",
      media: [{ mediaId: "Enc1", name: "notes.txt", encrypted: { v: "v2" } }],
    });
    const elsewhere = { ...record(events.image?.content), url: "https://evil.example/cat.png" };
    const unread = { media: [], parts: [{ kind: "unsupported", words: "m.image" }] };
    expect(parseEvent({ ...events.image, content: elsewhere }, dm, self)).toMatchObject(unread);
    const climbing = { ...record(events.image?.content), url: "mxc://example.org/../../../etc" };
    expect(parseEvent({ ...events.image, content: climbing }, dm, self)).toMatchObject(unread);
  });

  it("that is answered has its words as they are now, its files and its author, unless that is the bot", () => {
    expect(answeredEvent(events.image, group, self)).toEqual({
      text: "look at this",
      from: "Ann",
      media: [expect.objectContaining({ mediaId: "AbC_d-1" })],
    });
    const changed = { "m.new_content": { body: "newer words" } };
    const edited = { ...events.text, unsigned: { "m.relations": { "m.replace": { content: changed } } } };
    expect(answeredEvent(edited, group, self)).toMatchObject({ text: "newer words" });
    expect(answeredEvent({ ...events.text, sender: self.userId }, group, self)).toEqual({
      text: "hello there",
      media: [],
    });
    expect(answeredEvent({ ...events.text, sender: "@eve:example.org" }, group, self).from).toBe(
      "@eve:example.org",
    );
    expect(answeredEvent({ type: "m.room.encrypted", sender: "@ann:example.org" }, group, self)).toEqual({
      from: "Ann",
      media: [],
    });
  });

  it("that only names the bot in a thread is about what was said there last", () => {
    const relation = { rel_type: "m.thread", event_id: "$root", is_falling_back: true };
    const bare = (body: string) =>
      parseEvent(
        said(body, { "m.relates_to": { ...relation, "m.in_reply_to": { event_id: "$last" } } }),
        group,
        self,
      );
    expect(bare("Baton")).toMatchObject({ text: "", isAddressed: true, replyTo: { messageId: "$last" } });
    expect(bare("Baton: go")?.replyTo).toBeUndefined();
  });

  it("that deletes another names it, in rooms old and new", () => {
    expect(redactedBy({ type: "m.room.redaction", redacts: "$gone" })).toBe("$gone");
    expect(redactedBy({ type: "m.room.redaction", content: { redacts: "$gone" } })).toBe("$gone");
    expect(redactedBy({ type: "m.room.message", redacts: "$gone" })).toBeUndefined();
    expect(redactedBy({ type: "m.room.redaction", redacts: 7 })).toBeUndefined();
  });

  it("that was encrypted is the room's, with what was inside", () => {
    const envelope = {
      type: "m.room.encrypted",
      sender: "@ann:example.org",
      event_id: "$e",
      content: { ciphertext: "x" },
    };
    const inside = {
      type: "m.room.message",
      sender: "@mallory:example.org",
      event_id: "$f",
      content: record(events.text?.content),
    };
    expect(parseEvent(decryptedEvent(envelope, inside), dm, self)).toMatchObject({
      messageId: "$e",
      source: { userId: "@ann:example.org" },
      text: "hello there",
    });
  });
});

describe("the bot is meant", () => {
  it.each([
    ["by a link to it", events["mentioned by pill"], "what is new?"],
    [
      "in the list of those meant",
      said("hi Baton", { "m.mentions": { user_ids: ["@baton:example.org"] } }),
      "hi Baton",
    ],
    ["by its name at the start", said("Baton: go"), "go"],
    ["by its name, in other letters", said("baton, go"), "go"],
    ["by its name and a blank", said("@Baton go on"), "go on"],
    ["by its id", said("@baton:example.org go"), "go"],
    ["by its id inside", said("go @baton:example.org now"), "go now"],
    ["by a command of its own", said("/stop that"), "/stop that"],
    ["before a command", said("Baton: /new"), "/new"],
    ["before a command as Matrix has it", said("@baton !stop it"), "/stop it"],
  ])("%s", (_, event, text) => {
    expect(parseEvent(event, group, self)).toMatchObject({ isAddressed: true, text });
  });

  it.each([
    said("Batonrouge is a city"),
    said("I like Baton"),
    said("/unknown"),
    said("/stopper"),
    said("hello", { "m.mentions": { user_ids: ["@baton:example.org.evil"] } }),
    said("hello", { "m.mentions": { user_ids: "@baton:example.org" } }),
    said("hello", { formatted_body: '<a href="https://matrix.to/#/@baton:example.orgx">Baton</a>' }),
    said("hello", { formatted_body: '<a href="https://evil.example/#/@baton:example.org">Baton</a>' }),
  ])("but not by %j", (event) => {
    expect(parseEvent(event, group, self)?.isAddressed).toBe(false);
  });

  it("and a name alone is what was written, in a room of two", () => {
    expect(parseEvent(said("Baton"), dm, self)?.text).toBe("Baton");
    expect(parseEvent(said("!unknown"), dm, self)?.text).toBe("!unknown");
  });
});

describe("whatever comes", () => {
  const ODD: readonly unknown[] = [
    undefined,
    null,
    true,
    0,
    -1,
    1e308,
    "",
    "\0",
    "\ud800",
    "@baton:example.org",
    "$x",
    "!x",
    "__proto__",
    [],
    [[]],
    {},
    { user_ids: [{}] },
    "x".repeat(70_000),
    "> ".repeat(5_000),
    "<a href=".repeat(5_000),
    JSON.parse('{"__proto__": {"userId": "@owner:example.org", "msgtype": "m.text", "body": "x"}}'),
    JSON.parse('{"constructor": {"prototype": {"polluted": true}}}'),
  ];
  const PLACES = [
    "type",
    "sender",
    "event_id",
    "content",
    "state_key",
    "unsigned",
    "msgtype",
    "body",
    "m.relates_to",
    "rel_type",
    "event_id",
    "m.in_reply_to",
    "m.new_content",
    "m.mentions",
    "user_ids",
    "url",
    "file",
    "info",
    "mimetype",
    "filename",
    "format",
    "formatted_body",
    "is_falling_back",
    "__proto__",
    "toString",
  ];

  it("20,000 events with something odd in them: nothing thrown, nobody invented, no prototype touched", () => {
    const random = randomFrom(20260110);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    const mutate = (value: unknown, depth: number): unknown => {
      if (random() < 0.08) return pick(ODD);
      if (typeof value === "string" && random() < 0.1)
        return (
          value.slice(Math.floor(random() * value.length)) +
          pick(["", ":", "\u202e", "@baton:example.org", "\n> "])
        );
      if (typeof value !== "object" || value === null || depth > 6) return value;
      const copy: Record<string, unknown> = Object.fromEntries(
        Object.entries(value).flatMap(([name, inner]) =>
          random() < 0.05 ? [] : [[name, mutate(inner, depth + 1)]],
        ),
      );
      if (random() < 0.15)
        Object.defineProperty(copy, pick(PLACES), { value: pick(ODD), enumerable: true, configurable: true });
      return copy;
    };
    const before = Object.getOwnPropertyNames(Object.prototype).join();
    const originals = Object.values(events);
    let parsed = 0;
    for (let round = 0; round < 20_000; round += 1) {
      const event = mutate(pick(originals), 0);
      const room = pick([group, dm]);
      const message = parseEvent(event, room, self);
      answeredEvent(event, room, self);
      if (!message) continue;
      parsed += 1;
      const own = record(event);
      // Who wrote it is what the homeserver says at the top, and nothing from inside.
      expect(message.source.userId).toBe(own.sender);
      expect(id(message.source.userId, "@")).toBeDefined();
      expect(message.source.userId).not.toBe(self.userId);
      expect(message.source.chatId).toBe(room.roomId);
      expect(typeof message.text).toBe("string");
      expect(id(message.messageId, "$")).toBeDefined();
      if (message.kind === "message") expect(message.messageId).toBe(own.event_id);
      buildSessionKey(message.source, { group: "member", thread: "member" });
    }
    expect(parsed).toBeGreaterThan(2_000);
    expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(before);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

function never(): never {
  throw new Error("It was not parsed.");
}
