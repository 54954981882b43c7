/** A conversation moves from one place to another: what people write and read, over a real store. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { endedHolder } from "../../../test/support/ended-holder.js";
import { type Chat, until, World, type WorldOptions } from "../../../test/support/gateway-world.js";
import { type Letter, SendError } from "../../adapter/adapter.js";
import { asHandoffId } from "../../session/ids.js";
import { platforms } from "../../session/platform.js";
import { ScriptedAdapter } from "../../testing/scripted-adapter.js";
import type { PeopleRules } from "../people.js";

const [, HERE = "", THERE = ""] = platforms();
const OWNERS = { owners: { [HERE]: ["ann"], [THERE]: ["ann"] } };

let world: World;
let there: ScriptedAdapter;
let ann: Chat;
const open = async (options: WorldOptions = {}, can: ("threads" | "threads once")[] = []): Promise<void> => {
  there = new ScriptedAdapter({ platform: THERE, can });
  world = await World.open({ beside: [there], people: OWNERS, ...options });
  ann = world.chat("ann");
};
/** Ann's private chat on the other platform, or a thread of it. */
const annThere = (threadId?: string): Chat => world.chat("ann", threadId ? { threadId } : {}, there);
const finished = async (chat: Chat) => {
  await until(() => chat.told.some((text) => /^(Moved|The handoff)/.test(text)));
  return chat.told.findLast((text) => /^(Moved|The handoff)/.test(text)) ?? "";
};

beforeEach(() => open());
afterEach(() => world.close());

describe("/handoff", () => {
  it("takes the conversation along, whole, and the next message there goes on with it", async () => {
    await ann.ask("/new Garden");
    await ann.ask("roses");
    const before = await ann.session();
    const said = await ann.transcript();
    expect(await ann.ask(`/handoff ${THERE}:ann`)).toBe("Moving to Discord (`discord:ann`) …");
    expect(await finished(ann)).toBe(
      "Moved to Discord, DM with ann (`discord:ann`). Continue there. To bring it back, send /resume here.",
    );
    const moved = annThere();
    await until(() => moved.told.length === 2);
    expect(moved.told[0]).toBe(
      '"Garden" continues here: 2 messages, moved from Telegram. Just keep writing.',
    );
    expect(moved.told[1]).toMatch(/^\[This conversation has just been moved here from Telegram/);
    expect((await moved.session()).sessionId).toBe(before.sessionId);
    expect((await moved.transcript()).slice(0, 2)).toEqual(said);
    expect(await moved.ask("and tulips?")).toMatch(/^and tulips\? \(5\)$/);
    expect(await world.sessions.current(ann.key)).toBeNull();
    expect(world.problems).toEqual([]);
  });

  it("is told at the end by what a person said last, and when", async () => {
    await ann.ask("roses");
    await ann.ask(`/handoff ${THERE}:ann`);
    await until(() => annThere().told.length === 2);
    world.now += 3_600_000;
    expect(await ann.ask("/resume")).toMatch(/: 4 messages, the last 60 min ago\. Last message: "roses"\.$/);
  });

  it("goes there and back twice, in one transcript, in order", async () => {
    await ann.ask("one");
    const { sessionId } = await ann.session();
    const moved = annThere();
    for (const [n, word] of ["two", "three"].entries()) {
      await ann.ask(`/handoff ${THERE}:ann`);
      await until(() => moved.told.length >= n * 4 + 2);
      await moved.ask(word);
      expect(await ann.ask("/resume")).toMatch(/^Back in /);
      await until(() => moved.told.at(-1)?.includes("moved to Telegram") === true);
    }
    expect((await ann.session()).sessionId).toBe(sessionId);
    const people = (await ann.transcript()).filter((line) => /^user: (?!\[)/.test(line));
    expect(people).toEqual(["user: one", "user: two", "user: three"]);
  });

  it("brings back what waits there, behind the answer that is still being made there", async () => {
    await ann.ask("one");
    const { sessionId } = await ann.session();
    const moved = annThere();
    await ann.ask(`/handoff ${THERE}:ann`);
    await until(() => moved.told.length === 2);
    await moved.begin("wait");
    await moved.ask("/queue two");
    expect(await ann.ask("/resume")).toMatch(/^Back in /);
    await moved.write("/steer now");
    await until(() => ann.told.some((text) => text.startsWith("two (")));
    expect(moved.told).toContain("waited now");
    expect(moved.told.some((text) => text.startsWith("two ("))).toBe(false);
    expect((await ann.session()).sessionId).toBe(sessionId);
    expect(await world.sessions.current(moved.key)).toBeNull();
    const people = (await ann.transcript()).filter((line) => /^user: (?!\[)/.test(line));
    expect(people).toEqual(["user: one", "user: wait", "user: now", "user: two"]);
    expect(world.problems).toEqual([]);
  });

  it("makes a thread where there are any, named after the session, and its key is that of what people write in it", async () => {
    await world.close();
    await open({}, ["threads"]);
    there.there.groups.add("team");
    await ann.ask("/new Garden");
    await ann.ask(`/handoff ${THERE}:team`);
    expect(await finished(ann)).toContain("(`discord:team:thread-1`)");
    const thread = world.chat("ann", { chatId: "team", chatType: "thread", threadId: "thread-1" }, there);
    const { sessionId } = await thread.session();
    await until(() => thread.told.length === 2);
    await thread.ask("hello");
    const bob = world.chat("bob", { chatId: "team", chatType: "thread", threadId: "thread-1" }, there);
    expect((await bob.session()).sessionId).toBe(sessionId);
    expect(there.there.threads.size).toBe(1);
  });

  it("says where only what names the bot is heard", async () => {
    there.there.groups.add("team");
    await ann.ask("hello");
    await ann.ask(`/handoff ${THERE}:team`);
    await finished(ann);
    const team = world.chat("ann", { chatId: "team", chatType: "group" }, there);
    expect(team.told[0]).toMatch(/ moved from Telegram\. To continue, mention me\.$/);
  });

  it("takes the id of a room as it is, colons and all", async () => {
    await world.close();
    there = new ScriptedAdapter({ platform: "matrix" });
    world = await World.open({ beside: [there], people: OWNERS });
    ann = world.chat("ann");
    await ann.ask("/handoff matrix:!room:ex.org");
    expect(await finished(ann)).toContain("(`matrix:!room%3Aex.org`)");
  });

  it("moves an empty conversation, and one that was never begun", async () => {
    await ann.ask(`/handoff ${THERE}:ann`);
    await finished(ann);
    await until(() => annThere().told.length === 2);
    expect(annThere().told[0]).toMatch(/ continues here: no messages yet, moved from Telegram/);
  });

  it("lists the places, knows them by their names, and says what is wrong with others", async () => {
    const desk = { address: { platform: THERE, chatId: "ann" }, name: "Ann's desk" };
    await world.gateway.homes.set(desk);
    await world.gateway.homes.set({ ...desk, word: "Night shift" });
    await ann.ask("hello");
    expect(await ann.ask("/handoff")).toBe(
      [
        "This conversation can go to:",
        "- `/handoff discord`: Ann's desk",
        "- `/handoff night shift`: Discord, Ann's desk",
        "- `/handoff local`: the terminal",
      ].join("\n"),
    );
    for (const [words, answer] of [
      ["Ann's desk", /^There is no chat "Ann's desk"\./], // Only the owner decides by which words chats are found.
      ["nowhere", /^There is no chat "nowhere"\. Send \/handoff to list yours\.$/],
      ["slack", /^Slack has no default home channel, and you have no chat there\./],
      ["slack:C1", /^Slack is not connected now, so nothing was moved\./],
      [`${HERE}:ann`, /^It is already there\.$/],
      [`${THERE}:`, /is not an address/],
      ["cancel", /^Nothing is being handed off here\.$/],
    ] as const)
      expect(await ann.ask(`/handoff ${words}`)).toMatch(answer);
    expect(await ann.ask("/handoff NIGHT  shift")).toBe("Moving to Discord, Ann's desk …");
    expect(await finished(ann)).toContain("(`discord:ann`)");
  });

  it("takes a platform's name for its default home channel, or for a chat of one's own, never for a named one", async () => {
    const { homes, handoffs } = world.gateway;
    const { places } = handoffs;
    const there = (chatId: string) => ({ platform: THERE, chatId });
    await homes.set({ address: there("team"), name: "Team", word: "ops" });
    await expect(places.named(THERE, null)).rejects.toThrow(/^Discord has no default home channel/);
    await annThere().ask("hello");
    expect(await annThere().ask(`/handoff ${THERE}`)).toBe("It is already there.");
    await homes.set({ address: there("boss"), name: "Boss" });
    expect(await places.named("DISCORD", null)).toEqual({
      word: THERE,
      address: there("boss"),
      name: "Boss",
    });
    expect(await places.named("Ops", null)).toEqual({
      word: "ops",
      address: there("team"),
      name: "Discord, Team",
    });
    await world.store.accounts.setHome({ address: there("x"), name: "X", word: HERE }); // Before the platform was added.
    await expect(places.named(HERE, null)).rejects.toThrow(/^Telegram has no default home channel/);
  });

  it("tells a member of no home channel in which they do not talk", async () => {
    await world.close();
    await open({ people: { ...OWNERS, allow: { [HERE]: ["bob"] } } });
    await world.gateway.homes.set({
      address: { platform: THERE, chatId: "team" },
      name: "Team",
      word: "ops",
    });
    const bob = world.chat("bob");
    expect(await bob.ask("/handoff ops")).toBe('There is no chat "ops". Send /handoff to list yours.');
    expect(await bob.ask("/handoff")).not.toContain("ops");
    expect(await ann.ask("/handoff")).toContain("- `/handoff ops`: Discord, Team");
  });

  it("waits for the running turn, whose answer comes here, and takes along what waits", async () => {
    await ann.begin("wait");
    await ann.ask("/queue later");
    const before = ann.told.length;
    expect(await ann.ask(`/handoff ${THERE}:ann`)).toMatch(
      /^It moves to Discord \(`discord:ann`\) when the current answer is done/,
    );
    expect((await world.gateway.handoffs.active((await ann.session()).sessionId))?.state).toBe("pending");
    await ann.write("/steer now");
    await finished(ann);
    expect(ann.told.slice(before)).toContain("waited now");
    const moved = annThere();
    await until(() => moved.told.some((text) => text.startsWith("later (")));
    const people = (await moved.transcript()).filter((line) => /^user: (?!\[)/.test(line));
    expect(people).toEqual(["user: wait", "user: now", "user: later"]);
    expect(ann.told.some((text) => text.startsWith("later ("))).toBe(false);
  });

  it("stops the running turn with --now", async () => {
    await ann.begin("hang");
    expect(await ann.ask(`/handoff ${THERE}:ann --now`)).toBe("Moving to Discord (`discord:ann`) …");
    await finished(ann);
    expect((await annThere().session()).sessionId).toBeDefined();
  });
});

describe("a handoff that cannot be", () => {
  it("fails with the reason, and the conversation stays where it was", async () => {
    there.there.gone.add("nobody");
    await ann.ask("hello");
    const { sessionId } = await ann.session();
    await ann.ask(`/handoff ${THERE}:nobody`);
    expect(await finished(ann)).toBe(
      "The handoff to `discord:nobody` failed: I am not in that chat, or it does not exist. The conversation stays here.",
    );
    expect(await ann.ask("still here")).toBe("still here (3)");
    expect((await ann.session()).sessionId).toBe(sessionId);
    expect(there.sent).toEqual([]);
  });

  it("is one to a thread that is gone, also where people wrote in it before", async () => {
    await world.close();
    const gone = (message: Letter): void => {
      if (message.onlyThere) throw new SendError("permanent", "That topic is not there any more.");
    };
    there = new ScriptedAdapter({ platform: THERE, can: ["threads"], onSend: gone });
    world = await World.open({ beside: [there], people: OWNERS });
    ann = world.chat("ann");
    await annThere("7").ask("before");
    await ann.ask("hello");
    const { sessionId } = await ann.session();
    await ann.ask(`/handoff ${THERE}:ann:7`);
    expect(await finished(ann)).toBe(
      "The handoff to `discord:ann:7` failed: That topic is not there any more. The conversation stays here.",
    );
    expect((await ann.session()).sessionId).toBe(sessionId);
    expect(there.sent.map(({ text }) => text)).toEqual(["before (1)"]);
  });

  it("is one that nobody took in time, also for a gateway that comes later", async () => {
    const asking = annThere();
    await asking.ask("hello");
    const { sessionId } = await asking.session();
    await world.gateway.stop({ drainMs: 0 });
    const asker = { source: asking.source, account: "bot", holder: "" };
    const asked = { id: asHandoffId("ho_late"), sessionId, target: `${HERE}:ann`, asker };
    await world.store.handoffs.request(asked, world.now);
    world.now += 61_000;
    await world.restart();
    expect(await finished(asking)).toMatch(
      /^The handoff to `telegram:ann` failed: No gateway took it in time/,
    );
    expect((await asking.session()).sessionId).toBe(sessionId);
    expect(ann.told).toEqual([]);
  });

  it("is one whose platform wants to be left alone for longer than who asked waits", async () => {
    await world.close();
    await open({ gateway: { handoffWaitMs: 1_000, leaseMs: 1_000 } }, ["threads"]);
    await ann.ask("hello");
    there.there.trouble = "rate limited";
    await ann.ask(`/handoff ${THERE}:team`);
    expect(await finished(ann)).toMatch(
      / failed: Too many messages at once\. The conversation stays here\.$/,
    );
  });

  it("is refused to who may not move it, or not there", async () => {
    await world.close();
    await open({ people: {} });
    const bob = world.chat("bob", {}, there);
    await bob.ask("private");
    await ann.ask("hello");
    expect(await ann.ask(`/handoff ${THERE}:bob`)).toMatch(/^There is no chat `discord:bob` that you may/);
    expect(await ann.ask("/handoff local")).toBe(
      "Only the person who runs this gateway can use the terminal.",
    );
    const inGroup = { chatId: "team", chatType: "group" } as const;
    const team = world.chat("ann", inGroup);
    await team.ask("hello all");
    await annThere().ask("mine too");
    expect(await team.ask(`/handoff ${THERE}:ann`)).toMatch(
      /^There is no chat|^This conversation is not yours/,
    );
    expect(bob.told).toHaveLength(1);
  });

  it("is refused while another one of the same conversation is under way, with its state", async () => {
    await ann.begin("wait");
    await ann.ask(`/handoff ${THERE}:ann`);
    expect(await ann.ask(`/handoff ${THERE}:bob`)).toBe(
      "This conversation is already being handed off to `discord:ann` (pending). To cancel that, send /handoff cancel.",
    );
    expect(await ann.ask("/handoff cancel")).toMatch(/^Cancelled the handoff to/);
    await ann.write("/stop");
    await world.gateway.lane(ann.key).idle();
    expect(annThere().told).toEqual([]);
  });
});

describe("a handoff that a program asks for", () => {
  it("may name a platform, whose home channel it means", async () => {
    await world.gateway.homes.set({ address: { platform: THERE, chatId: "ann" }, name: "desk" });
    await ann.ask("hello");
    const { sessionId } = await ann.session();
    await world.gateway.forCommands.follow(await world.sessions.requestHandoff(sessionId, THERE));
    await until(() => annThere().told.length === 2);
    expect((await annThere().session()).sessionId).toBe(sessionId);
  });

  it("or no place at all: it fails in the end, and keeps no other from going on", async () => {
    await ann.ask("hello");
    const nowhere = await world.sessions.requestHandoff((await ann.session()).sessionId, "nowhere at all");
    const bob = world.chat("bob");
    await bob.ask("hello");
    const lost = await world.sessions.requestHandoff((await bob.session()).sessionId, "local");
    const claim = { kind: "claim", fence: 0, holder: endedHolder(), leaseMs: 1 } as const;
    expect(await world.store.handoffs.step(lost.id, claim, 0)).toMatchObject({ ok: true });
    world.now += 61_000;
    await world.gateway.forCommands.follow(nowhere);
    const states = async () =>
      Promise.all([nowhere, lost].map(async ({ id }) => (await world.sessions.getHandoff(id))?.state));
    await vi.waitUntil(async () => (await states()).every((state) => state === "failed"), {
      timeout: 20_000,
    });
    expect(world.problems).toEqual([]);
    await ann.ask(`/handoff ${THERE}:ann`);
    expect(await finished(ann)).toMatch(/^Moved/);
  });
});

describe("the person whom a thread is made for", () => {
  const terminal = () => new ScriptedAdapter({ platform: "local", account: "terminal", shared: true });
  const asked = async (people: PeopleRules, ask: (me: Chat) => Promise<unknown>): Promise<unknown> => {
    await world.close();
    there = new ScriptedAdapter({ platform: THERE, can: ["threads"] });
    there.there.groups.add("team");
    const makes = vi.spyOn(there, "createThread");
    const desk = terminal();
    world = await World.open({ beside: [there, desk], people });
    const me = world.chat("cli", { chatId: "cli" }, desk);
    await me.ask("hello");
    await ask(me);
    await until(() => makes.mock.calls.length === 1);
    return makes.mock.calls[0]?.[2];
  };
  const fromChat = (me: Chat) => me.ask(`/handoff ${THERE}:team`);
  const fromScript = async (me: Chat) =>
    await world.gateway.forCommands.follow(
      await world.sessions.requestHandoff((await me.session()).sessionId, `${THERE}:team`),
    );
  const owner = { owners: { [THERE]: ["ann"], [HERE]: ["annika"] } };

  it("is the platform's one owner, for a terminal that is not linked and for a script", async () => {
    expect(await asked(owner, fromChat)).toBe("ann");
    expect(await asked(owner, fromScript)).toBe("ann");
  });

  it("is an owner who was let in", async () => {
    const letIn = async (me: Chat) => {
      const { store } = world.gateway.people;
      const request = { platform: THERE, called: null, codeHash: "code", expiresAt: world.now + 1_000 };
      await store.ask({ identity: `${THERE}:ann`, ...request }, world.now);
      await store.approve("me", "code", { id: "p_1", name: null, role: "owner" }, world.now);
      await fromChat(me);
    };
    expect(await asked({}, letIn)).toBe("ann");
  });

  it("is nobody where there are two, or none", async () => {
    expect(await asked({ owners: { [THERE]: ["ann", "bob"] } }, fromChat)).toBeNull();
    expect(await asked({ owners: { [HERE]: ["ann"] } }, fromScript)).toBeNull();
  });
});

describe("the terminal", () => {
  /** Beside Ann's chat. */
  const openTerminal = async (): Promise<Chat> => {
    await world.close();
    const terminal = new ScriptedAdapter({ platform: "local", account: "terminal", shared: true });
    world = await World.open({ beside: [terminal], people: { owners: { [HERE]: ["ann"] } } });
    ann = world.chat("ann");
    return world.chat("cli", { chatId: "cli" }, terminal);
  };

  it("takes whichever offered conversation /resume names", async () => {
    const me = await openTerminal();
    await ann.ask("/new Garden");
    await ann.ask("roses");
    const { sessionId } = await ann.session();
    await ann.ask("/handoff local");
    await ann.ask("/new Kitchen");
    await ann.ask("/handoff local");
    world.now += 3_600_000;
    expect(await me.ask("/resume Garden")).toBe(
      'Back in "Garden": 2 messages, the last 60 min ago. Last message: "roses".',
    );
    expect((await me.session()).sessionId).toBe(sessionId);
    expect((await world.gateway.handoffs.offers()).length).toBe(1);
  });

  it("answers what still waited in a conversation that it takes", async () => {
    const me = await openTerminal();
    await ann.ask("hello");
    await ann.ask("/handoff local");
    const { key, source } = ann;
    const left = { platform: HERE, account: "bot", kind: "message", key, source, messageId: "x" } as const;
    await world.store.inbox.accept({ ...left, text: "roses" }, endedHolder(), world.now);
    await me.write("/resume");
    await until(() => me.told.includes("roses (3)"));
  });

  it("is offered a conversation, takes it with /resume, and the chat is told", async () => {
    await world.close();
    const terminal = new ScriptedAdapter({ platform: "local", account: "terminal", shared: true });
    const offers: string[] = [];
    world = await World.open({
      beside: [terminal],
      people: { owners: { [HERE]: ["ann"] } },
      gateway: { onOffer: (text) => offers.push(text) },
    });
    ann = world.chat("ann");
    await ann.ask("/new Garden");
    await ann.ask("roses");
    const { sessionId } = await ann.session();
    const me = world.chat("cli", { chatId: "cli" }, terminal);
    expect(await ann.ask("/handoff local")).toMatch(/^Offered to the terminal/);
    await until(() => offers.length === 1);
    expect(offers).toEqual([
      'Telegram, DM with Ann offers you "Garden" here (2 messages). To take it, send /resume.',
    ]);
    expect((await ann.session()).sessionId).toBe(sessionId);
    expect(await me.ask("/resume")).toMatch(/^Back in "Garden": 2 messages/);
    await until(() => ann.told.at(-1) === "Taken over at the terminal. To bring it back, send /resume here.");
    expect(await world.sessions.current(ann.key)).toBeNull();
    expect(await ann.ask("/resume")).toMatch(/^Back in "Garden"/);
    expect((await ann.session()).sessionId).toBe(sessionId);
  });
});
