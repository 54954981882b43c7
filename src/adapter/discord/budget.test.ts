import { describe, expect, it } from "vitest";
import type { Memory } from "../adapter.js";
import { IDENTIFIES_A_DAY, IdentifyBudget, mayIdentifyAt } from "./budget.js";

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 0, 10, 12);

describe("the day's budget", () => {
  it("allows fifty within any day, and then waits for the first to be a day old", () => {
    const times = Array.from({ length: IDENTIFIES_A_DAY }, (_, n) => NOW - 1_000 * (IDENTIFIES_A_DAY - n));
    expect(mayIdentifyAt(times.slice(1), NOW)).toBe(NOW);
    expect(mayIdentifyAt(times, NOW)).toBe(NOW - 50_000 + DAY_MS);
    expect(mayIdentifyAt(times, NOW - 50_000 + DAY_MS)).toBe(NOW - 50_000 + DAY_MS);
    expect(mayIdentifyAt(times, NOW + DAY_MS)).toBe(NOW + DAY_MS);
  });

  it("is not used up by times that are to come, when a clock was set back", () => {
    expect(mayIdentifyAt(Array(60).fill(NOW + 1), NOW)).toBe(NOW);
  });

  it("is written down before it is spent, over processes", async () => {
    const { memory, kept } = remembering();
    for (let n = 0; n < IDENTIFIES_A_DAY; n += 1)
      await new IdentifyBudget(memory, () => NOW + n).spend(never(), () => {});
    expect(JSON.parse(kept.get("identifies") ?? "")).toHaveLength(IDENTIFIES_A_DAY);
    expect(await new IdentifyBudget(memory, () => NOW + 60).exhaustedUntil()).toBe(NOW + DAY_MS);
  });

  it("makes who comes too often wait, says until when, and can be stopped", async () => {
    const { memory, kept } = remembering();
    const full = JSON.stringify(Array(IDENTIFIES_A_DAY).fill(NOW));
    kept.set("identifies", full);
    const stop = new AbortController();
    const told: number[] = [];
    const spending = new IdentifyBudget(memory, () => NOW).spend(stop.signal, (until) => {
      told.push(until);
      stop.abort();
    });
    await expect(spending).rejects.toThrow();
    expect(told).toEqual([NOW + DAY_MS]);
    expect(kept.get("identifies")).toBe(full);
  });

  it("begins anew where what was written cannot be read", async () => {
    const { memory, kept } = remembering();
    kept.set("identifies", "{broken");
    expect(await new IdentifyBudget(memory, () => NOW).exhaustedUntil()).toBeNull();
  });
});

function remembering(): { memory: Memory; kept: Map<string, string> } {
  const kept = new Map<string, string>();
  const memory: Memory = {
    read: async (name) => kept.get(name) ?? null,
    write: async (name, value) => void kept.set(name, value),
  };
  return { memory, kept };
}

function never(): AbortSignal {
  return new AbortController().signal;
}
