/** A part of `jobStoreContract`: how a run of a job comes, begins and ends. */
import { describe, expect, it } from "vitest";
import type { InboxItem } from "../gateway/store.js";
import type { Job } from "../schedule/job.js";
import type { RunId } from "../session/ids.js";
import {
  ann,
  bot,
  type JobStoreWorld,
  MANY,
  MINUTE,
  nothing,
  OWNER,
  quiet,
  THERE,
  there,
  well,
} from "./job-store-world.js";

export function jobRunCases(world: JobStoreWorld): void {
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

  describe("a run", () => {
    it("is to begin in its order, one of a job, as many as may run beside those that run", async () => {
      const [one, other] = [await added({ overlap: "queue" }), await added()];
      await decide(one, [1, 2]);
      await decide(other, [1]);
      await world.store.jobs.ask(one.id, world.now);
      const ids = async (most: number) =>
        (await world.store.jobRuns.waiting(most)).map(({ job, run }) => [job.id, run.scheduledFor]);
      expect(await ids(5)).toEqual([
        [one.id, 1],
        [other.id, 1],
      ]);
      expect(await ids(1)).toEqual([[one.id, 1]]);
      await begin(await waiting(one));
      expect(await ids(1)).toEqual([]);
      expect(await ids(2)).toEqual([[other.id, 1]]);
    });

    it("begins once: its message is in the inbox, for the process that answers there", async () => {
      const job = await added();
      await decide(job, [job.nextAt ?? 0]);
      const one = await waiting(job);
      const item = world.itemOf(one);
      world.now += 5;
      const outcomes = await race(10, ({ jobRuns }) => jobRuns.begin(one.run.id, item, "you", world.now));
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      const held = await world.store.inbox.waiting(bot);
      expect(held).toMatchObject([
        { holder: "you", item: { ...item, made: "job", inBackground: true, by: ann } },
      ]);
      const running = { state: "running", startedAt: world.now, endedAt: null };
      expect(await runs(job)).toMatchObject([running]);
      expect(await world.store.jobRuns.of(held[0]?.item.id ?? (0 as never))).toMatchObject({
        job: await seen(job),
        run: { id: one.run.id, ...running },
      });
    });

    it("does not begin if it was skipped or is gone", async () => {
      const job = await added();
      await decide(job, [job.nextAt ?? 0]);
      const one = await waiting(job);
      expect(await world.store.jobRuns.skip(one.run.id, "Too much\0.", world.now + 3)).toBe(true);
      expect(await runs(job)).toMatchObject([
        { state: "skipped", error: "Too much\ufffd.", endedAt: world.now + 3 },
      ]);
      for (const id of [one.run.id, 99 as RunId]) {
        expect(await world.store.jobRuns.begin(id, world.itemOf(one), "me", world.now)).toBe(false);
        expect(await world.store.jobRuns.skip(id, "again", world.now)).toBe(false);
      }
      expect(await world.store.inbox.waiting(bot)).toEqual([]);
    });

    it("is told of when it comes, ends or is skipped", async () => {
      const job = await added({ overlap: "queue" });
      await decide(job, [1, 2, 3]);
      const skip = async () => world.store.jobRuns.skip((await waiting(job)).run.id, "no", world.now);
      expect(await factsOf(skip)).toEqual(["jobs"]);
      const one = await begin(await waiting(job));
      const turn = await world.turnOf(one.item);
      const end = () => world.store.turns.finish(turn, "done", nothing, null, world.now);
      expect(await factsOf(end)).toContain("jobs");
      expect(await factsOf(end)).not.toContain("jobs");
    });

    it("pauses its job if it must not run, which is said once", async () => {
      const job = await added({ overlap: "queue" });
      await decide(job, [1]);
      await world.store.jobs.ask(job.id, world.now);
      const first = await waiting(job);
      const why = "No access.";
      const outcomes = await race(10, ({ jobRuns }, n) =>
        jobRuns.halt(first, why, [world.delivery({ text: `${n}` })], world.now),
      );
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      expect(await seen(job)).toMatchObject({ state: "paused", pausedWhy: why, version: 2 });
      const second = await waiting(job); // Somebody asked for it.
      expect(await world.store.jobRuns.halt(second, why, [world.delivery()], world.now)).toBe(true);
      expect(await states(job)).toEqual(["skipped", "skipped"]);
      expect((await runs(job)).map(({ error }) => error)).toEqual([why, why]);
      expect(await world.store.outbox.pending(bot, 10)).toHaveLength(1);
    });

    it("is not halted, and its job not paused, if that can't be said", async () => {
      const job = await added();
      await decide(job, [1]);
      const told = world.delivery();
      const halt = world.store.jobRuns.halt(await waiting(job), "no", [told, told], world.now);
      await expect(halt).rejects.toThrow();
      expect(await states(job)).toEqual(["due"]);
      expect(await seen(job)).toMatchObject({ state: "active", version: 1 });
    });

    it("has what its turn said last, and all tokens that it used", async () => {
      const { job, item } = await begun();
      const turn = await world.turnOf(item);
      const step = (content: string, usage?: { inputTokens: number; outputTokens: number }) =>
        world.store.turns.step(
          turn,
          { ...nothing, messages: [{ role: "assistant", content }], ...(usage ? { usage } : {}) },
          100,
          world.now,
        );
      const last = async () => (await runs(job))[0];
      await step("first\0", { inputTokens: 3, outputTokens: 4 });
      expect(await last()).toMatchObject({ said: "first\ufffd", tokens: 7, sessionId: turn.sessionId });
      await step("  ", { inputTokens: 10, outputTokens: 0 });
      expect(await last()).toMatchObject({ said: "first\ufffd", tokens: 17 });
      const end = { ...nothing, messages: [{ role: "assistant", content: "second" }] } as const;
      world.now += 5;
      await world.store.turns.finish(turn, "done", end, null, world.now);
      const over = { state: "ended", said: "second", tokens: 17, error: null, endedAt: world.now };
      expect(await last()).toMatchObject(over);
      expect(await world.store.jobRuns.of(item.id)).toBeNull();
    });

    it.each([
      ["failed", "The model failed.", "ended", "The model failed."],
      ["failed", null, "ended", "failed"],
      ["parked", "It ended Baton twice.", "ended", "It ended Baton twice."],
      ["stopped", null, "failed", "It was stopped."],
      ["stopped", "stopped by Ann", "failed", "It was stopped by Ann."],
    ] as const)("whose turn is %s with %j is %s", async (end, error, state, why) => {
      const { job, item } = await begun();
      await world.store.turns.finish(await world.turnOf(item), end, nothing, error, world.now);
      expect(await runs(job)).toMatchObject([{ state, error: why, sessionId: world.entry.sessionId }]);
      expect(await world.store.jobRuns.ended(10)).toHaveLength(state === "ended" ? 1 : 0);
    });

    it("is not touched by other turns of the conversation", async () => {
      const { job } = await begun();
      const { key } = world.entry;
      const written = { kind: "message", key, source: ann, messageId: "1", text: "hi" } as const;
      await world.store.inbox.accept({ ...bot, ...written, account: "other" }, "me", world.now);
      const [held] = await world.store.inbox.waiting({ ...bot, account: "other" });
      const turn = await world.turnOf(held?.item as InboxItem);
      await world.store.turns.finish(turn, "done", nothing, null, world.now);
      expect(await states(job)).toEqual(["running"]);
    });

    it("moves along with its conversation, however often", async () => {
      const { job, run, item } = await begun();
      const account = { platform: THERE, account: "bot there" };
      const goTo = (to: typeof ann, answering: string) =>
        world.sessions.switchTo(to, world.entry.sessionId, { account: answering, holder: "me" });
      await goTo(there, account.account);
      const [first] = await world.store.inbox.waiting(account);
      expect(await world.store.jobRuns.of(item.id)).toBeNull();
      expect(await world.store.jobRuns.of(first?.item.id as never)).toMatchObject({ run: { id: run.id } });
      await goTo(ann, bot.account);
      const [second] = await world.store.inbox.waiting(bot);
      expect(await world.store.jobRuns.of(second?.item.id as never)).toMatchObject({ run: { id: run.id } });
      await world.finished({ job, run, item: second?.item as InboxItem });
    });
  });

  describe("jobs that are done", () => {
    it("are forgotten after a while, with their runs, but none whose run is not over", async () => {
      const jobs = [];
      for (let n = 0; n < 3; n++) {
        const job = await added();
        world.now++;
        await decide(job, [], { ...never, times: [{ at: 1, skipped: n === 1 ? null : "missed" }] });
        jobs.push(job);
      }
      const active = await added();
      const left = async () => (await world.store.jobs.list(null)).map(({ id }) => id);
      const [first, running, last] = jobs as [Job, Job, Job];
      expect(await world.store.jobRuns.forgetDone(world.now, 10)).toBe(1);
      expect(await left()).toEqual([running.id, last.id, active.id]);
      expect(await runs(first)).toEqual([]);
      expect(await world.store.jobRuns.forgetDone(world.now + 1, 10)).toBe(1);
      await world.store.jobRuns.skip((await waiting(running)).run.id, "no", world.now);
      expect(await world.store.jobRuns.forgetDone(world.now + 1, 10)).toBe(1);
      expect(await left()).toEqual([active.id]);
    });

    it("are forgotten no more at once than is asked for, the oldest first", async () => {
      for (let n = 0; n < 3; n++) {
        await decide(await added({ name: `${n}` }), [], { ...never, times: [] });
        world.now++;
      }
      expect(await world.store.jobRuns.forgetDone(world.now, 2)).toBe(2);
      expect(await world.store.jobs.list(null)).toMatchObject([{ name: "2" }]);
      expect(await world.store.jobRuns.forgetDone(world.now, MANY)).toBe(1);
    });
  });
}
