/**
 * What every session store must do, as a vitest suite. Run it over a store of your own:
 * `sessionStoreContract("my store", async () => ({ open, dispose }))`.
 */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { OWNER, viewerOf } from "../session/access.js";
import { historyWindow } from "../session/history-window.js";
import { asHandoffId, asSessionId, type HandoffId, type SessionId } from "../session/ids.js";
import { platforms } from "../session/platform.js";
import { buildSessionKey } from "../session/session-key.js";
import { Sessions, type SessionsOptions } from "../session/sessions.js";
import { addressOf, localSource, parseSource, type SessionSource } from "../session/source.js";
import { summaryMessage } from "../session/summary.js";
import type { Message } from "../session/transcript.js";
import { searchContract } from "./search-contract.js";
import type { StoreFixture } from "./store-fixture.js";

export type { StoreFixture } from "./store-fixture.js";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Two platforms that any installation has; which ones does not matter. */
const [, HERE = "", THERE = ""] = platforms();

const ann = parseSource({ platform: HERE, chat_id: "1", user_id: "ann", user_name: "Ann" });
const bob = parseSource({ platform: HERE, chat_id: "2", user_id: "bob", user_name: "Bob" });
const user = (content: string): Message => ({ role: "user", content });
const said = (content: string): Message => ({ role: "assistant", content });
const code = (name: string) => expect.objectContaining({ code: name });

export function sessionStoreContract(name: string, createFixture: () => Promise<StoreFixture>): void {
  searchContract(name, createFixture);
  describe(`session store: ${name}`, () => {
    let fixture: StoreFixture;
    let sessions: Sessions;
    let now = Date.UTC(2026, 0, 10, 12);

    const connect = async (options: SessionsOptions = {}): Promise<Sessions> =>
      new Sessions(await fixture.open(), { clock: () => now, ...options });
    const contents = async (sessionId: SessionId) =>
      (await sessions.load(sessionId)).map((message) => message.content);

    beforeEach(async () => {
      now = Date.UTC(2026, 0, 10, 12);
      fixture = await createFixture();
      sessions = await connect();
    });
    afterEach(() => fixture.dispose());

    describe("which session a message belongs to", () => {
      it("is the same one for the same key, and another for another", async () => {
        const first = await sessions.getOrCreate(ann);
        expect(first.sessionId).toMatch(/^20260110_120000_[0-9a-f]{12}$/);
        expect((await sessions.getOrCreate(ann)).sessionId).toBe(first.sessionId);
        expect((await sessions.getOrCreate(bob)).sessionId).not.toBe(first.sessionId);
        expect(first).toMatchObject({
          key: buildSessionKey(ann),
          origin: ann,
          displayName: "Ann",
          platform: HERE,
          chatType: "dm",
        });
      });

      it("is one session for fifty at once, over two connections", async () => {
        const other = await connect();
        const found = await Promise.all(
          Array.from({ length: 50 }, (_, n) => (n % 2 ? sessions : other).getOrCreate(ann)),
        );
        expect(new Set(found.map((entry) => entry.sessionId)).size).toBe(1);
        expect((await sessions.list({}, OWNER)).items).toHaveLength(1);
      });

      it("is kept, with its messages, for the next connection", async () => {
        const { entry } = await sessions.receive(ann, user("hello"));
        const next = await connect();
        expect(await next.get(entry.sessionId)).toEqual(entry);
        expect((await next.receive(ann, user("again"))).seq).toBe(2);
      });

      it("is a new one where asked, and the old one stays", async () => {
        const { entry: old } = await sessions.receive(ann, user("old"));
        const fresh = await sessions.getOrCreate(ann, { forceNew: true });
        expect(fresh).toMatchObject({ parentId: old.sessionId, wasAutoReset: false, messageCount: 0 });
        expect(await sessions.get(old.sessionId)).toMatchObject({ endReason: "reset", endedAt: now });
        expect(await contents(old.sessionId)).toEqual(["old"]);
      });

      it("forgets the platform's message id and follows a changed name", async () => {
        const entry = await sessions.getOrCreate({ ...ann, messageId: "m1" });
        expect(entry.origin).toEqual(ann);
        expect((await sessions.getOrCreate({ ...ann, userName: "Anna" })).displayName).toBe("Anna");
        const { userName: _, ...nameless } = ann;
        expect((await sessions.getOrCreate(nameless)).displayName).toBe("Anna");
      });

      it("tells a first session from a later one", async () => {
        expect(await sessions.hasAny()).toBe(false);
        await sessions.getOrCreate(ann);
        expect(await sessions.hasAny()).toBe(false);
        await sessions.getOrCreate(bob);
        expect(await sessions.hasAny()).toBe(true);
      });
    });

    describe("starting fresh", () => {
      const idle: SessionsOptions = { config: { reset: { default: { mode: "idle", idleMinutes: 60 } } } };

      it("never happens by default", async () => {
        const first = await sessions.getOrCreate(ann);
        now += 3_000 * DAY;
        expect((await sessions.getOrCreate(ann)).sessionId).toBe(first.sessionId);
      });

      it("ends the old session with its reason and tells once", async () => {
        const resetting = await connect(idle);
        const { entry: old } = await resetting.receive(ann, user("old"));
        now += 60 * MINUTE;
        expect((await resetting.getOrCreate(ann)).sessionId).toBe(old.sessionId);
        now += 60 * MINUTE + 1;
        const { entry: fresh, seq } = await resetting.receive(ann, user("new"));
        expect(fresh).toMatchObject({ parentId: old.sessionId, wasAutoReset: true, resetReason: "idle" });
        expect(seq).toBe(1);
        expect(await resetting.get(old.sessionId)).toMatchObject({ endReason: "idle", endedAt: now });
        expect(await resetting.getOrCreate(ann)).toMatchObject({
          sessionId: fresh.sessionId,
          wasAutoReset: false,
          resetReason: "idle",
        });
        expect((await resetting.switchTo(fresh.key, old.sessionId)).endReason).toBeNull();
        expect((await resetting.getOrCreate(ann)).sessionId).toBe(old.sessionId);
      });

      it("follows the civil day of the time zone", async () => {
        const daily = await connect({
          config: { reset: { default: { mode: "daily", atHour: 4 } }, timezone: "Asia/Tokyo" },
        });
        const first = await daily.getOrCreate(ann);
        now = Date.UTC(2026, 0, 10, 18, 59);
        expect((await daily.getOrCreate(ann, { touch: false })).sessionId).toBe(first.sessionId);
        now = Date.UTC(2026, 0, 10, 19);
        expect(await daily.getOrCreate(ann)).toMatchObject({
          parentId: first.sessionId,
          resetReason: "daily",
        });
      });

      it("is not put off by internal and scheduled events", async () => {
        const resetting = await connect(idle);
        const { entry } = await resetting.receive(ann, user("hello"));
        now += 50 * MINUTE;
        await resetting.receive(ann, user("a scheduled job"), { touch: false });
        await resetting.record(entry.sessionId, [said("its answer")], undefined, { touch: false });
        await resetting.append(entry.sessionId, said("note"), { touch: false });
        expect((await resetting.get(entry.sessionId))?.updatedAt).toBe(entry.updatedAt);
        now += 11 * MINUTE;
        expect((await resetting.getOrCreate(ann)).parentId).toBe(entry.sessionId);
      });

      it.each([
        ["a live process", () => true],
        ["a process check that fails", () => Promise.reject(new Error("no idea"))],
      ])("waits for %s", async (_, hasActiveProcesses) => {
        const held = await connect({ ...idle, hasActiveProcesses });
        const first = await held.getOrCreate(ann);
        now += DAY;
        expect(await held.isExpired(first)).toBe(false);
        expect(await held.explain(first.key)).toMatchObject({ heldBy: ["process"] });
        expect((await held.receive(ann, user("x"))).entry.sessionId).toBe(first.sessionId);
        expect(await contents(first.sessionId)).toEqual(["x"]);
      });

      it("waits for a handoff", async () => {
        const resetting = await connect(idle);
        const first = await resetting.getOrCreate(ann);
        const handoff = await resetting.requestHandoff(first.sessionId, THERE);
        now += DAY;
        expect(await resetting.isExpired(first)).toBe(false);
        expect((await resetting.getOrCreate(ann, { touch: false })).sessionId).toBe(first.sessionId);
        await resetting.failHandoff(handoff.id, { error: "changed my mind" });
        expect(await resetting.isExpired(first)).toBe(true);
        expect((await resetting.getOrCreate(ann)).parentId).toBe(first.sessionId);
      });

      it("happens once for fifty messages at once, and loses none", async () => {
        const resetting = await connect(idle);
        const { entry: old } = await resetting.receive(ann, user("old"));
        now += DAY;
        const other = await connect(idle);
        const all = await Promise.all(
          Array.from({ length: 50 }, (_, n) => (n % 2 ? resetting : other).receive(ann, user(`m${n}`))),
        );
        expect(new Set(all.map(({ entry }) => entry.sessionId)).size).toBe(1);
        expect(all.filter(({ entry }) => entry.wasAutoReset)).toHaveLength(1);
        expect(all.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual(
          Array.from({ length: 50 }, (_, n) => n + 1),
        );
        expect(await contents(old.sessionId)).toEqual(["old"]);
      });

      it("is not brought about by a clock that goes back and forth", async () => {
        const resetting = await connect(idle);
        const { entry } = await resetting.receive(ann, user("before"));
        now -= DAY;
        await resetting.receive(ann, user("yesterday, it seems"));
        await resetting.record(entry.sessionId, [said("indeed")]);
        await resetting.rewrite(entry.sessionId, [user("before")]);
        await resetting.update(entry.key, { inputTokens: 1 });
        now += DAY + 30 * MINUTE;
        expect((await resetting.getOrCreate(ann)).sessionId).toBe(entry.sessionId);
      });

      it("is put off by what a program does only where it says so", async () => {
        const { entry } = await sessions.receive(ann, user("x"));
        now += MINUTE;
        await sessions.rewrite(entry.sessionId, [user("y")], { touch: false });
        await sessions.update(entry.key, { inputTokens: 1 }, { touch: false });
        expect((await sessions.get(entry.sessionId))?.updatedAt).toBe(entry.updatedAt);
        await sessions.update(entry.key, { inputTokens: 1 });
        expect((await sessions.get(entry.sessionId))?.updatedAt).toBe(now);
      });

      it("by hand begins a session under the key; an unknown key has none", async () => {
        const { entry: old } = await sessions.receive(bob, user("old"));
        const fresh = await sessions.reset(old.key);
        expect(fresh).toMatchObject({ parentId: old.sessionId, key: old.key, origin: bob, messageCount: 0 });
        expect((await sessions.getOrCreate(bob)).sessionId).toBe(fresh?.sessionId);
        expect(await sessions.reset(buildSessionKey(ann))).toBeNull();
        expect(await sessions.update(buildSessionKey(ann), { inputTokens: 1 })).toBeNull();
      });

      it("is explained", async () => {
        const resetting = await connect(idle);
        const { key } = await resetting.getOrCreate(ann);
        expect(await resetting.explain(key)).toMatchObject({
          from: "default",
          policy: { mode: "idle", idleMinutes: 60 },
          next: { reason: "idle", at: now + 60 * MINUTE },
          heldBy: [],
        });
        expect(await resetting.explain(buildSessionKey(bob))).toBeNull();
      });
    });

    describe("switching and ending", () => {
      it("binds a key to another session, reopened; the present one ends", async () => {
        const { entry: old } = await sessions.receive(ann, user("old"));
        const fresh = await sessions.reset(old.key);
        now += MINUTE;
        const back = await sessions.switchTo(old.key, old.sessionId);
        expect(back).toMatchObject({
          sessionId: old.sessionId,
          endedAt: null,
          endReason: null,
          updatedAt: now,
        });
        expect(await sessions.get((fresh?.sessionId ?? "") as SessionId)).toMatchObject({
          endReason: "switched",
        });
        expect((await sessions.receive(ann, user("more"))).seq).toBe(2);
      });

      it("writes nothing for the same session and refuses an unknown one", async () => {
        const entry = await sessions.getOrCreate(ann);
        now += MINUTE;
        expect(await sessions.switchTo(entry.key, entry.sessionId)).toEqual(entry);
        expect(await sessions.get(entry.sessionId)).toEqual(entry);
        await expect(
          sessions.switchTo(entry.key, asSessionId("20200101_000000_000000000000")),
        ).rejects.toThrow(code("session_not_found"));
        expect((await sessions.current(entry.key))?.sessionId).toBe(entry.sessionId);
      });

      it("takes a session out of its old lane, which starts fresh", async () => {
        const { entry: moved } = await sessions.receive(ann, user("take me along"));
        const bobs = await sessions.getOrCreate(bob);
        expect(await sessions.switchTo(bobs.key, moved.sessionId)).toMatchObject({
          key: bobs.key,
          sessionId: moved.sessionId,
        });
        expect(await sessions.current(moved.key)).toBeNull();
        expect((await sessions.getOrCreate(ann)).sessionId).not.toBe(moved.sessionId);
        expect((await sessions.getOrCreate(bob)).sessionId).toBe(moved.sessionId);
        expect(await sessions.get(bobs.sessionId)).toMatchObject({ endReason: "switched" });
      });

      it("loses nothing when many reset or take one session at once", async () => {
        const other = await connect();
        const first = await sessions.getOrCreate(ann);
        const each = (n: number) => (n % 2 ? sessions : other);
        const resets = await Promise.all(Array.from({ length: 20 }, (_, n) => each(n).reset(first.key)));
        expect(new Set(resets.map((entry) => entry?.sessionId)).size).toBe(20);
        const open = (await sessions.list({ limit: 100 }, OWNER)).items.filter(
          (entry) => entry.endedAt === null,
        );
        expect(open).toHaveLength(1);
        expect((await sessions.current(first.key))?.sessionId).toBe(open[0]?.sessionId);

        const lanes = Array.from({ length: 10 }, (_, n) => buildSessionKey({ ...bob, chatId: `lane${n}` }));
        await Promise.all(lanes.map((key, n) => each(n).switchTo(key, first.sessionId)));
        const held = await Promise.all([first.key, ...lanes].map((key) => sessions.current(key)));
        expect(held.filter((entry) => entry?.sessionId === first.sessionId)).toHaveLength(1);
        const { key } = (await sessions.get(first.sessionId)) ?? {};
        expect((await sessions.current(key ?? first.key))?.sessionId).toBe(first.sessionId);
      });

      it("tells of every session that changed, also the one that ended", async () => {
        const changed = new Set<string>();
        const watched = await connect({ onChange: (sessionId) => changed.add(sessionId) });
        const first = await watched.getOrCreate(ann);
        const second = await watched.getOrCreate(ann, { forceNew: true });
        changed.clear();
        const third = await watched.reset(first.key);
        expect(changed).toEqual(new Set([second.sessionId, third?.sessionId]));
        changed.clear();
        await watched.switchTo(first.key, first.sessionId);
        expect(changed).toEqual(new Set([first.sessionId, third?.sessionId]));
        changed.clear();
        const fourth = await watched.getOrCreate(ann, { forceNew: true });
        expect(changed).toEqual(new Set([first.sessionId, fourth.sessionId]));
      });

      it("leaves a session alone that has moved on when its old surface closes", async () => {
        const moved = await sessions.getOrCreate(ann);
        const bobs = await sessions.getOrCreate(bob);
        await sessions.switchTo(bobs.key, moved.sessionId);
        expect((await sessions.end(moved.sessionId, "ended", { onlyIn: moved.key })).endedAt).toBeNull();
        expect((await sessions.current(bobs.key))?.sessionId).toBe(moved.sessionId);
        expect((await sessions.end(moved.sessionId, "ended", { onlyIn: bobs.key })).endReason).toBe("ended");
        await expect(sessions.end(moved.sessionId, "banana" as "ended")).rejects.toThrow(
          code("invalid_end_reason"),
        );
      });

      it("gives a lane back its own people when it starts fresh", async () => {
        const group: SessionSource = {
          platform: HERE,
          chatId: "team",
          chatType: "group",
          chatName: "Team",
          userId: "ann",
        };
        const member = viewerOf({ ...group, userId: "bob" });
        const { entry } = await sessions.receive(ann, user("private words"));
        await sessions.indexAll();
        const before = await sessions.getOrCreate(group);
        await sessions.switchTo(group, entry.sessionId);
        await sessions.append(entry.sessionId, user("words in the group"));

        // While it is there, the group sees it, and so does its owner, wherever they are.
        expect(await sessions.get(entry.sessionId)).toMatchObject({
          owner: entry.owner,
          laneOwner: before.owner,
          chat: before.chat,
          chatType: "group",
          displayName: "Team",
        });
        for (const viewer of [member, viewerOf(ann)]) {
          expect((await sessions.as(viewer).list()).items.map((each) => each.sessionId)).toContain(
            entry.sessionId,
          );
          expect((await sessions.search("words", viewer)).items).toHaveLength(2);
        }
        expect((await sessions.as(viewerOf(bob)).list()).items).toEqual([]);

        const fresh = await sessions.reset(before.key);
        expect(fresh).toMatchObject({
          owner: before.owner,
          laneOwner: before.owner,
          origin: before.origin,
          displayName: "Team",
        });
        await sessions.append((fresh?.sessionId ?? "") as SessionId, user("later words"));
        expect((await sessions.search("later", viewerOf(ann))).items).toEqual([]);
        expect((await sessions.search("later", member)).items).toHaveLength(1);

        // Brought home, it is out of the group's sight again.
        await sessions.as(viewerOf(ann)).switchTo(ann, entry.sessionId);
        expect((await sessions.as(member).list()).items.map((each) => each.sessionId)).not.toContain(
          entry.sessionId,
        );
        await sessions.indexAll();
        expect((await sessions.search("words", member)).items.map((hit) => hit.snippet)).toEqual([
          "later words",
        ]);
        expect((await sessions.search("words", viewerOf(ann))).items).toHaveLength(2);
      });

      it("takes nobody's lane but one's own", async () => {
        const annsLane = await sessions.getOrCreate(ann);
        const bobs = await sessions.getOrCreate(bob);
        await expect(sessions.as(viewerOf(bob)).switchTo(ann, bobs.sessionId)).rejects.toThrow(
          code("session_not_found"),
        );
        expect((await sessions.current(annsLane.key))?.sessionId).toBe(annsLane.sessionId);
      });

      it("keeps the first reason of an end, and the next message starts fresh", async () => {
        const entry = await sessions.getOrCreate(ann);
        expect(await sessions.end(entry.sessionId)).toMatchObject({ endReason: "ended", endedAt: now });
        expect(await sessions.end(entry.sessionId, "switched")).toMatchObject({ endReason: "ended" });
        expect((await sessions.getOrCreate(ann)).sessionId).not.toBe(entry.sessionId);
        await expect(sessions.end(asSessionId("nope"))).rejects.toThrow(code("session_not_found"));
      });
    });

    describe("titles", () => {
      it("are cleaned, unique among their owner's sessions, and can be taken away", async () => {
        const mine = await sessions.getOrCreate(ann);
        expect(await sessions.setTitle(mine.sessionId, "  Trip\u0007 to\u200b\nRome ")).toMatchObject({
          title: "Trip to Rome",
        });
        const next = await sessions.reset(mine.key);
        const nextId = next?.sessionId ?? "";
        await expect(sessions.setTitle(nextId as SessionId, "Trip to Rome")).rejects.toThrow(
          code("title_taken"),
        );
        expect(await sessions.setTitle(mine.sessionId, "Trip to Rome")).toMatchObject({
          title: "Trip to Rome",
        });
        const theirs = await sessions.getOrCreate(bob);
        expect(await sessions.setTitle(theirs.sessionId, "Trip to Rome")).toMatchObject({
          title: "Trip to Rome",
        });
        expect(await sessions.setTitle(mine.sessionId, "\u200b ")).toMatchObject({ title: null });
        expect(await sessions.setTitle(nextId as SessionId, "Trip to Rome")).toMatchObject({
          title: "Trip to Rome",
        });
      });

      it("have at most 100 characters", async () => {
        const { sessionId } = await sessions.getOrCreate(ann);
        expect((await sessions.setTitle(sessionId, "🎉".repeat(100))).title).toHaveLength(200);
        await expect(sessions.setTitle(sessionId, "x".repeat(101))).rejects.toThrow(code("title_too_long"));
        expect((await sessions.get(sessionId))?.title).toBe("🎉".repeat(100));
        await expect(sessions.setTitle(asSessionId("nope"), "x")).rejects.toThrow(code("session_not_found"));
      });
    });

    describe("finding", () => {
      it("takes an id, a unique prefix or a title", async () => {
        const a = await sessions.getOrCreate(ann);
        now += 1_000;
        const b = await sessions.getOrCreate(bob);
        await sessions.setTitle(a.sessionId, "Groceries");
        expect((await sessions.find(b.sessionId, OWNER)).sessionId).toBe(b.sessionId);
        expect((await sessions.find(b.sessionId.slice(0, -3), OWNER)).sessionId).toBe(b.sessionId);
        expect((await sessions.find("Groceries", OWNER)).sessionId).toBe(a.sessionId);
        await expect(sessions.find("20260110_12", OWNER)).rejects.toThrow(code("ambiguous_session"));
        const beginnings = [b.sessionId.slice(0, -3), "20260110_12", "20990101", a.sessionId];
        expect([...(await sessions.alone(beginnings, OWNER))].sort()).toEqual(
          [
            [b.sessionId.slice(0, -3), b.sessionId],
            [a.sessionId, a.sessionId],
          ].sort(),
        );
        expect([...(await sessions.alone(["20260110_12", a.sessionId], viewerOf(bob)))]).toEqual([
          ["20260110_12", b.sessionId],
        ]);
        for (const which of ["", " ", "%", "_", "nope"]) {
          await expect(sessions.find(which, OWNER)).rejects.toThrow(code("session_not_found"));
        }
        await expect(sessions.find("Groceries", viewerOf(bob))).rejects.toThrow(code("session_not_found"));
      });

      it("takes a part of a title in any case, if nothing is called so", async () => {
        const a = await sessions.getOrCreate(ann);
        const b = await sessions.getOrCreate(ann, { forceNew: true });
        now += 1_000;
        const c = await sessions.getOrCreate(bob);
        await sessions.setTitle(a.sessionId, "Garden plans");
        await sessions.setTitle(b.sessionId, "Ölwechsel 50%");
        await sessions.setTitle(c.sessionId, "Secret garden");
        const found = async (which: string, viewer = viewerOf(ann)) =>
          (await sessions.find(which, viewer)).sessionId;
        expect(await found("garden")).toBe(a.sessionId);
        expect(await found("PLANS")).toBe(a.sessionId);
        expect(await found("öLW")).toBe(b.sessionId);
        expect(await found("0%")).toBe(b.sessionId);
        expect(await found("garden", viewerOf(bob))).toBe(c.sessionId);
        await expect(sessions.find("garden", OWNER)).rejects.toThrow(
          `"garden" matches several sessions: "Secret garden" (${c.sessionId}), "Garden plans" (${a.sessionId}). Give one id.`,
        );
        await sessions.setTitle(c.sessionId, "Garden");
        expect(await found("garden", OWNER)).toBe(c.sessionId);
      });

      it("takes the name of the chat, as lists show it, if a session has no title", async () => {
        const group = { platform: HERE, chatId: "g1", chatType: "group", chatName: "Garden group" } as const;
        const a = await sessions.getOrCreate({ ...group, userId: "ann" });
        await sessions.getOrCreate(localSource());
        const found = async (which: string, viewer = OWNER) => (await sessions.find(which, viewer)).sessionId;
        expect(await found(" Garden  group ")).toBe(a.sessionId);
        for (const which of ["Garden", "cli"])
          await expect(found(which)).rejects.toThrow(code("session_not_found"));
        await expect(found("Garden group", viewerOf(bob))).rejects.toThrow(code("session_not_found"));
        const next = await sessions.getOrCreate({ ...group, userId: "ann" }, { forceNew: true });
        expect(await found("Garden group")).toBe(next.sessionId);
        expect(await found(a.sessionId)).toBe(a.sessionId);
        await sessions.switchTo(a.key, a.sessionId);
        const b = await sessions.getOrCreate({ ...group, chatId: "g2", userId: "ann" });
        await expect(found("Garden group")).rejects.toThrow(
          `"Garden group" matches several sessions: ${[b.sessionId, a.sessionId].sort().reverse().join(", ")}. Give one id.`,
        );
        await sessions.setTitle(a.sessionId, "Plans");
        expect(await found("Garden group")).toBe(b.sessionId);
        expect(await found("plans")).toBe(a.sessionId);
        await sessions.setTitle(a.sessionId, "Our garden group plans");
        expect(await found("garden group")).toBe(a.sessionId);
      });

      it("takes no id for another that only begins like it", async () => {
        const { sessionId } = await sessions.getOrCreate(ann);
        for (const id of [
          `${sessionId}\0`,
          `${sessionId}\0x`,
          `${sessionId} `,
          `X${sessionId.slice(1)}`,
          "\ud800",
        ]) {
          expect(await sessions.get(id as SessionId)).toBeNull();
          await expect(sessions.find(id, OWNER)).rejects.toThrow(code("session_not_found"));
          await expect(sessions.append(id as SessionId, user("x"))).rejects.toThrow(
            code("session_not_found"),
          );
        }
      });

      it("lists newest activity first, in pages without gaps or repeats", async () => {
        const made: string[] = [];
        for (let n = 0; n < 25; n++) {
          if (n % 5 === 0) now += 1_000; // some at the same moment
          made.push((await sessions.getOrCreate({ ...ann, chatId: `c${n}` })).sessionId);
        }
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await sessions.list({ limit: 4, ...(cursor ? { cursor } : {}) }, OWNER);
          expect(page.items.length).toBeLessThanOrEqual(4);
          seen.push(...page.items.map((entry) => entry.sessionId));
          cursor = page.nextCursor ?? undefined;
        } while (cursor);
        expect([...seen].sort()).toEqual([...made].sort());
        expect(new Set(seen.slice(0, 5))).toEqual(new Set(made.slice(-5)));
        now += 1_000;
        await sessions.receive({ ...ann, chatId: "c3" }, user("hi"));
        expect((await sessions.list({ limit: 1 }, OWNER)).items[0]?.sessionId).toBe(made[3]);
      });

      it("pages over times of any century", async () => {
        const { origin, displayName, owner, chat } = await sessions.getOrCreate(ann);
        for (const [n, updatedAt] of [-5_000_000_000_000, 8_000_000_000_000_000, 0].entries()) {
          const key = buildSessionKey({ ...ann, chatId: `c${n}` });
          await sessions.adopt(
            {
              sessionId: `s${n}` as SessionId,
              key,
              origin,
              displayName,
              owner,
              chat,
              createdAt: updatedAt,
              updatedAt,
              bind: false,
            },
            [],
          );
        }
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await sessions.list({ limit: 1, ...(cursor ? { cursor } : {}) }, OWNER);
          seen.push(...page.items.map((entry) => entry.sessionId));
          cursor = page.nextCursor ?? undefined;
        } while (cursor);
        expect([seen[0], ...seen.slice(-2)]).toEqual(["s1", "s2", "s0"]);
      });

      it("filters by platform and activity", async () => {
        await sessions.getOrCreate(ann);
        now += DAY;
        const later = await sessions.getOrCreate({
          platform: THERE,
          chatId: "D",
          chatType: "dm",
          userId: "U",
        });
        const ids = async (filter: object) =>
          (await sessions.list(filter, OWNER)).items.map((entry) => entry.sessionId);
        expect(await ids({ platform: THERE })).toEqual([later.sessionId]);
        expect(await ids({ activeWithinMs: MINUTE })).toEqual([later.sessionId]);
        expect(await ids({ activeWithinMs: 2 * DAY })).toHaveLength(2);
      });

      it("knows the lanes at an address, for those who may use them", async () => {
        const dm = parseSource({ platform: HERE, chat_id: "A%:1", user_id: "ann" });
        const topic = { ...dm, threadId: "7" };
        const { sessionId } = await sessions.getOrCreate(dm);
        const inTopic = await sessions.getOrCreate(topic);
        const hers = sessions.as(viewerOf(dm));
        expect(await hers.laneAt(addressOf(dm))).toMatchObject({ sessionId, origin: { chatId: "A%:1" } });
        expect(await hers.laneAt(addressOf(topic))).toMatchObject({ sessionId: inTopic.sessionId });
        expect(await sessions.as(OWNER).laneAt(addressOf(dm))).toMatchObject({ sessionId });
        const his = sessions.as(viewerOf({ ...dm, chatId: "B", userId: "bob" }));
        expect(await his.laneAt(addressOf(dm))).toBeNull();
        expect(await hers.laneAt({ ...addressOf(dm), chatId: "a%:1" })).toBeNull();
        expect(await hers.laneAt({ ...addressOf(dm), threadId: "8" })).toBeNull();
      });

      it("refuses a cursor or limit that is none, and a missing viewer", async () => {
        await expect(sessions.list({ cursor: "x" }, OWNER)).rejects.toThrow(code("invalid_cursor"));
        await expect(sessions.search("x", OWNER, { cursor: "x" })).rejects.toThrow(code("invalid_cursor"));
        await expect(sessions.list({ limit: 0 }, OWNER)).rejects.toThrow(code("invalid_cursor"));
        await expect(sessions.list({}, undefined as never)).rejects.toThrow(code("viewer_required"));
        await expect(sessions.search("x", undefined as never)).rejects.toThrow(code("viewer_required"));
      });
    });

    describe("the transcript", () => {
      it("numbers messages from 1 without gaps, and adds up usage", async () => {
        const { entry, seq } = await sessions.receive(ann, user("one"));
        expect(seq).toBe(1);
        const usage = {
          inputTokens: 10,
          outputTokens: 5,
          cacheReadTokens: 2,
          cacheWriteTokens: 1,
          cost: 0.25,
        };
        expect(await sessions.record(entry.sessionId, [said("two"), user("three")], usage)).toBe(2);
        expect(await sessions.append(entry.sessionId, said("four"))).toBe(4);
        expect(await sessions.appendMany(entry.sessionId, [])).toBe(5);
        expect((await sessions.load(entry.sessionId)).map(({ seq: place }) => place)).toEqual([1, 2, 3, 4]);
        await sessions.update(entry.key, { inputTokens: 1, cost: 0.5 });
        expect(await sessions.get(entry.sessionId)).toMatchObject({
          messageCount: 4,
          inputTokens: 11,
          outputTokens: 5,
          totalTokens: 19,
          cost: 0.75,
        });
      });

      it("gives every message back as it was said", async () => {
        const { sessionId } = await sessions.getOrCreate(ann);
        const messages: Message[] = [
          { role: "user", content: "hi\r\n\t\u2028 👩‍👧 \u001b[31m", name: "Ann", at: 5 },
          {
            role: "assistant",
            content: "",
            reasoning: "hm",
            toolCalls: [{ id: "a", name: "run", arguments: '{"x":"é"}' }],
            at: 6,
          },
          { role: "tool", toolCallId: "a", name: "run", content: "x".repeat(1_000_000), at: 7 },
          { role: "system", content: "note", at: 8 },
        ];
        await sessions.appendMany(sessionId, messages);
        expect((await sessions.load(sessionId)).map(({ seq: _, ...message }) => message)).toEqual(messages);
      });

      it("mends what no store keeps, and cuts nothing off", async () => {
        const { sessionId } = await sessions.getOrCreate(ann);
        await sessions.append(sessionId, { role: "user", content: "a\0b\ud83d", name: "N\0" });
        expect(await sessions.load(sessionId)).toMatchObject([
          { content: "a\ufffdb\ufffd", name: "N\ufffd" },
        ]);
      });

      it("keeps hostile ids apart", async () => {
        const ids = ["a:b", "a%3Ab", "a\0b", "a\ud800", "a\udfff", "a\ufffd", "'; DROP TABLE sessions; --"];
        for (const chatId of ids) await sessions.receive({ ...ann, chatId }, user(JSON.stringify(chatId)));
        for (const chatId of ids) {
          const { sessionId } = await sessions.getOrCreate({ ...ann, chatId });
          expect(await contents(sessionId)).toEqual([JSON.stringify(chatId)]);
        }
      });

      it("is written whole or not at all", async () => {
        const { sessionId } = await sessions.getOrCreate(ann);
        const bad = { role: "judge", content: "x" } as unknown as Message;
        await expect(sessions.record(sessionId, [said("ok"), bad], { inputTokens: 5 })).rejects.toThrow(
          code("unknown_role"),
        );
        await expect(sessions.record(sessionId, [said("ok")], { inputTokens: -5 })).rejects.toThrow(
          code("invalid_usage"),
        );
        await expect(sessions.record(asSessionId("nope"), [said("ok")])).rejects.toThrow(
          code("session_not_found"),
        );
        await expect(sessions.receive(bob, bad)).rejects.toThrow(code("unknown_role"));
        expect(await sessions.get(sessionId)).toMatchObject({ messageCount: 0, inputTokens: 0 });
        expect((await sessions.list({}, OWNER)).items).toHaveLength(1);
      });

      it("keeps what a rewrite replaces, and the equal beginning as it is", async () => {
        const { entry } = await sessions.receive(ann, user("1"));
        const { sessionId } = entry;
        await sessions.appendMany(sessionId, [said("2"), user("3"), said("4")]);
        await sessions.rewrite(sessionId, [user("1"), said("2"), user("3 again")]);
        expect((await sessions.load(sessionId)).map((m) => [m.seq, m.content])).toEqual([
          [1, "1"],
          [2, "2"],
          [5, "3 again"],
        ]);
        const all = await sessions.load(sessionId, { superseded: true });
        expect(all.map((m) => [m.seq, m.content, m.supersededAt !== undefined])).toEqual([
          [1, "1", false],
          [2, "2", false],
          [3, "3", true],
          [4, "4", true],
          [5, "3 again", false],
        ]);
        expect((await sessions.get(sessionId))?.messageCount).toBe(3);
        expect(await sessions.append(sessionId, said("5"))).toBe(6);
        await sessions.rewrite(sessionId, [user("anew")]);
        expect(await contents(sessionId)).toEqual(["anew"]);
        await sessions.rewrite(sessionId, []);
        expect(await contents(sessionId)).toEqual([]);
        expect(await sessions.history(sessionId)).toEqual([]);
        expect(await sessions.load(sessionId, { superseded: true })).toHaveLength(7);
        expect(await sessions.append(sessionId, user("on"))).toBe(8);
        expect(await contents(sessionId)).toEqual(["on"]);
        await expect(sessions.rewrite(asSessionId("nope"), [])).rejects.toThrow(code("session_not_found"));
      });

      it("gives the model the window of the whole, at any length and cursor", async () => {
        const { entry } = await sessions.receive(ann, user("0"));
        const { sessionId } = entry;
        const turns = Array.from({ length: 40 }, (_, n): Message[] => [
          user(`q${n}`),
          { role: "assistant", content: "", toolCalls: [{ id: `c${n}`, name: "run", arguments: "{}" }] },
          { role: "tool", toolCallId: `c${n}`, content: `r${n}` },
          said(`a${n}`),
        ]);
        await sessions.appendMany(sessionId, turns.flat());
        await sessions.rewrite(sessionId, (await sessions.load(sessionId)).slice(0, -3));
        for (const consolidatedThrough of [0, 57, 161]) {
          await sessions.update(entry.key, { consolidatedThrough, summary: "so far" });
          const whole = await sessions.load(sessionId);
          for (const maxMessages of [1, 2, 7, 50, 500]) {
            const told = consolidatedThrough === 0 ? [] : [summaryMessage({ text: "so far", standing: [] })];
            const window = { maxMessages: maxMessages - told.length, consolidatedThrough };
            const expected = [...told, ...historyWindow(whole, window)];
            expect(await sessions.history(sessionId, { maxMessages })).toEqual(expected);
          }
        }
        expect(await sessions.history(sessionId, { maxMessages: 0 })).toEqual([]);
        await expect(sessions.history(asSessionId("nope"))).rejects.toThrow(code("session_not_found"));
        await expect(sessions.load(asSessionId("nope"))).rejects.toThrow(code("session_not_found"));
      });

      it("gives the model the window as it is now, whichever connection changed it", async () => {
        const both = [sessions, await connect()];
        const { entry } = await sessions.receive(ann, user("0"));
        const { sessionId } = entry;
        let turn = 0;
        /** A number below `end`, the same in every run. */
        const pick = (end: number): number => (Math.imul(++turn, 2_654_435_761) >>> 8) % end;
        const some = () => Array.from({ length: 1 + pick(3) }, (_, n) => user(`${turn}.${n}`));
        const changes: ((by: Sessions, whole: readonly Message[]) => Promise<unknown>)[] = [
          (by) => by.appendMany(sessionId, some()),
          (by) => by.receive(ann, user(`received ${turn}`)),
          (by, whole) => by.rewrite(sessionId, whole.slice(0, -1)),
          (by, whole) => by.rewrite(sessionId, [...whole.slice(0, -1), user(`instead ${turn}`)]),
          (by, whole) => by.rewrite(sessionId, [...whole.slice(0, pick(9)), ...some()]),
          (by, whole) => by.update(entry.key, { consolidatedThrough: pick(whole.length + 3) }),
          (by) =>
            by.update(entry.key, {
              summary: [null, "so far", "much"][pick(3)] ?? null,
              standing: [`${turn}`],
            }),
          async () => {},
        ];
        for (let step = 0; step < 150; step++) {
          const whole = await sessions.load(sessionId);
          await changes[pick(changes.length)]?.(both[pick(2)] as Sessions, whole);
          const {
            consolidatedThrough = 0,
            summary = null,
            standing = [],
          } = (await sessions.get(sessionId)) ?? {};
          const now = await sessions.load(sessionId);
          const isHidden = summary !== null && consolidatedThrough > 0;
          for (const reader of both.slice(pick(2))) {
            const most = [1, 3, 8, 500][pick(4)] ?? 0;
            const maxMessages = most;
            const expected = isHidden
              ? [
                  summaryMessage({ text: summary, standing }),
                  ...historyWindow(now, { maxMessages: most - 1, consolidatedThrough }),
                ]
              : historyWindow(now, { maxMessages });
            expect(await reader.history(sessionId, { maxMessages })).toEqual(expected);
          }
        }
      });

      it("tells the model the summary of what it does not see, and hides nothing without one", async () => {
        const { entry } = await sessions.receive(ann, user("My name is Ann."));
        const { sessionId, key } = entry;
        await sessions.appendMany(sessionId, [said("Hello Ann."), user("What is my name?")]);
        await sessions.update(key, { consolidatedThrough: 2 });
        const seen = async () => (await sessions.history(sessionId)).map(({ content }) => content);
        expect(await seen()).toEqual(["My name is Ann.", "Hello Ann.", "What is my name?"]);

        await sessions.update(key, { summary: "She is Ann.", standing: ["Be\nbrief."] });
        expect(await seen()).toEqual([
          expect.stringMatching(/^\[Note\].*\n\nShe is Ann\.\n\n.*word for word:\n- Be\n {2}brief\.$/),
          "What is my name?",
        ]);
        expect((await sessions.get(sessionId))?.standing).toEqual(["Be\nbrief."]);
        await sessions.update(key, { summary: null });
        expect(await seen()).toHaveLength(3);
      });

      it("takes a summary back with the messages that it covers", async () => {
        const { entry } = await sessions.receive(ann, user("1"));
        const { sessionId, key } = entry;
        await sessions.appendMany(sessionId, [said("2"), user("3"), said("4"), user("5"), said("6")]);
        const sumUp = () =>
          sessions.update(key, { consolidatedThrough: 4, summary: "so far", standing: ["Be brief."] });
        const state = async () => {
          const { consolidatedThrough, summary, standing } = (await sessions.get(sessionId)) ?? {};
          return { consolidatedThrough, summary, standing };
        };
        const summedUp = { consolidatedThrough: 4, summary: "so far", standing: ["Be brief."] };
        const nothing = { consolidatedThrough: 0, summary: null, standing: [] };
        await sumUp();
        const whole = await sessions.load(sessionId);
        for (const list of [[...whole, user("7")], whole, whole.slice(0, 5), whole.slice(0, 4)]) {
          await sessions.rewrite(sessionId, list);
          expect(await state()).toEqual(summedUp);
        }
        await sessions.rewrite(sessionId, whole.slice(0, 3));
        expect(await state()).toEqual(nothing);
        expect(await sessions.history(sessionId)).toEqual([user("1"), said("2"), user("3")]);

        await sumUp(); // Up to a message that was taken back before: what it covers stays as it is.
        await sessions.rewrite(sessionId, whole.slice(0, 3));
        expect(await state()).toEqual(summedUp);
        await sessions.rewrite(sessionId, []);
        expect(await state()).toEqual(nothing);
        await sessions.append(sessionId, user("on"));
        expect(await sessions.history(sessionId)).toEqual([user("on")]);
      });

      it("gives the model the same window again, whatever its reader did to it", async () => {
        const author = { id: `${HERE}:ann`, role: "guest" };
        const attachments = [{ file: "1.png", mediaType: "image/png" }];
        const { sessionId } = (
          await sessions.receive(ann, { ...user("see"), author, attachments } as Message)
        ).entry;
        const expected = [{ ...user("see"), author, attachments }];
        for (const message of await sessions.history(sessionId)) {
          const { author: writer, attachments: files = [] } = message as (typeof expected)[0];
          for (const part of [message, writer, ...files]) {
            try {
              Object.assign(part, { role: "owner", file: "2.png" });
            } catch {
              // It may refuse to be changed.
            }
          }
        }
        expect(await sessions.history(sessionId)).toEqual(expected);
      });

      it("gives the model the messages of a session that was brought in again under its old id", async () => {
        const other = await connect();
        const { sessionId, key, owner, laneOwner, chat } = await sessions.getOrCreate(ann);
        await sessions.appendMany(sessionId, [user("old 1"), said("old 2")]);
        expect(await other.history(sessionId)).toEqual([user("old 1"), said("old 2")]);
        await sessions.end(sessionId);
        now += 1;
        expect((await sessions.prune({ endedBeforeMs: 0 })).sessions).toBe(1);
        await expect(other.history(sessionId)).rejects.toThrow(code("session_not_found"));
        const lane = { key, owner, laneOwner, chat, origin: ann, displayName: "Ann" };
        const session = { ...lane, sessionId, createdAt: now, updatedAt: now, bind: true };
        await sessions.adopt(session, [user("new 1"), said("new 2")]);
        expect(await other.history(sessionId)).toEqual([user("new 1"), said("new 2")]);
      });

      it("is loaded whole, however long", async () => {
        const { sessionId } = await sessions.getOrCreate(ann);
        await sessions.appendMany(
          sessionId,
          Array.from({ length: 4_500 }, (_, n) => user(`m${n}`)),
        );
        const all = await sessions.load(sessionId);
        expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: 4_500 }, (_, n) => n + 1));
      });

      it("keeps the embedding program's metadata, the cursor and the summary", async () => {
        const { key, sessionId } = await sessions.getOrCreate(ann);
        await sessions.appendMany(sessionId, [user("1"), said("2"), user("3"), said("4")]);
        await sessions.update(key, {
          metadata: { mood: "calm", deep: { n: 1 } },
          consolidatedThrough: 4,
          summary: "short\0",
        });
        await sessions.update(key, { inputTokens: 1 });
        expect(await sessions.get(sessionId)).toMatchObject({
          metadata: { mood: "calm", deep: { n: 1 } },
          consolidatedThrough: 4,
          summary: "short\ufffd",
        });
        await expect(sessions.update(key, { metadata: { big: "x".repeat(20_000) } })).rejects.toThrow(
          code("invalid_metadata"),
        );
        await expect(sessions.update(key, { consolidatedThrough: -1 })).rejects.toThrow(
          code("invalid_message"),
        );
      });
    });

    describe("search", () => {
      const seed = async () => {
        const { entry } = await sessions.receive(ann, user("Please run chat-send for milestone P2.2 today"));
        await sessions.record(entry.sessionId, [
          {
            role: "assistant",
            content: "Running.",
            toolCalls: [{ id: "a", name: "web_search", arguments: '{"query":"weather in R\\u00f6mer"}' }],
          },
          { role: "tool", toolCallId: "a", name: "web_search", content: "sunny, 31 °C" },
          said("明日の会議室は三階です。회의는 세 시입니다"),
          said("Café crème, naïve façade"),
        ]);
        return entry;
      };
      const found = async (query: string) =>
        (await sessions.search(query, OWNER)).items.map((hit) => hit.seq);
      const cases: [string, number[]][] = [
        ["chat-send", [1]],
        ["CHAT-SEND", [1]],
        ["send-chat", []],
        ["P2.2", [1]],
        ["P2.3", []],
        ["milestone today", [1]],
        ['"today milestone"', []],
        ['"for milestone"', [1]],
        ["mile*", [1]],
        ["mile", []],
        ["chat-s*", [1]],
        ["chat-t*", []],
        ["send-c*", []],
        ["web_s* w*", []],
        ["web_s* weath*", [2]],
        ["P2.2*", [1]],
        ["m*", []],
        ["web_search", [3, 2]],
        ["romer", [2]],
        ["sunny", [3]],
        ["会議", [4]],
        ["会議室", [4]],
        ["室会", []],
        ["회의", [4]],
        ["cafe facade", [5]],
        ["milestone sunny", []],
      ];

      it.each([
        ["before it is indexed", false],
        ["once it is indexed", true],
      ])("finds words, phrases, code-like words, CJK and tools %s", async (_, indexed) => {
        await seed();
        if (indexed) await sessions.indexAll();
        for (const [query, seqs] of cases) expect(await found(query), query).toEqual(seqs);
      });

      it("takes any text for a query", async () => {
        await seed();
        await sessions.indexAll();
        for (const query of [
          "",
          " ",
          '"',
          '"""',
          "*",
          "AND",
          "OR NOT",
          "NEAR(",
          "a:b",
          "(",
          ")",
          "-",
          "^",
          "'",
          "\\",
          "%",
          "\0",
          "\ud800",
          "{a}",
          '" OR 1=1 --',
          "terms:x",
          "=",
          "=o",
          "🎉",
          "x".repeat(5_000),
          "a ".repeat(5_000),
        ]) {
          expect(Array.isArray((await sessions.search(query, OWNER)).items), query).toBe(true);
        }
      });

      it("shows newest first in complete pages, indexed or not", async () => {
        const { entry } = await sessions.receive(ann, user("start"));
        const say = (from: number, to: number) =>
          sessions.appendMany(
            entry.sessionId,
            Array.from({ length: to - from }, (_, n) => user(`common word ${from + n}`)),
          );
        await say(0, 30);
        await sessions.indexAll();
        await say(30, 45);
        const seen: number[] = [];
        let cursor: string | undefined;
        do {
          const page = await sessions.search("common", OWNER, { limit: 7, ...(cursor ? { cursor } : {}) });
          seen.push(...page.items.map((hit) => hit.seq));
          cursor = page.nextCursor ?? undefined;
        } while (cursor);
        expect(seen).toEqual(Array.from({ length: 45 }, (_, n) => 46 - n));
      });

      it("completes the last letter of a word, however many messages have the rest of it", async () => {
        const { entry } = await sessions.receive(ann, user("foo_zip"));
        const say = (from: number, to: number) =>
          sessions.appendMany(
            entry.sessionId,
            Array.from({ length: to - from }, (_, n) => user((from + n) % 3 === 0 ? "foo_bar" : "foo_qux")),
          );
        await say(0, 390);
        await sessions.indexAll();
        await say(390, 480);
        expect(await found("foo_z*")).toEqual([1]);
        expect(await found("foo_y*")).toEqual([]);
        const seen: number[] = [];
        let cursor: string | undefined;
        do {
          const page = await sessions.search("foo_b*", OWNER, { limit: 50, ...(cursor ? { cursor } : {}) });
          seen.push(...page.items.map((hit) => hit.seq));
          cursor = page.nextCursor ?? undefined;
        } while (cursor);
        expect(seen).toEqual(Array.from({ length: 160 }, (_, n) => 479 - 3 * n));
        expect((await sessions.search("foo_z*", viewerOf(bob))).items).toEqual([]);
      });

      it("indexes a long tail by itself, and finds what is in it", async () => {
        const { sessionId } = await sessions.getOrCreate(ann);
        await sessions.appendMany(
          sessionId,
          Array.from({ length: 2_500 }, (_, n) => user(`needle${n}`)),
        );
        expect(await found("needle3")).toEqual([4]);
        expect(await found("needle2499")).toEqual([2_500]);
      });

      it("indexes each message once when several feed the index at once", async () => {
        const other = await connect();
        const { sessionId } = await sessions.getOrCreate(ann);
        await sessions.appendMany(
          sessionId,
          Array.from({ length: 900 }, (_, n) => user(`needle ${n}`)),
        );
        await Promise.all([sessions.indexAll(), other.indexAll(), sessions.indexAll(), other.indexAll()]);
        expect((await sessions.search("needle", OWNER, { limit: 100 })).items.map((hit) => hit.seq)).toEqual(
          Array.from({ length: 100 }, (_, n) => 900 - n),
        );
        await sessions.end(sessionId);
        now += 1;
        await other.prune({ endedBeforeMs: 0 });
        expect((await other.search("needle", OWNER)).items).toEqual([]);
      });

      it("says where, and shows the place", async () => {
        const entry = await seed();
        await sessions.setTitle(entry.sessionId, "Weather");
        await sessions.append(
          entry.sessionId,
          user(`${"filler ".repeat(100)}needle ${"filler ".repeat(100)}`),
        );
        const { items } = await sessions.search("needle", OWNER);
        expect(items).toMatchObject([
          {
            sessionId: entry.sessionId,
            title: "Weather",
            displayName: "Ann",
            platform: HERE,
            role: "user",
            at: now,
          },
        ]);
        expect(items[0]?.snippet).toMatch(/^….*needle.*…$/);
        expect(items[0]?.snippet.length).toBeLessThan(200);
      });

      it("keeps to one session where asked, and leaves out what was superseded", async () => {
        const { sessionId } = await seed();
        await sessions.receive(bob, user("milestone too"));
        await sessions.indexAll();
        expect((await sessions.search("milestone", OWNER)).items).toHaveLength(2);
        expect((await sessions.search("milestone", OWNER, { sessionId })).items).toMatchObject([
          { sessionId },
        ]);
        expect((await sessions.search("milestone", viewerOf(bob))).items).toHaveLength(1);
        await sessions.rewrite(sessionId, [user("nothing")]);
        expect((await sessions.search("milestone", OWNER, { sessionId })).items).toEqual([]);
      });
    });

    describe("pruning", () => {
      it("removes only what ended long ago, and says how much", async () => {
        const { entry: old } = await sessions.receive(ann, user("ancient history"));
        await sessions.indexAll();
        const present = await sessions.reset(old.key);
        const { entry: other } = await sessions.receive(bob, user("still open"));
        now += 100 * DAY;
        const limit = { endedBeforeMs: 90 * DAY };
        expect(await sessions.prune({ ...limit, dryRun: true })).toEqual({ sessions: 1, messages: 1 });
        expect(await sessions.get(old.sessionId)).not.toBeNull();
        expect(await sessions.prune(limit)).toEqual({ sessions: 1, messages: 1 });
        expect(await sessions.get(old.sessionId)).toBeNull();
        expect((await sessions.search("ancient", OWNER)).items).toEqual([]);
        expect(await sessions.get((present?.sessionId ?? "") as SessionId)).not.toBeNull();
        expect(await contents(other.sessionId)).toEqual(["still open"]);
      });

      it("leaves search complete when ids are given out again", async () => {
        const { entry } = await sessions.receive(ann, user("first words"));
        await sessions.indexAll();
        await sessions.end(entry.sessionId);
        now += DAY;
        await sessions.prune({ endedBeforeMs: 0 });
        await sessions.receive(ann, user("second words"));
        expect((await sessions.search("second", OWNER)).items).toHaveLength(1);
        await sessions.indexAll();
        expect((await sessions.search("second", OWNER)).items).toHaveLength(1);
        expect((await sessions.search("first", OWNER)).items).toEqual([]);
      });

      it("leaves what is being handed off, and search complete while the index is fed", async () => {
        const other = await connect();
        const held = await sessions.getOrCreate(bob);
        await sessions.requestHandoff(held.sessionId, THERE);
        await sessions.end(held.sessionId);
        for (let n = 0; n < 300; n++) await sessions.receive(ann, user(`old ${n}`), { forceNew: true });
        now += DAY;
        await Promise.all([sessions.indexAll(), other.prune({ endedBeforeMs: 0 })]);
        for (let n = 0; n < 50; n++) await sessions.receive(ann, user(`brandnew${n}`));
        await sessions.indexAll();
        for (let n = 0; n < 50; n += 7)
          expect((await sessions.search(`brandnew${n}`, OWNER)).items).toHaveLength(1);
        expect((await sessions.search("old", OWNER)).items).toHaveLength(1);
        expect(await sessions.get(held.sessionId)).not.toBeNull();
      });

      it("removes many in one go", async () => {
        for (let n = 0; n < 450; n++) await sessions.receive(ann, user("x"), { forceNew: true });
        now += DAY;
        expect(await sessions.prune({ endedBeforeMs: 0 })).toEqual({ sessions: 449, messages: 449 });
        expect((await sessions.list({}, OWNER)).items).toHaveLength(1);
      });
    });

    describe("handing off", () => {
      const thread: SessionSource = {
        platform: THERE,
        chatId: "g",
        chatType: "thread",
        threadId: "t",
        chatName: "help",
      };

      it("moves the same session to the destination, also an empty one", async () => {
        const { entry } = await sessions.receive(ann, user("hello"));
        const asked = await sessions.requestHandoff(entry.sessionId, THERE);
        expect(asked).toMatchObject({ state: "pending", fromKey: entry.key, target: THERE, fence: 0 });
        await expect(sessions.requestHandoff(entry.sessionId, THERE)).rejects.toThrow(code("handoff_active"));
        expect(await sessions.listPendingHandoffs()).toEqual([asked]);
        const claimed = await sessions.claimHandoff({ holder: "gw" });
        expect(claimed).toMatchObject({ id: asked.id, state: "running", fence: 1, claimedBy: "gw" });
        expect((await sessions.getOrCreate(ann)).sessionId).toBe(entry.sessionId); // until it is done, the asker keeps it

        const theirs = await sessions.getOrCreate(thread);
        await sessions.completeHandoff(asked.id, { fence: 1, destination: thread });
        expect(await sessions.getHandoff(asked.id)).toMatchObject({ state: "completed", finishedAt: now });
        expect(await sessions.getOrCreate(thread)).toMatchObject({
          sessionId: entry.sessionId,
          platform: THERE,
          origin: thread,
        });
        expect(await sessions.get(theirs.sessionId)).toMatchObject({ endReason: "switched" });
        expect((await sessions.getOrCreate(ann)).sessionId).not.toBe(entry.sessionId);
        expect(await contents(entry.sessionId)).toEqual(["hello"]);
        expect(await sessions.listPendingHandoffs()).toEqual([]);

        const empty = await sessions.getOrCreate(bob);
        await sessions.requestHandoff(empty.sessionId, THERE);
        const next = await sessions.claimHandoff({ holder: "gw" });
        await sessions.completeHandoff((next?.id ?? "") as HandoffId, {
          fence: next?.fence ?? 0,
          destination: { ...thread, threadId: "t2" },
        });
        expect((await sessions.getOrCreate({ ...thread, threadId: "t2" })).sessionId).toBe(empty.sessionId);
      });

      it("is won by exactly one of many claimers", async () => {
        const other = await connect();
        const { sessionId } = await sessions.getOrCreate(ann);
        await sessions.requestHandoff(sessionId, THERE);
        const claims = await Promise.all(
          Array.from({ length: 10 }, (_, n) => (n % 2 ? sessions : other).claimHandoff({ holder: `gw${n}` })),
        );
        expect(claims.filter(Boolean)).toHaveLength(1);
      });

      it("gives each of two handoffs to one claimer", async () => {
        const other = await connect();
        for (const source of [ann, bob])
          await sessions.requestHandoff((await sessions.getOrCreate(source)).sessionId, THERE);
        const claims = await Promise.all([
          sessions.claimHandoff({ holder: "a" }),
          other.claimHandoff({ holder: "b" }),
        ]);
        expect(new Set(claims.map((claim) => claim?.id)).size).toBe(2);
        expect(claims.every((claim) => claim?.state === "running")).toBe(true);
      });

      it("is its claimer's as long as the lease runs", async () => {
        const { sessionId } = await sessions.getOrCreate(ann);
        const { id } = await sessions.requestHandoff(sessionId, THERE);
        await sessions.claimHandoff({ holder: "a", leaseMs: 600_000 });
        expect(await sessions.claimHandoff({ holder: "b" })).toBeNull();
        expect((await sessions.getHandoff(id))?.leaseUntil).toBeGreaterThan(now + 300_000);
      });

      it("passes on when a lease runs out, and the old fence is refused", async () => {
        const { sessionId } = await sessions.getOrCreate(ann);
        const { id } = await sessions.requestHandoff(sessionId, THERE);
        /** Leases run by the store's clock, which may be this one or its own. */
        const claimAtLast = async (owner: string) => {
          for (;;) {
            const claimed = await sessions.claimHandoff({ holder: owner, leaseMs: 1 });
            if (claimed || (await sessions.getHandoff(id))?.state !== "running") return claimed;
            now += 1;
          }
        };
        await claimAtLast("a");
        expect(await claimAtLast("b")).toMatchObject({ fence: 2, claimedBy: "b" });
        await expect(sessions.completeHandoff(id, { fence: 1, destination: thread })).rejects.toThrow(
          code("handoff_refused"),
        );
        expect(await sessions.current(buildSessionKey(thread))).toBeNull();
        await claimAtLast("c");
        expect(await claimAtLast("d")).toBeNull();
        expect(await sessions.getHandoff(id)).toMatchObject({
          state: "failed",
          error: expect.stringMatching(/3/),
        });
        expect((await sessions.getOrCreate(ann)).sessionId).toBe(sessionId);
      });

      it("never changes once it is finished", async () => {
        const { sessionId } = await sessions.getOrCreate(ann);
        const { id } = await sessions.requestHandoff(sessionId, THERE);
        await expect(sessions.completeHandoff(id, { fence: 0 })).rejects.toThrow(code("handoff_refused"));
        const failed = await sessions.failHandoff(id, { error: "cancelled" });
        await expect(sessions.failHandoff(id, { error: "again" })).rejects.toThrow(code("handoff_refused"));
        await expect(sessions.completeHandoff(id, { fence: 1 })).rejects.toThrow(code("handoff_refused"));
        expect(await sessions.getHandoff(id)).toEqual(failed);
        const { id: second } = await sessions.requestHandoff(sessionId, THERE);
        const claim = await sessions.claimHandoff({ holder: "gw" });
        await expect(sessions.failHandoff(second, { error: "too late" })).rejects.toThrow(
          code("handoff_refused"),
        );
        await sessions.failHandoff(second, { error: "no such chat", fence: claim?.fence ?? 0 });
        expect(await sessions.getHandoff(second)).toMatchObject({ state: "failed", error: "no such chat" });
      });

      it("holds the session where it is, and refuses what cannot be", async () => {
        const { sessionId, key } = await sessions.getOrCreate(ann);
        const bobs = await sessions.getOrCreate(bob);
        await sessions.requestHandoff(sessionId, THERE);
        await expect(sessions.switchTo(bobs.key, sessionId)).rejects.toThrow(code("handoff_active"));
        await expect(sessions.requestHandoff(asSessionId("nope"), THERE)).rejects.toThrow(
          code("session_not_found"),
        );
        await expect(sessions.requestHandoff(bobs.sessionId, "  ")).rejects.toThrow(code("invalid_handoff"));
        await expect(sessions.failHandoff(asHandoffId("nope"), { error: "x" })).rejects.toThrow(
          code("handoff_not_found"),
        );
        expect(await sessions.getHandoff(asHandoffId("nope"))).toBeNull();
        await sessions.end(bobs.sessionId);
        await expect(sessions.requestHandoff(bobs.sessionId, THERE)).rejects.toThrow(code("handoff_refused"));
        expect((await sessions.current(key))?.sessionId).toBe(sessionId);
      });
    });

    describe("adopting a session from elsewhere", () => {
      it("keeps its id, times and totals; once; and takes no key that is in use", async () => {
        const key = buildSessionKey(ann);
        const foreign = {
          sessionId: asSessionId("20240101_000000_abcd1234"),
          key,
          origin: ann,
          displayName: "Ann",
          owner: `person:${HERE}:ann`,
          chat: `${HERE}:1`,
          createdAt: 100,
          updatedAt: 200,
          title: "Old times",
          usage: { inputTokens: 7 },
          consolidatedThrough: 1,
          metadata: { from: "elsewhere" },
          bind: true,
        };
        expect(await sessions.adopt(foreign, [{ ...user("one"), at: 150 }, said("two")])).toBe(true);
        expect(await sessions.adopt(foreign, [user("other")])).toBe(false);
        const entry = await sessions.getOrCreate(ann, { touch: false });
        expect(entry).toMatchObject({
          sessionId: foreign.sessionId,
          createdAt: 100,
          updatedAt: 200,
          title: "Old times",
          inputTokens: 7,
          consolidatedThrough: 1,
        });
        expect((await sessions.load(entry.sessionId)).map((m) => [m.content, m.at])).toEqual([
          ["one", 150],
          ["two", 200],
        ]);
        await expect(sessions.adopt({ ...foreign, sessionId: "../up" as SessionId }, [])).rejects.toThrow(
          code("invalid_session_id"),
        );
        expect(await sessions.adopt({ ...foreign, sessionId: asSessionId("other") }, [])).toBe(true);
        expect((await sessions.current(key))?.sessionId).toBe(foreign.sessionId);
        expect((await sessions.get(asSessionId("other")))?.title).toBe("Old times (2)");
        expect((await sessions.receive(ann, user("three"))).seq).toBe(3);
      });
    });

    it("keeps a message though whoever watches throws", async () => {
      const watched = await connect({
        onChange: () => {
          throw new Error("not my day");
        },
      });
      expect((await watched.receive(ann, user("kept"))).seq).toBe(1);
    });

    it.each<[string, string, () => Promise<unknown>]>([
      [
        "a title that is no text",
        "invalid_message",
        async () => sessions.setTitle((await sessions.getOrCreate(ann)).sessionId, 5 as never),
      ],
      [
        "a summary that is no text",
        "invalid_message",
        async () => sessions.update((await sessions.getOrCreate(ann)).key, { summary: 5 as never }),
      ],
      [
        "an endless window",
        "invalid_message",
        async () =>
          sessions.history((await sessions.getOrCreate(ann)).sessionId, {
            maxMessages: Number.POSITIVE_INFINITY,
          }),
      ],
      [
        "a lease without end",
        "invalid_handoff",
        async () => sessions.claimHandoff({ holder: "gw", leaseMs: Number.NaN }),
      ],
      [
        "a source without a chat",
        "missing_chat_id",
        async () => sessions.getOrCreate({ platform: HERE } as never),
      ],
    ])("refuses %s", async (_, name, attempt) => {
      await expect(attempt()).rejects.toThrow(code(name));
    });

    it("takes ids that are numbers, and a DM where no type is given", async () => {
      const entry = await sessions.getOrCreate({ platform: HERE, chatId: 99 } as never);
      expect(entry).toMatchObject({ chatType: "dm", origin: { chatId: "99" } });
      expect((await sessions.search(undefined as never, OWNER)).items).toEqual([]);
    });

    it("says so when it is closed", async () => {
      await sessions.close();
      await expect(sessions.getOrCreate(ann)).rejects.toThrow(code("store_closed"));
      await expect(sessions.list({}, OWNER)).rejects.toThrow(code("store_closed"));
    });
  });
}
