import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { randomFrom } from "../../../test/support/random.mjs";
import { buildSessionKey } from "../../session/session-key.js";
import type { InboundMessage } from "../adapter.js";
import { field, wordsIn } from "../untrusted.js";
import type { SharedFile, SlackReading } from "./content.js";
import { parseBeginning, parseCommand, parseEvent } from "./parse.js";
import { plainTextOf } from "./plain-text.js";

const self: SlackReading = {
  userId: "U0BATON01",
  nameOf: (id) => (id === "U061F7AUR" ? "Eve" : undefined),
  // What was told of a file stays to be looked at.
  file: (file) => ({ ...file, read: async () => new Uint8Array() }),
};
const commands = new Set(["new", "status"]);
const folder = new URL("./fixtures/", import.meta.url);
const fixtures = new Map<string, string>(
  readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => [name.replace(".json", ""), readFileSync(new URL(name, folder), "utf8")]),
);

const payload = (name: string): unknown => JSON.parse(fixtures.get(name) ?? "");
const parse = (given: unknown): InboundMessage | null =>
  field(given, "command") === undefined
    ? parseEvent(field(given, "event"), self)
    : parseCommand(given, commands, self);
const heard = (name: string): InboundMessage | null => parse(payload(name));

const ann = { platform: "slack", userId: "U2147483697" };
const dm = { ...ann, chatId: "D024BE91L", chatType: "dm" };
const messageId = "1715187600.000200";
const root = "1715180000.000100";

describe("an event", () => {
  it.each<[string, object]>([
    [
      "message-im",
      {
        kind: "message",
        source: dm,
        text: "hello & welcome, see the page (https://example.com/a?b=1&c=2)",
        isAddressed: true,
      },
    ],
    [
      "message-im-thread",
      {
        source: { ...dm, threadId: root },
        text: "and this?",
        isAddressed: true,
        replyTo: { messageId: root },
      },
    ],
    [
      "message-channel",
      {
        source: { ...ann, chatId: "C061EG9SL", chatType: "channel" },
        text: "just talking to @Eve",
        isAddressed: false,
      },
    ],
    [
      "message-channel-mention",
      {
        source: { ...ann, chatId: "C061EG9SL", chatType: "thread", threadId: messageId },
        text: "/new plans",
        isAddressed: true,
      },
    ],
    [
      "message-private-channel-thread",
      {
        source: { ...ann, chatId: "G0LAN2Q65", chatType: "thread", threadId: root },
        text: "and <b>?",
        isAddressed: true,
        replyTo: { messageId: root },
      },
    ],
    [
      "message-mpim",
      { source: { ...ann, chatId: "G0MPIM111", chatType: "thread", threadId: messageId }, text: "hey" },
    ],
    ["thread-reply-to-bot", { isAddressed: true, text: "thanks", replyTo: { messageId: root } }],
    ["thread-broadcast", { isAddressed: true, text: "for all: done?" }],
    ["message-changed", { kind: "edit", messageId, source: dm, text: "hello, I meant" }],
    ["slash-command", { kind: "command", source: dm, text: "/new plans for May", isAddressed: true }],
    [
      "slash-command-channel",
      { kind: "command", source: { ...ann, chatId: "C061EG9SL", chatType: "channel" }, text: "/status" },
    ],
  ])("%s is a message", (name, expected) => {
    const message = heard(name);
    expect(message).toMatchObject(expected);
    if ("source" in expected) expect(message?.source).toEqual(expected.source);
    if (!name.startsWith("slash")) expect(message?.messageId).toBe(messageId);
  });

  it("and the mention that comes beside it are one", () => {
    expect(heard("app-mention")).toEqual(heard("message-channel-mention"));
  });

  it("tells of its files, but not of those that are gone", () => {
    expect(heard("file-share")?.files).toMatchObject([
      {
        name: "tower.png",
        mediaType: "image/png",
        url: "https://files.slack.com/files-pri/T024BE7LD-F2147483862/download/tower.png",
      },
    ]);
    expect(heard("file-share")?.parts).toEqual([{ kind: "unsupported", words: "a deleted file" }]);
  });

  it("that somebody spoke says so, and that it is sound", () => {
    const spoken = payload("file-share") as { event: { files: object[] } };
    spoken.event.files = [{ name: "a.mp4", mimetype: "video/mp4", subtype: "slack_audio" }];
    expect(parse(spoken)?.files).toMatchObject([{ mediaType: "audio/mp4", voice: true }]);
    expect(heard("file-share")?.files?.[0]?.voice).toBeUndefined();
  });

  it("that shares another one speaks of it, or passes it on: never as a command, and to nobody whom it names", () => {
    const shared = payload("message-im-forwarded") as { event: Record<string, unknown> };
    expect(parse(shared)).toMatchObject({
      source: dm,
      text: "what do you think of this?",
      replyTo: { messageId: root, text: "/new Stolen", from: "Eve" },
    });
    expect(parse(shared)?.forwarded).toBeUndefined();
    shared.event.text = "";
    shared.event.blocks = [];
    expect(parse(shared)).toMatchObject({ kind: "message", text: "/new Stolen", forwarded: { from: "Eve" } });
    const [attachment] = shared.event.attachments as object[];
    shared.event.attachments = [{ ...attachment, text: "<@U0BATON01> do it", message_blocks: [] }];
    shared.event.channel = "C061EG9SL";
    shared.event.channel_type = "channel";
    expect(parse(shared)).toMatchObject({ text: "do it", isAddressed: false });
  });

  it("that only names us is handed over", () => {
    const bare = payload("message-channel-mention") as { event: Record<string, unknown> };
    bare.event.text = "<@U0BATON01>";
    expect(parse(bare)).toMatchObject({ text: "", isAddressed: true });
    expect(parse(bare)?.parts).toBeUndefined();
  });

  it("that is gone is known by its id, also where Slack leaves its place", () => {
    const gone = { kind: "deletion", messageId, text: "", source: { platform: "slack", chatId: dm.chatId } };
    expect(heard("message-deleted")).toMatchObject(gone);
    const changed = payload("message-changed") as { event: { message: Record<string, unknown> } };
    changed.event.message.subtype = "tombstone";
    expect(parse(changed)).toMatchObject(gone);
  });

  it("that begins a thread has an author, unless that is us", () => {
    const files = [{ name: "plan.pdf", mimetype: "application/pdf" }];
    const begun = { user: "U061F7AUR", text: "the plan", files };
    expect(parseBeginning(begun, self)).toMatchObject({
      text: "the plan",
      from: "Eve",
      files: [{ name: "plan.pdf" }],
    });
    expect(parseBeginning({ ...begun, user: self.userId }, self).from).toBeUndefined();
    const blocks = [{ type: "header", text: { type: "plain_text", text: "Disk is full" } }];
    expect(parseBeginning({ bot_id: "B1", username: "alerts", text: "", blocks }, self)).toEqual({
      text: "Disk is full",
      from: "alerts",
    });
  });

  it.each(["message-changed-by-preview", "bot-message", "own-message", "channel-join"])(
    "%s is none",
    (name) => {
      expect(heard(name)).toBeNull();
    },
  );

  it("reaction-added tells the emoji, and on what it was put", () => {
    const event = field(payload("reaction-added"), "event");
    const [chatId, messageId] = [field(event, "item", "channel"), field(event, "item", "ts")];
    const reaction = { kind: "reaction", messageId, source: { chatId, userId: field(event, "user") } };
    expect(heard("reaction-added")).toMatchObject(reaction);
    expect(heard("reaction-added")?.text).toBe("👍");
  });

  it.each([undefined, null, 1, "x", [], {}, { type: "message" }, { type: "message", message: null }])(
    "%j is none",
    (event) => {
      expect(parseEvent(event, self)).toBeNull();
      expect(parseCommand(event, commands, self)).toBeNull();
    },
  );
});

describe("what people write", () => {
  it.each([
    ["&lt;!channel&gt; &amp;amp;", "<!channel> &amp;"],
    ["<!here> <!subteam^S1|@team> <!date^1|today>", "@here @team today"],
    ["<#C1|general> <#C2>", "#general #C2"],
    ["<mailto:a@b.c|a@b.c> <http://x.y|x.y> <http://x.y>", "a@b.c http://x.y http://x.y"],
    ["<@U0BATON01>", ""],
    ["  <@U0BATON01>   do <@U0BATON01|baton>  it ", "do it"],
    ["<@U0BATON012> < <>", "@U0BATON012 < "],
  ])("%j reads %j", (text, plain) => {
    expect(plainTextOf(text, self)).toBe(plain.trim());
  });
});

/** Values that a field should not have. */
const ODD: readonly unknown[] = [
  null,
  true,
  0,
  -1.5,
  "",
  " ",
  "im",
  "\ud800\0",
  "x".repeat(5_000),
  "<".repeat(2_000),
  "<@U0BATON01>",
  "U0BATON01",
  "D024BE91L",
  "1715180000.000100",
  "__proto__",
  "constructor",
  [],
  {},
  [[[]]],
  [null, { url_private: 1 }],
  { length: -1 },
];
const NAMES = [
  "type",
  "subtype",
  "user",
  "channel",
  "channel_type",
  "ts",
  "thread_ts",
  "bot_id",
  "__proto__",
  "message",
];

function mutate(json: unknown, random: () => number): unknown {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const objects: Record<string, unknown>[] = [];
  const look = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    objects.push(value as Record<string, unknown>);
    Object.values(value).forEach(look);
  };
  for (let n = 1 + Math.floor(random() * 3); n > 0; n--) {
    objects.length = 0;
    look(json);
    const target = pick(objects);
    const name = random() < 0.7 ? pick(Object.keys(target)) : pick(NAMES);
    const other = pick(objects);
    const value = [() => pick(ODD), () => other[pick(Object.keys(other))], () => structuredClone(other)][
      Math.floor(random() * 3)
    ]?.();
    if (name === undefined) continue;
    if (random() < 0.3) delete target[name];
    // As JSON.parse does it: an own field, whatever it is called.
    else
      Object.defineProperty(target, name, {
        value: structuredClone(value),
        enumerable: true,
        writable: true,
        configurable: true,
      });
  }
  return json;
}

describe("24,000 events that are not as they should be", () => {
  it("throw nothing, give nobody more, and touch no prototype", () => {
    const random = randomFrom(5);
    const names = [...fixtures.keys()];
    let messages = 0;
    for (let n = 0; n < 24_000; n++) {
      const given = mutate(payload(names[n % names.length] ?? ""), random);
      const found = parse(given);
      if (!found) continue;
      messages += 1;
      expectNoMore(found, given);
    }
    expect(messages).toBeGreaterThan(3_000);
    expect(messages).toBeLessThan(20_000);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>).url_private).toBeUndefined();
  });
});

/** Whatever was made of it is what the event says, in so many words. */
function expectNoMore(message: InboundMessage, given: unknown): void {
  const event = field(given, "event");
  const isCommand = field(given, "command") !== undefined;
  const said = message.kind === "edit" ? field(event, "message") : event;
  const { source } = message;
  const key = buildSessionKey(source); // It throws at a source that is none.
  const check = (holds: boolean): void => {
    if (!holds) expect.fail(`${key}: ${JSON.stringify({ message, given })}`);
  };
  if (message.kind === "deletion") {
    const ids = [field(event, "deleted_ts"), field(event, "message", "ts")];
    check(ids.includes(message.messageId) && source.chatId === wordsIn(event, "channel"));
    return;
  }
  check(source.userId !== self.userId && source.isBot === undefined);
  if (isCommand) {
    check(source.userId === wordsIn(given, "user_id") && source.chatId === wordsIn(given, "channel_id"));
    check(source.chatType !== "dm" || wordsIn(given, "channel_name") === "directmessage");
    return;
  }
  if (message.kind === "reaction") {
    check(source.userId === wordsIn(event, "user") && source.chatId === wordsIn(event, "item", "channel"));
    check(message.messageId === wordsIn(event, "item", "ts"));
    check(source.chatType !== "dm" || source.chatId.startsWith("D"));
    return;
  }
  check(source.userId === wordsIn(said, "user") && source.chatId === wordsIn(event, "channel"));
  check(message.messageId === wordsIn(said, "ts"));
  check(source.chatType !== "dm" || wordsIn(event, "channel_type") === "im");
  check((field(said, "bot_id") ?? "") === "");
  const isMention =
    wordsIn(event, "type") === "app_mention" || wordsIn(said, "text").includes(`<@${self.userId}`);
  const isReply = wordsIn(said, "parent_user_id") === self.userId;
  check(message.isAddressed === false || source.chatType === "dm" || isMention || isReply);
  check(
    ((message.files ?? []) as readonly unknown[] as readonly SharedFile[]).every(({ url, name, mediaType }) =>
      [url, name, mediaType].every((text) => typeof text === "string"),
    ),
  );
}
