/** kill -9 at each step of a run: there is one record of it, and its result arrives once or is known to be in doubt. */
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import type { KillPoint } from "../support/jobs-process.js";
import { type Postgres, startPostgres } from "../support/postgres.js";
import { type Ended, type JobKind, KINDS, KillStage } from "./kill-stage.js";

/** With BATON_TEST_FULL=1 each kind of job is killed at each step; otherwise one kind is, and the others at some. */
const isFull = process.env.BATON_TEST_FULL === "1";

/** Around each of them. What a run does before it is settled: its result is written into a file. */
const STEPS = [
  "jobRuns.decided",
  "jobRuns.begin",
  "turns.begin",
  "model",
  "journal.planned",
  "journal.started",
  "tool",
  "journal.finished",
  "turns.step",
  "turns.finish",
  "jobRuns.settle",
  "outbox.sending",
  "adapter.send",
  "outbox.sent",
];
const SIDES = ["before", "after"] as const;
const POINTS: readonly KillPoint[] = STEPS.flatMap((step) => SIDES.map((side) => ({ step, side })));
const SAMPLE = ["after jobRuns.decided", "after tool", "before jobRuns.settle", "after adapter.send"];

/** What a command says that may have run: its person must look. It is not run again. */
const IN_DOUBT = ["after journal.started", "before tool", "after tool", "before journal.finished"];
/** Nobody knows whether it arrived. It may be on its way as soon as the run is settled. */
const SENDING = ["after outbox.sending", "before adapter.send", "after adapter.send", "before outbox.sent"];
/** The agent is asked only by jobs with a prompt. */
const ONLY_PROMPT = ["before model", "after model"];

const nameOf = ({ side, step }: KillPoint): string => `${side} ${step}`;

function pointsOf(kind: JobKind): readonly KillPoint[] {
  const possible = POINTS.filter((point) => kind !== "command" || !ONLY_PROMPT.includes(nameOf(point)));
  if (isFull || kind === "once") return possible;
  const isOfTools = (point: KillPoint): boolean => kind === "command" && IN_DOUBT.includes(nameOf(point));
  return possible.filter((point) => SAMPLE.includes(nameOf(point)) || isOfTools(point));
}

/** What must have come of it, beyond what holds for each: once, or in doubt. */
function check(point: KillPoint, kind: JobKind, { run, result }: Ended): void {
  const name = nameOf(point);
  const what = `${kind}, ${name}`;
  if (name === "after jobRuns.settle") expect(["sent", "unknown"], what).toContain(result.state);
  else expect(result.state, what).toBe(SENDING.includes(name) ? "unknown" : "sent");
  if (kind === "command" && IN_DOUBT.includes(name)) {
    expect(run.state, what).toBe("failed");
    expect(run.error, what).toContain("may or may not have taken effect");
  } else if (kind === "command" && ["after journal.planned", "before journal.started"].includes(name)) {
    expect(run.error, what).toContain("Not run");
  } else expect(run.state, what).toBe("done");
}

async function onStage(
  gateways: 1 | 2,
  work: (stage: KillStage) => Promise<void>,
  url?: string,
): Promise<void> {
  const stage = await KillStage.open(gateways, url);
  try {
    await work(stage);
    await stage.checkAll();
  } finally {
    await stage.close();
  }
}

const killAll = (gateways: 1 | 2) =>
  onStage(gateways, async (stage) => {
    let kills = 0;
    for (const kind of KINDS)
      for (const point of pointsOf(kind)) {
        check(point, kind, await stage.killAt(point, kind));
        kills += 1;
      }
    const { run } = await stage.killDuringCommand();
    expect(run.error).toContain("may or may not have taken effect");
    console.log(`${kills + 1} kills, gateways: ${gateways}, steps: ${isFull ? "all" : "a sample"}`);
  });

test("a gateway that is killed and started again goes on with its runs", () => killAll(1), 1_200_000);

test("if one of two gateways is killed, the other goes on with its runs", () => killAll(2), 1_200_000);

test(
  "a run is tried three times, and then it says that it failed",
  () =>
    onStage(1, async (stage) => {
      const twice = await stage.killAt({ step: "model", side: "after" }, "once", 2);
      expect(twice.run.state).toBe("done");
      const thrice = await stage.killAt({ step: "model", side: "after" }, "once", 3);
      expect(thrice.run).toMatchObject({ state: "failed", error: "its process ended 3 times" });
      const settling = await stage.killAt({ step: "jobRuns.settle", side: "before" }, "once", 4);
      expect(settling.run.state).toBe("done");
    }),
  1_200_000,
);

describe("on PostgreSQL", () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  it("holds as well", async () => {
    const url = await postgres.createDatabase();
    await onStage(
      2,
      async (stage) => {
        for (const point of POINTS.filter((each) => isFull || SAMPLE.includes(nameOf(each))))
          check(point, "once", await stage.killAt(point, "once"));
      },
      url,
    );
  }, 1_200_000);
});
