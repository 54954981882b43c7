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
import { perform } from "./run.js";
import type { Variant } from "./stage.js";

vi.mock("../../src/gateway/owner.js", async (original) => ({
  ...(await original<typeof import("../../src/gateway/owner.js")>()),
  mayBeAlive: (await import("./mortal.js")).hasNotEnded,
}));

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const tally = new Map<string, Record<string, string>>();
let folder: string;
let runs = 0;

beforeAll(async () => {
  // What is on trial is the order of things, not the disk: in memory where there is such a place.
  folder = await mkdtemp(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "baton-table-"));
  await (await openStore({ url: join(folder, "empty.db") })).sessions.close();
});
afterAll(async () => {
  console.log(`seed ${SEED}, ${runs} runs; completed / failed / not asked:`);
  console.table(Object.fromEntries(tally));
  await rm(folder, { recursive: true, force: true });
});

const cases = (Object.keys(STEPS) as Step[]).flatMap((step) =>
  (Object.keys(FAULTS) as Fault[]).map((fault) => ({ step, fault })),
);

describe.concurrent("a handoff", () => {
  it.for(cases.map((cell) => [`${cell.step} × ${cell.fault}`, cell] as const))(
    "%s",
    { timeout: 200_000 },
    async ([, { step, fault }]) => {
      const outcomes = await Promise.all(
        variantsOf(step, fault).map(async (variant) => {
          const path = join(folder, `${++runs}.db`);
          await copyFile(join(folder, "empty.db"), path);
          return limited(() => perform(path, { step, fault, variant }));
        }),
      );
      const count = (outcome: Outcome): number => outcomes.filter((each) => each === outcome).length;
      const counts = [count("completed"), count("failed"), count("not asked")];
      tally.set(step, { ...tally.get(step), [fault]: counts.join(" / ") });
      expect(counts.reduce((a, b) => a + b)).toBe(outcomes.length);
    },
  );
});

function variantsOf(step: Step, fault: Fault): Variant[] {
  const isLinked = fault === "target removed";
  const mustThread = step.startsWith("thread ");
  const mayRepeat = step !== "turn";
  const base = {
    side: "before",
    strikes: 1,
    threads: "none",
    from: "chat",
    isOne: false,
    hasStandby: false,
    isBusy: false,
    isQueued: false,
    isLinked,
  } as const;
  const differences: Partial<Variant>[] = [
    { threads: "threads" },
    { side: "after", threads: "threads" },
    { threads: "threads once", hasStandby: true, isQueued: true },
    {
      side: "after",
      threads: "threads once",
      isBusy: true,
      isQueued: true,
      ...(mayRepeat ? { strikes: 2 } : {}),
    },
    {
      ...(mustThread ? { threads: "threads once" } : {}),
      from: isLinked ? "chat" : "terminal",
      isQueued: true,
    },
    { side: "after", ...(mustThread ? { threads: "threads once" } : {}), isOne: true, isBusy: true },
    ...(fault === "wait expires"
      ? [{ from: "script", threads: mustThread ? "threads" : "none" } as const]
      : []),
  ];
  return differences.map((difference, n) => ({
    ...base,
    ...difference,
    seed: SEED + n * 1_000 + cases.findIndex((each) => each.step === step && each.fault === fault),
  }));
}

const AT_ONCE = Number(process.env.AT_ONCE ?? 10);
let running = 0;
const waiting: (() => void)[] = [];
async function limited<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}
