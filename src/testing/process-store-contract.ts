/** What every store must keep of background processes, over the same fixtures as the gateway store's. */

import { describe, expect, it } from "vitest";
import type { Fact } from "../gateway/facts.js";
import type { ProcessEnd } from "../process/process.js";
import { type NewProcess, type ProcessAdded, SILENT_HOME_MS, UNSAID_MS } from "../process/store.js";
import { newProcessId, type SessionId } from "../session/ids.js";
import type { GatewayStoreFixture } from "./gateway-store-contract.js";
import { processReportCases } from "./process-reports-contract.js";
import { ann, bob, caps, exited, HOUR, ProcessStoreWorld, there, told } from "./process-store-world.js";

export function processStoreContract(name: string, createFixture: () => Promise<GatewayStoreFixture>): void {
  describe(`store of processes: ${name}`, () => {
    const world = new ProcessStoreWorld(createFixture);
    const { added, due, factsOf, fresh, ids, overWith, resetting, runs, say } = world;

    describe("a process", () => {
      it("is known before it is started, then runs, then has ended", async () => {
        const watch = { checkIntervalMs: 30_000, notifyOnComplete: true, patterns: ["ready", 'a "b"\n'] };
        const process = await added({ watch, pty: true });
        const kept = { ...process, state: "starting", startedAt: world.now, end: null, endedAt: null };
        expect(await world.store.processes.find(process.id)).toEqual({
          ...kept,
          reportedThrough: 0,
          matchedThrough: 0,
          matchedAt: null,
        });
        world.now += 5;
        await world.store.processes.started(process.id, world.now);
        expect(await world.store.processes.find(process.id)).toMatchObject({
          state: "running",
          startedAt: world.now,
        });
        expect(await world.store.processes.ended(process.id, exited, world.now + 7)).toBe(true);
        expect(await world.store.processes.find(process.id)).toMatchObject({
          ...process,
          state: "ended",
          startedAt: world.now,
          end: exited,
          endedAt: world.now + 7,
        });
        expect(await world.store.processes.find(newProcessId())).toBeNull();
      });

      it.each<[string, ProcessEnd]>([
        ["a code", { ...exited, code: 137 }],
        ["a signal", { ...exited, code: null, signal: "SIGKILL", by: "agent", leftBehind: true }],
        ["somebody else's signal", { ...exited, code: null, signal: "SIGTERM", by: "another" }],
        ["nobody knowing how", { kind: "lost", why: "The machine was restarted." }],
      ])("ends with %s, and the first end counts", async (_, end) => {
        const { id } = await runs();
        expect(await world.store.processes.ended(id, end, world.now + 1)).toBe(true);
        expect(await world.store.processes.ended(id, { ...exited, code: 9 }, world.now + 2)).toBe(false);
        expect(await world.store.processes.find(id)).toMatchObject({
          state: "ended",
          end,
          endedAt: world.now + 1,
        });
        await world.store.processes.started(id, world.now + 3);
        expect(await world.store.processes.find(id)).toMatchObject({ state: "ended", startedAt: world.now });
      });

      it("has the start time that its host says, also if it ends before it was saved that it runs", async () => {
        const { id } = await added();
        await world.store.processes.ended(id, { ...exited, code: 0 }, world.now + 9, world.now + 5);
        expect(await world.store.processes.find(id)).toMatchObject({ startedAt: world.now + 5 });
        const { id: running } = await runs();
        await world.store.processes.ended(running, { ...exited, code: 0 }, world.now + 9, world.now + 5);
        expect(await world.store.processes.find(running)).toMatchObject({ startedAt: world.now });
      });

      it("runs again if it was only thought lost, and its true end is told, too", async () => {
        const lost = { kind: "lost", why: "Nobody was there." } as const;
        const watch = { checkIntervalMs: 30_000, notifyOnComplete: true, patterns: [] };
        const { id } = await runs({ watch });
        await world.store.processes.ended(id, lost, world.now);
        expect(await say()).toBe(true);
        const [seen] = await world.store.reports.watched("/home/ann");
        if (!seen) throw new Error("It is not watched.");
        const last = { kind: "output", from: 0, through: 0, isLast: true } as const;
        expect(await world.store.reports.report(seen, last, {}, world.now)).toBe(true);
        expect(await world.store.processes.reopen(id, world.now + 1)).toBe(false);
        const facts = await factsOf(async () =>
          expect(await world.store.processes.reopen(id, world.now)).toBe(true),
        );
        expect(facts).toEqual([{ kind: "processes" }]);
        expect(await world.store.processes.reopen(id, world.now)).toBe(false);
        expect(await world.store.processes.find(id)).toMatchObject({
          state: "running",
          end: null,
          endedAt: null,
        });
        expect(await world.store.reports.watched("/home/ann")).toHaveLength(1);
        expect(await world.store.processes.holds(world.entry.key, 0)).toBe(true);
        expect(await due()).toEqual([]);
        await world.store.processes.ended(id, exited, world.now + 2);
        expect(await due()).toEqual([id]);
        expect(await world.store.processes.reopen(id, world.now + 2)).toBe(false); // Its end is known.
      });

      it("ends once, whoever says so", async () => {
        const { id } = await runs();
        const other = await world.fixture.open();
        const said = await Promise.all(
          Array.from({ length: 10 }, (_, n) =>
            (n % 2 ? world.store : other).processes.ended(id, { ...exited, code: n }, world.now + n),
          ),
        );
        expect(said.filter(Boolean)).toHaveLength(1);
        const code = said.indexOf(true);
        expect(await world.store.processes.find(id)).toMatchObject({
          end: { code },
          endedAt: world.now + code,
        });
      });

      it("has its text mended", async () => {
        const { id } = await added({ command: "a\0b\ud800", workdir: "/\0" });
        const mended = { command: "a\ufffdb\ufffd", workdir: "/\ufffd" };
        expect(await world.store.processes.find(id)).toMatchObject(mended);
      });

      it("needs a session that is there", async () => {
        const lost = fresh({ sessionId: "nowhere" as SessionId });
        await expect(world.store.processes.add(lost, caps, world.now)).rejects.toMatchObject({
          code: "session_not_found",
        });
      });

      it("is listed by session and by home, newest first", async () => {
        const { sessionId } = await world.sessions.getOrCreate(bob);
        const processes: NewProcess[] = [];
        for (const more of [{}, { home: "elsewhere" }, { sessionId }]) {
          world.now++;
          processes.push(await added(more));
        }
        const [first, second, third] = processes.map(({ id }) => id);
        expect(await ids()).toEqual([third, second, first]);
        expect(await ids({ sessionId: world.entry.sessionId })).toEqual([second, first]);
        expect(await ids({ home: "/home/ann" })).toEqual([third, first]);
        expect(await ids({ home: "/home/ann", sessionId })).toEqual([third]);
      });

      it("is told of when it is added, when it starts and when it ends, once", async () => {
        const fact: Fact = { kind: "processes" };
        const process = fresh();
        expect(await factsOf(() => world.store.processes.add(process, caps, world.now))).toEqual([fact]);
        for (const facts of [[fact], []]) {
          expect(await factsOf(() => world.store.processes.started(process.id, world.now))).toEqual(facts);
        }
        for (const facts of [[fact], []]) {
          expect(await factsOf(() => world.store.processes.ended(process.id, exited, world.now))).toEqual(
            facts,
          );
        }
      });

      it("is told of to other processes at once", async ({ skip }) => {
        const other = await world.fixture.open();
        skip(other === world.store, "There is one connection only.");
        const { id } = await runs();
        const heard = new Promise<Fact>((resolve) => {
          other.subscribe(resolve);
        });
        await world.store.processes.ended(id, exited, world.now);
        expect(["processes", "unknown"]).toContain((await heard).kind);
      });
    });

    describe("caps", () => {
      it("count those that run in the session, and in the home", async () => {
        const mine = [await runs(), await added(), await runs()];
        expect(await world.store.processes.add(fresh(), caps, world.now)).toBe("session full");
        const { sessionId } = await world.sessions.getOrCreate(bob);
        await added({ sessionId });
        await added({ sessionId });
        expect(await world.store.processes.add(fresh({ sessionId }), caps, world.now)).toBe("all full");
        await added({ sessionId, home: "elsewhere" });
        for (const { id } of mine.slice(0, 2)) await world.store.processes.ended(id, exited, world.now);
        await added();
        expect(
          await world.store.processes.add(fresh({ home: "elsewhere", sessionId }), caps, world.now),
        ).toBe("session full");
      });

      it("hold for many at once, over two connections", async () => {
        const other = await world.fixture.open();
        const inChats = await Promise.all(
          ["a", "b", "c", "d"].map((chatId) => world.sessions.getOrCreate({ ...bob, chatId })),
        );
        const outcomes = await Promise.all(
          inChats.flatMap(({ sessionId }) =>
            Array.from({ length: 6 }, (_, n) =>
              (n % 2 ? world.store : other).processes.add(fresh({ sessionId }), caps, world.now),
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
        const other = await world.fixture.open();
        const outcomes = await Promise.all(
          Array.from({ length: 8 }, (_, n) =>
            (n % 2 ? world.store : other).processes.add(fresh({ home: `home ${n}` }), caps, world.now),
          ),
        );
        expect(outcomes.filter((outcome) => outcome === "added")).toHaveLength(caps.perSession);
      });
    });

    describe("the reset guard", () => {
      const present = async (over = world.sessions) => (await over.getOrCreate(ann)).sessionId;

      it.each(["starting", "running"])("holds the session of one that is %s", async (state) => {
        await (state === "running" ? runs() : added());
        world.now += 23 * HOUR;
        const next = resetting(await world.fixture.open());
        expect(await next.explain(world.entry.key)).toMatchObject({ heldBy: ["process"] });
        expect(await next.isExpired(world.entry)).toBe(false);
        expect(await present(next)).toBe(world.entry.sessionId);
      });

      it("holds for a day", async () => {
        await runs();
        world.now += 24 * HOUR - 1;
        expect(await world.sessions.explain(world.entry.key)).toMatchObject({ heldBy: ["process"] });
        world.now++;
        expect(await world.sessions.explain(world.entry.key)).toMatchObject({ heldBy: [] });
        expect(await present()).not.toBe(world.entry.sessionId);
      });

      it("holds until the last one has ended", async () => {
        const [one, other] = [await runs(), await runs()];
        world.now += 2 * HOUR;
        await world.store.processes.ended(one.id, exited, world.now);
        expect(await world.sessions.isExpired(world.entry)).toBe(false);
        await world.store.processes.ended(other.id, exited, world.now);
        expect(await world.sessions.isExpired(world.entry)).toBe(true);
        expect(await present()).not.toBe(world.entry.sessionId);
      });

      it("holds no other session, and no later one of the same lane", async () => {
        const other = await world.sessions.getOrCreate(bob);
        await runs();
        world.now += 2 * HOUR;
        expect(await world.sessions.isExpired(other)).toBe(true);
        const later = await world.sessions.getOrCreate(ann, { forceNew: true });
        world.now += 2 * HOUR;
        expect(await world.sessions.explain(later.key)).toMatchObject({ heldBy: [] });
        expect(await present()).not.toBe(later.sessionId);
      });

      it("follows the session into another lane", async () => {
        await runs();
        await world.sessions.switchTo(there, world.entry.sessionId);
        world.now += 2 * HOUR;
        expect((await world.sessions.getOrCreate(there)).sessionId).toBe(world.entry.sessionId);
        expect(await world.store.processes.holds(world.sessions.laneOf(ann).key, 0)).toBe(false);
        expect(await world.store.processes.list({ sessionId: world.entry.sessionId })).toHaveLength(1);
      });
    });

    describe("a home", () => {
      const ended = async () =>
        (await world.store.processes.list({})).filter(({ end }) => end !== null).map(({ id }) => id);

      it("that is gone for good takes its processes along, and their end is told", async () => {
        await world.store.processes.attend("gone", world.now);
        const gone = await runs({ home: "gone", watch: told });
        world.now += SILENT_HOME_MS;
        await world.store.processes.attend("/home/ann", world.now);
        expect(await ended()).toEqual([]);
        world.now += HOUR;
        const facts = await factsOf(() => world.store.processes.attend("/home/ann", world.now));
        expect(facts).toEqual([{ kind: "processes" }]);
        const [process] = await world.store.processes.list({ home: "gone" });
        expect(process).toMatchObject({ state: "ended", endedAt: world.now, end: { kind: "lost" } });
        expect(await due()).toEqual([gone.id]);
        world.now += SILENT_HOME_MS + HOUR;
        await world.store.processes.attend("/home/ann", world.now);
        expect(await ids()).toEqual([gone.id]); // It was not said yet.
        expect(await say()).toBe(true);
        world.now += HOUR;
        await world.store.processes.attend("/home/ann", world.now);
        expect(await ids()).toEqual([]);
      });

      it("keeps its processes while a gateway is there, and those that were started lately", async () => {
        const own = await runs();
        const others = await runs({ home: "another" });
        for (let hours = 0; hours < 30; hours += 2) {
          await world.store.processes.attend("/home/ann", world.now);
          await world.store.processes.attend("another", world.now);
          world.now += 2 * HOUR;
        }
        const late = await runs({ home: "a third" });
        await world.store.processes.attend("/home/ann", world.now);
        expect(await ended()).toEqual([]);
        expect((await ids()).sort()).toEqual([own.id, others.id, late.id].sort());
      });

      it("is not written of each time", async () => {
        const gone = await runs({ home: "gone" });
        world.now += SILENT_HOME_MS;
        await world.store.processes.attend("/home/ann", world.now);
        world.now += HOUR - 1;
        await world.store.processes.attend("/home/ann", world.now);
        expect(await ended()).toEqual([]);
        world.now++;
        await world.store.processes.attend("/home/ann", world.now);
        expect(await ended()).toEqual([gone.id]);
      });
    });

    describe("forgetting", () => {
      it("takes those of the home that ended before", async () => {
        const old = await runs();
        const elsewhere = await runs({ home: "elsewhere" });
        const live = await runs();
        await world.store.processes.ended(old.id, exited, world.now + 1);
        await world.store.processes.ended(elsewhere.id, exited, world.now + 1);
        expect(await world.store.processes.forget("/home/ann", world.now + 1)).toEqual([]);
        expect(await world.store.processes.forget("/home/ann", world.now + 2)).toEqual([old.id]);
        expect(await world.store.processes.forget("/home/ann", world.now + 2)).toEqual([]);
        expect((await ids()).sort()).toEqual([elsewhere.id, live.id].sort());
      });

      it("takes those that are lost, too", async () => {
        const { id } = await runs();
        await world.store.processes.ended(id, { kind: "lost", why: "Nobody knows." }, world.now);
        expect(await world.store.processes.forget("/home/ann", world.now + 1)).toEqual([id]);
      });

      it("leaves one of whose end somebody is to hear", async () => {
        const { id } = await overWith(told);
        expect(await world.store.processes.forget("/home/ann", world.now + UNSAID_MS)).toEqual([]);
        expect(await world.store.processes.forget("/home/ann", world.now + UNSAID_MS + 1)).toEqual([id]);
      });

      it("leaves one whose last output nobody has reported, for a while", async () => {
        const watch = { checkIntervalMs: 30_000, notifyOnComplete: false, patterns: [] };
        const [one, other] = [await overWith(watch), await overWith(watch)];
        expect(await world.store.processes.forget("/home/ann", world.now + HOUR)).toEqual([]);
        const seen = (await world.store.reports.watched("/home/ann")).find(
          ({ process: { id } }) => id === one.id,
        );
        if (!seen) throw new Error("It is not watched.");
        const last = { kind: "output", from: 0, through: 0, isLast: true } as const;
        expect(await world.store.reports.report(seen, last, {}, world.now)).toBe(true);
        expect(await world.store.processes.forget("/home/ann", world.now + HOUR)).toEqual([one.id]);
        expect(await world.store.processes.forget("/home/ann", world.now + UNSAID_MS + 1)).toEqual([
          other.id,
        ]);
      });

      it("goes with the session, which stays while one of its processes runs", async () => {
        const [one, other] = [await runs(), await runs()];
        await world.sessions.end(world.entry.sessionId);
        world.now += HOUR;
        const prune = () => world.sessions.prune({ endedBeforeMs: 0 });
        await world.store.processes.ended(one.id, exited, world.now);
        expect(await world.sessions.prune({ endedBeforeMs: 0, dryRun: true })).toMatchObject({ sessions: 0 });
        expect(await prune()).toMatchObject({ sessions: 0 });
        expect(await ids()).toHaveLength(2);
        await world.store.processes.ended(other.id, exited, world.now);
        expect(await prune()).toMatchObject({ sessions: 1 });
        expect(await ids()).toEqual([]);
      });
    });

    processReportCases(world);
  });
}
