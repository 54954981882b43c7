/** What events and invitations may cost a homeserver, and what holds where it does not answer. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Fields } from "../../util/json.js";
import type { InboundMessage } from "../adapter.js";
import { HttpRefusal } from "../http-call.js";
import { Intake } from "../intake.js";
import type { MatrixApi } from "./api.js";
import { Pending } from "./pending.js";
import { Rooms } from "./rooms.js";
import { SeenEvents } from "./seen-events.js";
import { Timeline } from "./timeline.js";

const BOT = "@bot:test";
const ANN = "@ann:test";
const EVE = "@eve:test";

let states: Record<string, Fields>;
let invited: string[];
let joined: string[];
/** What the homeserver was asked. */
let asked: string[];
let isBroken: boolean;
/** So many answers are still to fail. */
let failing: number;
/** What was said in rooms, newest first, and why it is not given. */
let history: readonly Fields[];
let historyTrouble: Error | null;
/** What the account remembers. */
let memory: Map<string, string>;
/** Fails while the store is away. */
let isStoreAway: boolean;
let received: InboundMessage[];
let problems: string[];
let intake: Intake<string>;
let timeline: Timeline;
let pending: Pending;
let rooms: Rooms;
let next: number;
let connect: () => Promise<void>;

beforeEach(async () => {
  [states, invited, joined] = [{}, [], [ANN, BOT]];
  [asked, received, problems] = [[], [], []];
  isBroken = isStoreAway = false;
  failing = 0;
  [history, historyTrouble] = [[], null];
  memory = new Map();
  next = 0;
  const answer = async (what: string, json: Fields | null): Promise<Fields> => {
    asked.push(what);
    if (isBroken || failing-- > 0) throw refused(500);
    if (json === null) throw refused(404, { errcode: "M_NOT_FOUND" });
    return json;
  };
  const api = {
    joinedMembers: () => answer("members", { joined: Object.fromEntries(joined.map((who) => [who, {}])) }),
    invitedMembers: () =>
      answer("invited", { chunk: invited.map((who) => ({ state_key: who, type: "m.room.member" })) }),
    state: (_: string, type: string) => answer("state", states[type] ?? null),
    event: () => answer("event", { sender: BOT, event_id: "$old", content: {}, type: "m.room.message" }),
    messagesBefore: async (roomId: string, from: string, to: string) => {
      if (historyTrouble) throw historyTrouble;
      return answer(`history ${roomId} ${to}..${from}`, from === "end" ? {} : { chunk: history, end: "end" });
    },
    join: (roomId: string) => answer(`join ${roomId}`, {}),
  } as unknown as MatrixApi;
  connect = async () => {
    rooms = new Rooms(api);
    intake = new Intake<string>({
      settle: async () => pending.save(Date.now()),
      wait: async () => {
        isStoreAway = false;
      },
    });
    pending = new Pending({
      read: async (name) => memory.get(name) ?? null,
      write: async (name, text) => void memory.set(name, text),
    });
    await pending.load();
    timeline = new Timeline({
      api,
      self: { userId: BOT, commands: new Set() },
      rooms,
      seen: new SeenEvents(api, async () => null),
      pending,
      encryption: null,
      receive: async (message) => {
        if (isStoreAway) throw new Error("the store is away");
        received.push(message);
        return "accepted";
      },
      knows: async ({ userId }) => userId === ANN,
      reactions: true,
      problem: (sentence) => problems.push(sentence),
      intake,
      isOver: () => false,
      wait: async () => {},
    });
  };
  await connect();
});
afterEach(() => intake.stop());

/** A sync brings this; settles when all of it was received, and its token is confirmed. */
const sync = async (rooms: Fields, since = "s", token = "next"): Promise<void> => {
  await timeline.take({ rooms }, since, token);
  intake.pass(token);
  await intake.fewerThan(1);
};
const said = (sender: string, more: Fields = {}): Fields => {
  next += 1;
  const content = { msgtype: "m.text", body: "hello", ...more };
  return { type: "m.room.message", sender, event_id: `$${next}`, content };
};
const answering = { "m.relates_to": { "m.in_reply_to": { event_id: "$old" } } };
const inRoom = (events: readonly Fields[], more: Fields = {}) => ({ timeline: { events, ...more } });

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

  it("has no more of them accepted that day after a restart", async () => {
    const kept = new Map<string, string>();
    const memory = {
      read: async (name: string) => kept.get(name) ?? null,
      write: async (name: string, value: string) => void kept.set(name, value),
    };
    const [before, after] = [new Pending(memory), new Pending(memory)];
    for (let n = 0; n < 20; n += 1) before.invited(`!${n}:test`, true, 0);
    await before.save(0);
    await after.load();
    for (const now of [1, 24 * 60 * 60 * 1_000]) after.invited(`!at${now}:test`, true, now);
    expect(after.invites.slice(10)).toEqual(["!at86400000:test"]);
  });

  it("cannot have an invitation tried forever", async () => {
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

it("says of a message that it was forwarded", async () => {
  await sync({ join: { "!a:test": inRoom([said(ANN, { "m.forwarded": {} }), said(ANN)]) } });
  expect(received.map(({ forwarded }) => forwarded)).toEqual([{}, undefined]);
});

describe("what a message is about", () => {
  const poll = {
    type: "m.poll.start",
    sender: ANN,
    event_id: "$poll",
    content: {
      "m.poll": {
        question: { "m.text": [{ body: "Lunch?" }] },
        answers: [{ "m.id": "a", "m.text": [{ body: "Pizza" }] }],
      },
    },
  };
  const about = (event_id: string) => ({ rel_type: "m.reference", event_id });
  const replyTo = (event_id: string) => ({ "m.relates_to": { "m.in_reply_to": { event_id } } });

  it("comes with its file and its author, and is told without an author if the bot wrote it", async () => {
    const image = said(ANN, { msgtype: "m.image", body: "cat.png", url: "mxc://test/cat" });
    await sync({
      join: {
        "!a:test": inRoom([image, said(ANN, replyTo(`${image.event_id}`)), said(ANN, replyTo("$old"))]),
      },
    });
    expect(received[1]?.replyTo).toMatchObject({
      messageId: image.event_id,
      from: ANN,
      files: [{ name: "cat.png", read: expect.any(Function) }],
    });
    expect(received[2]?.replyTo).toEqual({ messageId: "$old" });
  });

  it("gives a vote its words", async () => {
    const vote = { type: "m.poll.response", sender: ANN, event_id: "$vote" };
    const content = { "m.relates_to": about("$poll"), "m.selections": ["a"] };
    await sync({ join: { "!a:test": inRoom([poll, { ...vote, content }]) } });
    expect(received.map(({ parts }) => parts?.[0]?.words)).toEqual(["Lunch?, options: Pizza", "Pizza"]);
  });

  it("is forgotten when it is deleted, and that is told at no cost", async () => {
    await sync({ join: { "!a:test": inRoom([said(ANN, { body: "a secret" })]) } });
    const secret = received[0]?.messageId ?? "";
    asked = [];
    await sync({
      join: {
        "!a:test": inRoom([{ type: "m.room.redaction", sender: EVE, event_id: "$r", redacts: secret }]),
      },
    });
    expect(asked).toEqual([]);
    expect(received[1]).toMatchObject({ kind: "deletion", messageId: secret, source: { chatId: "!a:test" } });
    expect(received[1]?.isAddressed).toBeUndefined();
    await sync({ join: { "!a:test": inRoom([said(ANN, replyTo(secret))]) } });
    expect(asked).toEqual(["event"]);
    expect(received[2]?.replyTo?.text).toBeUndefined();
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
});

it("asks a homeserver that fails three times", async () => {
  failing = 2;
  await sync({ join: { "!a:test": inRoom([said(ANN)]) } });
  expect(received.map(({ source }) => source.chatType)).toEqual(["dm"]);
  expect(problems).toEqual([]);
});

describe("messages that a sync left out, while the homeserver does not give them", () => {
  const limited = { limited: true, prev_batch: "p" };
  const written = (body: string): Fields => said(ANN, { body });
  const texts = (): string[] => received.map(({ text }) => text);
  let first: Fields;
  let second: Fields;
  let third: Fields;
  const minutes = (count: number): void => void vi.advanceTimersByTime(count * 60_000);

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    [first, second, third] = [written("first"), written("second"), written("third")];
    historyTrouble = refused(500);
    await sync({ join: { "!a:test": inRoom([second], limited) } }, "s0", "s1");
  });
  afterEach(() => vi.useRealTimers());

  it("keep their room waiting and no other, and come in order when it does", async () => {
    await sync({ join: { "!b:test": inRoom([written("elsewhere")]) } }, "s1", "s2");
    await sync({ join: { "!a:test": inRoom([third]) } }, "s2", "s3");
    expect(texts()).toEqual(["elsewhere"]);
    expect(problems.join()).toMatch(/room !a:test while I did not listen: the room waits.*500/);

    historyTrouble = null;
    history = [third, second, first];
    minutes(10);
    await sync({ join: { "!a:test": inRoom([written("fourth")]) } }, "s3", "s4");
    expect(asked.filter((what) => what.startsWith("history"))[0]).toBe("history !a:test s0..s3");
    expect(texts()).toEqual(["elsewhere", "first", "second", "third", "fourth"]);
    expect(problems.join()).toMatch(/!a:test waits no more/);
  });

  it("are waited for over a restart, though the token was confirmed", async () => {
    expect(intake.settledUpTo).toBe("s1");
    await intake.stop();
    await connect();
    historyTrouble = null;
    history = [second, first];
    await sync({}, "s1", "s2");
    expect(texts()).toEqual(["first", "second"]);
    await intake.stop();
    await connect();
    await sync({}, "s2", "s3");
    expect(texts()).toHaveLength(2);
  });

  it("are asked for less and less often, but at least every ten minutes", async () => {
    const triesInAnHour = async (): Promise<number> => {
      problems = [];
      for (let seconds = 0; seconds < 3_600; seconds += 5) {
        vi.advanceTimersByTime(5_000);
        await sync({});
      }
      return problems.filter((sentence) => sentence.includes("still waits")).length;
    };
    expect(await triesInAnHour()).toBeLessThan(15);
    expect(await triesInAnHour()).toBe(6);
  });

  it("are not lost if the store is away when they come", async () => {
    historyTrouble = null;
    history = [second, first];
    isStoreAway = true;
    await sync({}, "s1", "s2");
    expect(texts()).toEqual(["first", "second"]);
  });

  it("are given up where the homeserver refuses them for good, and the log says so", async () => {
    historyTrouble = refused(403, { errcode: "M_FORBIDDEN", error: "not for you" });
    await sync({}, "s1", "s2");
    expect(problems.join()).toMatch(/gave up on older messages in room !a:test.*not for you/);
    await sync({ join: { "!a:test": inRoom([third]) } }, "s2", "s3");
    expect(texts()).toEqual(["second", "third"]); // What the sync has shown is not among them.
  });

  it("are not given up for a proxy that says 404 while the homeserver is away", async () => {
    historyTrouble = refused(404);
    await sync({ join: { "!a:test": inRoom([third]) } }, "s1", "s2");
    historyTrouble = null;
    history = [third, second, first];
    minutes(10);
    await sync({}, "s2", "s3");
    expect(texts()).toEqual(["first", "second", "third"]);
  });

  it("are of no interest any more in a room that we left", async () => {
    await sync({ leave: { "!a:test": {} } }, "s1", "s2");
    minutes(10);
    problems = [];
    await sync({}, "s2", "s3");
    expect(problems).toEqual([]);
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
    states = given as Record<string, Fields>;
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

function refused(status: number, body: object | null = null): HttpRefusal {
  return new HttpRefusal(
    new Response(null, { status }),
    body === null ? "no such page" : JSON.stringify(body),
  );
}
