/** What every store must keep of scheduled jobs, over the same fixtures as the gateway store's. */
import { describe, expect, it } from "vitest";
import type { JobSetting } from "../schedule/job.js";
import { newHandoffId, newJobId } from "../session/ids.js";
import type { GatewayStoreFixture } from "./gateway-store-contract.js";
import { jobResultCases } from "./job-results-contract.js";
import { jobRunCases } from "./job-runs-contract.js";
import { ann, JobStoreWorld, MANY, MINUTE, OWNER, quiet, THERE, there, well } from "./job-store-world.js";
import { jobTimeCases } from "./job-times-contract.js";

export function jobStoreContract(name: string, createFixture: () => Promise<GatewayStoreFixture>): void {
  describe(`store of jobs: ${name}`, () => {
    const world = new JobStoreWorld(createFixture);
    const { added, begun, decide, ended, factsOf, fresh, race, runs, seen, states, waiting } = world;
    const in5 = () => ({ nextAt: world.now + 5 * MINUTE, wakeAt: world.now + 5 * MINUTE + 9 });
    const never = { nextAt: null, wakeAt: null };
    const settingOf = (given: Partial<JobSetting> = {}): JobSetting => fresh(given);

    describe("a job", () => {
      it("is kept as it was given", async () => {
        const given: Partial<JobSetting> = {
          name: 'a "b"\n\u2028',
          prompt: null,
          command: "date\0\ud800",
          session: "own",
          model: "big",
          tools: ["read_file", "terminal"],
          dailyTokens: 9,
          timing: { schedule: { kind: "cron", expression: "0 9 * * 1" }, timeZone: "Asia/Tokyo", from: 3 },
          catchUp: { missed: "all", graceMs: 5 },
          overlap: "queue",
          jitterMs: 7,
          repeat: 3,
          deliver: "local, origin",
        };
        const job = fresh(given);
        const clock = { nextAt: 10, wakeAt: 17 };
        expect(await world.store.jobs.add(job, clock, [OWNER], MANY, world.now)).toBe(true);
        expect(await (await world.fixture.open()).jobs.find(job.id)).toEqual({
          ...job,
          ...clock,
          state: "active",
          pausedWhy: null,
          left: 3,
          failures: 0,
          spent: { day: "", tokens: 0 },
          createdAt: world.now,
          version: 1,
        });
        expect(await world.store.jobs.find(newJobId())).toBeNull();
      });

      it("is listed with those of its person or with all, oldest first", async () => {
        const made = [];
        for (const owner of [OWNER, "b:bob", OWNER, `${THERE}:ann`]) {
          world.now++;
          made.push((await added({ owner })).id);
        }
        const [first, second, third, fourth] = made;
        const list = async (identities: string[] | null) =>
          (await world.store.jobs.list(identities)).map(({ id }) => id);
        expect(await list(null)).toEqual(made);
        expect(await list([OWNER])).toEqual([first, third]);
        expect(await list([`${THERE}:ann`, OWNER])).toEqual([first, third, fourth]);
        expect(await list(["b:bob"])).toEqual([second]);
        expect(await list(["c:nobody"])).toEqual([]);
      });

      it("is not added if its person has as many, counted over all their identities", async () => {
        const theirs = [OWNER, `${THERE}:ann`];
        const add = (owner: string, identities = theirs) =>
          world.store.jobs.add(fresh({ owner }), in5(), identities, 3, world.now);
        const done = await added();
        await decide(done, [], never);
        expect((await seen(done)).state).toBe("done"); // It counts no more.
        const paused = await added();
        await world.store.jobs.pause(paused, world.now);
        expect(await add(`${THERE}:ann`)).toBe(true);
        expect(await add(OWNER)).toBe(true);
        expect(await factsOf(async () => expect(await add(OWNER)).toBe(false))).toEqual([]);
        expect(await add("b:bob", ["b:bob"])).toBe(true);
        await world.store.jobs.remove(paused.id);
        expect(await add(OWNER)).toBe(true);
      });

      it("is not added beyond the limit by many at once, over two connections", async () => {
        const theirs = [OWNER, `${THERE}:ann`];
        const outcomes = await race(16, (store, n) => {
          const identities = n % 3 ? theirs : theirs.toReversed();
          return store.jobs.add(fresh({ owner: theirs[n % 2] ?? "" }), in5(), identities, 5, world.now);
        });
        expect(outcomes.filter(Boolean)).toHaveLength(5);
        expect(await world.store.jobs.list(theirs)).toHaveLength(5);
      });
    });

    describe("a change", () => {
      it("replaces what a person can set, and counts as if no run had failed", async () => {
        const { job } = await ended({}, "failed", "no");
        const [found] = await world.store.jobRuns.ended(1);
        if (!found) throw new Error("It has not ended.");
        await world.store.jobRuns.settle(
          found,
          { ...quiet, state: "failed" },
          { ...well, failures: 3 },
          world.now,
        );
        const before = await seen(job);
        expect(before).toMatchObject({ failures: 3, version: 1 });
        const setting = settingOf({ name: "other", overlap: "queue", repeat: 4 });
        expect(await world.store.jobs.change(before, setting, { clock: in5(), left: 4 }, world.now)).toBe(
          true,
        );
        expect(await seen(job)).toEqual({
          ...before,
          ...setting,
          ...in5(),
          id: job.id,
          left: 4,
          failures: 0,
          version: 2,
        });
      });

      it("leaves alone what is not renewed, whatever was decided meanwhile", async () => {
        const job = await added({ repeat: 3 });
        await decide(job, [job.nextAt ?? 0], in5());
        const { nextAt, wakeAt, left } = await seen(job);
        expect(await world.store.jobs.change(job, settingOf({ name: "other" }), {}, world.now)).toBe(true);
        expect(await seen(job)).toMatchObject({ name: "other", nextAt, wakeAt, left, state: "active" });
      });

      it("is refused if the job was changed since, paused since, or is gone", async () => {
        const job = await added();
        expect(await world.store.jobs.change(job, settingOf(), { clock: in5() }, world.now)).toBe(true);
        const stale = () =>
          world.store.jobs.change(job, settingOf({ name: "stale" }), { clock: in5() }, world.now);
        expect(await factsOf(async () => expect(await stale()).toBe(false))).toEqual([]);
        const second = await seen(job);
        await world.store.jobs.pause(second, world.now);
        expect(await world.store.jobs.change(second, settingOf(), { clock: in5() }, world.now)).toBe(false);
        expect(await world.store.jobs.resume(second, in5(), world.now)).toBe(false);
        expect(await world.store.jobs.pause(await seen(job), world.now)).toBe(false); // It is paused.
        await world.store.jobs.remove(job.id);
        expect(await stale()).toBe(false);
        expect(await world.store.jobs.pause(job, world.now)).toBe(false);
        expect(await world.store.jobs.resume(job, in5(), world.now)).toBe(false);
      });

      it("is made by one of many who saw the same, over two connections", async () => {
        const job = await added();
        const outcomes = await race(12, ({ jobs }, n) => {
          if (n % 3 === 0) return jobs.change(job, settingOf({ name: `${n}` }), { clock: in5() }, world.now);
          return n % 3 === 1 ? jobs.pause(job, world.now) : jobs.resume(job, in5(), world.now);
        });
        expect(outcomes.filter(Boolean)).toHaveLength(1);
        expect((await seen(job)).version).toBe(2);
      });

      it("wakes a job that was done, and leaves a paused one paused", async () => {
        const job = await added();
        await decide(job, [job.nextAt ?? 0], never);
        expect(await world.store.jobs.change(await seen(job), settingOf(), { clock: in5() }, world.now)).toBe(
          true,
        );
        expect(await seen(job)).toMatchObject({ state: "active", ...in5() });
        await world.store.jobs.pause(await seen(job), world.now);
        expect(await world.store.jobs.change(await seen(job), settingOf(), { clock: in5() }, world.now)).toBe(
          true,
        );
        expect(await seen(job)).toMatchObject({ state: "paused", ...in5() });
        expect(await world.store.jobRuns.nextWake()).toBeNull();
      });

      it.each(["change", "resume"] as const)("leaves a job done that has no time left: %s", async (how) => {
        const job = await added();
        await decide(job, [job.nextAt ?? 0], never);
        const done = await seen(job);
        const setting = settingOf({ name: "other" });
        const { jobs, jobRuns } = world.store;
        const isDone =
          how === "change"
            ? await jobs.change(done, setting, { clock: never }, world.now)
            : await jobs.resume(done, never, world.now);
        expect(isDone).toBe(true);
        expect(await seen(job)).toMatchObject({ state: "done", nextAt: null });
        await world.store.jobRuns.skip((await waiting(job)).run.id, "no", world.now);
        expect(await jobRuns.forgetDone(world.now + 1, 10)).toBe(1);
      });
    });

    describe("a pause", () => {
      it("skips what has come and not begun, but nothing that runs or that somebody asked for", async () => {
        const { job, run } = await begun({ overlap: "queue" });
        await decide(job, [world.now + 3 * MINUTE]);
        await world.store.jobs.ask(job.id, world.now);
        world.now += 5;
        expect(await world.store.jobs.pause(await seen(job), world.now)).toBe(true);
        expect(await seen(job)).toMatchObject({ state: "paused", pausedWhy: null, version: 2 });
        const [asked, skipped, running] = await runs(job);
        expect(asked).toMatchObject({ state: "due", scheduledFor: null });
        expect(skipped).toMatchObject({
          state: "skipped",
          error: "The job was paused.",
          endedAt: world.now,
          startedAt: null,
        });
        expect(running).toMatchObject({ state: "running", id: run.id });
        expect(await world.store.jobRuns.due(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
        expect(await world.store.jobRuns.nextWake()).toBeNull();
      });

      it("ends, and the job counts as if no run had ever failed", async () => {
        const job = await added();
        await decide(job, [job.nextAt ?? 0]);
        await world.store.jobRuns.halt(await waiting(job), "Not allowed\0.", [], world.now);
        const paused = await seen(job);
        expect(paused).toMatchObject({ state: "paused", pausedWhy: "Not allowed\ufffd." });
        expect(await world.store.jobs.resume(paused, in5(), world.now)).toBe(true);
        const resumed = { state: "active", pausedWhy: null, failures: 0, version: paused.version + 1 };
        expect(await seen(job)).toEqual({ ...paused, ...resumed, ...in5() });
        expect(await world.store.jobRuns.nextWake()).toBe(in5().wakeAt);
      });
    });

    describe("a removal", () => {
      it("takes the runs along, and what runs goes on", async () => {
        const { job, item } = await begun();
        const turn = await world.turnOf(item);
        const other = await added();
        await decide(other, [other.nextAt ?? 0]);
        expect(await world.store.jobs.remove(job.id)).toBe(true);
        expect(await world.store.jobs.remove(job.id)).toBe(false);
        expect(await world.store.jobs.find(job.id)).toBeNull();
        expect(await runs(job)).toEqual([]);
        expect(await states(other)).toEqual(["due"]);
        expect(await world.store.jobRuns.of(item.id)).toBeNull();
        const said = { role: "assistant", content: "still here" } as const;
        const step = { messages: [said], deliveries: [], steeredIn: [] };
        expect(await world.store.turns.finish(turn, "done", step, null, world.now)).toBe(true);
        expect(await world.store.jobRuns.ended(10)).toEqual([]);
      });

      it("leaves nothing behind, whatever happens at the same time over two connections", async () => {
        for (let n = 0; n < 10; n++) {
          const over = await ended({ overlap: "queue" });
          const { job } = over;
          const now = await seen(job);
          const results = [world.waitsAt("origin")];
          const deliveries = [world.delivery({ runId: over.run.id })];
          const effects = { ...quiet, state: "done", results, deliveries } as const;
          await race(6, async ({ jobs, jobRuns }, which) => {
            if (which < 2) await jobs.remove(job.id);
            else if (which === 2) await jobs.ask(job.id, world.now);
            else if (which === 3) await jobRuns.settle(over, effects, well, world.now);
            else if (which === 4)
              await jobRuns.decided([[now, world.decision([world.now + 9 * MINUTE])]], world.now);
            else await jobs.change(now, settingOf(), { clock: in5() }, world.now);
          });
          expect(await world.store.jobs.find(job.id)).toBeNull();
          expect(await runs(job)).toEqual([]);
        }
        expect(await world.store.jobRuns.waiting(MANY)).toEqual([]);
      });
    });

    describe("a run that somebody asks for", () => {
      it("uses up no time of the job, and asking again before it begins is the same", async () => {
        const job = await added({ repeat: 2 });
        const first = await world.store.jobs.ask(job.id, world.now);
        world.now++;
        expect(await world.store.jobs.ask(job.id, world.now)).toBe(first);
        expect(await seen(job)).toEqual(job);
        const shown = { jobId: job.id, scheduledFor: null, state: "due", results: [] };
        expect(await runs(job)).toMatchObject([{ ...shown, id: first, madeAt: world.now - 1 }]);
        const racers = await race(8, ({ jobs }) => jobs.ask(job.id, world.now));
        expect(new Set(racers)).toEqual(new Set([first]));
        expect(await world.store.jobs.ask(newJobId(), world.now)).toBeNull();
      });

      it("runs also if the job is paused or done", async () => {
        const job = await added();
        await world.store.jobs.pause(job, world.now);
        const asked = await world.store.jobs.ask(job.id, world.now);
        expect((await waiting(job)).run.id).toBe(asked);
      });
    });

    it("shows the last runs, newest first, with what became of each result", async () => {
      const over = await ended();
      const { job } = over;
      const results = [
        world.waitsAt("origin"),
        { ...world.waitsAt("a file"), address: null, state: "kept" },
      ] as const;
      await world.store.jobRuns.settle(
        over,
        { ...quiet, state: "done", output: "a/b.md", results },
        well,
        world.now,
      );
      await decide(job, [world.now + 2 * MINUTE, world.now + 3 * MINUTE]);
      const all = await runs(job);
      expect(all.map(({ scheduledFor }) => scheduledFor)).toEqual(
        [3, 2, 1].map((minutes) => world.now + minutes * MINUTE),
      );
      expect(all.at(-1)).toMatchObject({ state: "done", output: "a/b.md", results: results.toReversed() });
      expect(await world.store.jobs.runs(job.id, 2)).toEqual(all.slice(0, 2));
    });

    it("is told of with every change, and not without", async () => {
      const job = fresh();
      const { jobs } = world.store;
      const changes: [string, () => Promise<unknown>][] = [
        ["add", () => jobs.add(job, in5(), [OWNER], MANY, world.now)],
        ["change", async () => jobs.change(await seen(job), settingOf(), { clock: in5() }, world.now)],
        ["pause", async () => jobs.pause(await seen(job), world.now)],
        ["resume", async () => jobs.resume(await seen(job), in5(), world.now)],
        ["ask", () => jobs.ask(job.id, world.now)],
        ["remove", () => jobs.remove(job.id)],
      ];
      for (const [what, change] of changes) expect([what, await factsOf(change)]).toEqual([what, ["jobs"]]);
      expect(await factsOf(() => jobs.remove(job.id))).toEqual([]);
      expect(await factsOf(() => jobs.ask(job.id, world.now))).toEqual([]);
    });

    it("is gone with its person", async () => {
      await world.store.people.join(OWNER, `${THERE}:ann`, "p1", world.now);
      const { job, item } = await begun();
      const elsewhere = await added({ owner: `${THERE}:ann` });
      const bobs = await added({ owner: "b:bob" });
      const facts = await factsOf(() => world.store.people.forget({ personId: "p1" }));
      expect(facts).toContain("jobs");
      expect(await world.store.jobs.list(null)).toMatchObject([{ id: bobs.id }]);
      expect([...(await runs(job)), ...(await runs(elsewhere))]).toEqual([]);
      expect(await world.store.jobRuns.of(item.id)).toBeNull();
      await world.store.people.forget({ identity: "b:bob" }); // Nobody let him in.
      expect(await world.store.jobs.list(null)).toEqual([]);
    });

    it("goes where its conversation is handed to", async () => {
      const job = await added();
      const other = await added({ origin: { ...job.origin, key: world.sessions.laneOf(there).key } });
      const id = newHandoffId();
      const { handoffs } = world.store;
      const asker = { source: ann, account: "bot", holder: "" };
      await handoffs.request(
        { id, sessionId: world.entry.sessionId, target: `${THERE}:9`, asker },
        world.now,
      );
      await handoffs.step(
        id,
        { kind: "claim", fence: 0, holder: "me", leaseMs: MINUTE, left: false },
        world.now,
      );
      const place = world.sessions.laneOf(there);
      await handoffs.step(id, { kind: "aim", fence: 1, destination: place }, world.now);
      const answering = { account: "bot there", holder: "me" };
      const complete = { kind: "complete", fence: 1 } as const;
      const facts = await factsOf(async () =>
        expect(await handoffs.step(id, complete, world.now, { place, answering })).toMatchObject({
          ok: true,
        }),
      );
      expect(facts).toContain("jobs");
      const moved = { key: place.key, source: there, account: "bot there" };
      expect(await seen(job)).toEqual({ ...job, origin: moved });
      expect(await seen(other)).toEqual(other);
    });

    jobTimeCases(world);
    jobRunCases(world);
    jobResultCases(world);
  });
}
