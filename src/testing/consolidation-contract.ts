/** What every store must do about summaries: one process at a time, one commit, and back again. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { GatewayStore } from "../gateway/store.js";
import type { ConsolidatedRange, ConsolidationClaim, FailedTry } from "../memory/consolidations.js";
import type { SessionId } from "../session/ids.js";
import { Sessions } from "../session/sessions.js";
import { localSource } from "../session/source.js";
import type { SessionStore } from "../session/store.js";
import type { Message } from "../session/transcript.js";
import type { GatewayStoreFixture } from "./gateway-store-contract.js";

const NOW = Date.UTC(2026, 0, 10, 12);
const LEASE = { holder: "one", leaseMs: 60_000 };
const NOTHING = { identity: "", uses: [] };
const user = (content: string): Message => ({ role: "user", content });
const said = (content: string): Message => ({ role: "assistant", content });

export function consolidationContract(name: string, open: () => Promise<GatewayStoreFixture>): void {
  describe(`summaries over ${name}`, () => {
    let fixture: GatewayStoreFixture;
    let store: SessionStore & GatewayStore;
    let sessions: Sessions;
    let sessionId: SessionId;

    beforeEach(async () => {
      fixture = await open();
      store = await fixture.open();
      sessions = new Sessions(store, { clock: () => NOW });
      sessionId = (await sessions.receive(localSource(), user("1"))).entry.sessionId;
      await sessions.appendMany(sessionId, [said("2"), user("3"), said("4"), user("5")]);
    });
    afterEach(() => fixture.dispose());

    const claimed = async (holder = "one"): Promise<ConsolidationClaim> => {
      const claim = await store.consolidations.claim(sessionId, { ...LEASE, holder }, NOW);
      if (!claim) throw new Error("It is another's.");
      return claim;
    };
    const range = (
      through: number,
      text: string,
      more: Partial<ConsolidatedRange> = {},
    ): ConsolidatedRange => ({
      through,
      count: through,
      summary: { text, standing: [] },
      facts: null,
      spent: { identity: "x:ann", uses: [{ usage: { inputTokens: 10 } }] },
      ...more,
    });
    const seen = async () =>
      (await sessions.history(sessionId)).map(({ content }) => content.split("\n\n").at(1) ?? content);

    it("move the cursor, replace what they cover and count what they cost, in one step", async () => {
      const claim = await claimed();
      expect(claim).toMatchObject({ after: 0, before: null });
      expect(await store.consolidations.record(claim, range(2, "sum"), NOW)).toBe(true);
      expect(await seen()).toEqual(["sum", "3", "4", "5"]);
      expect(await sessions.get(sessionId)).toMatchObject({
        consolidatedThrough: 2,
        inputTokens: 10,
        updatedAt: NOW,
      });
      expect((await sessions.load(sessionId)).map(({ content }) => content)).toEqual([
        "1",
        "2",
        "3",
        "4",
        "5",
      ]);

      const next = await claimed();
      expect(next).toMatchObject({ after: 2, before: { text: "sum", standing: [] } });
      const more = range(4, "more", { count: 2, summary: { text: "more", standing: ["be brief"] } });
      expect(await store.consolidations.record(next, more, NOW)).toBe(true);
      expect(await seen()).toEqual(["more", "5"]);
      expect(await store.consolidations.record(next, more, NOW)).toBe(false);
    });

    it("are made by one process at a time, until its lease has run out", async () => {
      const claim = await claimed();
      const other = await fixture.open();
      expect(await other.consolidations.claim(sessionId, { ...LEASE, holder: "two" }, NOW)).toBeNull();
      expect(await store.consolidations.renew(claim, 60_000, NOW)).toBe(true);
      expect(await other.consolidations.claim(sessionId, LEASE, NOW)).toBeNull();
      await store.consolidations.renew(claim, -1, NOW); // It has run out, by the clock that counts.
      const taken = await claimed("two");
      expect(await store.consolidations.renew(claim, 1_000, NOW)).toBe(false);
      expect(await store.consolidations.record(claim, range(2, "late"), NOW)).toBe(false);
      await store.consolidations.fail(claim, { of: "summary", nextTryAt: NOW + 1, spent: NOTHING }, NOW);
      expect(await store.consolidations.record(taken, range(2, "sum"), NOW)).toBe(true);
      expect(await seen()).toEqual(["sum", "3", "4", "5"]);
      await store.consolidations.release(await claimed());
      expect(await store.consolidations.claim(sessionId, LEASE, NOW)).not.toBeNull();
    });

    it("are claimed by one of many at once", async () => {
      const stores = [store, await fixture.open()];
      const claims = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          stores[n % 2]?.consolidations.claim(sessionId, { ...LEASE, holder: `${n}` }, NOW),
        ),
      );
      expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
    });

    it("are not recorded if somebody changed what they cover", async () => {
      const claim = await claimed();
      await sessions.rewrite(sessionId, [user("1"), said("other"), user("3")]);
      expect(await store.consolidations.record(claim, range(2, "sum"), NOW)).toBe(false);
      expect(await seen()).toEqual(["1", "other", "3"]);
      // What the model took is counted all the same, and the next one may try.
      expect((await sessions.get(sessionId))?.inputTokens).toBe(10);
      expect(await store.consolidations.claim(sessionId, LEASE, NOW)).not.toBeNull();
    });

    it("do not replace another one that a program has set meanwhile, also for the same messages", async () => {
      const { key } = sessions.laneOf(localSource());
      await store.consolidations.record(await claimed(), range(2, "sum"), NOW);
      const claim = await claimed();
      await sessions.update(key, { summary: "mine" });
      expect(await store.consolidations.record(claim, range(4, "more", { count: 2 }), NOW)).toBe(false);
      expect(await seen()).toEqual(["mine", "3", "4", "5"]);
    });

    it("that come to nothing because one was taken back meanwhile do not end the pause after that", async () => {
      const { consolidations } = store;
      const ends = [
        (claim: ConsolidationClaim) => consolidations.record(claim, range(4, "late", { count: 2 }), NOW),
        (claim: ConsolidationClaim) =>
          consolidations.fail(claim, { of: "summary", nextTryAt: NOW, spent: NOTHING }, NOW),
      ];
      for (const end of ends) {
        await consolidations.record(await claimed(), range(2, "sum"), NOW);
        const claim = await claimed();
        await consolidations.undo(sessionId, NOW + 5);
        await end(claim);
        const paused = { after: 0, summary: { failures: 0, nextTryAt: NOW + 5 } };
        expect(await consolidations.state(sessionId)).toMatchObject(paused);
        expect(await seen()).toEqual(["1", "2", "3", "4", "5"]);
      }
    });

    it("can be taken back, one after the other", async () => {
      await store.consolidations.record(await claimed(), range(2, "sum"), NOW);
      await store.consolidations.record(await claimed(), range(4, "more", { count: 2 }), NOW);
      expect(await store.consolidations.undo(sessionId, NOW + 5)).toEqual({ after: 2, through: 4 });
      expect(await seen()).toEqual(["sum", "3", "4", "5"]);
      expect(await store.consolidations.state(sessionId)).toMatchObject({ summary: { nextTryAt: NOW + 5 } });
      expect(await store.consolidations.undo(sessionId, NOW)).toEqual({ after: 0, through: 2 });
      expect(await seen()).toEqual(["1", "2", "3", "4", "5"]);
      expect(await store.consolidations.undo(sessionId, NOW)).toBeNull();
    });

    it("go with messages that are taken back, but not those before them", async () => {
      await store.consolidations.record(await claimed(), range(2, "sum"), NOW);
      await store.consolidations.record(await claimed(), range(4, "more", { count: 2 }), NOW);
      await sessions.rewrite(sessionId, (await sessions.load(sessionId)).slice(0, -1));
      expect(await seen()).toEqual(["more"]);
      await sessions.rewrite(sessionId, (await sessions.load(sessionId)).slice(0, 3));
      expect(await seen()).toEqual(["sum", "3"]);
      await sessions.rewrite(sessionId, (await sessions.load(sessionId)).slice(0, 1));
      expect(await seen()).toEqual(["1"]);
    });

    it("remember how a model counts, and when to try again", async () => {
      const { consolidations } = store;
      const untried = { failures: 0, nextTryAt: 0 };
      const nothing = { ratio: null, after: 0, fence: 0, summary: untried, memory: untried, refused: null };
      const fail = async (failed: Omit<FailedTry, "spent">, spent: FailedTry["spent"] = NOTHING) =>
        consolidations.fail(await claimed(), { ...failed, spent }, NOW);
      expect(await consolidations.state(sessionId)).toEqual(nothing);
      await consolidations.learn(sessionId, 1.5);
      const cost = { identity: "x:ann", uses: [{ usage: { cost: 1 } }] };
      await fail({ of: "summary", nextTryAt: NOW + 9 }, cost);
      await fail({ of: "summary", nextTryAt: NOW + 10 });
      await fail({ of: "memory", nextTryAt: NOW + 20 });
      const failed = {
        ...nothing,
        ratio: 1.5,
        fence: 3,
        summary: { failures: 2, nextTryAt: NOW + 10 },
        memory: { failures: 1, nextTryAt: NOW + 20 },
      };
      expect(await consolidations.state(sessionId)).toEqual(failed);
      expect((await sessions.get(sessionId))?.cost).toBe(1);
      await consolidations.record(await claimed(), range(2, "sum"), NOW);
      expect(await consolidations.state(sessionId)).toEqual({
        ...failed,
        after: 2,
        fence: 4,
        summary: untried,
      });
      await consolidations.learn("nobody" as SessionId, 2);
    });

    it("remember what was refused, as long as the cursor is there", async () => {
      const { consolidations } = store;
      const refused = { least: 70, most: 300 };
      await consolidations.fail(
        await claimed(),
        { of: "summary", nextTryAt: NOW + 9, refused, spent: NOTHING },
        NOW,
      );
      const state = () => consolidations.state(sessionId);
      expect(await state()).toMatchObject({ summary: { failures: 0, nextTryAt: NOW + 9 }, refused });
      await consolidations.fail(await claimed(), { of: "summary", nextTryAt: NOW, spent: NOTHING }, NOW);
      expect(await state()).toMatchObject({ summary: { failures: 1, nextTryAt: NOW }, refused });
      await consolidations.record(await claimed(), range(2, "sum"), NOW);
      expect(await state()).toMatchObject({ after: 2, refused: null });
      await consolidations.undo(sessionId, NOW); // A person wants it tried again.
      expect(await state()).toMatchObject({ after: 0, refused: null });
    });

    it("have nothing to go back to once a program has set another one", async () => {
      await store.consolidations.record(await claimed(), range(2, "sum"), NOW);
      const { key } = sessions.laneOf(localSource());
      await sessions.update(key, { outputTokens: 1 });
      expect(await store.consolidations.undo(sessionId, NOW)).toEqual({ after: 0, through: 2 });
      await store.consolidations.record(await claimed(), range(2, "sum"), NOW);
      await sessions.update(key, { summary: "mine", consolidatedThrough: 4 });
      expect(await store.consolidations.undo(sessionId, NOW)).toBeNull();
      expect(await seen()).toEqual(["mine", "5"]);
    });

    it("are taken back as far as messages are: to the one before, or to none", async () => {
      const { key } = sessions.laneOf(localSource());
      const whole = await sessions.load(sessionId);
      const withOnly = async (left: number): Promise<readonly string[]> => {
        await sessions.rewrite(sessionId, whole.slice(0, left));
        return seen();
      };
      await sessions.update(key, { summary: "mine", consolidatedThrough: 2 });
      await store.consolidations.record(await claimed(), range(4, "more", { count: 2 }), NOW);
      expect(await withOnly(4)).toEqual(["more"]);
      expect(await withOnly(3)).toEqual(["mine", "3"]);
      await store.consolidations.record(await claimed(), range(3, "more", { count: 1 }), NOW);
      expect(await withOnly(1)).toEqual(["1"]);
      expect(await sessions.get(sessionId)).toMatchObject({ consolidatedThrough: 0, summary: null });
      expect(await store.consolidations.undo(sessionId, NOW)).toBeNull();
    });

    it("remember a session once, and then only what came since; a rewrite opens it again", async () => {
      const config = { reset: { default: { mode: "idle", idleMinutes: 60 } } } as const;
      const later = new Sessions(store, { config, clock: () => NOW + 7_200_000 });
      const { consolidations } = store;
      const facts = { owner: "person:x:ann", texts: ["likes tea"], most: 1_000 };
      const found = { through: 5, facts, spent: NOTHING };
      const entry = await later.get(sessionId);
      expect(entry && (await later.expire(entry))).toBe(true);
      const failed = { nextTryAt: NOW + 1, spent: NOTHING };
      await consolidations.fail(await claimed(), { of: "summary", ...failed }, NOW); // That is another matter.
      expect((await consolidations.unremembered(NOW, 9)).map((each) => each.sessionId)).toEqual([sessionId]);
      await consolidations.fail(await claimed(), { of: "memory", ...failed }, NOW);
      expect(await consolidations.unremembered(NOW, 9)).toEqual([]);
      expect(await consolidations.unremembered(NOW + 1, 9)).toHaveLength(1);
      expect(await consolidations.remember(await claimed(), found, NOW)).toBe(true);
      expect((await consolidations.state(sessionId)).memory).toEqual({ failures: 0, nextTryAt: 0 });
      expect(await consolidations.unremembered(NOW, 9)).toEqual([]);
      const again = await claimed();
      expect(again).toMatchObject({ isRemembered: true, rememberedThrough: 5 });
      expect(await consolidations.remember(again, { ...found, through: 9 }, NOW)).toBe(false);
      expect((await store.memory.of(["person:x:ann"])).map(({ text }) => text)).toEqual(["likes tea"]);

      await later.rewrite(sessionId, [user("1")], { touch: false });
      expect(await later.get(sessionId)).toMatchObject({ endReason: "idle" });
      await later.rewrite(sessionId, []);
      expect(await later.get(sessionId)).toMatchObject({ endReason: null, endedAt: null });
      await later.receive(localSource(), user("6"));
      expect(await claimed()).toMatchObject({ isRemembered: false, rememberedThrough: 5 });
      await later.end(sessionId, "idle");
      await later.rewrite(sessionId, []);
      expect(await later.get(sessionId)).toMatchObject({ endReason: "idle" }); // Its lane has no session now.
    });

    it("let go a session that expired and still has its lane, which begins anew", async () => {
      const config = { reset: { default: { mode: "idle", idleMinutes: 60 } } } as const;
      const later = new Sessions(store, { config, clock: () => NOW + 7_200_000 });
      const entry = await later.get(sessionId);
      expect(entry && (await later.expire(entry))).toBe(true);
      const afterwards = new Sessions(store, { config, clock: () => NOW + 7_200_001 });
      const removed = { sessions: 1, messages: 5 };
      expect(await afterwards.prune({ endedBeforeMs: 0, dryRun: true })).toEqual(removed);
      expect(await afterwards.prune({ endedBeforeMs: 0 })).toEqual(removed);
      const { key } = afterwards.laneOf(localSource());
      expect(await afterwards.current(key)).toBeNull();
      const fresh = await afterwards.receive(localSource(), user("again"));
      expect(fresh.entry).toMatchObject({ parentId: null, messageCount: 1 });
      expect(await afterwards.prune({ endedBeforeMs: 0 })).toEqual({ sessions: 0, messages: 0 });
    });

    it("go with their session", async () => {
      await store.consolidations.record(await claimed(), range(2, "sum"), NOW);
      await sessions.end(sessionId);
      const later = new Sessions(store, { clock: () => NOW + 1_000 });
      expect(await later.prune({ endedBeforeMs: 0 })).toEqual({ sessions: 1, messages: 5 });
      expect(await store.consolidations.state(sessionId)).toMatchObject({ ratio: null });
      expect(await store.consolidations.claim(sessionId, LEASE, NOW)).toBeNull();
    });
  });
}
