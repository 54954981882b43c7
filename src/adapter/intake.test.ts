import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Intake } from "./intake.js";

describe("what comes in", () => {
  it("is settled only up to the first entry that is still open", async () => {
    const intake = new Intake<number>();
    intake.beginAt(10);
    const first = gate();
    const second = gate();
    intake.add("a", () => first.passed, 11);
    intake.add("b", () => second.passed, 12);
    intake.pass(13);
    expect(intake.settledUpTo).toBe(10);
    second.open();
    await happened();
    expect(intake.settledUpTo).toBe(10);
    first.open();
    await happened();
    expect(intake.settledUpTo).toBe(13);
  });

  it("is taken in order within a chat, and chats do not wait for each other", async () => {
    const intake = new Intake<number>();
    const order: string[] = [];
    const slow = gate();
    intake.add("a", async () => {
      await slow.passed;
      order.push("a1");
    });
    intake.add("a", async () => void order.push("a2"));
    intake.add("b", async () => void order.push("b1"));
    await happened();
    expect(order).toEqual(["b1"]);
    slow.open();
    await happened();
    expect(order).toEqual(["b1", "a1", "a2"]);
  });

  it("is left as it is once it was stopped, and the work in hand is waited for", async () => {
    const intake = new Intake<number>();
    const order: string[] = [];
    const slow = gate();
    intake.add("a", () => Promise.reject(new Error("not now")), 1);
    intake.add("a", async () => void order.push("overtaken"), 2);
    intake.add("b", async () => {
      await slow.passed;
      order.push("in hand");
    });
    await happened();
    const stopped = intake.stop().then(() => order.push("stopped"));
    intake.add("a", async () => void order.push("too late"), 3);
    await expect(intake.once("c", async () => void order.push("too late"))).rejects.toThrow();
    slow.open();
    await stopped;
    expect(order).toEqual(["in hand", "stopped"]);
    expect(intake.settledUpTo).toBeUndefined();
  });

  it("that is tried once fails to who asked, and holds up nothing behind it", async () => {
    const intake = new Intake();
    const order: string[] = [];
    const failed = intake.once("a", () => Promise.reject(new Error("not now")));
    const next = intake.once("a", async () => void order.push("next"));
    await expect(failed).rejects.toThrow("not now");
    await next;
    expect(order).toEqual(["next"]);
  });

  it("is read on only while fewer entries than asked for are open", async () => {
    const intake = new Intake<number>();
    const first = gate();
    const order: string[] = [];
    intake.add("a", () => first.passed, 1);
    intake.add("b", () => new Promise<void>(() => {}), 2);
    const room = intake.fewerThan(2).then(() => order.push("room"));
    await happened();
    expect(order).toEqual([]);
    first.open();
    await room;
    expect(intake.open).toBe(1);
  });

  it("holds, whatever order the work ends in and however often it fails", async () => {
    const entry = fc.record({
      chat: fc.constantFrom("a", "b", "c"),
      failures: fc.nat(2),
      passes: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 12 }),
        fc.array(fc.nat(), { minLength: 80, maxLength: 80 }),
        fc.array(fc.boolean(), { minLength: 20, maxLength: 20 }),
        playThrough,
      ),
      { numRuns: 300 },
    );
  });
});

/** Plays entries through an intake, ending work in the order of `picks`, and compares it with a plain model. */
async function playThrough(
  entries: readonly { readonly chat: string; readonly failures: number; readonly passes: boolean }[],
  picks: readonly number[],
  settles: readonly boolean[],
): Promise<void> {
  const told: number[] = [];
  let settling = 0;
  const intake = new Intake<number>({
    wait: () => Promise.resolve(),
    settle: async (position) => {
      expect(position).toBeLessThanOrEqual(expectedSettled());
      if (settles[settling++] === false) throw new Error("not now");
      told.push(position);
    },
  });
  intake.beginAt(0);
  const running: { readonly index: number; readonly end: (isTaken: boolean) => void }[] = [];
  const done = new Set<number>();
  const order: number[] = [];
  const expectedSettled = (): number => {
    const open = entries.findIndex((_, index) => !done.has(index));
    return open < 0 ? entries.length : open;
  };
  for (const [index, { chat, failures, passes }] of entries.entries()) {
    if (passes) {
      done.add(index);
      intake.pass(index + 1);
      continue;
    }
    let left = failures;
    const work = (): Promise<void> =>
      new Promise((resolve, reject) => {
        expect(running.some((other) => entries[other.index]?.chat === chat)).toBe(false);
        const end = (): void => {
          if (left-- > 0) reject(new Error("not now"));
          else {
            done.add(index);
            order.push(index);
            resolve();
          }
        };
        running.push({ index, end });
      });
    intake.add(chat, work, index + 1);
  }
  for (const pick of picks) {
    await happened();
    expect(intake.settledUpTo).toBe(expectedSettled());
    const [ended] = running.length > 0 ? running.splice(pick % running.length, 1) : [];
    ended?.end(true);
  }
  await happened();
  expect(done.size).toBe(entries.length);
  for (const chat of ["a", "b", "c"]) {
    const ofChat = order.filter((index) => entries[index]?.chat === chat);
    expect(ofChat).toEqual([...ofChat].sort((one, other) => one - other));
  }
  await intake.stop();
  expect(told).toEqual([...told].sort((one, other) => one - other));
  expect(told.at(-1) ?? 0).toBe(entries.length);
}

function gate(): { passed: Promise<void>; open: () => void } {
  let open: () => void = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

/** Everything that does not wait for anything has happened. */
function happened(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
