/** What every store must keep of what is said about background processes: each thing once, where the session is then. */

import { describe, expect, it } from "vitest";
import type { NewProcess } from "../process/store.js";
import {
  ann,
  bob,
  bot,
  completion,
  exited,
  type ProcessStoreWorld,
  THERE,
  there,
  told,
} from "./process-store-world.js";

/** A part of `processStoreContract`. */
export function processReportCases(world: ProcessStoreWorld): void {
  const { added, both, due, factsOf, ids, overWith, resetting, runs, say, turn } = world;

  describe("what is said about a process", () => {
    it("is that it has ended, if that was promised, to the account that its session spoke through", async () => {
      await turn();
      const [unwanted, wanted] = [await runs(), await runs({ watch: told })];
      expect(await due()).toEqual([]);
      for (const { id } of [unwanted, wanted]) await world.store.processes.ended(id, exited, world.now);
      const [found, ...others] = await world.store.reports.due(bot, 10);
      expect(others).toEqual([]);
      expect(found).toEqual({
        process: await world.store.processes.find(wanted.id),
        place: { key: world.entry.key, source: ann, account: "bot", isCurrent: true },
      });
      expect(await due({ ...bot, account: "another bot" })).toEqual([]);
      expect(await due({ ...bot, platform: THERE })).toEqual([]);
    });

    it("comes to every account of the platform if the session has spoken through none", async () => {
      const { id } = await overWith(told);
      expect(await due()).toEqual([id]);
      expect(await due({ ...bot, account: "another bot" })).toEqual([id]);
      expect(await due({ ...bot, platform: THERE })).toEqual([]);
      expect(await world.store.reports.due(bot, 1)).toMatchObject([{ place: { account: null } }]);
    });

    it("is the oldest first, and not all at once", async () => {
      const ended: NewProcess[] = [];
      for (let n = 0; n < 4; n++) {
        world.now++;
        ended.unshift(await overWith(told, { sessionId: world.entry.sessionId }, world.now - 2 * n));
      }
      const oldestFirst = ended.map(({ id }) => id);
      expect(await due()).toEqual(oldestFirst);
      expect((await world.store.reports.due(bot, 2)).map(({ process: { id } }) => id)).toEqual(
        oldestFirst.slice(0, 2),
      );
    });

    it("follows the session to another chat, and to the account that it speaks through there", async () => {
      await turn();
      const { id } = await overWith(told);
      await world.sessions.switchTo(there, world.entry.sessionId);
      const { key } = world.sessions.laneOf(there);
      const botThere = { platform: THERE, account: "bot there" };
      expect(await due()).toEqual([]);
      expect(await world.store.reports.due(botThere, 9)).toMatchObject([
        { process: { id }, place: { key, source: there, account: null, isCurrent: true } },
      ]);
      await turn(there, botThere);
      expect(await world.store.reports.due(botThere, 9)).toMatchObject([{ place: { account: "bot there" } }]);
      expect(await due({ ...botThere, account: "another bot" })).toEqual([]);
    });

    it("follows a handoff, with what waits already", async () => {
      await turn();
      const [first, second] = [await overWith(told), await runs({ watch: told })];
      expect(await say()).toBe(true);
      const { id } = await world.sessions.requestHandoff(world.entry.sessionId, THERE);
      const claim = { kind: "claim", fence: 0, holder: "gw", leaseMs: 1_000 } as const;
      await world.store.handoffs.step(id, claim, world.now);
      const answering = { account: "bot there", holder: "gw" };
      const place = world.sessions.laneOf(there);
      await world.store.handoffs.step(id, { kind: "complete", fence: 1 }, world.now, { place, answering });
      await world.store.processes.ended(second.id, exited, world.now);
      expect(await due()).toEqual([]);
      expect(await due({ platform: THERE, account: "bot there" })).toEqual([second.id]);
      expect(await world.store.inbox.waiting({ platform: THERE, account: "bot there" })).toMatchObject([
        { holder: "gw", item: { made: "moved", inBackground: true, by: ann, key: place.key } },
      ]);
      expect(await ids({ sessionId: world.entry.sessionId })).toEqual(
        expect.arrayContaining([first.id, second.id]),
      );
    });

    it("goes to the chat that the session was last in, if it has another session now", async () => {
      await turn();
      const { id } = await overWith(told);
      await world.sessions.getOrCreate(ann, { forceNew: true });
      const [seen] = await world.store.reports.due(bot, 9);
      expect(seen).toMatchObject({ process: { id }, place: { key: world.entry.key, source: ann } });
      expect(seen?.place).toMatchObject({ account: "bot", isCurrent: false });
      expect(await say()).toBe(true);
      expect(await due()).toEqual([]);
    });

    it("is said once, with all that belongs to it, over two connections", async () => {
      const { id } = await overWith(told);
      const other = await world.fixture.open();
      const [seen] = await world.store.reports.due(bot, 1);
      if (!seen) throw new Error("Nothing is due.");
      const said = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          (n % 2 ? world.store : other).reports.report(seen, completion, both(seen, `${n}`), world.now),
        ),
      );
      expect(said.filter(Boolean)).toHaveLength(1);
      expect(await due()).toEqual([]);
      const which = `${said.indexOf(true)}`;
      const [waits, ...more] = await world.store.inbox.waiting(bot);
      expect(more).toEqual([]);
      expect(waits).toMatchObject({
        holder: "me",
        item: { made: "process", messageId: which, inBackground: true, by: ann, key: world.entry.key },
      });
      expect((await world.store.outbox.pending(bot, 10)).map(({ deliveryId }) => deliveryId)).toEqual([
        which,
      ]);
      expect(await world.store.processes.find(id)).toMatchObject({ watch: { notifyOnComplete: true } });
      expect(await world.store.processes.forget("/home/ann", world.now + 1)).toEqual([id]);
    });

    it("is still due if it could not be written", async () => {
      const { id } = await overWith(told);
      const [seen] = await world.store.reports.due(bot, 1);
      if (!seen) throw new Error("Nothing is due.");
      const { wake, deliveries } = both(seen, "1");
      const twice = { wake, deliveries: [...deliveries, ...deliveries] };
      await expect(world.store.reports.report(seen, completion, twice, world.now)).rejects.toThrow();
      expect(await world.store.inbox.waiting(bot)).toEqual([]);
      expect(await due()).toEqual([id]);
    });

    it.each<[string, () => Promise<unknown>]>([
      ["moved", () => world.sessions.switchTo(there, world.entry.sessionId)],
      ["was replaced", () => world.sessions.getOrCreate(ann, { forceNew: true })],
      ["ended", () => world.sessions.end(world.entry.sessionId)],
    ])("is not said to a place where the session was seen before it %s", async (_, change) => {
      const { id } = await overWith(told);
      const [seen] = await world.store.reports.due(bot, 1);
      if (!seen) throw new Error("Nothing is due.");
      await change();
      expect(await world.store.reports.report(seen, completion, both(seen, "1"), world.now)).toBe(false);
      expect(await world.store.inbox.waiting(bot)).toEqual([]);
      expect([...(await due()), ...(await due({ ...bot, platform: THERE }))]).toEqual([id]);
    });

    it("is not said of an end that was only thought to be one, once the true end is known", async () => {
      const { id } = await world.runs({ watch: told });
      await world.store.processes.ended(id, { kind: "lost", why: "Nobody knows." }, world.now);
      const [seen] = await world.store.reports.due(bot, 1);
      if (!seen) throw new Error("Nothing is due.");
      await world.store.processes.reopen(id, seen.process.endedAt ?? 0);
      await world.store.processes.ended(id, exited, world.now + 1);
      expect(await world.store.reports.report(seen, completion, both(seen, "1"), world.now)).toBe(false);
      expect(await world.store.reports.due(bot, 1)).toMatchObject([{ process: { end: exited } }]);
    });

    it("is not said of a process that is gone with its session", async () => {
      await overWith(told);
      const [seen] = await world.store.reports.due(bot, 1);
      if (!seen) throw new Error("Nothing is due.");
      await world.sessions.end(world.entry.sessionId);
      world.now++;
      await world.sessions.prune({ endedBeforeMs: 0 });
      expect(await world.store.reports.report(seen, completion, both(seen, "1"), world.now)).toBe(false);
    });

    it("waits in the lane, and moves along with the session", async () => {
      await turn();
      await overWith(told);
      expect(await say()).toBe(true);
      await world.sessions.switchTo(there, world.entry.sessionId, { account: "bot there", holder: "you" });
      expect(await world.store.inbox.waiting(bot)).toEqual([]);
      expect(await world.store.inbox.waiting({ platform: THERE, account: "bot there" })).toMatchObject([
        {
          holder: "you",
          item: { made: "moved", inBackground: true, by: ann, source: there, text: "It ended." },
        },
      ]);
    });

    it("is never left behind in a chat that the session leaves at that moment", async () => {
      const other = await world.fixture.open();
      const elsewhere = resetting(other);
      const answerer = { account: bot.account, holder: "me" };
      for (let n = 0; n < 20; n++) {
        await overWith(told);
        await Promise.all([
          say("me", `${n}`),
          elsewhere.switchTo(n % 2 ? ann : bob, world.entry.sessionId, answerer),
        ]);
        await say("me", `${n} again`);
        const { key } = (await world.sessions.get(world.entry.sessionId)) ?? {};
        const waiting = (await world.store.inbox.waiting(bot)).map(({ item }) => item.key);
        expect(waiting).toEqual(Array.from({ length: n + 1 }, () => key));
      }
    });

    it("is for the process that has the account, if it was left to that", async () => {
      await overWith(told);
      expect(await say("")).toBe(true);
      expect(await world.store.inbox.waiting(bot)).toMatchObject([{ holder: "" }]);
      await world.store.inbox.adopt(bot, "", "me");
      expect(await world.store.inbox.waiting(bot)).toMatchObject([
        { holder: "me", item: { made: "process" } },
      ]);
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
      (await world.store.reports.watched(home)).map(({ process: { id } }) => id);
    const output = async (from: number, through: number, isLast = false) => {
      const [seen] = await world.store.reports.watched("/home/ann");
      if (!seen) return null;
      const effects = both(seen, `${from} to ${through}`);
      return world.store.reports.report(seen, { kind: "output", from, through, isLast }, effects, world.now);
    };

    const matches = async (from: number, through: number, isStorm = false) => {
      const [seen] = await world.store.reports.watched("/home/ann");
      if (!seen) return null;
      const step = { kind: "matches", from, through, isStorm } as const;
      return world.store.reports.report(seen, step, both(seen, `matches ${from} to ${through}`), world.now);
    };

    it("is watched in its home, from its start until its last output was reported", async () => {
      await runs({ watch: told });
      const matched = await added({ watch: { ...told, patterns: ["ready"] } });
      world.now++;
      const shown = await runs({ watch: { ...told, notifyOnComplete: false, checkIntervalMs: 30_000 } });
      expect(await watched()).toEqual([matched.id, shown.id]);
      expect(await watched("elsewhere")).toEqual([]);
      await world.store.processes.ended(matched.id, exited, world.now);
      expect(await watched()).toEqual([matched.id, shown.id]);
      expect(await output(0, 7, true)).toBe(true);
      expect(await watched()).toEqual([shown.id]);
      expect(await due()).toEqual([matched.id]);
    });

    it("is reported once, without a gap, over two connections", async () => {
      const { id } = await runs({ watch: { ...told, patterns: ["ready"] } });
      const other = await world.fixture.open();
      const [seen] = await world.store.reports.watched("/home/ann");
      if (!seen) throw new Error("Nothing is watched.");
      const said = await Promise.all(
        Array.from({ length: 10 }, (_, n) => {
          const step = { kind: "output", from: 0, through: n + 1, isLast: false } as const;
          return (n % 2 ? world.store : other).reports.report(seen, step, both(seen, `${n}`), world.now);
        }),
      );
      expect(said.filter(Boolean)).toHaveLength(1);
      const through = said.indexOf(true) + 1;
      expect(await world.store.processes.find(id)).toMatchObject({ reportedThrough: through });
      expect(await output(0, 99)).toBe(false);
      expect(await output(through, 99)).toBe(true);
      expect(await world.store.outbox.pending(bot, 10)).toHaveLength(2);
      expect(await output(99, 99, true)).toBe(true);
      expect(await output(99, 100)).toBeNull();
      expect(await world.store.processes.find(id)).toMatchObject({ matchedThrough: 0 });
      const late = { kind: "output", from: 99, through: 100, isLast: false } as const;
      expect(await world.store.reports.report(seen, late, {}, world.now)).toBe(false);
    });

    it("has a position of its own for lines that match", async () => {
      const { id } = await runs({ watch: { ...told, checkIntervalMs: 30_000, patterns: ["ready"] } });
      expect(await output(0, 7)).toBe(true);
      expect(await world.store.processes.find(id)).toMatchObject({ matchedThrough: 0, matchedAt: null });
      expect(await matches(0, 5)).toBe(true);
      const at = world.now++;
      expect(await matches(0, 9)).toBe(false);
      expect(await world.store.processes.find(id)).toMatchObject({ matchedThrough: 5, matchedAt: at });
      expect(await matches(5, 6)).toBe(true);
      expect(await world.store.processes.find(id)).toMatchObject({
        reportedThrough: 7,
        matchedThrough: 6,
        matchedAt: world.now,
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
      expect(await world.store.processes.find(id)).toMatchObject({ watch: after, matchedThrough: 5 });
      expect(await watched()).toEqual(isWatched ? [id] : []);
      expect(await matches(5, 6)).toBe(isWatched ? false : null);
      expect(await due()).toEqual([]);
      await world.store.processes.ended(id, exited, world.now);
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
      const [seen] = await world.store.reports.watched("/home/ann");
      if (!seen) throw new Error("Nothing is watched.");
      const step = { kind: "matches", from: 0, through: 5, isStorm: true } as const;
      const { wake, deliveries } = both(seen, "1");
      const twice = { wake, deliveries: [...deliveries, ...deliveries] };
      await expect(world.store.reports.report(seen, step, twice, world.now)).rejects.toThrow();
      expect(await world.store.inbox.waiting(bot)).toEqual([]);
      expect(await world.store.reports.watched("/home/ann")).toEqual([seen]);
      await world.store.processes.ended(id, exited, world.now);
      expect(await due()).toEqual([]);
    });
  });
}
