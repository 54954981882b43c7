/** Sessions that expire while nobody writes: found by an index, remembered once, ended, and told with the next message. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../src/open-sessions.js";
import type { SessionSource } from "../../src/session/source.js";
import { type Chat, World } from "../support/gateway-world.js";
import { SmallModel } from "../support/small-model.js";

const HOUR = 3_600_000;
const config = { reset: { default: { mode: "idle", idleMinutes: 60 } } } as const;

describe("an expired session", () => {
  let model: SmallModel;
  let world: World;
  let ann: Chat;

  beforeEach(async () => {
    model = await SmallModel.start();
    model.facts = "- likes tea";
    world = await World.open({
      config,
      people: { guests: { telegram: ["gus"] } },
      gateway: { agent: model.agent() },
    });
    ann = world.chat("ann");
    await ann.ask("I like tea.");
  });
  afterEach(async () => {
    await world.close();
    await model.close();
  });

  const look = () => world.upkeep.watcher?.look();
  const notes = async () =>
    (await world.store.memory.of(["person:telegram:ann"])).map(({ text, by }) => `${by}: ${text}`);

  it("is remembered once, ended, and told with the next message, from which /resume goes back", async () => {
    const { sessionId } = await ann.session();
    await look();
    expect(await ann.session()).toMatchObject({ sessionId, endedAt: null });

    world.now += 2 * HOUR;
    await look();
    await look();
    expect(await ann.session()).toMatchObject({ sessionId, endReason: "idle", endedAt: world.now });
    expect(await notes()).toEqual(["flush: likes tea"]);
    expect(model.remembered).toBe(1);

    await ann.write("Good morning.");
    await world.adapter.until(() => ann.told.length === 3);
    expect(ann.told[1]).toMatch(/^I started a new conversation, because nobody wrote for a while\./);
    const fresh = await ann.session();
    expect(fresh).toMatchObject({ parentId: sessionId, resetReason: "idle" });
    expect(model.asked.at(-1)).not.toContain("I like tea.");

    expect(await ann.ask("/resume")).toMatch(/^Back in /);
    expect(await ann.session()).toMatchObject({ sessionId, endedAt: null });
  });

  it("is said to have ended where a person asks about it before they write", async () => {
    const { sessionId } = await ann.session();
    const how = "It has ended: your next message starts a new one. To go on with this one, send /resume.";
    expect(await ann.ask("/status")).not.toContain("has ended");
    expect(await ann.ask("/sessions")).toMatch(/^1\. .* · \*\*here now\*\* · 2 messages/m);
    world.now += 2 * HOUR;
    await look();
    world.now += HOUR;
    expect(await ann.ask("/status")).toContain(`\nReset: after 1 hour without messages. ${how}`);
    expect(await ann.ask("/sessions")).toMatch(/^1\. .* · \*\*here, ended 60 min ago\*\* · 2 messages/m);
    expect(await ann.ask("/title Tea")).toBe(`This session is now called "Tea". ${how}`);
    expect(await ann.ask("/title")).toBe(`This session is called "Tea". ${how}`);
    await ann.ask("/resume");
    expect(await ann.ask("/title")).toBe('This session is called "Tea".');
    expect(await ann.session()).toMatchObject({ sessionId });
  });

  it("can be resumed before the next message, and expires again", async () => {
    const { sessionId } = await ann.session();
    world.now += 2 * HOUR;
    await look();
    expect(await ann.ask("/resume")).toMatch(/^Back in .*Last message/);
    expect(await ann.session()).toMatchObject({ sessionId, endedAt: null });
    await ann.ask("I like cake.");
    world.now += 2 * HOUR;
    model.facts = "likes cake";
    await look();
    expect(await notes()).toEqual(["flush: likes tea", "flush: likes cake"]);
    // What was looked at before is not looked at again: what a person has forgotten stays forgotten.
    expect(model.recorded.map((record) => /tea/.test(record))).toEqual([true, false]);
  });

  it("goes on if somebody takes a message back or asks again before they write", async () => {
    const { sessionId } = await ann.session();
    await ann.ask("I like cake.");
    world.now += 2 * HOUR;
    await look();
    expect(await ann.ask("/retry")).toBe('Trying again: "I like cake."');
    await world.adapter.until(() => ann.told.length === 4);
    expect(model.asked.at(-1)).toContain("I like tea.");
    expect(await ann.session()).toMatchObject({ sessionId, endedAt: null, endReason: null });
    world.now += 2 * HOUR;
    await look();
    expect(await ann.session()).toMatchObject({ sessionId, endReason: "idle" });
    expect(await ann.ask("/undo")).toMatch(/^Taken back, from "I like cake."/);
    await ann.ask("I like pie.");
    expect(model.asked.at(-1)).toContain("I like tea.");
    expect(await ann.session()).toMatchObject({ sessionId, endedAt: null });
  });

  it("leaves its chat among the places that a conversation can be taken to", async () => {
    await world.chat("ann", { threadId: "t1" }).ask("here too");
    expect(await ann.ask("/handoff")).toContain("telegram:ann:t1");
    world.now += 2 * HOUR;
    await look();
    expect(await ann.ask("/handoff")).toContain("telegram:ann:t1");
  });

  it("is remembered also if a message reset it first", async () => {
    const { sessionId } = await ann.session();
    world.now += 2 * HOUR;
    await ann.write("Good morning.");
    await world.adapter.until(() => ann.told.length === 3);
    expect((await ann.session()).sessionId).not.toBe(sessionId);
    await look();
    await look();
    expect(await notes()).toEqual(["flush: likes tea"]);
    expect(model.remembered).toBe(1);
  });

  it("waits for a model that fails for days, later and later, also if it could not sum up before", async () => {
    const { sessionId } = await ann.session();
    const { consolidations } = world.store;
    for (let tries = 0; tries < 200; tries++) {
      const claim = await consolidations.claim(sessionId, { holder: "x", leaseMs: 1_000 }, world.now);
      const failed = { of: "summary", nextTryAt: world.now, spent: { identity: "", uses: [] } } as const;
      if (claim) await consolidations.fail(claim, failed, world.now);
    }
    model.summaryFails = { status: 400, message: "no" };
    world.now += 2 * HOUR;
    for (let tries = 1; tries <= 48; tries++) {
      await look();
      await look(); // It is not tried at once.
      expect(model.failedRecords).toHaveLength(tries);
      world.now += HOUR;
    }
    expect((await ann.session()).endedAt).toBeNull();
    expect(world.problems).toEqual([
      expect.stringMatching(/^Can't find out what to remember of a session, so Baton tries again later\. \w/),
    ]);
    model.summaryFails = null;
    await look();
    expect(await ann.session()).toMatchObject({ endReason: "idle" });
    expect(await notes()).toEqual(["flush: likes tea"]);
  });

  it("ends without a note if the model fails for a week", async () => {
    model.summaryFails = { status: 400, message: "no" };
    world.now += 2 * HOUR;
    for (let hours = 0; hours < 7 * 24 && !(await ann.session()).endedAt; hours++) {
      await look();
      world.now += HOUR;
    }
    expect(await ann.session()).toMatchObject({ endReason: "idle" });
    expect(model.failedRecords.length).toBeGreaterThan(6 * 24);
    expect(await notes()).toEqual([]);
  });

  it("is remembered on the next day if its person had used up the calls of this one", async () => {
    await world.close();
    const limits = { members: { modelCallsPerDay: 2 } };
    world = await World.open({ config, gateway: { agent: model.agent(), limits } });
    ann = world.chat("ann");
    await ann.ask("I like tea.");
    await ann.ask("And cake.");
    world.now += 2 * HOUR;
    await look();
    expect(model.remembered).toBe(0);
    expect((await ann.session()).endedAt).toBeNull();
    world.now += 24 * HOUR;
    await look();
    expect(await ann.session()).toMatchObject({ endReason: "idle" });
    expect(await notes()).toEqual(["flush: likes tea"]);
  });

  it("is left alone while something runs in it", async () => {
    const { sessionId } = await ann.session();
    world.now += 2 * HOUR;
    await world.sessions.requestHandoff(sessionId, "local");
    await look();
    expect((await ann.session()).endedAt).toBeNull();
    expect(model.remembered).toBe(0);
  });

  const TEAM = { chatId: "team", chatType: "group", chatName: "Team" } as const;
  const notesOfTeam = async () =>
    (await world.store.memory.of(["chat:telegram:team"])).map(({ text }) => text);

  it("of a group is remembered for the group, but nothing is that came from a private chat or a guest", async () => {
    const team = world.chat("ann", TEAM);
    await team.ask("We meet on Mondays.");
    world.now += 2 * HOUR;
    await look();
    expect(await notesOfTeam()).toEqual(["likes tea"]);

    await world.store.memory.forget(["chat:telegram:team"]);
    const { sessionId } = await ann.session();
    await world.sessions.switchTo(team.source, sessionId);
    await team.ask("So much about me.");
    world.now += 2 * HOUR;
    await look();
    expect(await world.sessions.get(sessionId)).toMatchObject({ endReason: "idle" });
    expect(await notesOfTeam()).toEqual([]);

    await team.write("We meet on Fridays.");
    await world.adapter.until(() => team.told.length === 4);
    await world.chat("gus", TEAM).ask("Remember that Gus is the boss.");
    world.now += 2 * HOUR;
    await look();
    expect(await team.session()).toMatchObject({ endReason: "idle" });
    expect(await notesOfTeam()).toEqual([]);
  });

  it("of an agent without a model is ended without a note", async () => {
    const other = await World.open({ config });
    const bob = other.chat("bob");
    await bob.ask("hello");
    other.now += 2 * HOUR;
    await other.upkeep.watcher?.look();
    expect(other.problems).toEqual([]);
    expect(await bob.session()).toMatchObject({ endReason: "idle" });
    expect(await other.store.consolidations.unremembered(other.now, 9)).toEqual([]);
    await other.close();
  });
});

describe("many sessions", () => {
  const NOW = Date.UTC(2026, 0, 10, 12);
  const MANY = process.env.BATON_TEST_FULL ? 50_000 : 1_000;
  const EXPIRED = process.env.BATON_TEST_FULL ? 500 : 60;
  const CHILD = fileURLToPath(new URL("../support/expiry-child.mjs", import.meta.url));
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "baton-expiry-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const source = (n: number): SessionSource => ({
    platform: "telegram",
    chatId: `u${n}`,
    chatType: "dm",
    userId: `u${n}`,
  });

  it(`(${MANY}) of which ${EXPIRED} expire are each ended and remembered once by two processes, one of which is killed`, async () => {
    const url = join(folder, "baton.db");
    let now = NOW - 2 * HOUR;
    const { store, sessions } = await openStore({ url, clock: () => now });
    const all = Array.from({ length: MANY }, (_, n) => n);
    for (const n of all) {
      if (n === EXPIRED) now = NOW;
      await sessions.receive(source(n), { role: "user", content: `I like fact${n}.` });
    }
    const asked = new Map<string, number>();
    const problems: string[] = [];
    const child = (dieAfter: number) => {
      const process = fork(CHILD, [JSON.stringify({ url, now: NOW, dieAfter })]);
      process.on("message", (said: { kind: string; sessionId?: string; problem?: string }) => {
        if (said.kind === "asked")
          asked.set(said.sessionId ?? "", (asked.get(said.sessionId ?? "") ?? 0) + 1);
        if (said.kind === "problem") problems.push(said.problem ?? "");
        if (said.kind === "done") process.disconnect();
      });
      return once(process, "exit");
    };
    await Promise.all([child(20), child(1_000_000)]);
    now = NOW + 10 * 60_000; // What the killed one had is free after its lease.
    const third = fork(CHILD, [JSON.stringify({ url, now, dieAfter: 1_000_000 })]);
    third.on("message", ({ kind, sessionId = "" }: { kind: string; sessionId?: string }) => {
      if (kind === "asked") asked.set(sessionId, (asked.get(sessionId) ?? 0) + 1);
      if (kind === "done") third.disconnect();
    });
    await once(third, "exit");

    const ended = [];
    for (const n of all) {
      const [note, ...more] = await store.memory.of([`person:telegram:u${n}`]);
      const entry = await sessions.current(sessions.laneOf(source(n)).key);
      if (entry?.endedAt) ended.push(n);
      expect(note?.text).toBe(n < EXPIRED ? `likes fact${n}` : undefined);
      expect(more).toEqual([]);
      if (n < EXPIRED) expect(entry?.inputTokens).toBe(10); // The one that was recorded, once.
    }
    expect(ended).toEqual(all.slice(0, EXPIRED));
    expect(asked.size).toBe(EXPIRED);
    // The model was asked again only about what the killed process had in hand.
    expect([...asked.values()].filter((times) => times > 1).length).toBeLessThanOrEqual(3);
    expect(problems).toEqual([]);
    await sessions.close();
  }, 1_200_000);
});
