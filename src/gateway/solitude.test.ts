/** A turn that is tried alone has nobody beside it, and keeps nobody waiting for long. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { isGivenUp, isTriedAlone } from "./attempts.js";
import { Solitude } from "./solitude.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Who has begun, in order; and how each ends. */
function stage(patienceMs = 1_000) {
  const solitude = new Solitude(patienceMs);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const enter = async (name: string, alone: boolean): Promise<void> => {
    const end = await solitude.enter(alone);
    begun.push(name);
    ends.set(name, end);
  };
  const settle = async (...names: string[]): Promise<void> => {
    for (const name of names) ends.get(name)?.();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { begun, enter, settle };
}

it("turns run beside each other", async () => {
  const { begun, enter, settle } = stage();
  for (const name of ["a", "b", "c"]) void enter(name, false);
  await settle();
  expect(begun).toEqual(["a", "b", "c"]);
});

it("one that is tried alone waits until nothing runs, and nothing begins beside it", async () => {
  const { begun, enter, settle } = stage();
  void enter("a", false);
  void enter("alone", true);
  void enter("b", false); // It keeps nobody waiting while it waits itself.
  await settle();
  expect(begun).toEqual(["a", "b"]);
  await settle("a", "b");
  void enter("c", false);
  void enter("alone too", true);
  await settle();
  expect(begun).toEqual(["a", "b", "alone"]);
  await settle("alone");
  expect(begun).toEqual(["a", "b", "alone", "c"]);
  await settle("c");
  expect(begun.at(-1)).toBe("alone too");
});

it("after a while it runs beside the others, and they beside it", async () => {
  const { begun, enter, settle } = stage(1_000);
  void enter("long", false);
  void enter("alone", true);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(begun).toEqual(["long", "alone"]);
  await settle("long", "alone");

  void enter("long and alone", true);
  await settle();
  void enter("b", false);
  await settle();
  expect(begun.at(-1)).toBe("long and alone");
  await vi.advanceTimersByTimeAsync(1_000);
  expect(begun.at(-1)).toBe("b");
  await settle("b");
  void enter("alone again", true);
  await settle("long and alone");
  expect(begun.at(-1)).toBe("alone again");
});

it("a turn has a third try, alone, and is given up where its process ended of it alone, or far too often", () => {
  const tries = [2, 3, 4, 5, 8, 9].map((attempt) => ({
    attempt,
    alone: isTriedAlone({ attempt }),
    givenUp: [0, 1, 2, 3].map((loneDeaths) => isGivenUp({ attempt, loneDeaths }, {})),
  }));
  expect(tries).toEqual([
    { attempt: 2, alone: false, givenUp: [false, false, false, false] },
    { attempt: 3, alone: true, givenUp: [false, false, false, false] },
    { attempt: 4, alone: true, givenUp: [false, false, true, true] },
    { attempt: 5, alone: true, givenUp: [false, false, true, true] },
    { attempt: 8, alone: true, givenUp: [false, false, true, true] },
    { attempt: 9, alone: true, givenUp: [true, true, true, true] },
  ]);
});
