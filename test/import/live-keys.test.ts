/**
 * What is imported has the key of what is said next in the same place. The keys to compare with are built from what the
 * adapters make of their platforms' own payloads.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseChannel, sourceIn } from "../../src/adapter/discord/parse.js";
import { placeOf as feishuPlace } from "../../src/adapter/feishu/parse.js";
import { placeIn as matrixPlace } from "../../src/adapter/matrix/parse.js";
import { parsePlace as mattermostPlace } from "../../src/adapter/mattermost/parse.js";
import "../../src/adapter/platforms.js";
import { parseContact, parseGroup } from "../../src/adapter/signal/parse.js";
import { parsePlace as slackPlace } from "../../src/adapter/slack/parse.js";
import { parsePlace as telegramPlace } from "../../src/adapter/telegram/parse.js";
import { chatWith } from "../../src/adapter/whatsapp/parse.js";
import { buildSessionKey, type SessionScopes } from "../../src/session/session-key.js";
import type { SessionSource } from "../../src/session/source.js";
import { openClawPlace } from "../../src/store/jsonl/openclaw-place.js";
import { placeOfKey, placeOfUser } from "../../src/store/jsonl/place.js";
import { placeOfEntry } from "../../src/store/jsonl/sessions-json.js";

/** How other programs tell of a place: Hermes by key and origin, OpenClaw by key and entry, nanobot by key alone. */
interface Told {
  readonly hermes?: readonly [key: string, origin: Record<string, unknown>];
  readonly openclaw?: readonly [key: string, entry: Record<string, unknown>];
  readonly nanobot?: string;
}

const telegram = (chat: object, thread?: string) =>
  telegramPlace(chat, thread, { id: "1", hasTopics: true } as never) as SessionSource;
const discord = (channel: object, parent?: object) =>
  sourceIn({ channel: parseChannel(channel), ...(parent ? { parent: parseChannel(parent) } : {}) } as never);
const slack = (channel: object, thread: string | null = null) =>
  slackPlace(channel, thread, { teamId: "T1", userId: "UBOT" }) as SessionSource;
const mattermost = (channel: object, thread?: string) =>
  mattermostPlace(channel, thread, { id: "b".repeat(26), username: "baton" }) as SessionSource;
const room = (chatType: "dm" | "group") => ({ roomId: "!AbC:ex.org", chatType, nameOf: () => undefined });

const PERSON = "a".repeat(26);
const CHANNEL = "c".repeat(26);
const GROUP_ID = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789+/abcde=";

const PLACES: readonly (readonly [what: string, live: SessionSource, told: Told])[] = [
  [
    "a private chat on Telegram",
    telegram({ id: 42, type: "private" }),
    {
      hermes: [
        "agent:main:telegram:dm:42",
        { platform: "telegram", chat_id: "42", chat_type: "dm", user_id: "42" },
      ],
      openclaw: ["agent:main:telegram:direct:42", {}],
      nanobot: "telegram:42",
    },
  ],
  [
    "a group on Telegram",
    telegram({ id: -1001, type: "supergroup" }),
    {
      hermes: [
        "agent:main:telegram:group:-1001",
        { platform: "telegram", chat_id: "-1001", chat_type: "group" },
      ],
      openclaw: ["agent:main:telegram:group:-1001", {}],
      nanobot: "telegram:-1001",
    },
  ],
  [
    "a topic on Telegram",
    telegram({ id: -1001, type: "supergroup", is_forum: true }, "7"),
    {
      hermes: [
        "agent:main:telegram:group:-1001:7",
        { platform: "telegram", chat_id: "-1001", chat_type: "group", thread_id: "7", user_id: "9" },
      ],
      openclaw: ["agent:main:telegram:group:-1001:topic:7", {}],
      nanobot: "telegram:-1001:topic:7",
    },
  ],
  [
    "the general topic on Telegram",
    telegram({ id: -1001, type: "supergroup", is_forum: true }, "1"),
    {
      hermes: [
        "agent:main:telegram:group:-1001:1",
        { platform: "telegram", chat_id: "-1001", chat_type: "group", thread_id: "1" },
      ],
      openclaw: ["agent:main:telegram:group:-1001:topic:1", {}],
      nanobot: "telegram:-1001:topic:1",
    },
  ],
  [
    "a topic of a private chat on Telegram",
    telegram({ id: 42, type: "private" }, "7"),
    {
      hermes: [
        "agent:main:telegram:dm:42:7",
        { platform: "telegram", chat_id: "42", chat_type: "dm", user_id: "42", thread_id: "7" },
      ],
      openclaw: ["agent:main:telegram:direct:42:thread:42:7", {}],
      nanobot: "telegram:42:topic:7",
    },
  ],
  [
    "a channel on Telegram",
    telegram({ id: -1002, type: "channel" }),
    {
      hermes: [
        "agent:main:telegram:channel:-1002",
        { platform: "telegram", chat_id: "-1002", chat_type: "channel" },
      ],
      openclaw: ["agent:main:telegram:channel:-1002", {}],
    },
  ],
  [
    "a channel of a Discord server",
    discord({ id: "50", type: 0, guild_id: "9" }),
    {
      hermes: ["agent:main:discord:group:50", { platform: "discord", chat_id: "50", chat_type: "group" }],
      openclaw: ["agent:main:discord:channel:50", {}],
    },
  ],
  [
    "a thread on Discord",
    discord({ id: "51", type: 11, guild_id: "9", parent_id: "50" }, { id: "50", type: 0, guild_id: "9" }),
    {
      hermes: [
        "agent:main:discord:thread:51:51",
        { platform: "discord", chat_id: "51", chat_type: "thread", thread_id: "51", parent_chat_id: "50" },
      ],
      openclaw: ["agent:main:discord:channel:50:thread:51", {}],
      nanobot: "discord:50:thread:51",
    },
  ],
  [
    "a thread that a message on Discord began",
    discord({ id: "51", type: 11, guild_id: "9", parent_id: "50" }, { id: "50", type: 0, guild_id: "9" }),
    {
      hermes: [
        "agent:main:discord:thread:50:51",
        { platform: "discord", chat_id: "50", chat_type: "group", prospective_thread_id: "51" },
      ],
    },
  ],
  [
    "a direct chat on Discord",
    discord({ id: "60", type: 1 }),
    {
      hermes: [
        "agent:main:discord:dm:60",
        { platform: "discord", chat_id: "60", chat_type: "dm", user_id: "5" },
      ],
      openclaw: ["agent:main:discord:direct:5", { origin: { nativeChannelId: "60" } }],
      nanobot: "discord:60",
    },
  ],
  [
    "a channel on Slack",
    slack({ id: "C0AB", is_member: true }),
    {
      hermes: [
        "agent:main:slack:group:T1:C0AB",
        { platform: "slack", chat_id: "C0AB", chat_type: "group", scope_id: "T1" },
      ],
      openclaw: ["agent:main:slack:channel:c0ab", {}],
      nanobot: "slack:C0AB",
    },
  ],
  [
    "a private channel on Slack",
    slack({ id: "C0PRIV", is_member: true, is_private: true }),
    { openclaw: ["agent:main:slack:group:c0priv", {}] },
  ],
  [
    "a private channel on Slack of before",
    slack({ id: "G0PRIV", is_member: true, is_private: true }),
    {
      hermes: [
        "agent:main:slack:group:T1:G0PRIV",
        { platform: "slack", chat_id: "G0PRIV", chat_type: "group", scope_id: "T1" },
      ],
      openclaw: ["agent:main:slack:channel:g0priv", {}],
      nanobot: "slack:G0PRIV",
    },
  ],
  [
    "a chat of several on Slack",
    slack({ id: "C0MPIM", is_member: true, is_private: true, is_mpim: true }),
    {
      hermes: [
        "agent:main:slack:dm:C0MPIM",
        { platform: "slack", chat_id: "C0MPIM", chat_type: "dm", user_id: "U1" },
      ],
      openclaw: ["agent:main:slack:group:c0mpim", {}],
    },
  ],
  [
    "a thread in a private channel on Slack",
    slack({ id: "C0PRIV", is_member: true, is_private: true }, "1700000000.000100"),
    {
      openclaw: ["agent:main:slack:channel:c0priv:thread:1700000000.000100", {}],
      nanobot: "slack:C0PRIV:1700000000.000100",
    },
  ],
  [
    "a thread on Slack",
    slack({ id: "C0AB", is_member: true }, "1700000000.000100"),
    {
      hermes: [
        "agent:main:slack:group:T1:C0AB:1700000000.000100",
        {
          platform: "slack",
          chat_id: "C0AB",
          chat_type: "group",
          scope_id: "T1",
          thread_id: "1700000000.000100",
        },
      ],
      openclaw: ["agent:main:slack:channel:c0ab:thread:1700000000.000100", {}],
      nanobot: "slack:C0AB:1700000000.000100",
    },
  ],
  [
    "a direct chat on Slack",
    slack({ id: "D0AB", is_im: true, user: "U1" }),
    {
      hermes: [
        "agent:main:slack:dm:D0AB",
        { platform: "slack", chat_id: "D0AB", chat_type: "dm", user_id: "U1" },
      ],
      openclaw: ["agent:main:slack:direct:u1", { deliveryContext: { channel: "slack", to: "channel:D0AB" } }],
      nanobot: "slack:D0AB",
    },
  ],
  [
    "a person on WhatsApp",
    chatWith("15551234567"),
    {
      hermes: [
        "agent:main:whatsapp:dm:15551234567",
        { platform: "whatsapp", chat_id: "15551234567@s.whatsapp.net", chat_type: "dm" },
      ],
      openclaw: ["agent:main:whatsapp:direct:+15551234567", {}],
      nanobot: "whatsapp:15551234567@s.whatsapp.net",
    },
  ],
  [
    "a group on WhatsApp",
    { platform: "whatsapp", chatType: "group", chatId: "1203630@g.us" },
    {
      hermes: [
        "agent:main:whatsapp:group:1203630@g.us",
        { platform: "whatsapp", chat_id: "1203630@g.us", chat_type: "group" },
      ],
      openclaw: ["agent:main:whatsapp:group:1203630@g.us", {}],
      nanobot: "whatsapp:1203630@g.us",
    },
  ],
  [
    "a person on Signal",
    parseContact({ number: "+15551234567" }, "+15550000000") as SessionSource,
    {
      hermes: [
        "agent:main:signal:dm:+15551234567",
        { platform: "signal", chat_id: "+15551234567", chat_type: "dm" },
      ],
      openclaw: ["agent:main:signal:direct:+15551234567", {}],
    },
  ],
  [
    "a group on Signal",
    parseGroup({ id: GROUP_ID, isMember: true }) as SessionSource,
    {
      hermes: [
        `agent:main:signal:group:group:${GROUP_ID}`,
        { platform: "signal", chat_id: `group:${GROUP_ID}`, chat_type: "group" },
      ],
      openclaw: [
        `agent:main:signal:group:${GROUP_ID.toLowerCase()}`,
        { deliveryContext: { channel: "signal", to: `group:${GROUP_ID}` } },
      ],
    },
  ],
  [
    "a room on Matrix",
    matrixPlace(room("group"), undefined),
    {
      hermes: [
        "agent:main:matrix:group:!AbC:ex.org",
        { platform: "matrix", chat_id: "!AbC:ex.org", chat_type: "group" },
      ],
      openclaw: ["agent:main:matrix:channel:!abc:ex.org", { lastTo: "room:!AbC:ex.org" }],
    },
  ],
  [
    "a thread on Matrix",
    matrixPlace(room("group"), "$Ev"),
    {
      hermes: [
        "agent:main:matrix:group:!AbC:ex.org:$Ev",
        { platform: "matrix", chat_id: "!AbC:ex.org", chat_type: "group", thread_id: "$Ev" },
      ],
      openclaw: [
        "agent:main:matrix:channel:!abc:ex.org:thread:$ev",
        { origin: { to: "room:!AbC:ex.org", threadId: "$Ev" } },
      ],
    },
  ],
  [
    "a chat of two on Matrix",
    matrixPlace(room("dm"), undefined),
    {
      hermes: [
        "agent:main:matrix:dm:!AbC:ex.org",
        { platform: "matrix", chat_id: "!AbC:ex.org", chat_type: "dm" },
      ],
      nanobot: "matrix:!AbC:ex.org",
    },
  ],
  [
    "a channel on Mattermost",
    mattermost({ id: CHANNEL, type: "O" }),
    {
      hermes: [
        `agent:main:mattermost:channel:${CHANNEL}`,
        { platform: "mattermost", chat_id: CHANNEL, chat_type: "channel" },
      ],
      openclaw: [`agent:main:mattermost:channel:${CHANNEL}`, {}],
    },
  ],
  [
    "a thread on Mattermost",
    mattermost({ id: CHANNEL, type: "O" }, PERSON),
    {
      hermes: [
        `agent:main:mattermost:channel:${CHANNEL}:${PERSON}`,
        { platform: "mattermost", chat_id: CHANNEL, chat_type: "channel", thread_id: PERSON },
      ],
      openclaw: [`agent:main:mattermost:channel:${CHANNEL}:thread:${PERSON}`, {}],
    },
  ],
  [
    "a group on Feishu",
    feishuPlace("oc_1", { isPrivate: false }),
    {
      hermes: ["agent:main:feishu:group:oc_1", { platform: "feishu", chat_id: "oc_1", chat_type: "group" }],
      openclaw: ["agent:main:feishu:group:oc_1", {}],
      nanobot: "feishu:oc_1",
    },
  ],
  [
    "a thread on Feishu",
    feishuPlace("oc_1", { isPrivate: false }, "omt_1"),
    {
      hermes: [
        "agent:main:feishu:group:oc_1:omt_1",
        { platform: "feishu", chat_id: "oc_1", chat_type: "group", thread_id: "omt_1" },
      ],
      openclaw: ["agent:main:feishu:group:oc_1:thread:omt_1", {}],
      nanobot: "feishu:oc_1:omt_1",
    },
  ],
];

const SCOPES: readonly SessionScopes[] = [{}, { agent: "aide" }, { dm: "platform" }];

describe.each(PLACES)("%s", (_, live, { hermes, openclaw, nanobot }) => {
  it.each(SCOPES)("has the key of its messages with %j", (scopes) => {
    const key = buildSessionKey(live, scopes);
    if (hermes) {
      const [theirs, origin] = hermes;
      expect(placeOfEntry({ key: theirs, fields: { origin } }, scopes)).toMatchObject({ place: { key } });
    }
    if (openclaw) {
      expect(openClawPlace(openclaw[0], openclaw[1], scopes)).toMatchObject({ place: { key }, bind: true });
    }
    if (nanobot) expect(placeOfKey(nanobot, scopes).key).toBe(key);
  });
});

describe("what a program does not say", () => {
  const PRIVATE = expect.stringContaining("public or private");

  it("is noted of a channel on Slack that may be private, and of no other chat", () => {
    const hermes = (chat_id: string, more: object = {}) => {
      const origin = { platform: "slack", chat_id, chat_type: "group", scope_id: "T1", ...more };
      return placeOfEntry({ key: `agent:main:slack:group:T1:${chat_id}`, fields: { origin } }, {}).place.note;
    };
    expect(hermes("C0AB")).toEqual(PRIVATE);
    expect(openClawPlace("agent:main:slack:channel:c0ab", {}, {}).place.note).toEqual(PRIVATE);
    expect(placeOfKey("slack:C0AB", {}).note).toEqual(PRIVATE);
    expect(placeOfKey("agent:main:slack:group:C0AB", {}).note).toEqual(PRIVATE);
    for (const [, live, { hermes: byHermes, openclaw, nanobot }] of PLACES) {
      if (live.platform === "slack" && live.chatType === "channel") continue;
      if (byHermes)
        expect(
          placeOfEntry({ key: byHermes[0], fields: { origin: byHermes[1] } }, {}).place.note,
        ).toBeUndefined();
      if (openclaw) expect(openClawPlace(...openclaw, {}).place.note).toBeUndefined();
      if (nanobot) expect(placeOfKey(nanobot, {}).note ?? "").not.toEqual(PRIVATE);
    }
  });

  it("is noted of a direct chat by its person's id, unless all direct chats are one", () => {
    const note = expect.stringContaining("/resume");
    expect(placeOfKey("feishu:ou_1", {})).toMatchObject({ owner: "person:feishu:ou_1", note });
    expect(placeOfUser("slack", "U1", "s", {})).toMatchObject({ owner: "person:slack:U1", note });
    expect(placeOfUser("slack", "U1", "s", { dm: "platform" }).note).toBeUndefined();
    expect(placeOfKey("feishu:oc_1", {}).note).toBeUndefined();
  });
});

it("gives every topic of every group on Telegram its own key, whoever tells of it", () => {
  const id = fc.integer({ min: 2, max: 2 ** 40 });
  fc.assert(
    fc.property(id, id, (group, topic) => {
      const live = telegram({ id: -group, type: "supergroup", is_forum: true }, String(topic));
      const key = buildSessionKey(live);
      const origin = {
        platform: "telegram",
        chat_id: -group,
        chat_type: "group",
        thread_id: topic,
        user_id: 5,
      };
      const theirs = `agent:main:telegram:group:-${group}:${topic}`;
      expect(placeOfEntry({ key: theirs, fields: { origin } }, {}).place.key).toBe(key);
      expect(openClawPlace(`agent:x:telegram:group:-${group}:topic:${topic}`, {}, {}).place.key).toBe(key);
      expect(placeOfKey(`telegram:-${group}:topic:${topic}`, {}).key).toBe(key);
    }),
  );
});

describe("OpenClaw's other keys", () => {
  it("gives the one session of all direct chats to the last of them, or to the terminal", () => {
    const origin = { provider: "telegram", chatType: "direct", from: "telegram:42", to: "telegram:42" };
    expect(openClawPlace("agent:main:main", { origin }, {})).toMatchObject({
      place: { key: "agent:main:telegram:dm:42", owner: "person:telegram:42" },
      bind: true,
    });
    const web = { lastChannel: "webchat", lastTo: "webchat:x" };
    expect(openClawPlace("agent:main:main", web, {}).place.key).toBe("agent:main:local:dm:cli");
    const group = { origin: { provider: "telegram", chatType: "group", from: "telegram:group:-5" } };
    expect(openClawPlace("main", group, {}).place.key).toBe("agent:main:local:dm:cli");
  });

  it("reads keys with an account, and keys of a person without a channel", () => {
    expect(openClawPlace("agent:main:telegram:work:direct:42", {}, {}).place.key).toBe(
      "agent:main:telegram:dm:42",
    );
    expect(openClawPlace("agent:main:direct:42", { lastChannel: "telegram" }, {}).place.key).toBe(
      "agent:main:telegram:dm:42",
    );
  });

  it("says if only the person's id is known, and names a platform that it does not know", () => {
    expect(openClawPlace("agent:main:slack:direct:u1", {}, {}).place).toMatchObject({
      owner: "person:slack:U1",
      note: expect.stringContaining("/resume"),
    });
    expect(openClawPlace("agent:main:imessage:group:7", {}, {}).place).toMatchObject({
      owner: expect.stringMatching(/^chat:local:/),
      unknownPlatform: "imessage",
    });
  });

  it("keeps the program's own work for the owner, bound to nothing", () => {
    for (const key of ["agent:main:cron:daily", "agent:main:subagent:1-2", "cron:x", "hook:1"]) {
      const { place, bind } = openClawPlace(key, {}, {});
      expect([place.owner.startsWith("chat:local:"), place.unknownPlatform, bind]).toEqual([
        true,
        undefined,
        false,
      ]);
    }
  });
});
