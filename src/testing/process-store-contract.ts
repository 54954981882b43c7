/** What every store must keep of background processes, over the same fixtures as the gateway store's. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Fact } from "../gateway/facts.js";
import type { GatewayStore } from "../gateway/store.js";
import type { ProcessEnd } from "../process/process.js";
import { HOLDS_SESSION_MS, type NewProcess, type ProcessAdded } from "../process/store.js";
import { newProcessId, type SessionId } from "../session/ids.js";
import { platforms } from "../session/platform.js";
import type { SessionEntry } from "../session/session.js";
import { Sessions } from "../session/sessions.js";
import { parseSource } from "../session/source.js";
import type { SessionStore } from "../session/store.js";
import type { GatewayStoreFixture } from "./gateway-store-contract.js";

const [, HERE = "", THERE = ""] = platforms();
const ann = parseSource({ platform: HERE, chat_id: "1", user_id: "ann", user_name: "Ann" });
const bob = parseSource({ platform: HERE, chat_id: "2", user_id: "bob" });
const there = parseSource({ platform: THERE, chat_id: "9", user_id: "ann" });
const caps = { perSession: 3, inAll: 5 };
const exited = { kind: "exited", code: 0, signal: null, by: "itself", leftBehind: false } as const;
const HOUR = 3_600_000;

export function processStoreContract(name: string, createFixture: () => Promise<GatewayStoreFixture>): void {
  describe(`store of processes: ${name}`, () => {
    let fixture: GatewayStoreFixture;
    let store: SessionStore & GatewayStore;
    let sessions: Sessions;
    let entry: SessionEntry;
    let now: number;

    beforeEach(async () => {
      now = Date.UTC(2026, 0, 1);
      fixture = await createFixture();
      store = await fixture.open();
      sessions = resetting(store);
      entry = await sessions.getOrCreate(ann);
    });
    afterEach(() => fixture.dispose());

    const resetting = (over: SessionStore & GatewayStore): Sessions =>
      new Sessions(over, {
        clock: () => now,
        config: { timezone: "UTC", reset: { default: { mode: "both", idleMinutes: 60, atHour: 4 } } },
        hasActiveProcesses: (key) => over.processes.holds(key, now - HOLDS_SESSION_MS),
      });
    const fresh = (more: Partial<NewProcess> = {}): NewProcess => ({
      id: newProcessId(),
      home: "/home/ann",
      sessionId: entry.sessionId,
      by: ann,
      command: "npm start",
      workdir: "/work",
      environment: "here",
      pty: false,
      watch: { checkIntervalMs: null, notifyOnComplete: false, patterns: [] },
      ...more,
    });
    const added = async (more: Partial<NewProcess> = {}, on = store): Promise<NewProcess> => {
      const process = fresh(more);
      expect(await on.processes.add(process, caps, now)).toBe("added");
      return process;
    };
    const runs = async (more: Partial<NewProcess> = {}): Promise<NewProcess> => {
      const process = await added(more);
      await store.processes.started(process.id, now);
      return process;
    };
    const ids = async (which: { sessionId?: SessionId; home?: string } = {}) =>
      (await store.processes.list(which)).map(({ id }) => id);
    const factsOf = async (work: () => Promise<unknown>): Promise<Fact[]> => {
      const facts: Fact[] = [];
      const end = store.subscribe((fact) => fact.kind !== "unknown" && facts.push(fact));
      await work();
      end();
      return facts;
    };

    describe("a process", () => {
      it("is known before it is started, then runs, then has ended", async () => {
        const watch = { checkIntervalMs: 30_000, notifyOnComplete: true, patterns: ["ready", 'a "b"\n'] };
        const process = await added({ watch, pty: true });
        const kept = { ...process, state: "starting", startedAt: now, end: null, endedAt: null };
        expect(await store.processes.find(process.id)).toEqual({ ...kept, reportedThrough: 0 });
        now += 5;
        await store.processes.started(process.id, now);
        expect(await store.processes.find(process.id)).toMatchObject({ state: "running", startedAt: now });
        expect(await store.processes.ended(process.id, exited, now + 7)).toBe(true);
        expect(await store.processes.find(process.id)).toMatchObject({
          ...process,
          state: "ended",
          startedAt: now,
          end: exited,
          endedAt: now + 7,
        });
        expect(await store.processes.find(newProcessId())).toBeNull();
      });

      it.each<[string, ProcessEnd]>([
        ["a code", { ...exited, code: 137 }],
        ["a signal", { ...exited, code: null, signal: "SIGKILL", by: "agent", leftBehind: true }],
        ["somebody else's signal", { ...exited, code: null, signal: "SIGTERM", by: "another" }],
        ["nobody knowing how", { kind: "lost", why: "The machine was restarted." }],
      ])("ends with %s, and the first end counts", async (_, end) => {
        const { id } = await runs();
        expect(await store.processes.ended(id, end, now + 1)).toBe(true);
        expect(await store.processes.ended(id, { ...exited, code: 9 }, now + 2)).toBe(false);
        expect(await store.processes.find(id)).toMatchObject({ state: "ended", end, endedAt: now + 1 });
        await store.processes.started(id, now + 3);
        expect(await store.processes.find(id)).toMatchObject({ state: "ended", startedAt: now });
      });

      it("ends once, whoever says so", async () => {
        const { id } = await runs();
        const other = await fixture.open();
        const said = await Promise.all(
          Array.from({ length: 10 }, (_, n) =>
            (n % 2 ? store : other).processes.ended(id, { ...exited, code: n }, now + n),
          ),
        );
        expect(said.filter(Boolean)).toHaveLength(1);
        const code = said.indexOf(true);
        expect(await store.processes.find(id)).toMatchObject({ end: { code }, endedAt: now + code });
      });

      it("has its text mended", async () => {
        const { id } = await added({ command: "a\0b\ud800", workdir: "/\0" });
        const mended = { command: "a\ufffdb\ufffd", workdir: "/\ufffd" };
        expect(await store.processes.find(id)).toMatchObject(mended);
      });

      it("needs a session that is there", async () => {
        const lost = fresh({ sessionId: "nowhere" as SessionId });
        await expect(store.processes.add(lost, caps, now)).rejects.toMatchObject({
          code: "session_not_found",
        });
      });

      it("is listed by session and by home, newest first", async () => {
        const { sessionId } = await sessions.getOrCreate(bob);
        const processes: NewProcess[] = [];
        for (const more of [{}, { home: "elsewhere" }, { sessionId }]) {
          now++;
          processes.push(await added(more));
        }
        const [first, second, third] = processes.map(({ id }) => id);
        expect(await ids()).toEqual([third, second, first]);
        expect(await ids({ sessionId: entry.sessionId })).toEqual([second, first]);
        expect(await ids({ home: "/home/ann" })).toEqual([third, first]);
        expect(await ids({ home: "/home/ann", sessionId })).toEqual([third]);
      });

      it("is told of when it is added, when it starts and when it ends, once", async () => {
        const fact: Fact = { kind: "processes" };
        const process = fresh();
        expect(await factsOf(() => store.processes.add(process, caps, now))).toEqual([fact]);
        for (const facts of [[fact], []]) {
          expect(await factsOf(() => store.processes.started(process.id, now))).toEqual(facts);
        }
        for (const facts of [[fact], []]) {
          expect(await factsOf(() => store.processes.ended(process.id, exited, now))).toEqual(facts);
        }
      });

      it("is told of to other processes at once", async ({ skip }) => {
        const other = await fixture.open();
        skip(other === store, "There is one connection only.");
        const { id } = await runs();
        const heard = new Promise<Fact>((resolve) => {
          other.subscribe(resolve);
        });
        await store.processes.ended(id, exited, now);
        expect(["processes", "unknown"]).toContain((await heard).kind);
      });
    });

    describe("caps", () => {
      it("count those that run in the session, and in the home", async () => {
        const mine = [await runs(), await added(), await runs()];
        expect(await store.processes.add(fresh(), caps, now)).toBe("session full");
        const { sessionId } = await sessions.getOrCreate(bob);
        await added({ sessionId });
        await added({ sessionId });
        expect(await store.processes.add(fresh({ sessionId }), caps, now)).toBe("all full");
        await added({ sessionId, home: "elsewhere" });
        for (const { id } of mine.slice(0, 2)) await store.processes.ended(id, exited, now);
        await added();
        expect(await store.processes.add(fresh({ home: "elsewhere", sessionId }), caps, now)).toBe(
          "session full",
        );
      });

      it("hold for many at once, over two connections", async () => {
        const other = await fixture.open();
        const inChats = await Promise.all(
          ["a", "b", "c", "d"].map((chatId) => sessions.getOrCreate({ ...bob, chatId })),
        );
        const outcomes = await Promise.all(
          inChats.flatMap(({ sessionId }) =>
            Array.from({ length: 6 }, (_, n) =>
              (n % 2 ? store : other).processes.add(fresh({ sessionId }), caps, now),
            ),
          ),
        );
        const came = (what: ProcessAdded) => outcomes.filter((outcome) => outcome === what).length;
        expect(came("added")).toBe(caps.inAll);
        expect(came("added") + came("all full") + came("session full")).toBe(24);
        const perSession = await Promise.all(inChats.map(({ sessionId }) => ids({ sessionId })));
        for (const found of perSession) expect(found.length).toBeLessThanOrEqual(caps.perSession);
      });

      it("hold in a session whose processes are in several homes", async () => {
        const other = await fixture.open();
        const outcomes = await Promise.all(
          Array.from({ length: 8 }, (_, n) =>
            (n % 2 ? store : other).processes.add(fresh({ home: `home ${n}` }), caps, now),
          ),
        );
        expect(outcomes.filter((outcome) => outcome === "added")).toHaveLength(caps.perSession);
      });
    });

    describe("the reset guard", () => {
      const present = async (over = sessions) => (await over.getOrCreate(ann)).sessionId;

      it.each(["starting", "running"])("holds the session of one that is %s", async (state) => {
        await (state === "running" ? runs() : added());
        now += 23 * HOUR;
        const next = resetting(await fixture.open());
        expect(await next.explain(entry.key)).toMatchObject({ heldBy: ["process"] });
        expect(await next.isExpired(entry)).toBe(false);
        expect(await present(next)).toBe(entry.sessionId);
      });

      it("holds for a day", async () => {
        await runs();
        now += 24 * HOUR - 1;
        expect(await sessions.explain(entry.key)).toMatchObject({ heldBy: ["process"] });
        now++;
        expect(await sessions.explain(entry.key)).toMatchObject({ heldBy: [] });
        expect(await present()).not.toBe(entry.sessionId);
      });

      it("holds until the last one has ended", async () => {
        const [one, other] = [await runs(), await runs()];
        now += 2 * HOUR;
        await store.processes.ended(one.id, exited, now);
        expect(await sessions.isExpired(entry)).toBe(false);
        await store.processes.ended(other.id, exited, now);
        expect(await sessions.isExpired(entry)).toBe(true);
        expect(await present()).not.toBe(entry.sessionId);
      });

      it("holds no other session, and no later one of the same lane", async () => {
        const other = await sessions.getOrCreate(bob);
        await runs();
        now += 2 * HOUR;
        expect(await sessions.isExpired(other)).toBe(true);
        const later = await sessions.getOrCreate(ann, { forceNew: true });
        now += 2 * HOUR;
        expect(await sessions.explain(later.key)).toMatchObject({ heldBy: [] });
        expect(await present()).not.toBe(later.sessionId);
      });

      it("follows the session into another lane", async () => {
        await runs();
        await sessions.switchTo(there, entry.sessionId);
        now += 2 * HOUR;
        expect((await sessions.getOrCreate(there)).sessionId).toBe(entry.sessionId);
        expect(await store.processes.holds(sessions.laneOf(ann).key, 0)).toBe(false);
        expect(await store.processes.list({ sessionId: entry.sessionId })).toHaveLength(1);
      });
    });

    describe("forgetting", () => {
      it("takes those of the home that ended before", async () => {
        const old = await runs();
        const elsewhere = await runs({ home: "elsewhere" });
        const live = await runs();
        await store.processes.ended(old.id, exited, now + 1);
        await store.processes.ended(elsewhere.id, exited, now + 1);
        expect(await store.processes.forget("/home/ann", now + 1)).toEqual([]);
        expect(await store.processes.forget("/home/ann", now + 2)).toEqual([old.id]);
        expect(await store.processes.forget("/home/ann", now + 2)).toEqual([]);
        expect((await ids()).sort()).toEqual([elsewhere.id, live.id].sort());
      });

      it("leaves one of whose end somebody is to hear", async () => {
        const watch = { checkIntervalMs: null, notifyOnComplete: true, patterns: [] };
        const { id } = await runs({ watch });
        await store.processes.ended(id, exited, now);
        expect(await store.processes.forget("/home/ann", now + HOUR)).toEqual([]);
      });

      it("goes with the session, which stays while one of its processes runs", async () => {
        const [one, other] = [await runs(), await runs()];
        await sessions.end(entry.sessionId);
        now += HOUR;
        const prune = () => sessions.prune({ endedBeforeMs: 0 });
        await store.processes.ended(one.id, exited, now);
        expect(await sessions.prune({ endedBeforeMs: 0, dryRun: true })).toMatchObject({ sessions: 0 });
        expect(await prune()).toMatchObject({ sessions: 0 });
        expect(await ids()).toHaveLength(2);
        await store.processes.ended(other.id, exited, now);
        expect(await prune()).toMatchObject({ sessions: 1 });
        expect(await ids()).toEqual([]);
      });
    });
  });
}
