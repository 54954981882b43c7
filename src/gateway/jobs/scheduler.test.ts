import { setImmediate as nextRound } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addJob, aJob } from "../../../test/support/job-world.js";
import { openDb } from "../../open-sessions.js";
import type { CatchUp } from "../../schedule/due.js";
import type { Job } from "../../schedule/job.js";
import { nextRun, type Schedule } from "../../schedule/schedule.js";
import type { JobId } from "../../session/ids.js";
import { openSqlStore } from "../../store/sql-store.js";
import type { JobRun, RunEffects } from "../store.js";
import { LOOKED, Scheduler } from "./scheduler.js";
import { SCHEDULER } from "./surface.js";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;
const START = Date.UTC(2026, 10, 17, 13);
/** A clock that was set back by less is waited for. */
const BACK = 90 * SECOND;
/** So many missed times of a job have a row, and one more that stands for all before. */
const MOST_ROWS = 21;
const QUIET: RunEffects = {
  state: "silent",
  error: null,
  output: null,
  results: [],
  deliveries: [],
  said: [],
};

/** A scheduler over a real store, whose turns are over as soon as they begin. */
class Setup {
  now = START;
  readonly problems: string[] = [];
  /** Each run that began, in order. */
  readonly begun: JobRun[] = [];
  readonly store: Awaited<ReturnType<typeof openSqlStore>>;
  readonly scheduler: Scheduler;
  rearmed = 0;
  /** What goes wrong with a run. */
  trouble: { [step in "begin" | "settle"]?: (run: JobRun) => void } = {};
  #steps = 0;
  #onLooked = () => {};

  static async open(): Promise<Setup> {
    const db = await openDb("sqlite::memory:");
    return new Setup(await openSqlStore(db, 0), (id) =>
      db.run("UPDATE job_runs SET state = 'ended' WHERE id = ? AND state = 'running'", id),
    );
  }

  private constructor(store: Setup["store"], endTurn: (id: number) => Promise<unknown>) {
    this.store = store;
    const runs = store.jobRuns;
    const counted = <Result>(step: Promise<Result>) => {
      this.#steps++;
      return step;
    };
    this.scheduler = new Scheduler({
      runs: Object.assign(Object.create(runs), {
        due: runs.due.bind(runs),
        ended: runs.ended.bind(runs),
        waiting: runs.waiting.bind(runs),
        skip: runs.skip.bind(runs),
        giveUp: runs.giveUp.bind(runs),
        untold: runs.untold.bind(runs),
        forgetDone: runs.forgetDone.bind(runs),
        decided: (...given: Parameters<typeof runs.decided>) => counted(runs.decided(...given)),
        rearm: (...given: Parameters<typeof runs.rearm>) => {
          this.rearmed++;
          return runs.rearm(...given);
        },
        nextWake: () => runs.nextWake().finally(() => this.#onLooked()), // The last step of a look.
      }),
      accounts: store.accounts,
      isOurs: () => true,
      begin: async (due) => {
        this.trouble.begin?.(due);
        const { key, source, account } = due.job.origin;
        const made = { made: "job", messageId: `${due.run.id}`, text: "go", inBackground: true } as const;
        const item = { kind: "message", platform: source.platform, account, key, source, ...made } as const;
        if (await counted(runs.begin(due.run.id, item, "me", this.now))) this.begun.push(due);
        await endTurn(due.run.id);
      },
      settle: async (ended) => {
        this.trouble.settle?.(ended);
        const after = { failures: 0, notBefore: null, pausedWhy: null, spent: ended.job.spent };
        await counted(runs.settle(ended, QUIET, after, this.now));
      },
      settleWithout: async (ended, why) => {
        const after = { failures: 1, notBefore: null, pausedWhy: null, spent: ended.job.spent };
        await runs.settle(ended, { ...QUIET, state: "failed", error: why }, after, this.now);
      },
      tell: async () => {},
      tidy: async () => {},
      mostRunning: 1_000,
      clock: () => this.now,
      onProblem: (problem) => this.problems.push(problem),
    });
  }

  add(schedule: Schedule, catchUp: CatchUp, timeZone = "UTC") {
    const timing = { schedule, timeZone, from: this.now };
    return addJob(this.store.jobs, aJob(this.now, { timing, catchUp }), this.now);
  }

  /** One look, at least. */
  async look(): Promise<void> {
    const looked = new Promise<void>((resolve) => {
      this.#onLooked = resolve;
    });
    this.scheduler.wake();
    await looked;
    await nextRound();
  }

  /** Looks until there is nothing more to do. */
  async settle(): Promise<void> {
    for (let before = -1; before !== this.#steps; ) {
      before = this.#steps;
      await this.look();
      await this.look();
    }
  }

  async runs(id: JobId) {
    return this.store.jobs.runs(id, 1_000);
  }

  async close(): Promise<void> {
    await this.scheduler.stop();
    await this.store.close();
  }
}

describe("a clock that jumps", () => {
  const schedules: Schedule[] = [
    { kind: "once", at: START + HOUR },
    { kind: "every", everyMs: MINUTE },
    { kind: "cron", expression: "0 9 * * *" },
  ];
  const policies: CatchUp[] = [
    { missed: "latest", graceMs: 12 * HOUR },
    { missed: "skip", graceMs: 0 },
    { missed: "all", graceMs: Number.MAX_SAFE_INTEGER },
  ];
  /** From a second to ten years, each size as likely as another. */
  const jump = fc
    .tuple(fc.double({ min: Math.log(SECOND), max: Math.log(10 * YEAR), noNaN: true }), fc.boolean())
    .map(([size, isBack]) => Math.round(Math.exp(size)) * (isBack ? -1 : 1));

  /** What holds after each jump, for each job. */
  async function check(
    setup: Setup,
    { id }: { id: JobId },
    rowsBefore: ReadonlySet<number>,
    begunBefore: number,
  ) {
    const rows = await setup.runs(id);
    const added = rows.filter((run) => !rowsBefore.has(run.id));
    expect(added.length).toBeLessThanOrEqual(MOST_ROWS);
    const begun = setup.begun.slice(begunBefore).filter(({ job }) => job.id === id);
    expect(begun.length).toBeLessThanOrEqual(MOST_ROWS - 1);
    const times = rows.map(({ scheduledFor }) => scheduledFor);
    expect(new Set(times).size).toBe(times.length);
    const ids = setup.begun.map(({ run }) => run.id);
    expect(new Set(ids).size).toBe(ids.length);

    const job = await setup.store.jobs.find(id);
    if (!job) return expect(rows).toEqual([]); // It was done a month ago.
    expect(rows.filter(({ state }) => !["silent", "skipped"].includes(state))).toEqual([]);
    expectAwake(job, setup.now);
  }

  /** Its next time is the first that has not come, as the clock shows it now or did a moment ago. */
  function expectAwake({ state, nextAt, timing }: Job, now: number): void {
    const [next, latest] = [nextRun(timing, now), nextRun(timing, now + BACK)];
    if (next === null || state === "done") {
      expect([state, latest]).toEqual(["done", null]);
      return;
    }
    expect(nextAt).toBeGreaterThanOrEqual(next);
    expect(nextAt).toBeLessThanOrEqual(latest ?? next);
  }

  it("makes no storm and no stall, and no time runs twice", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(jump, { minLength: 1, maxLength: 6 }), async (jumps) => {
        const setup = await Setup.open();
        try {
          const jobs = [];
          for (const schedule of schedules)
            for (const catchUp of policies) jobs.push(await setup.add(schedule, catchUp, "Europe/Berlin"));
          await setup.settle();
          for (const size of jumps) {
            const before = await Promise.all(
              jobs.map(async ({ id }) => new Set((await setup.runs(id)).map((run) => run.id))),
            );
            const begun = setup.begun.length;
            setup.now = Math.max(START - 20 * YEAR, setup.now + size);
            await setup.settle();
            for (const [n, job] of jobs.entries()) await check(setup, job, before[n] ?? new Set(), begun);
          }
          for (const { id } of jobs) {
            const job = await setup.store.jobs.find(id);
            if (job?.state !== "active") continue;
            setup.now = (job.nextAt ?? 0) + SECOND;
            await setup.settle();
            const run = (await setup.runs(id)).find(({ scheduledFor }) => scheduledFor === job.nextAt);
            expect(run?.state).toBe("silent"); // It has run: now, or before the clock was set back.
          }
          expect(setup.problems).toEqual([]);
        } finally {
          await setup.close();
        }
      }),
      { numRuns: process.env.BATON_TEST_FULL === "1" ? 1_000 : 25, endOnFailure: true },
    );
  }, 3_600_000);

  it.each([
    ["a second", SECOND],
    ["a minute", MINUTE],
    ["a day", DAY],
    ["ten years", 10 * YEAR],
  ])("runs each time once if it goes forward by %s and back again", async (_, size) => {
    const setup = await Setup.open();
    try {
      const job = await setup.add({ kind: "every", everyMs: MINUTE }, { missed: "skip", graceMs: 0 });
      const ran = () => setup.begun.map(({ run }) => (run.scheduledFor ?? 0) - START);
      setup.now = START + MINUTE;
      await setup.settle();
      for (const there of [size, -size]) {
        setup.now += there;
        await setup.settle();
      }
      for (let minute = 2; minute <= 4; minute++) {
        setup.now = START + minute * MINUTE;
        await setup.settle();
      }
      const mine = ran().filter((at) => at <= 4 * MINUTE);
      expect(mine.sort((a, b) => a - b)).toEqual([1, 2, 3, 4].map((minute) => minute * MINUTE));
      expect((await setup.store.jobs.find(job.id))?.nextAt).toBe(START + 5 * MINUTE);
    } finally {
      await setup.close();
    }
  });
});

describe("the scheduler", () => {
  let setup: Setup;
  beforeEach(async () => {
    setup = await Setup.open();
  });
  afterEach(() => setup.close());
  const inAMinute = () =>
    setup.add({ kind: "once", at: setup.now + MINUTE }, { missed: "latest", graceMs: HOUR });
  const stateOf = async (id: JobId) => (await setup.runs(id))[0]?.state;

  it.each(["begin", "settle"] as const)(
    "goes on with the others if one run can't %s, says so once, and tries again",
    async (step) => {
      const [bad, good] = [await inAMinute(), await inAMinute()];
      const fail = ({ job }: JobRun) => {
        if (job.id === bad.id) throw new Error("It broke.");
      };
      setup.trouble = { [step]: fail };
      setup.now += MINUTE;
      await setup.settle();
      await setup.look();
      expect(await stateOf(good.id)).toBe("silent");
      expect(await stateOf(bad.id)).toBe(step === "begin" ? "due" : "ended");
      expect(setup.problems).toEqual(["Can't run scheduled jobs: It broke."]);
      setup.trouble = {};
      await setup.settle();
      expect(await stateOf(bad.id)).toBe("silent");
      setup.trouble = { [step]: fail };
      await setup.store.jobs.ask(bad.id, setup.now);
      await setup.settle();
      expect(setup.problems).toHaveLength(2); // It is another time.
    },
  );

  it.each([
    ["begin", "due", { state: "skipped", error: "It could not begin: It broke." }],
    ["settle", "ended", { state: "failed", error: "Its result could not be sent: It broke." }],
  ] as const)(
    "gives up a run that can't %s for a minute, so that it does not keep its place",
    async (step, before, then) => {
      const bad = await inAMinute();
      setup.trouble = {
        [step]: () => {
          throw new Error("It broke.");
        },
      };
      setup.now += MINUTE;
      await setup.settle();
      expect(await stateOf(bad.id)).toBe(before);
      setup.now += MINUTE;
      await setup.settle();
      expect((await setup.store.jobs.runs(bad.id, 1))[0]).toMatchObject(then);
    },
  );

  it("pauses a job of which nobody can tell when it runs next, and goes on with the others", async () => {
    const broken = { kind: "cron", expression: "never" } as const;
    const timing = { schedule: broken, timeZone: "UTC", from: setup.now };
    const clock = { nextAt: setup.now + 1, wakeAt: setup.now + 1 };
    const bad = aJob(setup.now, { timing });
    await setup.store.jobs.add(bad, clock, [], 9, setup.now);
    const good = await inAMinute();
    setup.now += MINUTE;
    await setup.settle();
    expect(await stateOf(good.id)).toBe("silent");
    expect(await setup.store.jobs.find(bad.id)).toMatchObject({ state: "paused" });
    expect(setup.problems).toEqual([
      expect.stringMatching(/^The job "digest" \(j_\w+\) is paused. Its next time can't be found: /),
    ]);
  });

  it("decides about more than one batch in one go", async () => {
    for (let n = 0; n < 120; n++) await inAMinute();
    setup.now += MINUTE;
    await setup.settle();
    expect(setup.begun).toHaveLength(120);
    expect(await setup.store.jobRuns.due(setup.now, 200)).toEqual([]);
  });

  it("says when it looked, and does not write that at each look", async () => {
    const looked = async () => Number(await setup.store.accounts.read(SCHEDULER, LOOKED));
    await setup.look();
    expect(await looked()).toBe(START);
    setup.now += 29 * SECOND;
    await setup.look();
    expect(await looked()).toBe(START);
    setup.now += SECOND;
    await setup.look();
    expect(await looked()).toBe(setup.now);
  });

  it("looks at what another process wrote, whenever it has the account again", async () => {
    await setup.look();
    await setup.store.accounts.write(SCHEDULER, LOOKED, String(START + HOUR)); // Whose clock was ahead.
    await setup.look(); // It is too soon to write that itself.
    expect(setup.rearmed).toBe(0);
    setup.scheduler.taken();
    await setup.look();
    expect(setup.rearmed).toBe(1);
    await setup.look();
    expect(setup.rearmed).toBe(1);
  });

  it("waits for a clock that was set back a little", async () => {
    const job = await setup.add({ kind: "every", everyMs: MINUTE }, { missed: "skip", graceMs: 0 });
    setup.now += MINUTE;
    await setup.settle();
    setup.now -= BACK - SECOND;
    await setup.settle();
    expect(setup.rearmed).toBe(0);
    setup.now += MINUTE;
    await setup.settle();
    expect(await setup.runs(job.id)).toHaveLength(1);
    setup.now = START + 2 * MINUTE;
    await setup.settle();
    expect(await setup.runs(job.id)).toHaveLength(2);
  });

  it("forgets jobs that were done a month ago", async () => {
    const job = await inAMinute();
    setup.now += MINUTE;
    await setup.settle();
    setup.now += 30 * DAY;
    await setup.settle();
    expect(await setup.store.jobs.find(job.id)).not.toBeNull();
    setup.now += HOUR;
    await setup.settle();
    expect(await setup.store.jobs.find(job.id)).toBeNull();
  });

  it("says once that the store is closed, and stops", async () => {
    await setup.look();
    await setup.store.close();
    await setup.look();
    await setup.look();
    expect(setup.problems).toEqual([expect.stringContaining("The store is closed")]);
    await setup.scheduler.stop();
    setup.scheduler.wake();
    await nextRound();
    expect(setup.problems).toHaveLength(1);
  });
});
