import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ConsolidationClaim, Consolidations } from "../../memory/consolidations.js";
import type { SessionId } from "../../session/ids.js";
import { whileClaimed } from "./while-claimed.js";

const claim = { fence: 1 } as ConsolidationClaim;
const ID = "20260110_120000_000000000000" as SessionId;
let calls: string[];

beforeEach(() => {
  vi.useFakeTimers();
  calls = [];
});
afterEach(() => vi.useRealTimers());

function setting(present: ConsolidationClaim | null = claim) {
  const consolidations = {
    claim: async () => present,
    renew: async () => {
      calls.push("renew");
      throw new Error("The database is busy.");
    },
    release: async () => void calls.push("release"),
  } as unknown as Consolidations;
  return { consolidations, holder: "one", clock: () => 0 };
}

it("renews the lease as long as the work lasts, also if that fails once", async () => {
  const work = new Promise((resolve) => setTimeout(resolve, 130_000));
  const done = whileClaimed(setting(), ID, () => work);
  await vi.advanceTimersByTimeAsync(125_000);
  expect(calls.length).toBeGreaterThan(125 / 60);
  await vi.advanceTimersByTimeAsync(5_000);
  await done;
  const renewed = calls.length;
  await vi.advanceTimersByTimeAsync(600_000);
  expect(calls).toEqual(Array.from({ length: renewed }, () => "renew"));
});

it("releases the claim if the work throws, and does nothing without one", async () => {
  const fail = async () => {
    throw new Error("no");
  };
  await expect(whileClaimed(setting(), ID, fail)).rejects.toThrow("no");
  expect(calls).toEqual(["release"]);
  expect(await whileClaimed(setting(null), ID, fail)).toBeNull();
});
