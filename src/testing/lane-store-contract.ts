/** What every store must do for lanes that the person who runs Baton moves, over the same fixtures. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RescopeDesk } from "../gateway/rescope-desk.js";
import { rememberedScopes, warnOfScopes } from "../gateway/scope-memory.js";
import type { GatewayStore, InboxItem, Turn } from "../gateway/store.js";
import { OWNER, type Viewer, viewerOf } from "../session/access.js";
import { asHandoffId, newJobId, newTurnId, type SessionId } from "../session/ids.js";
import { keyUnder } from "../session/key-source.js";
import type { KeyOf, SeenMove } from "../session/lane-store.js";
import { platforms } from "../session/platform.js";
import type { SeenLane } from "../session/rescope.js";
import type { SessionEntry } from "../session/session.js";
import { buildSessionKey, type SessionKey, type SessionScopes } from "../session/session-key.js";
import { Sessions } from "../session/sessions.js";
import { parseSource, type SessionSource } from "../session/source.js";
import type { SessionStore } from "../session/store.js";
import type { GatewayStoreFixture } from "./gateway-store-contract.js";

const [, HERE = "", THERE = ""] = platforms();
const ann = parseSource({ platform: HERE, chat_id: "1", user_id: "ann", user_name: "Ann" });
const bob = parseSource({ platform: HERE, chat_id: "2", user_id: "bob" });
const away = parseSource({ platform: THERE, chat_id: "9", user_id: "ann" });
const group = parseSource({
  platform: HERE,
  chat_id: "g",
  chat_type: "group",
  user_id: "ann",
  chat_name: "Team",
});
const bot = { platform: HERE, account: "bot" };
const WHOLE: SessionScopes = { dm: "platform" };
const MEMBER: SessionScopes = { group: "member" };

export function laneStoreContract(name: string, createFixture: () => Promise<GatewayStoreFixture>): void {
  describe(`store of lanes that are moved: ${name}`, () => {
    let fixture: GatewayStoreFixture;
    let store: SessionStore & GatewayStore;
    let sessions: Sessions;
    let now: number;

    beforeEach(async () => {
      now = 100_000;
      fixture = await createFixture();
      store = await fixture.open();
      sessions = under({});
    });
    afterEach(() => fixture.dispose());

    const under = (scopes: SessionScopes, on = store): Sessions =>
      new Sessions(on, { clock: () => now, config: { scopes } });
    const say = async (source: SessionSource, content: string, scopes: SessionScopes = {}) => {
      now += 1_000;
      return (await under(scopes).receive(source, { role: "user", content })).entry;
    };
    const lane = async (key: SessionKey): Promise<SeenLane> => {
      const found = await store.lanes.at(key);
      if (!found) throw new Error(`There is no lane ${key}.`);
      return found;
    };
    const accept = async (source: SessionSource, messageId: string, key = buildSessionKey(source)) => {
      const message = { ...bot, platform: source.platform, kind: "message" as const, key, source, messageId };
      const item = await store.inbox.accept({ ...message, text: messageId }, "me", now);
      if (!item) throw new Error("It was there already.");
      return item;
    };
    const begin = async (item: InboxItem): Promise<Turn> => {
      const message = { role: "user" as const, content: item.text };
      const begun = await sessions.resolveIn(item.source, {}, message, (request) =>
        store.turns.begin(newTurnId(), item, request, { holder: "me", leaseMs: 100 }, () => []),
      );
      if (begun.kind !== "begun") throw new Error(begun.kind);
      return begun.turn;
    };
    const job = async (source: SessionSource, key: SessionKey) => {
      const id = newJobId();
      const timing = { schedule: { kind: "every" as const, everyMs: 60_000 }, timeZone: "UTC", from: now };
      const given = {
        name: "digest",
        prompt: "news",
        command: null,
        session: "origin" as const,
        model: null,
      };
      const limits = { tools: null, timeoutMs: 1_000, dailyTokens: null, jitterMs: 0, repeat: null };
      const catchUp = { missed: "latest" as const, graceMs: 1_000 };
      const origin = { key, source, account: bot.account };
      const whose = { by: source, owner: `${HERE}:ann`, deliver: "origin", overlap: "skip" as const };
      const clock = { nextAt: now, wakeAt: now };
      await store.jobs.add(
        { id, ...given, ...limits, ...whose, timing, catchUp, origin },
        clock,
        ["x"],
        9,
        now,
      );
      return async () => (await store.jobs.find(id))?.origin.key;
    };
    const to =
      (scopes: SessionScopes): KeyOf =>
      (source) =>
        keyUnder(source, scopes);
    const desk = (scopes: SessionScopes, on = store, fromAgents: string[] = []): RescopeDesk =>
      new RescopeDesk(
        { lanes: on.lanes, accounts: on.accounts, scopes, severalOn: [], clock: () => now },
        fromAgents,
      );
    const listed = async (viewer: Viewer): Promise<string[]> =>
      (await sessions.as(viewer).list()).items.map(({ sessionId }) => sessionId).sort();
    const waitingKeys = async () => (await store.inbox.waiting(bot)).map(({ item: { key } }) => key);

    it("gives the lanes in pages, each with its session", async () => {
      const [first, second] = [await say(ann, "one"), await say(bob, "two")];
      await sessions.setTitle(second.sessionId, "Second");
      const [one] = await store.lanes.page("", 1);
      expect(one).toMatchObject({ key: first.key, sessionId: first.sessionId, title: null, origin: ann });
      const rest = await store.lanes.page(first.key, 10);
      expect(rest).toEqual([expect.objectContaining({ title: "Second", updatedAt: second.updatedAt })]);
      expect(await store.lanes.at(buildSessionKey(group))).toBeNull();
    });

    it("knows whose lane it was that has no session now, and on which platforms several people have DMs", async () => {
      const { sessionId, key, owner } = await say(ann, "hello");
      expect(await store.lanes.severalInDms()).toEqual([]);
      await sessions.end(sessionId);
      expect(await store.lanes.at(key)).toBeNull();
      expect(await store.lanes.formerPlace(key)).toMatchObject({ key, owner, origin: ann });
      expect(await store.lanes.formerPlace(buildSessionKey(bob))).toBeNull();
      await say(bob, "hello");
      expect(await store.lanes.severalInDms()).toEqual([HERE]);
    });

    it("gives a lane another key with all that is about it", async () => {
      const entry = await say(ann, "a rose");
      await accept(ann, "m1");
      const origin = await job(ann, entry.key);
      const after = buildSessionKey(ann, WHOLE);
      const changed: string[] = [];
      const end = store.changes((sessionId) => changed.push(sessionId));
      const step = { kind: "rekey", lane: await lane(entry.key), to: after, over: null } as const;
      expect(await store.lanes.take(step, to(WHOLE), now)).toBe("done");
      end();
      expect(changed).toEqual([entry.sessionId]);
      expect(await sessions.get(entry.sessionId)).toEqual({ ...entry, key: after });
      expect(await store.lanes.at(entry.key)).toBeNull();
      expect(await waitingKeys()).toEqual([after]);
      expect(await origin()).toBe(after);
      expect((await say(ann, "again", WHOLE)).sessionId).toBe(entry.sessionId);
      expect((await sessions.search("rose", viewerOf(ann))).items).toHaveLength(1);
      // Once more it is another lane than the one that was seen.
      expect(await store.lanes.take(step, to(WHOLE), now)).toBe("changed");
    });

    it("carries over what an owner allowed for good there, so that it can still be seen and taken back", async () => {
      const entry = await say(ann, "hello");
      const after = buildSessionKey(ann, WHOLE);
      const allow = (key: SessionKey, digest: string) =>
        store.standing.add({ key, identity: `${HERE}:ann`, digest, shown: digest }, now);
      for (const digest of ["ls", "make"]) await allow(entry.key, digest);
      await allow(after, "make");
      const step = { kind: "rekey", lane: await lane(entry.key), to: after, over: null } as const;
      expect(await store.lanes.take(step, to(WHOLE), now)).toBe("done");
      expect(await store.standing.in(entry.key)).toEqual([]);
      expect((await store.standing.in(after)).map(({ digest }) => digest).sort()).toEqual(["ls", "make"]);
    });

    it("remembers under the new key what was handed off from there", async () => {
      const entry = await say(ann, "hello");
      const id = asHandoffId("h1");
      await store.handoffs.request({ id, sessionId: entry.sessionId, target: THERE }, now);
      const claim = { kind: "claim", fence: 0, holder: "gw", leaseMs: 1_000 } as const;
      await store.handoffs.step(id, claim, now);
      await store.handoffs.step(id, { kind: "complete", fence: 1 }, now, { place: sessions.laneOf(away) });
      const fresh = await say(ann, "anew");
      const after = buildSessionKey(ann, WHOLE);
      const step = { kind: "rekey", lane: await lane(fresh.key), to: after, over: null } as const;
      expect(await store.lanes.take(step, to(WHOLE), now)).toBe("done");
      expect((await store.handoffs.lastFrom(after))?.id).toBe(id);
    });

    it("ends what has no lane any more, and it stays its people's", async () => {
      const entry = await say(group, "our plans");
      await accept(group, "m1");
      const origin = await job(group, entry.key);
      const step = { kind: "end", lane: await lane(entry.key), why: "shared" } as const;
      expect(await store.lanes.take(step, to(MEMBER), now)).toBe("done");
      expect(await sessions.get(entry.sessionId)).toEqual({ ...entry, endedAt: now, endReason: "switched" });
      const anns = buildSessionKey(group, MEMBER);
      expect(await waitingKeys()).toEqual([anns]);
      expect(await origin()).toBe(anns);
      const member = under(MEMBER);
      const other = { ...group, userId: "bob" };
      expect(await listed(viewerOf(other))).toEqual([entry.sessionId]);
      expect((await member.getOrCreate(other)).sessionId).not.toBe(entry.sessionId);
      const back = await member.as(viewerOf(other)).switchTo(other, entry.sessionId);
      expect(back).toMatchObject({ key: buildSessionKey(other, MEMBER), endedAt: null });
      expect(await listed(viewerOf(group))).toContain(entry.sessionId);
    });

    it("changes nothing if a lane has another session than was seen", async () => {
      const [old, there] = [await say(ann, "old"), await say(ann, "there", WHOLE)];
      const seen = { old: await lane(old.key), there: await lane(there.key) };
      const take = (over: SeenLane | null) =>
        store.lanes.take({ kind: "rekey", lane: seen.old, to: there.key, over }, to(WHOLE), now);
      expect(await take(null)).toBe("changed");
      const fresh = await under(WHOLE).getOrCreate(ann, { forceNew: true });
      expect(await take(seen.there)).toBe("changed");
      expect((await sessions.current(there.key))?.sessionId).toBe(fresh.sessionId);
      expect((await sessions.current(old.key))?.sessionId).toBe(old.sessionId);
      const now2 = await lane(there.key);
      expect(await take(now2)).toBe("done");
      expect(await sessions.get(fresh.sessionId)).toMatchObject({ endReason: "switched" });
      expect((await sessions.current(there.key))?.sessionId).toBe(old.sessionId);
    });

    it("leaves a lane alone in which something runs or is being answered", async () => {
      const entry = await say(ann, "hello");
      const seen = await lane(entry.key);
      const take = () => store.lanes.take({ kind: "end", lane: seen, why: "newer" }, to(WHOLE), now);
      const turn = await begin(await accept(ann, "m1"));
      expect(await store.lanes.work(entry.key, entry.sessionId)).toMatchObject({
        turn: true,
        handoff: false,
      });
      expect(await take()).toBe("busy");
      const nothing = { messages: [], deliveries: [], steeredIn: [] };
      await store.turns.finish(turn, "done", nothing, null, now);

      await accept(ann, "m2");
      await store.accounts.take(bot, { holder: "gw", leaseMs: 1_000 }, null, now);
      expect(await take()).toBe("busy");
      await store.accounts.release(bot, "gw");
      const id = asHandoffId("h1");
      await store.handoffs.request({ id, sessionId: entry.sessionId, target: THERE }, now);
      expect(await take()).toBe("busy");
      await store.handoffs.step(id, { kind: "cancel", error: "no" }, now);

      // One that is about to arrive.
      const bobs = await say(bob, "hello");
      await store.handoffs.request({ id: asHandoffId("h2"), sessionId: bobs.sessionId, target: HERE }, now);
      const claim = { kind: "claim", fence: 0, holder: "gw", leaseMs: 1_000 } as const;
      await store.handoffs.step(asHandoffId("h2"), claim, now);
      const aim = { kind: "aim", fence: 1, destination: sessions.laneOf(ann) } as const;
      await store.handoffs.step(asHandoffId("h2"), aim, now);
      expect(await store.lanes.work(entry.key, null)).toEqual({ turn: false, handoff: true, waiting: 1 });
      expect(await take()).toBe("busy");
      expect((await sessions.current(entry.key))?.sessionId).toBe(entry.sessionId);
      await store.handoffs.step(asHandoffId("h2"), { kind: "fail", fence: 1, error: "no" }, now);
      expect(await take()).toBe("done");
    });

    it("carries over messages and jobs whose lane has no session", async () => {
      await accept(ann, "m1");
      await accept(bob, "m2", buildSessionKey(bob, { agent: "other" }));
      const origin = await job(ann, buildSessionKey(ann));
      const ours: KeyOf = (source, before) =>
        before.startsWith("agent:main:") ? keyUnder(source, WHOLE) : null;
      expect(await store.lanes.rekeyStrays(ours, now)).toBe(2);
      expect(await waitingKeys()).toEqual([
        buildSessionKey(ann, WHOLE),
        buildSessionKey(bob, { agent: "other" }),
      ]);
      expect(await origin()).toBe(buildSessionKey(ann, WHOLE));
      expect(await store.lanes.rekeyStrays(ours, now)).toBe(0);
    });

    describe("all lanes", () => {
      const chatter = async (): Promise<Record<string, SessionEntry>> => ({
        older: await say(ann, "older"),
        topic: await say({ ...ann, threadId: "7" }, "topic"),
        newer: await say({ ...ann, chatId: "3" }, "newer"),
        annsOwn: await say(group, "own", MEMBER),
        bobsOwn: await say({ ...group, userId: "bob" }, "own of Bob", MEMBER),
      });
      const places = async () => {
        const lanes = await store.lanes.page("", 100);
        return Object.fromEntries(lanes.map(({ key, sessionId }) => [key, sessionId]));
      };

      it("are carried over, and each person sees what they saw", async () => {
        const { older, topic, newer, annsOwn, bobsOwn } = await chatter();
        const viewers = [
          viewerOf(ann),
          viewerOf(bob),
          viewerOf(group),
          viewerOf({ ...group, userId: "bob" }),
        ];
        const before = await Promise.all(viewers.map(listed));
        const { done, busy } = await desk(WHOLE).carryOver();
        expect([done.length, busy]).toEqual([5, []]);
        expect(await places()).toEqual({
          [buildSessionKey(ann, WHOLE)]: newer?.sessionId,
          [buildSessionKey({ ...ann, threadId: "7" }, WHOLE)]: topic?.sessionId,
        });
        for (const ended of [older, annsOwn, bobsOwn]) {
          expect(await sessions.get(ended?.sessionId as SessionId)).toMatchObject({ endReason: "switched" });
        }
        expect(await Promise.all(viewers.map(listed))).toEqual(before);
        // The group starts fresh: a member's own is not theirs.
        expect(await say(group, "hello", WHOLE)).toMatchObject({ messageCount: 1 });
        expect((await desk(WHOLE).carryOver()).done).toEqual([]);
      });

      it("are carried over once by two processes at once, however often", async () => {
        await chatter();
        const other = await fixture.open();
        const runs = await Promise.all(
          Array.from({ length: 4 }, (_, n) => desk(WHOLE, n % 2 ? other : store).carryOver()),
        );
        expect(runs.flatMap(({ done }) => done)).toHaveLength(5);
        expect(runs.flatMap(({ busy }) => busy)).toEqual([]);
        expect(Object.keys(await places())).toHaveLength(2);
        const open = (await sessions.list({}, OWNER)).items.filter(({ endedAt }) => endedAt === null);
        expect(open).toHaveLength(2);
      });

      it("are left to the next run while people talk there", async () => {
        const { newer } = await chatter();
        const source = { ...ann, chatId: "3" };
        const turn = await begin(await accept(source, "m1"));
        expect((await desk(WHOLE).carryOver()).busy.map(({ key }) => key)).toEqual([newer?.key]);
        expect(await rememberedScopes(store.accounts, "main")).toBeNull();
        await store.turns.finish(turn, "done", { messages: [], deliveries: [], steeredIn: [] }, null, now);
        const { done, busy } = await desk(WHOLE).carryOver();
        expect([done.length, busy]).toEqual([1, []]);
        expect((await sessions.current(buildSessionKey(ann, WHOLE)))?.sessionId).toBe(newer?.sessionId);
        expect(await rememberedScopes(store.accounts, "main")).toMatchObject({ isFit: true });
      });

      it("of another agent are carried over only if it is named", async () => {
        const entry = await say(ann, "hello");
        const bots = { agent: "bot" };
        expect((await desk(bots).carryOver()).done).toEqual([]);
        expect((await desk(bots).plan()).ofOthers).toEqual(new Map([["main", 1]]));
        expect((await desk(bots, store, ["main"]).carryOver()).done).toHaveLength(1);
        expect((await sessions.current(buildSessionKey(ann, bots)))?.sessionId).toBe(entry.sessionId);
      });

      it("are looked at by a gateway only if its scopes are new, or lanes were left", async () => {
        await chatter();
        const told: string[] = [];
        let pages = 0;
        const lanes = {
          ...store.lanes,
          page: (after: string, limit: number) => {
            pages++;
            return store.lanes.page(after, limit);
          },
        };
        const start = (scopes: SessionScopes) =>
          warnOfScopes({ lanes, accounts: store.accounts }, scopes, (problem) => told.push(problem));
        await start(MEMBER);
        await start(MEMBER);
        expect([told, pages]).toEqual([[], 1]);
        await start(WHOLE);
        await start(WHOLE);
        expect(told).toEqual([
          expect.stringContaining("5 conversations were made with other scopes"),
          expect.stringContaining("baton sessions rescope --dry-run"),
        ]);
        await desk(WHOLE).carryOver();
        pages = 0;
        await start(WHOLE);
        expect([told.length, pages]).toEqual([2, 0]);
        await start({ agent: "bot" });
        expect(told.at(-1)).toContain("rescope --dry-run --from-agent main");
      });
    });

    describe("one conversation", () => {
      const seen = async (entry: SessionEntry, at: SessionSource): Promise<SeenMove> => ({
        sessionId: entry.sessionId,
        from: entry.key,
        present: (await sessions.current(buildSessionKey(at)))?.sessionId ?? null,
      });

      it("comes into a lane with its waiting messages, and the lane's own ends", async () => {
        const [entry, there] = [await say(ann, "hello"), await say(away, "there")];
        await accept(ann, "m1");
        const planned = await seen(entry, away);
        const place = sessions.laneOf(away);
        expect(await store.lanes.move(place, planned, now)).toBe("changed"); // The message would stay behind.
        const answering = { account: "bot", holder: "" };
        expect(await store.lanes.move(place, planned, now, answering)).toMatchObject({
          sessionId: entry.sessionId,
          key: place.key,
          owner: entry.owner,
          laneOwner: place.owner,
        });
        expect(await sessions.get(there.sessionId)).toMatchObject({ endReason: "switched" });
        const waiting = await store.inbox.waiting({ platform: THERE, account: "bot" });
        expect(waiting.map(({ item: { key, text, by } }) => [key, text, by])).toEqual([
          [place.key, "m1", ann],
        ]);
        expect(await store.lanes.at(entry.key)).toBeNull();
      });

      it("stays where it is if something is not as it was seen, or runs", async () => {
        const [entry, there] = [await say(ann, "hello"), await say(away, "there")];
        const place = sessions.laneOf(away);
        const planned = await seen(entry, away);
        const fresh = await sessions.getOrCreate(away, { forceNew: true });
        expect(await store.lanes.move(place, planned, now)).toBe("changed");
        expect(await store.lanes.move(place, { ...planned, present: null }, now)).toBe("changed");
        const agreed = { ...planned, present: fresh.sessionId };
        expect(await store.lanes.move(place, { ...agreed, from: null }, now)).toBe("changed");
        const turn = await begin(await accept(away, "m1"));
        expect(await store.lanes.move(place, agreed, now)).toBe("busy");
        await store.turns.finish(turn, "done", { messages: [], deliveries: [], steeredIn: [] }, null, now);
        const id = asHandoffId("h1");
        await store.handoffs.request({ id, sessionId: entry.sessionId, target: THERE }, now);
        expect(await store.lanes.move(place, agreed, now)).toBe("busy");
        await store.handoffs.step(id, { kind: "cancel", error: "no" }, now);
        expect((await sessions.current(place.key))?.sessionId).toBe(fresh.sessionId);
        expect(await store.lanes.move(place, agreed, now)).toMatchObject({ key: place.key });
        expect(await sessions.get(there.sessionId)).toMatchObject({ endReason: "reset" });
      });

      it("is the only one of many that are moved into one lane at once, beside its first message", async () => {
        const other = await fixture.open();
        const entries: SessionEntry[] = [];
        for (let n = 0; n < 8; n++) entries.push(await say({ ...ann, chatId: `${n}` }, "hello"));
        const place = sessions.laneOf(away);
        const moved = entries.map(({ sessionId, key }, n) =>
          (n % 2 ? store : other).lanes.move(place, { sessionId, from: key, present: null }, now),
        );
        const spoken = under({}, other).receive(away, { role: "user", content: "first" });
        const done = (await Promise.all(moved)).filter((outcome) => typeof outcome !== "string");
        await spoken;
        expect(done.length).toBeLessThanOrEqual(1);
        const present = await sessions.current(place.key);
        const open = (await sessions.list({}, OWNER)).items.filter(
          ({ key, endedAt }) => key === place.key && endedAt === null,
        );
        expect(open.map(({ sessionId }) => sessionId)).toEqual([present?.sessionId]);
        const lanes = await store.lanes.page("", 100);
        expect(lanes).toHaveLength(done.length === 1 ? 8 : 9);
      });

      it("is its person's from their first message on, if a DM was known by its key alone", async () => {
        const entry = await say(group, "of the group");
        const { userId: _, userName: __, ...nobody } = ann;
        const place = sessions.laneOf(nobody);
        await store.lanes.move(place, { sessionId: entry.sessionId, from: entry.key, present: null }, now);
        expect(await listed(viewerOf(ann))).toEqual([]);
        const { laneOwner, owner, origin } = await say(ann, "here I am");
        expect({ laneOwner, owner, origin }).toEqual({
          laneOwner: `person:${HERE}:ann`,
          owner: entry.owner,
          origin: ann,
        });
        expect((await sessions.current(place.key))?.sessionId).toBe(entry.sessionId);
        expect(await listed(viewerOf(ann))).toEqual([entry.sessionId]);
        expect(await listed(viewerOf(bob))).toEqual([]);
        const fresh = await sessions.reset(place.key);
        expect(fresh).toMatchObject({ owner: `person:${HERE}:ann`, displayName: "Ann" });
      });
    });
  });
}
