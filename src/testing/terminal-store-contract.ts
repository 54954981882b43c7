/** What every store must keep of open terminals, and of messages that are meant for one session only. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { terminalAccount } from "../adapter/terminal/terminal-source.js";
import type { GatewayStore, InboxItem, Turn } from "../gateway/store.js";
import { follows } from "../gateway/terminals/bound-session.js";
import { TerminalDesk } from "../gateway/terminals/terminal-desk.js";
import { newTurnId, type SessionId } from "../session/ids.js";
import { LOCAL } from "../session/platform.js";
import type { SessionKey } from "../session/session-key.js";
import { Sessions } from "../session/sessions.js";
import { localSource } from "../session/source.js";
import type { SessionStore } from "../session/store.js";
import type { GatewayStoreFixture } from "./gateway-store-contract.js";

const here = localSource();
const aside = { ...here, chatId: "cli-1" };
const script = { ...here, chatId: "script-1" };
const HOLD_MS = 1_000;

export function terminalStoreContract(name: string, createFixture: () => Promise<GatewayStoreFixture>): void {
  describe(`terminals in a store: ${name}`, () => {
    let fixture: GatewayStoreFixture;
    let store: SessionStore & GatewayStore;
    let sessions: Sessions;
    let now = 1_000_000;
    let messages = 0;

    beforeEach(async () => {
      fixture = await createFixture();
      store = await fixture.open();
      sessions = new Sessions(store, { clock: () => now });
    });
    afterEach(() => fixture.dispose());

    const keyOf = (source = here): SessionKey => sessions.laneOf(source).key;
    const say = async (boundTo: SessionId | null, source = here, holder = "me"): Promise<InboxItem> => {
      const item = await store.inbox.accept(
        {
          platform: LOCAL,
          account: terminalAccount(source),
          kind: "message",
          key: keyOf(source),
          source,
          messageId: `m${++messages}`,
          text: "hello",
          ...(boundTo === null ? {} : { boundTo }),
        },
        holder,
        now,
      );
      if (!item) throw new Error("It was there already.");
      return item;
    };
    const begin = (item: InboxItem, holder = "me") =>
      sessions.resolveIn(item.source, {}, { role: "user", content: item.text }, (request) =>
        store.turns.begin(newTurnId(), item, request, { holder, leaseMs: HOLD_MS }, () => []),
      );

    it("knows who is in which lane until they leave or their time runs out", async () => {
      const enter = (holder: string, key: SessionKey) =>
        store.terminals.enter({ key, isScript: false, backTo: null }, { holder, leaseMs: HOLD_MS }, now);
      await enter("a", keyOf());
      await enter("b", keyOf());
      await enter("b", keyOf(aside)); // It moved.
      const all = await store.terminals.all(now);
      expect(all.map(({ holder, key }) => [holder, key]).sort()).toEqual([
        ["a", keyOf()],
        ["b", keyOf(aside)],
      ]);
      expect(all.every(({ until }) => until > now && until <= now + HOLD_MS + 1)).toBe(true);
      expect(await store.terminals.leave("a", now)).toBe(true);
      expect(await store.terminals.leave("a", now)).toBe(false);
      expect(await store.terminals.all(now)).toMatchObject([{ holder: "b", isScript: false, backTo: null }]);
    });

    it("begins a message in the session that it is meant for, and in no other", async () => {
      const { sessionId } = await sessions.getOrCreate(here);
      expect(await begin(await say(sessionId))).toMatchObject({ kind: "begun" });
      const other = await sessions.getOrCreate(here, { forceNew: true });
      const late = await say(sessionId);
      expect(await begin(late)).toEqual({ kind: "left" });
      await store.inbox.skip(late.id, "me", [], now);
      expect((await sessions.load(other.sessionId)).length).toBe(0);
      expect(await begin(await say(other.sessionId))).toMatchObject({ kind: "begun" });
    });

    it("takes a message for a session that a policy followed up", async () => {
      const strict = new Sessions(store, {
        clock: () => now,
        config: { reset: { default: { mode: "idle", idleMinutes: 1 } } },
      });
      const { entry } = await strict.receive(here, { role: "user", content: "before" });
      now += 3_600_000;
      const next = await strict.getOrCreate(here);
      expect(next).toMatchObject({ resetReason: "idle", parentId: entry.sessionId });
      expect(follows(entry.sessionId, next, false)).toBe(true);
      expect(await begin(await say(entry.sessionId))).toMatchObject({
        kind: "begun",
        entry: { sessionId: next.sessionId },
      });
    });

    it("lets a message that waits go along with its session", async () => {
      const { sessionId } = await sessions.getOrCreate(here);
      await say(sessionId);
      await sessions.switchTo(aside, sessionId, { account: "cli-1", holder: "me" });
      const [moved] = await store.inbox.waitingIn(keyOf(aside));
      expect(moved).toMatchObject({ made: "moved", text: "hello" });
      expect(moved?.boundTo).toBeUndefined();
      expect(moved && (await begin(moved))).toMatchObject({ kind: "begun", entry: { sessionId } });
    });

    it("tidies up after a script that ended: nothing of it is asked again, and its lane is gone", async () => {
      const desk = new TerminalDesk({ sessions, store, clock: () => now });
      const lane = { key: keyOf(script), isScript: true, backTo: null };
      await store.terminals.enter(lane, { holder: "", leaseMs: HOLD_MS }, now);
      const begun = await begin(await say(null, script, ""), "");
      await say(null, script, "");
      await desk.tidy("me");
      expect(await sessions.current(keyOf(script))).toBeNull();
      expect(await store.inbox.waitingIn(keyOf(script))).toEqual([]);
      const { sessionId } = begun.kind === "begun" ? begun.turn : expect.fail(begun.kind);
      expect(await store.turns.runningIn(sessionId, now)).toBeNull();
      expect(await sessions.get(sessionId)).toMatchObject({ endReason: "ended" });
      expect(await store.terminals.all(now)).toEqual([]);
    });

    it("forgets a session that is not to be saved with its script, also if that was killed", async () => {
      const desk = new TerminalDesk({ sessions, store, clock: () => now });
      const lane = { key: keyOf(script), isScript: true, backTo: null };
      for (const isKilled of [false, true]) {
        const holder = isKilled ? "" : "me";
        if (isKilled) await store.terminals.enter(lane, { holder, leaseMs: HOLD_MS }, now);
        else await desk.enter(holder, lane);
        await desk.beginUnsaved(script);
        const begun = await begin(await say(null, script, holder), holder);
        const { turn } = begun.kind === "begun" ? begun : expect.fail(begun.kind);
        if (!isKilled) {
          const nothing = { messages: [], deliveries: [], steeredIn: [] };
          await store.turns.finish(turn, "done", nothing, null, now);
        }
        await (isKilled ? desk.tidy("me") : desk.leave());
        expect(await sessions.get(turn.sessionId)).toBeNull();
        expect(await sessions.current(keyOf(script))).toBeNull();
      }
    });

    it("gives a session back to the lane that a script had it from", async () => {
      const { sessionId } = await sessions.getOrCreate(aside);
      await sessions.switchTo(script, sessionId);
      const desk = new TerminalDesk({ sessions, store, clock: () => now });
      await desk.enter("me", { key: keyOf(script), isScript: true, backTo: keyOf(aside) });
      expect(await desk.others(keyOf(script))).toBe(0);
      await desk.leave();
      expect(await sessions.current(keyOf(aside))).toMatchObject({ sessionId, endedAt: null });
    });

    it("closes the lane of scripts with the last one in it, and gives back what the first one took", async () => {
      const { sessionId } = await sessions.getOrCreate(aside);
      await sessions.switchTo(script, sessionId);
      const [first, second] = [0, 1].map(() => new TerminalDesk({ sessions, store, clock: () => now }));
      await first?.enter("", { key: keyOf(script), isScript: true, backTo: keyOf(aside) });
      const backTo = (await second?.backTo(keyOf(script))) ?? null;
      expect(backTo).toBe(keyOf(aside));
      await second?.enter("me", { key: keyOf(script), isScript: true, backTo });
      await first?.leave();
      expect(await sessions.current(keyOf(script))).toMatchObject({ sessionId, endedAt: null });
      await Promise.all([second?.leave(), first?.leave()]);
      expect(await sessions.current(keyOf(aside))).toMatchObject({ sessionId, endedAt: null });
    });

    it("leaves the session of a script to a terminal that joined it", async () => {
      const { sessionId } = await sessions.getOrCreate(script);
      const enter = (holder: string, isScript: boolean) =>
        store.terminals.enter(
          { key: keyOf(script), isScript, backTo: null },
          { holder, leaseMs: HOLD_MS },
          now,
        );
      await Promise.all([enter("script", true), enter("chat", false)]);
      await store.terminals.leave("script", now);
      expect(await sessions.current(keyOf(script))).toMatchObject({ sessionId, endedAt: null });
      await store.terminals.leave("chat", now);
      expect(await sessions.current(keyOf(script))).toMatchObject({ sessionId, endedAt: null });
    });

    it("gives back what a script borrowed, also if a terminal joined it", async () => {
      const { sessionId } = await sessions.getOrCreate(script);
      const borrowed = { key: keyOf(script), isScript: true, backTo: keyOf(aside) };
      await store.terminals.enter(borrowed, { holder: "script", leaseMs: HOLD_MS }, now);
      await store.terminals.enter(
        { ...borrowed, isScript: false, backTo: null },
        { holder: "chat", leaseMs: HOLD_MS },
        now,
      );
      await store.terminals.leave("script", now);
      expect(await sessions.current(keyOf(aside))).toMatchObject({ sessionId, endedAt: null });
    });

    describe("the lane of a chat whose session a script has borrowed", () => {
      /** A session of a chat that a script has, until its lease runs out. */
      const lend = async (holder: string, leaseMs = HOLD_MS): Promise<SessionId> => {
        const { sessionId } = await sessions.getOrCreate(aside);
        await store.terminals.enter(
          { key: keyOf(script), isScript: true, backTo: keyOf(aside) },
          { holder, leaseMs },
          now,
        );
        await sessions.switchTo(script, sessionId);
        return sessionId;
      };

      it("holds messages until the session is back", async () => {
        const sessionId = await lend("script");
        const item = await say(null, aside);
        expect(await begin(item)).toEqual({ kind: "lent" });
        expect(await begin(await say(sessionId, script))).toMatchObject({
          kind: "begun",
          entry: { sessionId },
        });
        expect(await begin(item)).toEqual({ kind: "lent" });
        const running = await store.turns.runningIn(sessionId, now);
        const nothing = { messages: [], deliveries: [], steeredIn: [] };
        await store.turns.finish(running?.turn as Turn, "done", nothing, null, now);
        await store.terminals.leave("script", now);
        expect(await begin(item)).toMatchObject({ kind: "begun", entry: { sessionId } });
      });

      it("holds nothing before the script has the session, or if somebody took it from the script", async () => {
        const { sessionId } = await sessions.getOrCreate(aside);
        const borrowing = { key: keyOf(script), isScript: true, backTo: keyOf(aside) };
        await store.terminals.enter(borrowing, { holder: "script", leaseMs: HOLD_MS }, now);
        const begun = await begin(await say(null, aside));
        expect(begun).toMatchObject({ kind: "begun", entry: { sessionId } });
        await sessions.switchTo(script, sessionId);
        await sessions.switchTo(here, sessionId);
        expect(await begin(await say(null, aside))).toMatchObject({ kind: "begun" });
        expect(await sessions.current(keyOf(here))).toMatchObject({ sessionId });
      });

      it("has it back after a script that was killed, or is unreachable and its lease ran out", async () => {
        const desk = new TerminalDesk({ sessions, store, clock: () => now });
        const elsewhere = JSON.stringify({ host: "elsewhere", pid: 1, start: "1", place: "elsewhere/1" });
        for (const [holder, leaseMs] of [
          ["", HOLD_MS],
          [elsewhere, 0],
        ] as const) {
          const sessionId = await lend(holder, leaseMs);
          const item = await say(null, aside);
          expect(await begin(item)).toEqual({ kind: "lent" });
          await desk.tidy("me");
          const begun = await begin(item);
          expect(begun).toMatchObject({ kind: "begun", entry: { sessionId } });
          const { turn } = begun.kind === "begun" ? begun : expect.fail(begun.kind);
          await store.turns.finish(turn, "done", { messages: [], deliveries: [], steeredIn: [] }, null, now);
        }
      });

      it("waits for a script that is unreachable while its lease holds", async () => {
        const elsewhere = JSON.stringify({ host: "elsewhere", pid: 1, start: "1", place: "elsewhere/1" });
        await lend(elsewhere);
        await new TerminalDesk({ sessions, store, clock: () => now }).tidy("me");
        expect(await begin(await say(null, aside))).toEqual({ kind: "lent" });
      });

      it("still has that session for what is no message", async () => {
        const sessionId = await lend("script");
        expect(await sessions.getOrCreate(aside, { touch: false })).toMatchObject({ sessionId });
        expect(await sessions.current(keyOf(aside))).toBeNull();
      });

      it("has it back from the last script there, also if that one did not borrow it", async () => {
        const own = { key: keyOf(script), isScript: true, backTo: null };
        const stay = () => store.terminals.enter(own, { holder: "a", leaseMs: HOLD_MS }, now);
        await stay();
        const sessionId = await lend("b");
        const desk = new TerminalDesk({ sessions, store, clock: () => now });
        expect(await desk.backTo(keyOf(script))).toBe(keyOf(aside));
        await store.terminals.leave("b", now);
        await stay();
        expect(await begin(await say(null, aside))).toEqual({ kind: "lent" });
        await store.terminals.leave("a", now);
        expect(await sessions.current(keyOf(aside))).toMatchObject({ sessionId, endedAt: null });
      });

      it("keeps another session that its person began or brought meanwhile", async () => {
        const sessionId = await lend("script");
        const other = await sessions.getOrCreate(aside, { forceNew: true });
        expect(await begin(await say(null, aside))).toMatchObject({
          kind: "begun",
          entry: { sessionId: other.sessionId },
        });
        await store.terminals.leave("script", now);
        expect(await sessions.current(keyOf(aside))).toMatchObject({ sessionId: other.sessionId });
        expect(await sessions.get(sessionId)).toMatchObject({ endReason: "switched" });
        expect(await sessions.current(keyOf(script))).toBeNull();
      });
    });
  });
}
