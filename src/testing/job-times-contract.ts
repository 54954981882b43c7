/** A part of `jobStoreContract`: when a time of a job has come, and what is decided about it. */
import { describe, expect, it } from "vitest";
import type { Job } from "../schedule/job.js";
import { bot, type JobStoreWorld, MANY, MINUTE, nothing, OWNER, quiet, well } from "./job-store-world.js";

export function jobTimeCases(world: JobStoreWorld): void {
  const { added, begin, begun, decide, decision, ended, factsOf, race, runs, seen, states, waiting } = world;
  const busy = "The run before was not over.";
  const never = { nextAt: null, wakeAt: null };

  describe("a time of a job", () => {
    it("is due when the job is to be looked at, the longest due first", async () => {
      const due = async (limit = 10) => (await world.store.jobRuns.due(world.now, limit)).map(({ id }) => id);
      expect(await world.store.jobRuns.nextWake()).toBeNull();
      const third = await added({}, world.now + 30);
      const [second, first] = [await added({}, world.now + 20), await added({}, world.now + 10)];
      await world.store.jobs.pause(await added({}, world.now + 1), world.now);
      expect(await due()).toEqual([]);
      expect(await world.store.jobRuns.nextWake()).toBe(first.wakeAt);
      world.now += 20;
      expect(await due()).toEqual([first.id, second.id]);
      expect(await due(1)).toEqual([first.id]);
      await decide(first, [first.nextAt ?? 0], never);
      await decide(second, [second.nextAt ?? 0]);
      expect(await due()).toEqual([]);
      expect(await world.store.jobRuns.nextWake()).toBe(third.wakeAt);
    });

    it("has a run from when it is decided about, also if it is skipped", async () => {
      const job = await added({ repeat: 5 });
      const at = job.nextAt ?? 0;
      const times = [
        { at, skipped: "missed" },
        { at: at + MINUTE, skipped: null },
      ];
      const next = { nextAt: at + 2 * MINUTE, wakeAt: at + 2 * MINUTE + 3, left: 4 };
      const facts = await factsOf(async () =>
        expect(await world.store.jobRuns.decided([[job, { times, ...next }]], world.now)).toEqual([true]),
      );
      expect(facts).toEqual(["jobs"]);
      expect(await seen(job)).toEqual({ ...job, ...next });
      const blank = {
        jobId: job.id,
        sessionId: null,
        madeAt: world.now,
        startedAt: null,
        tokens: 0,
        said: null,
        output: null,
        results: [],
      };
      expect(await runs(job)).toMatchObject([
        { ...blank, scheduledFor: at + MINUTE, state: "due", error: null, endedAt: null },
        { ...blank, scheduledFor: at, state: "skipped", error: "missed", endedAt: world.now },
      ]);
    });

    it("is decided about once, by one of many over two connections", async () => {
      const jobs = [await added(), await added()];
      const outcomes = await race(10, ({ jobRuns }) =>
        jobRuns.decided(
          jobs.map((job) => [job, decision([job.nextAt ?? 0])] as const),
          world.now,
        ),
      );
      for (const [n, job] of jobs.entries()) {
        expect(outcomes.filter((outcome) => outcome[n])).toHaveLength(1);
        expect(await states(job)).toEqual(["due"]);
      }
    });

    it("is not decided about by what was read before the job was changed, paused or removed", async () => {
      const [changed, paused, gone, decided, same] = await Promise.all(
        Array.from({ length: 5 }, () => added()),
      );
      if (!changed || !paused || !gone || !decided || !same) throw new Error("There are too few.");
      const clock = { nextAt: changed.nextAt, wakeAt: changed.wakeAt };
      await world.store.jobs.change(changed, changed, { clock }, world.now);
      await world.store.jobs.pause(paused, world.now);
      await world.store.jobs.remove(gone.id);
      await decide(decided, [decided.nextAt ?? 0]);
      const outcomes = await world.store.jobRuns.decided(
        [changed, paused, gone, decided, same].map((job) => [job, decision([job.nextAt ?? 0])] as const),
        world.now,
      );
      expect(outcomes).toEqual([false, false, false, false, true]);
      expect([await states(changed), await states(paused), await states(gone)]).toEqual([[], [], []]);
      expect([await states(decided), await states(same)]).toEqual([["due"], ["due"]]);
      const late = () => world.store.jobRuns.decided([[decided, decision([0])]], world.now);
      expect(await factsOf(late)).toEqual([]);
    });

    it("is decided about for all jobs or for none", async () => {
      const [one, other] = [await added(), await added()];
      const broken = {
        ...decision([]),
        get times(): never {
          throw new Error("It broke.");
        },
      };
      await expect(
        world.store.jobRuns.decided(
          [
            [one, decision([one.nextAt ?? 0])],
            [other, broken],
          ],
          world.now,
        ),
      ).rejects.toThrow("It broke.");
      expect(await states(one)).toEqual([]);
      expect(await seen(one)).toEqual(one);
    });

    it("never runs a second time, and the last one makes the job done", async () => {
      const job = await added();
      const at = job.nextAt ?? 0;
      await decide(job, [at], { nextAt: at, wakeAt: at });
      expect(await decide(job, [at], never)).toBe(true);
      expect(await runs(job)).toMatchObject([{ scheduledFor: at, state: "due" }]);
      expect(await seen(job)).toMatchObject({ state: "done", ...never });
    });

    it("is skipped while the run before is not over, if the job does not let runs wait", async () => {
      const { job, item } = await begun();
      const step = async () => {
        const at = (await seen(job)).nextAt ?? 0;
        await decide(job, [at]);
        return (await runs(job))[0];
      };
      expect(await step()).toMatchObject({ state: "skipped", error: busy, endedAt: world.now });
      const over = await world.finished({ ...(await world.store.jobRuns.of(item.id)), job, item } as never);
      expect(await step()).toMatchObject({ state: "skipped", error: busy }); // Its result is not delivered.
      await world.store.jobRuns.settle(over, quiet, well, world.now);
      expect(await step()).toMatchObject({ state: "due", error: null });
      expect(await step()).toMatchObject({ state: "skipped", error: busy });
    });

    it("waits for the run before, if the job says so", async () => {
      const { job, item, run } = await begun({ overlap: "queue" });
      await decide(job, [world.now + 2 * MINUTE]);
      await decide(job, [world.now + 3 * MINUTE]);
      expect(await states(job)).toEqual(["due", "due", "running"]);
      await expect(waiting(job)).rejects.toThrow();
      const over = await world.finished({ job, run, item });
      await expect(waiting(job)).rejects.toThrow();
      await world.store.jobRuns.settle(over, quiet, well, world.now);
      expect((await waiting(job)).run.scheduledFor).toBe(world.now + 2 * MINUTE);
    });

    it("is not skipped for a run that somebody asked for, but waits for it", async () => {
      const job = await added();
      await world.store.jobs.ask(job.id, world.now);
      const asked = await begin(await waiting(job));
      await decide(job, [job.nextAt ?? 0]);
      expect(await states(job)).toEqual(["due", "running"]);
      await expect(waiting(job)).rejects.toThrow();
      await world.store.jobRuns.settle(await world.finished(asked), quiet, well, world.now);
      expect((await waiting(job)).run.scheduledFor).toBe(job.nextAt);
    });

    it("is kept with the last 200, and what is not over is always kept", async () => {
      const { job, run } = await begun({ overlap: "queue" });
      const minutes = Array.from({ length: 250 }, (_, n) => world.now + (n + 2) * MINUTE);
      const times = minutes.map((at) => ({ at, skipped: "missed" }));
      await decide(job, [], { times });
      const kept = await runs(job);
      expect(kept.map(({ scheduledFor }) => scheduledFor)).toEqual([
        ...minutes.slice(-200).toReversed(),
        run.scheduledFor,
      ]);
      const found = await world.store.jobRuns.of((await world.store.inbox.waiting(bot))[0]?.item.id as never);
      expect(found?.run.id).toBe(run.id);
    });

    it("takes its results along when it is kept no longer", async () => {
      const over = await ended({ overlap: "queue" });
      const results = [world.waitsAt("nowhere", { state: "failed", error: "no", address: null })];
      await world.store.jobRuns.settle(over, { ...quiet, state: "done", results }, well, world.now);
      expect(await world.store.jobRuns.untold(10)).toHaveLength(1);
      const times = Array.from({ length: 200 }, (_, n) => ({
        at: world.now + (n + 2) * MINUTE,
        skipped: "missed",
      }));
      await decide(over.job, [], { times });
      expect(await world.store.jobRuns.untold(10)).toEqual([]);
      expect((await runs(over.job)).map(({ id }) => id)).not.toContain(over.run.id);
    });
  });

  describe("a clock that was set back", () => {
    const later = () => ({ nextAt: world.now + 7, wakeAt: world.now + 8 });

    it("has the times that have not come decided about again, unless they ran", async () => {
      const job = await added();
      const at = job.nextAt ?? 0;
      const times = [at - 2 * MINUTE, at, at + 2 * MINUTE].map((time, n) => ({
        at: time,
        skipped: n < 2 ? "missed" : null,
      }));
      await decide(job, [], { times });
      const facts = await factsOf(() => world.store.jobRuns.rearm(later, world.now));
      expect(facts).toEqual(["jobs"]);
      expect(await runs(job)).toMatchObject([
        { scheduledFor: at + 2 * MINUTE, state: "due" },
        { scheduledFor: at - 2 * MINUTE, state: "skipped" },
      ]);
      expect(await seen(job)).toEqual({ ...job, ...later() });
    });

    it.each<[string, Job["state"], number | null]>([
      ["runs again, if it still may", "active", null],
      ["stays done, if it has run as often as it was to", "done", 0],
    ])("a job that was done %s", async (_, state, left) => {
      const job = await added();
      await decide(job, [job.nextAt ?? 0], { ...never, left });
      await world.store.jobRuns.rearm(later, world.now);
      expect((await seen(job)).state).toBe(state);
      expect(await world.store.jobRuns.nextWake()).toBe(state === "active" ? later().wakeAt : null);
    });

    it("leaves a paused job paused, and one done that has no more times", async () => {
      const [paused, done] = [await added(), await added()];
      await world.store.jobs.pause(paused, world.now);
      await decide(done, [done.nextAt ?? 0], never);
      await world.store.jobRuns.rearm(({ id }) => (id === done.id ? never : later()), world.now);
      expect(await seen(paused)).toMatchObject({ state: "paused", ...later() });
      expect(await seen(done)).toMatchObject({ state: "done", ...never });
    });

    it("sets every job anew, however many there are", async () => {
      await race(501, ({ jobs }) => jobs.add(world.fresh(), never, [OWNER], MANY, world.now));
      await world.store.jobRuns.rearm(later, world.now);
      expect(await world.store.jobRuns.due(world.now + 8, 1_000)).toHaveLength(501);
    });
  });

  it("knows what has waited longest: to begin, for its turn, or for its result to be sent", async () => {
    const oldest = async () => {
      const found = await world.store.jobs.oldestDue(world.now);
      return found && [found.job.id, found.since];
    };
    expect(await oldest()).toBeNull();
    const [late, later] = [await added({}, world.now + 5), await added({}, world.now + 9)];
    expect(await oldest()).toBeNull();
    world.now += 20;
    expect(await oldest()).toEqual([late.id, late.wakeAt]);
    await decide(late, [late.nextAt ?? 0]);
    expect(await oldest()).toEqual([later.id, later.wakeAt]);
    await world.store.jobs.pause(later, world.now);
    expect(await oldest()).toEqual([late.id, world.now]); // Decided about, but it has not begun.
    world.now += 5;
    const run = await world.begin(await waiting(late));
    expect(await oldest()).toEqual([late.id, world.now]); // Its turn waits in the inbox.
    const turn = await world.turnOf(run.item);
    expect(await oldest()).toBeNull();
    world.now += 5;
    await world.store.turns.finish(turn, "done", nothing, null, world.now);
    expect(await oldest()).toEqual([late.id, world.now]); // Over, but nobody has sent its result.
  });
}
