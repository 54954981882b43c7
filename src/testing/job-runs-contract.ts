/** A part of `jobStoreContract`: how a run of a job begins and ends. */
import { describe, expect, it } from "vitest";
import type { InboxItem } from "../gateway/store.js";
import type { Job } from "../schedule/job.js";
import { JOBS, jobSource } from "../schedule/job-source.js";
import type { RunId } from "../session/ids.js";
import { addressOf } from "../session/source.js";
import { ann, bot, type JobStoreWorld, MANY, nothing, quiet, THERE, there, well } from "./job-store-world.js";

export function jobRunCases(world: JobStoreWorld): void {
  const { added, begin, begun, decide, ended, factsOf, race, runs, seen, states, waiting } = world;
  const never = { nextAt: null, wakeAt: null };

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
      const begun = await waiting(one);
      const own = { ...world.itemOf(begun), source: jobSource(one), platform: JOBS };
      await world.store.jobRuns.begin(begun.run.id, own, "me", world.now);
      expect(await ids(1)).toEqual([]);
      expect(await ids(2)).toEqual([[other.id, 1]]);
    });

    it("takes no room from others while it waits in a conversation", async () => {
      const [one, other] = [await added(), await added()];
      for (const job of [one, other]) await decide(job, [1]);
      await begin(await waiting(one));
      expect(await world.store.jobRuns.waiting(1)).toMatchObject([{ job: { id: other.id } }]);
    });

    it("is found by where its result went, and when", async () => {
      const over = await ended();
      const results = [world.waitsAt("origin")];
      world.now += 10;
      await world.store.jobRuns.settle(over, { ...quiet, state: "done", results }, well, world.now);
      const { jobRuns } = world.store;
      const found = async (after: number, before: number) =>
        (await jobRuns.delivered(addressOf(ann), after, before, 5)).map(({ run }) => run.id);
      expect(await found(world.now - 1, world.now + 1)).toEqual([over.run.id]);
      expect(await found(world.now, world.now + 1)).toEqual([]);
      expect(await found(world.now - 1, world.now)).toEqual([]);
      expect(await jobRuns.delivered(addressOf(there), 0, world.now + 1, 5)).toEqual([]);
    });

    it("does not begin its turn any more if its job was removed", async () => {
      const { job } = await begun();
      expect(await world.store.inbox.waiting(bot)).toHaveLength(1);
      expect(await world.store.jobs.remove(job.id)).toBe(true);
      expect(await world.store.inbox.waiting(bot)).toEqual([]);
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
          { ...nothing, messages: [{ role: "assistant", content }], ...(usage ? { uses: [{ usage }] } : {}) },
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
