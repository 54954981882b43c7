/** What every store must keep of background processes, over the same fixtures as the gateway store's. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Fact } from "../gateway/facts.js";
import type { Account, GatewayStore, PlacedProcess } from "../gateway/store.js";
import type { ProcessEnd } from "../process/process.js";
import {
  HOLDS_SESSION_MS,
  type NewProcess,
  type ProcessAdded,
  SILENT_HOME_MS,
  UNSAID_MS,
  type Watch,
} from "../process/store.js";
import { deliveryIdOf, newProcessId, newTurnId, type SessionId } from "../session/ids.js";
import { platforms } from "../session/platform.js";
import type { SessionEntry } from "../session/session.js";
import { Sessions } from "../session/sessions.js";
import { addressOf, parseSource } from "../session/source.js";
import type { SessionStore } from "../session/store.js";
import type { GatewayStoreFixture } from "./gateway-store-contract.js";

const [, HERE = "", THERE = ""] = platforms();
const ann = parseSource({ platform: HERE, chat_id: "1", user_id: "ann", user_name: "Ann" });
const bob = parseSource({ platform: HERE, chat_id: "2", user_id: "bob" });
const there = parseSource({ platform: THERE, chat_id: "9", user_id: "ann" });
const caps = { perSession: 3, inAll: 5 };
const exited = { kind: "exited", code: 0, signal: null, by: "itself", leftBehind: false } as const;
const HOUR = 3_600_000;
const bot = { platform: HERE, account: "bot" };
const told: Watch = { checkIntervalMs: null, notifyOnComplete: true, patterns: [] };
const completion = { kind: "completion" } as const;

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
      walled: false,
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

    /** A turn of the session in this chat, through this account. */
    const turn = async (source = ann, account = bot): Promise<void> => {
      const { key } = sessions.laneOf(source);
      const written = { kind: "message", key, source, messageId: newProcessId(), text: "hi" } as const;
      const item = await store.inbox.accept({ ...account, ...written }, "me", now);
      if (!item) throw new Error("It was there already.");
      const begun = await sessions.resolveIn(source, {}, { role: "user", content: "hi" }, (request) =>
        store.turns.begin(newTurnId(), item, request, { holder: "me", leaseMs: 100 }, () => []),
      );
      if (begun.kind !== "begun") throw new Error(`It did not begin: ${begun.kind}.`);
      await store.turns.finish(
        begun.turn,
        "done",
        { messages: [], deliveries: [], steeredIn: [] },
        null,
        now,
      );
    };
    /** A process that has ended. */
    const overWith = async (watch: Watch, more: Partial<NewProcess> = {}, at = now): Promise<NewProcess> => {
      const process = await runs({ watch, ...more });
      await store.processes.ended(process.id, exited, at);
      return process;
    };
    const due = async (account: Account = bot) =>
      (await store.reports.due(account, 10)).map(({ process: { id } }) => id);
    /** Something for the agent and something for the chat. */
    const both = ({ process, place }: PlacedProcess, id: string, holder = "me") => ({
      wake: {
        item: {
          ...bot,
          kind: "message",
          key: place.key,
          source: place.source,
          messageId: id,
          made: "process",
          text: "It ended.",
          inBackground: true,
          by: process.by,
        },
        holder,
      } as const,
      deliveries: [
        {
          deliveryId: deliveryIdOf(id),
          account: bot.account,
          holder,
          address: addressOf(place.source),
          purpose: "notice",
          text: "It ended.",
          sessionId: null,
          shown: false,
        } as const,
      ],
    });
    /** Says that the first process that is due has ended. */
    const say = async (holder = "me", id = "1"): Promise<boolean> => {
      const [seen] = await store.reports.due(bot, 1);
      return seen !== undefined && store.reports.report(seen, completion, both(seen, id, holder), now);
    };

    describe("a process", () => {
      it("is known before it is started, then runs, then has ended", async () => {
        const watch = { checkIntervalMs: 30_000, notifyOnComplete: true, patterns: ["ready", 'a "b"\n'] };
        const process = await added({ watch, pty: true });
        const kept = { ...process, state: "starting", startedAt: now, end: null, endedAt: null };
        expect(await store.processes.find(process.id)).toEqual({
          ...kept,
          reportedThrough: 0,
          matchedThrough: 0,
          matchedAt: null,
        });
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

      it("runs again if it was only thought lost, and its true end is told, too", async () => {
        const lost = { kind: "lost", why: "Nobody was there." } as const;
        const watch = { checkIntervalMs: 30_000, notifyOnComplete: true, patterns: [] };
        const { id } = await runs({ watch });
        await store.processes.ended(id, lost, now);
        expect(await say()).toBe(true);
        const [seen] = await store.reports.watched("/home/ann");
        if (!seen) throw new Error("It is not watched.");
        const last = { kind: "output", from: 0, through: 0, isLast: true } as const;
        expect(await store.reports.report(seen, last, {}, now)).toBe(true);
        expect(await store.processes.reopen(id, now + 1)).toBe(false);
        const facts = await factsOf(async () => expect(await store.processes.reopen(id, now)).toBe(true));
        expect(facts).toEqual([{ kind: "processes" }]);
        expect(await store.processes.reopen(id, now)).toBe(false);
        expect(await store.processes.find(id)).toMatchObject({ state: "running", end: null, endedAt: null });
        expect(await store.reports.watched("/home/ann")).toHaveLength(1);
        expect(await store.processes.holds(entry.key, 0)).toBe(true);
        expect(await due()).toEqual([]);
        await store.processes.ended(id, exited, now + 2);
        expect(await due()).toEqual([id]);
        expect(await store.processes.reopen(id, now + 2)).toBe(false); // Its end is known.
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

    describe("what is said about a process", () => {
      it("is that it has ended, if that was promised, to the account that its session spoke through", async () => {
        await turn();
        const [unwanted, wanted] = [await runs(), await runs({ watch: told })];
        expect(await due()).toEqual([]);
        for (const { id } of [unwanted, wanted]) await store.processes.ended(id, exited, now);
        const [found, ...others] = await store.reports.due(bot, 10);
        expect(others).toEqual([]);
        expect(found).toEqual({
          process: await store.processes.find(wanted.id),
          place: { key: entry.key, source: ann, account: "bot", isCurrent: true },
        });
        expect(await due({ ...bot, account: "another bot" })).toEqual([]);
        expect(await due({ ...bot, platform: THERE })).toEqual([]);
      });

      it("comes to every account of the platform if the session has spoken through none", async () => {
        const { id } = await overWith(told);
        expect(await due()).toEqual([id]);
        expect(await due({ ...bot, account: "another bot" })).toEqual([id]);
        expect(await due({ ...bot, platform: THERE })).toEqual([]);
        expect(await store.reports.due(bot, 1)).toMatchObject([{ place: { account: null } }]);
      });

      it("is the oldest first, and not all at once", async () => {
        const ended: NewProcess[] = [];
        for (let n = 0; n < 4; n++) {
          now++;
          ended.unshift(await overWith(told, { sessionId: entry.sessionId }, now - 2 * n));
        }
        const oldestFirst = ended.map(({ id }) => id);
        expect(await due()).toEqual(oldestFirst);
        expect((await store.reports.due(bot, 2)).map(({ process: { id } }) => id)).toEqual(
          oldestFirst.slice(0, 2),
        );
      });

      it("follows the session to another chat, and to the account that it speaks through there", async () => {
        await turn();
        const { id } = await overWith(told);
        await sessions.switchTo(there, entry.sessionId);
        const { key } = sessions.laneOf(there);
        const botThere = { platform: THERE, account: "bot there" };
        expect(await due()).toEqual([]);
        expect(await store.reports.due(botThere, 9)).toMatchObject([
          { process: { id }, place: { key, source: there, account: null, isCurrent: true } },
        ]);
        await turn(there, botThere);
        expect(await store.reports.due(botThere, 9)).toMatchObject([{ place: { account: "bot there" } }]);
        expect(await due({ ...botThere, account: "another bot" })).toEqual([]);
      });

      it("follows a handoff, with what waits already", async () => {
        await turn();
        const [first, second] = [await overWith(told), await runs({ watch: told })];
        expect(await say()).toBe(true);
        const { id } = await sessions.requestHandoff(entry.sessionId, THERE);
        const claim = { kind: "claim", fence: 0, holder: "gw", leaseMs: 1_000 } as const;
        await store.handoffs.step(id, claim, now);
        const answering = { account: "bot there", holder: "gw" };
        const place = sessions.laneOf(there);
        await store.handoffs.step(id, { kind: "complete", fence: 1 }, now, { place, answering });
        await store.processes.ended(second.id, exited, now);
        expect(await due()).toEqual([]);
        expect(await due({ platform: THERE, account: "bot there" })).toEqual([second.id]);
        expect(await store.inbox.waiting({ platform: THERE, account: "bot there" })).toMatchObject([
          { holder: "gw", item: { made: "moved", inBackground: true, by: ann, key: place.key } },
        ]);
        expect(await ids({ sessionId: entry.sessionId })).toEqual(
          expect.arrayContaining([first.id, second.id]),
        );
      });

      it("goes to the chat that the session was last in, if it has another session now", async () => {
        await turn();
        const { id } = await overWith(told);
        await sessions.getOrCreate(ann, { forceNew: true });
        const [seen] = await store.reports.due(bot, 9);
        expect(seen).toMatchObject({ process: { id }, place: { key: entry.key, source: ann } });
        expect(seen?.place).toMatchObject({ account: "bot", isCurrent: false });
        expect(await say()).toBe(true);
        expect(await due()).toEqual([]);
      });

      it("is said once, with all that belongs to it, over two connections", async () => {
        const { id } = await overWith(told);
        const other = await fixture.open();
        const [seen] = await store.reports.due(bot, 1);
        if (!seen) throw new Error("Nothing is due.");
        const said = await Promise.all(
          Array.from({ length: 10 }, (_, n) =>
            (n % 2 ? store : other).reports.report(seen, completion, both(seen, `${n}`), now),
          ),
        );
        expect(said.filter(Boolean)).toHaveLength(1);
        expect(await due()).toEqual([]);
        const which = `${said.indexOf(true)}`;
        const [waits, ...more] = await store.inbox.waiting(bot);
        expect(more).toEqual([]);
        expect(waits).toMatchObject({
          holder: "me",
          item: { made: "process", messageId: which, inBackground: true, by: ann, key: entry.key },
        });
        expect((await store.outbox.pending(bot, 10)).map(({ deliveryId }) => deliveryId)).toEqual([which]);
        expect(await store.processes.find(id)).toMatchObject({ watch: { notifyOnComplete: true } });
        expect(await store.processes.forget("/home/ann", now + 1)).toEqual([id]);
      });

      it("is still due if it could not be written", async () => {
        const { id } = await overWith(told);
        const [seen] = await store.reports.due(bot, 1);
        if (!seen) throw new Error("Nothing is due.");
        const { wake, deliveries } = both(seen, "1");
        const twice = { wake, deliveries: [...deliveries, ...deliveries] };
        await expect(store.reports.report(seen, completion, twice, now)).rejects.toThrow();
        expect(await store.inbox.waiting(bot)).toEqual([]);
        expect(await due()).toEqual([id]);
      });

      it.each<[string, () => Promise<unknown>]>([
        ["moved", () => sessions.switchTo(there, entry.sessionId)],
        ["was replaced", () => sessions.getOrCreate(ann, { forceNew: true })],
        ["ended", () => sessions.end(entry.sessionId)],
      ])("is not said to a place where the session was seen before it %s", async (_, change) => {
        const { id } = await overWith(told);
        const [seen] = await store.reports.due(bot, 1);
        if (!seen) throw new Error("Nothing is due.");
        await change();
        expect(await store.reports.report(seen, completion, both(seen, "1"), now)).toBe(false);
        expect(await store.inbox.waiting(bot)).toEqual([]);
        expect([...(await due()), ...(await due({ ...bot, platform: THERE }))]).toEqual([id]);
      });

      it("is not said of a process that is gone with its session", async () => {
        await overWith(told);
        const [seen] = await store.reports.due(bot, 1);
        if (!seen) throw new Error("Nothing is due.");
        await sessions.end(entry.sessionId);
        now++;
        await sessions.prune({ endedBeforeMs: 0 });
        expect(await store.reports.report(seen, completion, both(seen, "1"), now)).toBe(false);
      });

      it("waits in the lane, and moves along with the session", async () => {
        await turn();
        await overWith(told);
        expect(await say()).toBe(true);
        await sessions.switchTo(there, entry.sessionId, { account: "bot there", holder: "you" });
        expect(await store.inbox.waiting(bot)).toEqual([]);
        expect(await store.inbox.waiting({ platform: THERE, account: "bot there" })).toMatchObject([
          {
            holder: "you",
            item: { made: "moved", inBackground: true, by: ann, source: there, text: "It ended." },
          },
        ]);
      });

      it("is never left behind in a chat that the session leaves at that moment", async () => {
        const other = await fixture.open();
        const elsewhere = resetting(other);
        const answerer = { account: bot.account, holder: "me" };
        for (let n = 0; n < 20; n++) {
          await overWith(told);
          await Promise.all([
            say("me", `${n}`),
            elsewhere.switchTo(n % 2 ? ann : bob, entry.sessionId, answerer),
          ]);
          await say("me", `${n} again`);
          const { key } = (await sessions.get(entry.sessionId)) ?? {};
          const waiting = (await store.inbox.waiting(bot)).map(({ item }) => item.key);
          expect(waiting).toEqual(Array.from({ length: n + 1 }, () => key));
        }
      });

      it("is for the process that has the account, if it was left to that", async () => {
        await overWith(told);
        expect(await say("")).toBe(true);
        expect(await store.inbox.waiting(bot)).toMatchObject([{ holder: "" }]);
        await store.inbox.adopt(bot, "", "me");
        expect(await store.inbox.waiting(bot)).toMatchObject([{ holder: "me", item: { made: "process" } }]);
      });

      it("is told of, like a message that waits", async () => {
        await overWith(told);
        const facts = await factsOf(() => say());
        expect(facts.map(({ kind }) => kind).sort()).toEqual(["inbox", "outbox", "processes"]);
        expect(await factsOf(() => say())).toEqual([]);
      });
    });

    describe("what a process prints", () => {
      const watched = async (home = "/home/ann") =>
        (await store.reports.watched(home)).map(({ process: { id } }) => id);
      const output = async (from: number, through: number, isLast = false) => {
        const [seen] = await store.reports.watched("/home/ann");
        if (!seen) return null;
        const effects = both(seen, `${from} to ${through}`);
        return store.reports.report(seen, { kind: "output", from, through, isLast }, effects, now);
      };

      const matches = async (from: number, through: number, isStorm = false) => {
        const [seen] = await store.reports.watched("/home/ann");
        if (!seen) return null;
        const step = { kind: "matches", from, through, isStorm } as const;
        return store.reports.report(seen, step, both(seen, `matches ${from} to ${through}`), now);
      };

      it("is watched in its home, from its start until its last output was reported", async () => {
        await runs({ watch: told });
        const matched = await added({ watch: { ...told, patterns: ["ready"] } });
        now++;
        const shown = await runs({ watch: { ...told, notifyOnComplete: false, checkIntervalMs: 30_000 } });
        expect(await watched()).toEqual([matched.id, shown.id]);
        expect(await watched("elsewhere")).toEqual([]);
        await store.processes.ended(matched.id, exited, now);
        expect(await watched()).toEqual([matched.id, shown.id]);
        expect(await output(0, 7, true)).toBe(true);
        expect(await watched()).toEqual([shown.id]);
        expect(await due()).toEqual([matched.id]);
      });

      it("is reported once, without a gap, over two connections", async () => {
        const { id } = await runs({ watch: { ...told, patterns: ["ready"] } });
        const other = await fixture.open();
        const [seen] = await store.reports.watched("/home/ann");
        if (!seen) throw new Error("Nothing is watched.");
        const said = await Promise.all(
          Array.from({ length: 10 }, (_, n) => {
            const step = { kind: "output", from: 0, through: n + 1, isLast: false } as const;
            return (n % 2 ? store : other).reports.report(seen, step, both(seen, `${n}`), now);
          }),
        );
        expect(said.filter(Boolean)).toHaveLength(1);
        const through = said.indexOf(true) + 1;
        expect(await store.processes.find(id)).toMatchObject({ reportedThrough: through });
        expect(await output(0, 99)).toBe(false);
        expect(await output(through, 99)).toBe(true);
        expect(await store.outbox.pending(bot, 10)).toHaveLength(2);
        expect(await output(99, 99, true)).toBe(true);
        expect(await output(99, 100)).toBeNull();
        expect(await store.processes.find(id)).toMatchObject({ matchedThrough: 0 });
        const late = { kind: "output", from: 99, through: 100, isLast: false } as const;
        expect(await store.reports.report(seen, late, {}, now)).toBe(false);
      });

      it("has a position of its own for lines that match", async () => {
        const { id } = await runs({ watch: { ...told, checkIntervalMs: 30_000, patterns: ["ready"] } });
        expect(await output(0, 7)).toBe(true);
        expect(await store.processes.find(id)).toMatchObject({ matchedThrough: 0, matchedAt: null });
        expect(await matches(0, 5)).toBe(true);
        const at = now++;
        expect(await matches(0, 9)).toBe(false);
        expect(await store.processes.find(id)).toMatchObject({ matchedThrough: 5, matchedAt: at });
        expect(await matches(5, 6)).toBe(true);
        expect(await store.processes.find(id)).toMatchObject({
          reportedThrough: 7,
          matchedThrough: 6,
          matchedAt: now,
        });
        expect(await output(7, 7, true)).toBe(true);
        expect(await matches(6, 8)).toBeNull();
      });

      it.each<[string, number | null, boolean]>([
        ["all of it", null, false],
        ["its patterns only", 30_000, true],
      ])("is no longer watched after a storm of matches: %s", async (_, checkIntervalMs, isWatched) => {
        const watch = { checkIntervalMs, notifyOnComplete: false, patterns: ["e"] };
        const { id } = await runs({ watch });
        const facts = await factsOf(async () => expect(await matches(0, 5, true)).toBe(true));
        expect(facts.map(({ kind }) => kind).sort()).toEqual(["inbox", "outbox", "processes"]);
        const after = { checkIntervalMs, notifyOnComplete: true, patterns: [] };
        expect(await store.processes.find(id)).toMatchObject({ watch: after, matchedThrough: 5 });
        expect(await watched()).toEqual(isWatched ? [id] : []);
        expect(await matches(5, 6)).toBe(isWatched ? false : null);
        expect(await due()).toEqual([]);
        await store.processes.ended(id, exited, now);
        expect(await due()).toEqual([id]);
      });

      it("makes the end of a process due that ended before the storm was seen, and none twice", async () => {
        const watch = { ...told, patterns: ["e"] };
        const unwanted = await overWith({ ...watch, notifyOnComplete: false });
        expect(await due()).toEqual([]);
        expect(await matches(0, 5, true)).toBe(true);
        expect(await due()).toEqual([unwanted.id]);
        expect(await say()).toBe(true);
        await overWith(watch);
        expect(await say("me", "2")).toBe(true);
        expect(await matches(0, 6, true)).toBe(true);
        expect(await due()).toEqual([]);
      });

      it("is watched on, and no end is promised, if the storm could not be told of", async () => {
        const watch = { checkIntervalMs: null, notifyOnComplete: false, patterns: ["e"] };
        const { id } = await runs({ watch });
        const [seen] = await store.reports.watched("/home/ann");
        if (!seen) throw new Error("Nothing is watched.");
        const step = { kind: "matches", from: 0, through: 5, isStorm: true } as const;
        const { wake, deliveries } = both(seen, "1");
        const twice = { wake, deliveries: [...deliveries, ...deliveries] };
        await expect(store.reports.report(seen, step, twice, now)).rejects.toThrow();
        expect(await store.inbox.waiting(bot)).toEqual([]);
        expect(await store.reports.watched("/home/ann")).toEqual([seen]);
        await store.processes.ended(id, exited, now);
        expect(await due()).toEqual([]);
      });
    });

    describe("a home", () => {
      const ended = async () =>
        (await store.processes.list({})).filter(({ end }) => end !== null).map(({ id }) => id);

      it("that is gone for good takes its processes along, and their end is told", async () => {
        await store.processes.attend("gone", now);
        const gone = await runs({ home: "gone", watch: told });
        now += SILENT_HOME_MS;
        await store.processes.attend("/home/ann", now);
        expect(await ended()).toEqual([]);
        now += HOUR;
        const facts = await factsOf(() => store.processes.attend("/home/ann", now));
        expect(facts).toEqual([{ kind: "processes" }]);
        const [process] = await store.processes.list({ home: "gone" });
        expect(process).toMatchObject({ state: "ended", endedAt: now, end: { kind: "lost" } });
        expect(await due()).toEqual([gone.id]);
        now += SILENT_HOME_MS + HOUR;
        await store.processes.attend("/home/ann", now);
        expect(await ids()).toEqual([gone.id]); // It was not said yet.
        expect(await say()).toBe(true);
        now += HOUR;
        await store.processes.attend("/home/ann", now);
        expect(await ids()).toEqual([]);
      });

      it("keeps its processes while a gateway is there, and those that were started lately", async () => {
        const own = await runs();
        const others = await runs({ home: "another" });
        for (let hours = 0; hours < 30; hours += 2) {
          await store.processes.attend("/home/ann", now);
          await store.processes.attend("another", now);
          now += 2 * HOUR;
        }
        const late = await runs({ home: "a third" });
        await store.processes.attend("/home/ann", now);
        expect(await ended()).toEqual([]);
        expect((await ids()).sort()).toEqual([own.id, others.id, late.id].sort());
      });

      it("is not written of each time", async () => {
        const gone = await runs({ home: "gone" });
        now += SILENT_HOME_MS;
        await store.processes.attend("/home/ann", now);
        now += HOUR - 1;
        await store.processes.attend("/home/ann", now);
        expect(await ended()).toEqual([]);
        now++;
        await store.processes.attend("/home/ann", now);
        expect(await ended()).toEqual([gone.id]);
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

      it("takes those that are lost, too", async () => {
        const { id } = await runs();
        await store.processes.ended(id, { kind: "lost", why: "Nobody knows." }, now);
        expect(await store.processes.forget("/home/ann", now + 1)).toEqual([id]);
      });

      it("leaves one of whose end somebody is to hear", async () => {
        const { id } = await overWith(told);
        expect(await store.processes.forget("/home/ann", now + UNSAID_MS)).toEqual([]);
        expect(await store.processes.forget("/home/ann", now + UNSAID_MS + 1)).toEqual([id]);
      });

      it("leaves one whose last output nobody has reported, for a while", async () => {
        const watch = { checkIntervalMs: 30_000, notifyOnComplete: false, patterns: [] };
        const [one, other] = [await overWith(watch), await overWith(watch)];
        expect(await store.processes.forget("/home/ann", now + HOUR)).toEqual([]);
        const seen = (await store.reports.watched("/home/ann")).find(({ process: { id } }) => id === one.id);
        if (!seen) throw new Error("It is not watched.");
        const last = { kind: "output", from: 0, through: 0, isLast: true } as const;
        expect(await store.reports.report(seen, last, {}, now)).toBe(true);
        expect(await store.processes.forget("/home/ann", now + HOUR)).toEqual([one.id]);
        expect(await store.processes.forget("/home/ann", now + UNSAID_MS + 1)).toEqual([other.id]);
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
