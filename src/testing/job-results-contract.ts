/** A part of `jobStoreContract`: the result of a run, and what becomes of it at each target. */
import { describe, expect, it } from "vitest";
import type { Delivery, JobRun, RunEffects } from "../gateway/store.js";
import type { RunResult } from "../schedule/job.js";
import { addressOf, formatAddress, localSource } from "../session/source.js";
import { bot, type JobStoreWorld, MINUTE, quiet, there, well } from "./job-store-world.js";

export function jobResultCases(world: JobStoreWorld): void {
  const { begun, decide, delivery, ended, factsOf, race, runs, seen, states, waitsAt } = world;
  const transcript = async () =>
    (await world.sessions.load(world.entry.sessionId)).map(({ content }) => content);
  /** A result in this many pieces for the chat of the job. */
  const sayIn = ({ run }: JobRun, pieces: number): RunEffects => ({
    ...quiet,
    state: "done",
    output: "j/1.md",
    results: [waitsAt("origin")],
    deliveries: Array.from({ length: pieces }, (_, n) => delivery({ runId: run.id, text: `piece ${n}` })),
    said: [{ sessionId: world.entry.sessionId, messages: [{ role: "assistant", content: "the news" }] }],
  });
  const resultsOf = async ({ job }: JobRun) => (await runs(job))[0]?.results;

  it("waits for a terminal only with the last results of its job", async () => {
    const terminal = localSource();
    const address = formatAddress(addressOf(terminal));
    const job = await world.added({ overlap: "queue" });
    for (let n = 1; n <= 5; n++) {
      await world.decide(job, [n], { nextAt: n + 1, wakeAt: n + 1 });
      const over = await world.finished(await world.begin(await world.waiting(job)));
      const results = [{ ...waitsAt("origin"), address }];
      const deliveries = [
        delivery({ runId: over.run.id, address: addressOf(terminal), text: `result ${n}` }),
      ];
      await world.store.jobRuns.settle(
        over,
        { ...quiet, state: "done", results, deliveries },
        well,
        world.now,
      );
    }
    const waiting = await world.store.outbox.pending(
      { platform: terminal.platform, account: bot.account },
      10,
    );
    expect(waiting.map(({ text }) => text)).toEqual(["result 3", "result 4", "result 5"]);
    const states = (await runs(job)).map(({ results }) => results[0]?.state);
    expect(states).toEqual(["waiting", "waiting", "waiting", "kept", "kept"]);
  });

  describe("the end of a run", () => {
    it("is settled in one commit: outbox, transcript, results and job", async () => {
      const over = await ended();
      const before = await world.sessions.get(world.entry.sessionId);
      const effects = { ...sayIn(over, 2), error: "half\0" };
      world.now += MINUTE;
      const facts = await factsOf(async () =>
        expect(await world.store.jobRuns.settle(over, effects, well, world.now)).toBe(true),
      );
      expect(facts).toEqual(expect.arrayContaining(["jobs", "outbox", "session"]));
      expect(await runs(over.job)).toMatchObject([
        {
          state: "done",
          error: "half\ufffd",
          output: "j/1.md",
          endedAt: world.now,
          results: effects.results,
        },
      ]);
      expect(await world.store.outbox.pending(bot, 10)).toMatchObject([
        { text: "piece 0", runId: over.run.id },
        { text: "piece 1", runId: over.run.id },
      ]);
      expect((await transcript()).at(-1)).toBe("the news");
      expect((await world.sessions.get(world.entry.sessionId))?.updatedAt).toBe(before?.updatedAt);
      expect(await seen(over.job)).toMatchObject({ failures: 0, spent: well.spent, state: "active" });
    });

    it("can wait in the outbox while everything else is sent, however much of it there is", async () => {
      const over = await ended();
      await world.store.jobRuns.settle(over, sayIn(over, 30), well, world.now);
      await world.store.outbox.add([delivery({ text: "an answer" })], world.now);
      for (const limit of [1, 10])
        expect(await world.store.outbox.pending(bot, limit, undefined, "no job results")).toMatchObject([
          { text: "an answer" },
        ]);
      expect(await world.store.outbox.pending(bot, 100)).toHaveLength(31);
    });

    it("is settled by one of many, over two connections", async () => {
      const over = await ended();
      const outcomes = await race(10, ({ jobRuns }, n) =>
        jobRuns.settle(over, sayIn(over, 1), { ...well, spent: { day: "2026-01-01", tokens: n } }, world.now),
      );
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      expect((await seen(over.job)).spent.tokens).toBe(outcomes.indexOf(true));
      expect(await world.store.outbox.pending(bot, 100)).toHaveLength(1);
      expect((await transcript()).filter((content) => content === "the news")).toHaveLength(1);
      expect(await resultsOf(over)).toHaveLength(1);
    });

    it("is not settled at all if a part of it can't be saved", async () => {
      const over = await ended();
      const effects = sayIn(over, 1);
      const before = await transcript();
      const twice = { ...effects, deliveries: [...effects.deliveries, ...effects.deliveries] };
      const after = { ...well, failures: 4, pausedWhy: "no" };
      await expect(world.store.jobRuns.settle(over, twice, after, world.now)).rejects.toThrow();
      expect(await world.store.jobRuns.ended(10)).toEqual([over]);
      expect(await runs(over.job)).toMatchObject([{ state: "ended", output: null, results: [] }]);
      expect(await transcript()).toEqual(before);
      expect(await world.store.outbox.pending(bot, 10)).toEqual([]);
      expect(await seen(over.job)).toEqual(over.job);
      expect(await world.store.jobRuns.settle(over, effects, well, world.now)).toBe(true);
    });

    it("is settled only if the turn is over, and not of a job that is gone", async () => {
      const running = await begun();
      expect(await world.store.jobRuns.settle(running, sayIn(running, 1), well, world.now)).toBe(false);
      const over = await world.finished(running);
      await world.store.jobs.remove(over.job.id);
      expect(await world.store.jobRuns.settle(over, sayIn(over, 1), well, world.now)).toBe(false);
      expect(await world.store.outbox.pending(bot, 10)).toEqual([]);
      expect(await transcript()).not.toContain("the news");
    });

    it("makes the job wait, but never less than it would", async () => {
      const over = await ended();
      const { wakeAt } = await seen(over.job);
      const at = (wakeAt ?? 0) + 5;
      await world.store.jobRuns.settle(over, quiet, { ...well, failures: 2, notBefore: at }, world.now);
      expect(await seen(over.job)).toMatchObject({ failures: 2, wakeAt: at, nextAt: wakeAt });
      const other = await ended();
      const then = (await seen(other.job)).wakeAt;
      await world.store.jobRuns.settle(other, quiet, { ...well, notBefore: world.now }, world.now);
      expect((await seen(other.job)).wakeAt).toBe(then);
    });

    it("pauses the job, and what has come and not begun is skipped", async () => {
      const over = await ended({ overlap: "queue" }, "failed", "no");
      await decide(over.job, [world.now + 2 * MINUTE]);
      const after = { ...well, failures: 5, pausedWhy: "its last 5 runs failed" };
      await world.store.jobRuns.settle(over, { ...quiet, state: "failed", error: "no" }, after, world.now);
      expect(await seen(over.job)).toMatchObject({
        state: "paused",
        pausedWhy: after.pausedWhy,
        failures: 5,
      });
      expect(await states(over.job)).toEqual(["skipped", "failed"]);
    });

    it("comes in the order of the runs, with the reason of a failure", async () => {
      const first = await ended({}, "failed", "It broke.");
      const second = await ended();
      const all = await world.store.jobRuns.ended(10);
      expect(all.map(({ run }) => [run.id, run.error])).toEqual([
        [first.run.id, "It broke."],
        [second.run.id, null],
      ]);
      expect(await world.store.jobRuns.ended(1)).toHaveLength(1);
    });
  });

  describe("a result on its way", () => {
    const sends = async (): Promise<Delivery[]> => {
      const pending = await world.store.outbox.pending(bot, 100);
      for (const { id } of pending) expect(await world.store.outbox.sending(id, "me")).toBe(true);
      return pending;
    };
    const outcomes = {
      sent: (which: Delivery) => world.store.outbox.sent(which, "m", world.now),
      unknown: (which: Delivery) => world.store.outbox.doubt(which, "cut off", null, world.now),
      failed: (which: Delivery) => world.store.outbox.fail(which, "blocked", false, 0),
    };
    const errors = { sent: null, unknown: "cut off", failed: "blocked" };

    it.each([
      ["sent", ["sent"]],
      ["unknown", ["unknown"]],
      ["failed", ["failed"]],
      ["sent", ["sent", "sent"]],
      ["unknown", ["unknown", "sent"]],
      ["unknown", ["sent", "unknown"]],
      ["failed", ["failed", "sent", "unknown"]],
      ["failed", ["sent", "unknown", "failed"]],
    ] as const)("is %s if its pieces are %j", async (state, pieces) => {
      const over = await ended();
      await world.store.jobRuns.settle(over, sayIn(over, pieces.length), well, world.now);
      const sending = await sends();
      expect(await resultsOf(over)).toEqual([waitsAt("origin")]);
      for (const [n, piece] of pieces.entries()) await outcomes[piece](sending[n] as Delivery);
      expect(await resultsOf(over)).toEqual([waitsAt("origin", { state, error: errors[state] })]);
      expect(await world.store.jobRuns.untold(10)).toHaveLength(state === "failed" ? 1 : 0);
    });

    it("is told of when it fails, because somebody is to be told", async () => {
      const over = await ended();
      await world.store.jobRuns.settle(over, sayIn(over, 2), well, world.now);
      const [one, other] = (await sends()) as [Delivery, Delivery];
      expect(await factsOf(() => outcomes.sent(one))).not.toContain("jobs");
      expect(await factsOf(() => outcomes.failed(other))).toContain("jobs");
      expect(await factsOf(() => outcomes.failed(other))).toEqual([]); // It is known.
    });

    it("counts for its own target, of its own run", async () => {
      const [one, other] = [await ended(), await ended()];
      const elsewhere = waitsAt("there", { address: "elsewhere:9" });
      const effects = sayIn(one, 1);
      const results = [...effects.results, elsewhere];
      await world.store.jobRuns.settle(one, { ...effects, results }, well, world.now);
      await world.store.jobRuns.settle(other, sayIn(other, 1), well, world.now);
      const [first] = await sends();
      await outcomes.failed(first as Delivery);
      expect(await resultsOf(one)).toEqual([
        waitsAt("origin", { state: "failed", error: "blocked" }),
        elsewhere,
      ]);
      expect(await resultsOf(other)).toEqual([waitsAt("origin")]);
    });

    it("is nobody's if the job is gone meanwhile", async () => {
      const over = await ended();
      await world.store.jobRuns.settle(over, sayIn(over, 1), well, world.now);
      const [one] = await sends();
      await world.store.jobs.remove(over.job.id);
      await outcomes.failed(one as Delivery);
      expect(await world.store.jobRuns.untold(10)).toEqual([]);
    });
  });

  describe("a result that failed", () => {
    const failedAt = (target: string): RunResult =>
      waitsAt(target, { address: null, state: "failed", error: `no ${target}` });
    const failing = async (...targets: string[]) => {
      const over = await ended();
      const results = [...targets.map(failedAt), waitsAt("origin")];
      await world.store.jobRuns.settle(over, { ...quiet, state: "done", results }, well, world.now);
      return over;
    };

    it("is told once, of all targets of a run together", async () => {
      const [one, other] = [await failing("a", "b"), await failing("c")];
      const untold = await world.store.jobRuns.untold(10);
      expect(untold).toMatchObject([
        { job: { id: one.job.id }, run: { id: one.run.id }, results: [failedAt("a"), failedAt("b")] },
        { job: { id: other.job.id }, run: { id: other.run.id }, results: [failedAt("c")] },
      ]);
      expect(await world.store.jobRuns.untold(1)).toHaveLength(1);
      const [first] = untold;
      if (!first) throw new Error("Nothing is untold.");
      const told = await race(10, ({ jobRuns }) =>
        jobRuns.told(first, [delivery({ address: addressOf(there) })], world.now),
      );
      expect(told.filter(Boolean)).toHaveLength(1);
      const account = { platform: there.platform, account: bot.account };
      expect(await world.store.outbox.pending(account, 10)).toHaveLength(1);
      expect(await world.store.jobRuns.untold(10)).toMatchObject([{ run: { id: other.run.id } }]);
      expect(await resultsOf(one)).toEqual([failedAt("a"), failedAt("b"), waitsAt("origin")]);
    });

    it("is told of later targets by themselves", async () => {
      const over = await failing("a");
      const [first] = await world.store.jobRuns.untold(10);
      if (!first) throw new Error("Nothing is untold.");
      expect(await world.store.jobRuns.told(first, [], world.now)).toBe(true); // Nobody can be told.
      expect(await world.store.jobRuns.told(first, [delivery()], world.now)).toBe(false);
      expect(await world.store.outbox.pending(bot, 10)).toEqual([]);
      await world.store.outbox.add([delivery({ runId: over.run.id })], world.now);
      const [sending] = await world.store.outbox.pending(bot, 1);
      if (!sending) throw new Error("Nothing is to be sent.");
      await world.store.outbox.sending(sending.id, "me");
      await world.store.outbox.fail(sending, "blocked", false, 0);
      expect(await world.store.jobRuns.untold(10)).toMatchObject([
        { run: { id: over.run.id }, results: [{ target: "origin", error: "blocked" }] },
      ]);
    });

    it("stays untold if the notice can't be saved", async () => {
      await failing("a");
      const [first] = await world.store.jobRuns.untold(10);
      if (!first) throw new Error("Nothing is untold.");
      const notice = delivery();
      await expect(world.store.jobRuns.told(first, [notice, notice], world.now)).rejects.toThrow();
      expect(await world.store.jobRuns.untold(10)).toEqual([first]);
    });
  });
}
