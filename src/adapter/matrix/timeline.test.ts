/** What events and invitations may cost a homeserver, and what holds where it does not answer. */
import { HTTPError } from "matrix-js-sdk/lib/http-api/index.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { InboundMessage } from "../adapter.js";
import { Intake } from "../intake.js";
import type { MatrixApi } from "./api.js";
import type { Json } from "./json.js";
import { Pending } from "./pending.js";
import { Rooms } from "./rooms.js";
import { SeenEvents } from "./seen-events.js";
import { Timeline } from "./timeline.js";

const BOT = "@bot:test";
const ANN = "@ann:test";
const EVE = "@eve:test";

let states: Record<string, Json>;
let invited: string[];
let joined: string[];
/** What the homeserver was asked. */
let asked: string[];
let isBroken: boolean;
let received: InboundMessage[];
let problems: string[];
let intake: Intake<string>;
let timeline: Timeline;
let rooms: Rooms;
let next: number;

beforeEach(() => {
  [states, invited, joined] = [{}, [], [ANN, BOT]];
  [asked, received, problems] = [[], [], []];
  isBroken = false;
  next = 0;
  const answer = async (what: string, json: Json | null): Promise<Json> => {
    asked.push(what);
    if (isBroken) throw new HTTPError("broken", 500);
    if (json === null) throw new HTTPError("not here", 404);
    return json;
  };
  const api = {
    joinedMembers: () => answer("members", { joined: Object.fromEntries(joined.map((who) => [who, {}])) }),
    invitedMembers: () =>
      answer("invited", { chunk: invited.map((who) => ({ state_key: who, type: "m.room.member" })) }),
    state: (_: string, type: string) => answer("state", states[type] ?? null),
    event: () => answer("event", { sender: BOT, event_id: "$old", content: {}, type: "m.room.message" }),
    messagesBefore: () => answer("history", { chunk: [] }),
    join: (roomId: string) => answer(`join ${roomId}`, {}),
  } as unknown as MatrixApi;
  rooms = new Rooms(api);
  intake = new Intake<string>();
  timeline = new Timeline({
    api,
    self: { userId: BOT, commands: new Set() },
    rooms,
    seen: new SeenEvents(api, async () => null),
    pending: new Pending({ read: async () => null, write: async () => {} }),
    encryption: null,
    receive: async (message) => {
      received.push(message);
      return "accepted";
    },
    knows: async ({ userId }) => userId === ANN,
    problem: (sentence) => problems.push(sentence),
    intake,
    isOver: () => false,
    wait: async () => {},
  });
});
afterEach(() => intake.stop());

/** A sync brings this; settles when all of it was received. */
const sync = async (rooms: Json, since = "s"): Promise<void> => {
  await timeline.take({ rooms }, since);
  await intake.fewerThan(1);
};
const said = (sender: string, more: Json = {}): Json => {
  next += 1;
  const content = { msgtype: "m.text", body: "hello", ...more };
  return { type: "m.room.message", sender, event_id: `$${next}`, content };
};
const answering = { "m.relates_to": { "m.in_reply_to": { event_id: "$old" } } };
const inRoom = (events: readonly Json[], more: Json = {}) => ({ timeline: { events, ...more } });

describe("a stranger", () => {
  it("costs a look at their room once, and no request from then on", async () => {
    const events = Array.from({ length: 100 }, () => said(EVE, answering));
    await sync({ join: { "!a:test": inRoom(events.slice(0, 1)) } });
    expect(asked).not.toContain("event");
    asked = [];
    await sync({ join: { "!a:test": inRoom(events.slice(1)) } });
    expect(asked).toEqual([]);
    expect(received).toHaveLength(100); // The gate refuses them.
    await sync({ join: { "!a:test": inRoom([said(ANN, answering)]) } });
    expect(asked).toEqual(["event"]);
  });

  it("has twenty rooms looked at in an hour, however many there are", async () => {
    const join = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, n) => [`!${n}:test`, inRoom([said(EVE)])]),
    );
    await sync({ join });
    expect(asked.filter((what) => what === "members")).toHaveLength(20);
    expect(received).toHaveLength(1_000);
    await sync({ join: { "!ann:test": inRoom([said(ANN)]) } });
    expect(received.at(-1)?.source.chatType).toBe("dm");
  });

  it("has ten invitations a day accepted of a thousand, and those of people who are let in count apart", async () => {
    const invitation = (inviter: string) => ({
      invite_state: { events: [{ type: "m.room.member", state_key: BOT, sender: inviter, content: {} }] },
    });
    const invite = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, n) => [`!${n}:test`, invitation(EVE)]),
    );
    await sync({ invite });
    await sync({ invite });
    await sync({ invite: { "!ann:test": invitation(ANN), "!nobody:test": {} } });
    expect(asked.filter((what) => what.startsWith("join"))).toHaveLength(11);
    expect(asked).toContain("join !ann:test");
  });

  it("cannot have an invitation tried for ever", async () => {
    isBroken = true;
    const events = [{ type: "m.room.member", state_key: BOT, sender: EVE, content: {} }];
    await sync({ invite: { "!far:test": { invite_state: { events } } } });
    for (let n = 0; n < 20; n += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      await sync({});
    }
    expect(asked.filter((what) => what.startsWith("join"))).toHaveLength(10);
  });
});

describe("a homeserver that does not answer", () => {
  it("costs a message what was asked for, never the message, and nothing private is said of the room", async () => {
    isBroken = true;
    await sync({ join: { "!a:test": inRoom([said(ANN, answering), said(ANN)]) } });
    expect(received.map(({ text, source }) => [text, source.chatType])).toEqual([
      ["hello", "group"],
      ["hello", "group"],
    ]);
    expect(problems.join()).toMatch(/who is in a room.*500/);
    isBroken = false;
    await sync({ join: { "!a:test": inRoom([said(ANN)]) } });
    expect(received.at(-1)?.source.chatType).toBe("dm");
  });

  it("costs a gap in a room, and not the messages after it", async () => {
    await sync({ join: { "!a:test": inRoom([said(ANN)]) } });
    isBroken = true;
    await sync({ join: { "!a:test": inRoom([said(ANN)], { limited: true, prev_batch: "p" }) } });
    expect(received).toHaveLength(2);
    expect(problems.join()).toMatch(/while I did not listen/);
  });
});

describe("a room of two is private", () => {
  it.each([
    ["as it is made", {}, [], "dm"],
    ["where people have to be let in", { "m.room.join_rules": { join_rule: "knock" } }, [], "dm"],
    ["not where anybody may come in", { "m.room.join_rules": { join_rule: "public" } }, [], "group"],
    [
      "not where members of another room may",
      { "m.room.join_rules": { join_rule: "restricted" } },
      [],
      "group",
    ],
    ["not by a rule that nobody knows", { "m.room.join_rules": { join_rule: "new" } }, [], "group"],
    [
      "not where the world can read it",
      { "m.room.history_visibility": { history_visibility: "world_readable" } },
      [],
      "group",
    ],
    ["not where a third one was asked in", {}, [EVE], "group"],
  ])("%s", async (_, given, asked, chatType) => {
    states = given as Record<string, Json>;
    invited = asked;
    expect((await rooms.facts("!a:test")).chatType).toBe(chatType);
  });

  it.each([
    ["m.room.join_rules", { join_rule: "public" }],
    ["m.room.history_visibility", { history_visibility: "world_readable" }],
    ["m.room.member", { membership: "invite" }],
  ])("until it is opened (%s)", async (type, content) => {
    expect((await rooms.facts("!a:test")).chatType).toBe("dm");
    const state_key = type === "m.room.member" ? EVE : "";
    await rooms.hear("!a:test", { type, state_key, content });
    expect((await rooms.facts("!a:test")).chatType).toBe("group");
  });
});
