import { afterEach, expect, it, vi } from "vitest";
import { Looks } from "./looks.js";

afterEach(() => vi.useRealTimers());

it("looks once more if it was woken during a look, however often, and never twice at once", async () => {
  let looks = 0;
  let atOnce = 0;
  const subject: Looks = new Looks(
    async () => {
      looks += 1;
      atOnce += 1;
      expect(atOnce).toBe(1);
      await null;
      if (looks === 1) for (let n = 0; n < 5; n++) void subject.wake();
      await null;
      atOnce -= 1;
    },
    () => true,
  );
  await Promise.all([subject.wake(), subject.wake()]);
  expect(looks).toBe(2);
  await subject.wake();
  expect(looks).toBe(3);
});

it("does not look while it may not, and looks with the next wake-up", async () => {
  let [looks, may] = [0, false];
  const subject = new Looks(
    async () => {
      looks += 1;
    },
    () => may,
  );
  await subject.wake();
  expect(looks).toBe(0);
  may = true;
  await subject.wake();
  expect(looks).toBe(1);
});

/** Its first look fails. */
function failingOnce(): { readonly subject: Looks; readonly seen: { looks: number } } {
  const seen = { looks: 0 };
  const look = async () => {
    seen.looks += 1;
    if (seen.looks === 1) throw new Error("no");
  };
  return { subject: new Looks(look, () => true), seen };
}

it("rejects if a look does, and looks again after that", async () => {
  const { subject, seen } = failingOnce();
  await expect(subject.wake()).rejects.toThrow("no");
  await subject.wake();
  expect(seen.looks).toBe(2);
});

it("wakes itself after a while, also after a look that failed, until it is stopped", async () => {
  vi.useFakeTimers();
  const { subject, seen } = failingOnce();
  subject.wakeAfter(500);
  subject.wakeAfter(60_000); // Later than what is planned.
  await vi.advanceTimersByTimeAsync(500);
  expect(seen.looks).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(seen.looks).toBe(2);
  subject.wakeAfter(500);
  await subject.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(seen.looks).toBe(2);
});
