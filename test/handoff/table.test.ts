/**
 * A handoff, struck at each of its steps by each thing that can happen: nothing is lost, nobody is told what is not so,
 * and the conversation is always in exactly one place.
 */
import { existsSync } from "node:fs";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openStore } from "../../src/open-sessions.js";
import type { Outcome } from "./check.js";
import { FAULTS, type Fault, STEPS, type Step } from "./faults.js";
import { hasNotEnded } from "./mortal.js";
import { perform } from "./run.js";
import type { Variant } from "./stage.js";

// Which processes have ended is for the tests to say: all of them are in this one.
vi.mock("../../src/util/holder.js", async (original) => ({
  ...(await original<typeof import("../../src/util/holder.js")>()),
  // Looked up when it is called: it imports the very module that is replaced here.
  mayBeAlive: (holder: string) => hasNotEnded(holder),
}));

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const AT_ONCE = 10;
const steps = Object.keys(STEPS) as Step[];
const faults = Object.keys(FAULTS) as Fault[];
const cells = steps.flatMap((step) => faults.map((fault) => ({ step, fault })));
const tally = new Map(steps.map((step) => [step, new Map(faults.map((fault) => [fault, ""]))]));

let folder: string;
let runs = 0;
let running = 0;
const waiting: (() => void)[] = [];

beforeAll(async () => {
  // What is on trial is the order of things, not the disk: in memory where there is such a place.
  folder = await mkdtemp(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "baton-table-"));
  await (await openStore({ url: join(folder, "empty.db") })).sessions.close();
});
afterAll(async () => {
  console.log(`seed ${SEED}, ${runs} runs; completed / failed / not asked:`);
  console.table(Object.fromEntries([...tally].map(([step, row]) => [step, Object.fromEntries(row)])));
  await rm(folder, { recursive: true, force: true });
});

describe.concurrent("a handoff", () => {
  const named = cells.map((cell) => [`${cell.step} × ${cell.fault}`, cell] as const);
  it.for(named)("%s", { timeout: 300_000 }, async ([, { step, fault }]) => {
    const variants = variantsOf(step, fault);
    const outcomes = await Promise.all(
      variants.map((variant) =>
        limited(async () => {
          const path = join(folder, `${++runs}.db`);
          await copyFile(join(folder, "empty.db"), path);
          return perform(path, { step, fault, variant });
        }),
      ),
    );
    expect(outcomes.length).toBeGreaterThanOrEqual(5);
    const count = (outcome: Outcome): number => outcomes.filter((each) => each === outcome).length;
    tally.get(step)?.set(fault, `${count("completed")} / ${count("failed")} / ${count("not asked")}`);
  });
});

function variantsOf(step: Step, fault: Fault): Variant[] {
  const isLinked = fault === "target removed";
  const mustThread = step.startsWith("thread ");
  const elsewhere = mustThread ? "threads once" : "none";
  const seed = SEED + 1_000 * cells.findIndex((cell) => cell.step === step && cell.fault === fault);
  const usual = {
    side: "before",
    strikes: 1,
    threads: "threads",
    from: "chat",
    isOne: false,
    hasStandby: false,
    isBusy: false,
    isQueued: false,
    isLinked,
  } as const;
  const differences: Partial<Variant>[] = [
    {},
    { side: "after" },
    { threads: "threads once", hasStandby: true, isQueued: true },
    // A turn that two processes ended of is given up, as it should be.
    {
      side: "after",
      threads: "threads once",
      isBusy: true,
      isQueued: true,
      strikes: step === "turn" ? 1 : 2,
    },
    { threads: elsewhere, from: isLinked ? "chat" : "terminal", isQueued: true },
    { side: "after", threads: elsewhere, isOne: true, isBusy: true, isQueued: true },
    ...(fault === "wait expires" ? [{ threads: elsewhere, from: "script" } as const] : []),
  ];
  return differences.map((difference, n) => ({ ...usual, ...difference, seed: seed + n }));
}

/** So many runs at once: a machine that is too busy would only test its own patience. */
async function limited<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}
