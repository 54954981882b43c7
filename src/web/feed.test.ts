/**
 * What open pages hear of what changed, and who hears it: the real feed over a store in memory, with streams that note what they
 * are told. Time passes only when the test says so.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { withMembers } from "../adapter/speaker.js";
import { Hub } from "../adapter/web/hub.js";
import type { WireEvent } from "../adapter/web/wire.js";
import type { Fact, Subscriber } from "../gateway/facts.js";
import { People } from "../gateway/people.js";
import { openStore } from "../open-sessions.js";
import type { SessionId } from "../session/ids.js";
import type { SessionEntry } from "../session/session.js";
import type { SessionSource } from "../session/source.js";
import { feedPages } from "./feed.js";

const [ANN, BOB, OLGA, TERMINAL] = ["telegram:ann", "telegram:bob", "telegram:olga", "local:terminal"];
const RULES = { owners: { telegram: ["olga"] }, allow: { telegram: ["ann", "bob"], discord: ["bob"] } };
const TOGETHER_MS = 200;

/** A call that waits for its time. */
interface Waiting {
  readonly call: () => void;
  readonly ms: number;
}

let opened: Awaited<ReturnType<typeof openStore>>;
let people: People;
let hub: Hub;
let now: number;
let waiting: Waiting[];
let tell: Subscriber;
let isSubscribed: boolean;
let problems: string[];
/** What the feed reads now. */
let reading: number;
let end: () => void;

beforeEach(async () => {
  now = Date.UTC(2026, 0, 10, 12);
  [waiting, problems, isSubscribed, reading] = [[], [], false, 0];
  opened = await openStore({ url: "sqlite::memory:", clock: () => now });
  const { store, sessions } = opened;
  people = new People(store.people, RULES, { clock: () => now });
  hub = new Hub();
  const subscribe = (subscriber: Subscriber) => {
    tell = subscriber;
    isSubscribed = true;
    return () => {
      isSubscribed = false;
    };
  };
  end = feedPages(hub, {
    sessions: { get: counted((id: SessionId) => sessions.get(id)) },
    store: {
      subscribe,
      devices: withMembers(store.devices, { list: counted((who) => store.devices.list(who)) }),
    },
    gateway: {
      people: {
        remembered: (source) => people.remembered(source),
        lookUp: counted((source: SessionSource) => people.lookUp(source)),
      },
    },
    clock: () => now,
    onProblem: (problem) => problems.push(problem),
    later: (call, ms) => {
      const one = { call, ms };
      waiting.push(one);
      return () => {
        waiting = waiting.filter((each) => each !== one);
      };
    },
  });
});
afterEach(async () => {
  end();
  await opened.sessions.close();
});

/** The feed is known to read it. */
function counted<Asked, Read>(read: (asked: Asked) => Promise<Read>) {
  return async (asked: Asked): Promise<Read> => {
    reading += 1;
    try {
      return await read(asked);
    } finally {
      reading -= 1;
    }
  };
}

/** Somebody opens the page; what they hear. */
function page(identity: string, device = identity): WireEvent[] {
  const heard: WireEvent[] = [];
  const note = (event: string): void => void heard.push(JSON.parse(event.slice("data: ".length)));
  const stream = {
    signedIn: { device, identity, name: null },
    tell: note,
    posted: () => {},
    end: (event?: string) => {
      if (event !== undefined) note(event);
      hub.remove(stream);
    },
  };
  hub.add(stream);
  return heard;
}

/** The next thing that waits begins. */
function begin(): void {
  const [next] = waiting.splice(0, 1);
  if (!next) throw new Error("Nothing waits.");
  now += next.ms;
  next.call();
}

/** It happens, and everybody was told. */
async function pass(): Promise<void> {
  begin();
  do await new Promise(setImmediate);
  while (reading > 0);
}

/** A conversation of a person, in private. */
const begun = (userId: string): Promise<SessionEntry> =>
  opened.sessions.getOrCreate({ platform: "telegram", chatId: userId, chatType: "dm", userId });
const changed = (what: string, id?: string) => ({
  kind: "changed",
  what,
  ...(id === undefined ? {} : { id }),
});
const fact = ({ sessionId }: Pick<SessionEntry, "sessionId">): Fact => ({ kind: "session", sessionId });
async function signIn(identity: string, id: string): Promise<void> {
  const { devices } = opened.store;
  await devices.offer(id, { identity, alias: null, called: null }, now + 1, now);
  await devices.enter(id, { id, name: "", tokenHash: id }, now);
}

describe("a conversation that changed", () => {
  it("is told to those who may see it, and to nobody else", async () => {
    const [ann, bob, olga, terminal] = [page(ANN), page(BOB), page(OLGA), page(TERMINAL)];
    const { sessionId } = await begun("ann");
    const facts: Fact[] = [
      { kind: "session", sessionId },
      { kind: "messages", sessionId, first: 1, last: 2 },
      { kind: "elsewhere", sessionId },
    ];
    for (const [n, one] of facts.entries()) {
      tell(one);
      await pass();
      for (const seer of [ann, terminal])
        expect(seer).toEqual(Array(n + 1).fill(changed("session", sessionId)));
    }
    expect([bob, olga]).toEqual([[], []]); // Olga is an owner, and it is not hers.
    expect(problems).toEqual([]);
  });

  it("is told to all pages of somebody, and to whoever is the same person now", async () => {
    const [one, two, other] = [page(BOB, "one"), page(BOB, "two"), page("discord:bob")];
    const entry = await begun("bob");
    const event = changed("session", entry.sessionId);
    tell(fact(entry));
    await pass();
    expect([one, two, other]).toEqual([[event], [event], []]);
    await people.store.join(BOB, "discord:bob", people.newId(), now);
    tell(fact(entry));
    await pass();
    expect([one, other]).toEqual([[event, event], [event]]);
    await people.store.unlink("discord:bob", people.newId(), now);
    tell(fact(entry));
    await pass();
    expect([one, other]).toEqual([[event, event, event], [event]]);
  });

  it("is told to nobody who has lost their access", async () => {
    const [eve, terminal] = [page("telegram:eve"), page(TERMINAL)];
    await people.store.join("telegram:eve", ANN, people.newId(), now); // Ann has access, so she has.
    const entry = await begun("eve");
    tell(fact(entry));
    await pass();
    expect(eve).toHaveLength(1);
    await people.store.forget({ identity: "telegram:eve" });
    tell(fact(entry));
    await pass();
    expect([eve.length, terminal.length]).toEqual([1, 2]);
  });

  it("is told once, however often it changes within a moment", async () => {
    const ann = page(ANN);
    const [one, two] = [await begun("ann"), await opened.sessions.getOrCreate(threadOfAnn())];
    for (const entry of [one, two, one, two, one]) tell(fact(entry));
    expect(waiting.map(({ ms }) => ms)).toEqual([TOGETHER_MS]);
    await pass();
    expect(ann).toEqual([changed("session", one.sessionId), changed("session", two.sessionId)]);
    expect(waiting).toEqual([]);
  });

  it("that is gone: all read their lists again, without its id", async () => {
    const [ann, bob] = [page(ANN), page(BOB)];
    tell({ kind: "session", sessionId: "20200101_000000_000000000000" as SessionId });
    await pass();
    expect([ann, bob]).toEqual([[changed("session")], [changed("session")]]);
  });

  it("while others are told of is told after that", async () => {
    const [ann, bob] = [page(ANN), page(BOB)];
    const [one, two] = [await begun("ann"), await begun("bob")];
    let go: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const get = opened.sessions.get.bind(opened.sessions);
    vi.spyOn(opened.sessions, "get").mockImplementationOnce(async (id) => {
      await gate;
      return get(id);
    });
    tell(fact(one));
    begin();
    tell(fact(two));
    expect(waiting).toEqual([]);
    go();
    await expect.poll(() => waiting).toHaveLength(1);
    await pass();
    expect([ann, bob]).toEqual([[changed("session", one.sessionId)], [changed("session", two.sessionId)]]);
  });
});

describe("what else changed", () => {
  it.each(["handoffs", "processes", "jobs", "work"] as const)("%s: all ask again", async (kind) => {
    const [ann, bob] = [page(ANN), page(BOB)];
    tell({ kind });
    tell({ kind });
    await pass();
    expect([ann, bob]).toEqual([[changed(kind)], [changed(kind)]]);
  });

  it("what waits for an answer concerns who wrote it, and owners", async () => {
    const [ann, bob, olga] = [page(ANN), page(BOB), page(OLGA)];
    const source = { platform: "telegram", chatId: "ann", chatType: "dm", userId: "ann" } as const;
    const { key } = opened.sessions.laneOf(source);
    const of = { platform: "telegram", account: "bot", kind: "message", key, source } as const;
    const item = await opened.store.inbox.accept({ ...of, messageId: "1", text: "hello" }, "me", now);
    tell({ kind: "inbox", item: item ?? expect.unreachable(), holder: "me" });
    await pass();
    expect([ann, bob, olga]).toEqual([[changed("waiting")], [], [changed("waiting")]]);
  });

  it("what waits to be sent concerns owners", async () => {
    const [ann, olga, terminal] = [page(ANN), page(OLGA), page(TERMINAL)];
    tell({ kind: "outbox", platform: "telegram", account: "bot" });
    await pass();
    expect([ann, olga, terminal]).toEqual([[], [changed("waiting")], [changed("waiting")]]);
  });

  it("nobody hears of a turn that is asked to stop", () => {
    page(TERMINAL);
    tell({ kind: "stops" });
    expect(waiting).toEqual([]);
  });
});

describe("a browser that is signed out", () => {
  it("is let go of, and no other one, nor who comes by a proxy", async () => {
    for (const id of ["one", "two"]) await signIn(ANN, id);
    const [one, two, proxy] = [page(ANN, "one"), page(ANN, "two"), page(ANN, "proxy-0123456789")];
    await opened.store.devices.revoke("one", null);
    tell({ kind: "devices" });
    await pass();
    expect([one, two, proxy]).toEqual([[{ kind: "out" }], [], []]);
    expect(hub.size).toBe(2);
  });

  it("by another process is let go of, too", async () => {
    await signIn(ANN, "one");
    const [one, two] = [page(ANN, "one"), page(ANN, "two")];
    tell({ kind: "unknown" });
    await pass();
    expect([one, two]).toEqual([[changed("all")], [changed("all"), { kind: "out" }]]);
  });
});

describe("when nobody knows what changed", () => {
  it("all ask for everything, and not more often than every two seconds", async () => {
    await signIn(ANN, "one");
    const ann = page(ANN, "one");
    for (let n = 0; n < 5; n++) tell({ kind: "unknown" });
    expect(waiting.map(({ ms }) => ms)).toEqual([TOGETHER_MS]);
    await pass();
    expect(ann).toEqual([changed("all")]);
    now += 500;
    tell({ kind: "unknown" });
    expect(waiting.map(({ ms }) => ms)).toEqual([1_500]);
    await pass();
    now += 10_000;
    tell({ kind: "unknown" });
    expect(waiting.map(({ ms }) => ms)).toEqual([TOGETHER_MS]);
    await pass();
    now -= 3_600_000; // The clock is set back.
    tell({ kind: "unknown" });
    expect(waiting.map(({ ms }) => ms)).toEqual([2_000]);
    await pass();
    expect(ann).toHaveLength(4);
  });

  it("the more pages there are, the more seldom that is", async () => {
    for (let n = 0; n < 400; n++) page(`telegram:${n}`, `proxy-${n}`);
    tell({ kind: "unknown" });
    await pass();
    tell({ kind: "unknown" });
    expect(waiting.map(({ ms }) => ms)).toEqual([4_000]);
  });

  it("or very many did, all ask for everything, and none is read", async () => {
    await signIn(ANN, "one");
    const ann = page(ANN, "one");
    const read = vi.spyOn(opened.sessions, "get");
    for (let n = 0; n < 101; n++) tell({ kind: "session", sessionId: `${n}` as SessionId });
    await pass();
    expect(ann).toEqual([]);
    expect(waiting.map(({ ms }) => ms)).toEqual([TOGETHER_MS]);
    await pass();
    expect(ann).toEqual([changed("all")]);
    expect(read).not.toHaveBeenCalled();
  });

  it("or it can't be read, somebody is told, and all ask for everything", async () => {
    await signIn(ANN, "one");
    const ann = page(ANN, "one");
    const entry = await begun("ann");
    vi.spyOn(opened.sessions, "get").mockRejectedValueOnce(new Error("the disk is full"));
    tell(fact(entry));
    await pass();
    expect(problems).toEqual(["Can't tell the open pages what has changed: the disk is full"]);
    await pass();
    expect(ann).toEqual([changed("all")]);
    tell(fact(entry));
    await pass();
    expect(ann.at(-1)).toEqual(changed("session", entry.sessionId));
  });
});

describe("nothing is read", () => {
  it("while no page is open", async () => {
    const read = [
      vi.spyOn(opened.sessions, "get"),
      vi.spyOn(opened.store.devices, "list"),
      vi.spyOn(people, "lookUp"),
    ];
    const entry = await begun("ann");
    const all: Fact[] = [fact(entry), { kind: "devices" }, { kind: "unknown" }, { kind: "jobs" }];
    for (const one of all) tell(one);
    expect(waiting).toEqual([]);
    const ann = page(ANN);
    for (const one of all) tell(one);
    hub.endAll(); // It is closed before its time has come.
    while (waiting.length > 0) await pass();
    expect(ann).toEqual([]);
    for (const each of read) expect(each).not.toHaveBeenCalled();
  });

  it.each([true, false])("when the page is served no longer, also if something waits (%s)", (waits) => {
    page(ANN);
    const both: Fact[] = [{ kind: "jobs" }, { kind: "unknown" }];
    for (const one of waits ? both : []) tell(one);
    expect(waiting).toHaveLength(waits ? 2 : 0);
    end();
    expect([waiting, isSubscribed]).toEqual([[], false]);
    for (const one of both) tell(one);
    expect(waiting).toEqual([]);
  });
});

function threadOfAnn() {
  return { platform: "telegram", chatId: "ann", chatType: "dm", userId: "ann", threadId: "7" } as const;
}
