/** Lines that end in every way, and what the gateway is told of them. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ConnectError, type Surroundings } from "./adapter.js";
import { KeptLine } from "./kept-line.js";

/** One line that was begun: the test says when it is up, and how it ends. */
interface Begun {
  readonly up: (line: string) => void;
  readonly end: AbortSignal;
  readonly cut: () => void;
  readonly fail: (error: Error) => void;
}

describe("a kept line", () => {
  const told: Parameters<Surroundings["tell"]>[0][] = [];
  const begun: Begun[] = [];
  let kept: KeptLine<string>;

  beforeEach(() => {
    vi.useFakeTimers();
    told.length = 0;
    begun.length = 0;
    kept = new KeptLine(
      (up, end) =>
        new Promise<void>((cut, fail) => {
          begun.push({ up, end, cut, fail });
          end.addEventListener("abort", () => cut());
        }),
      (state) => void told.push(state),
    );
  });
  afterEach(async () => {
    await kept.close();
    vi.useRealTimers();
  });

  const last = (): Begun => begun.at(-1) as Begun;
  const opened = async (): Promise<void> => {
    const opening = kept.open();
    last().up("first");
    await opening;
  };

  it("is open when it is up, and the gateway is not told what it knows", async () => {
    const opening = kept.open();
    expect(kept.current).toBeNull();
    last().up("first");
    last().up("first");
    await opening;
    expect(kept.current).toBe("first");
    expect(told).toEqual([]);
  });

  it.each([
    ["an error", new Error("ECONNREFUSED"), "retryable"],
    ["a refusal", new ConnectError("permanent", "Mend the token."), "permanent"],
  ])("fails by %s before it was up, and is not tried again", async (_what, error, outcome) => {
    const opening = kept.open();
    last().fail(error);
    await expect(opening).rejects.toMatchObject({ outcome, message: expect.stringContaining(error.message) });
    await expect(opening).rejects.toBeInstanceOf(ConnectError);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(begun).toHaveLength(1);
    expect(told).toEqual([]);
  });

  it("comes back, soon at first and then later and later, and tells once that it was lost", async () => {
    await opened();
    last().cut();
    await vi.advanceTimersByTimeAsync(100);
    expect(kept.current).toBeNull();
    for (const pauseMs of [200, 400, 800]) {
      const before = begun.length;
      last().fail(new Error("it is not there"));
      await vi.advanceTimersByTimeAsync(pauseMs - 1);
      expect(begun).toHaveLength(before);
      await vi.advanceTimersByTimeAsync(1);
      expect(begun).toHaveLength(before + 1);
    }
    expect(told).toEqual([{ lost: "The line was cut." }]);
    last().up("again");
    expect(kept.current).toBe("again");
    expect(told).toEqual([{ lost: "The line was cut." }, "connected"]);
  });

  it("does not hurry to one that lets us in only to cut us off", async () => {
    await opened();
    for (let n = 0; n < 12; n += 1) {
      last().cut();
      await vi.advanceTimersByTimeAsync(60_000);
      last().up(`line ${n}`);
    }
    const before = begun.length;
    last().cut();
    await vi.advanceTimersByTimeAsync(59_999);
    expect(begun).toHaveLength(before);
    await vi.advanceTimersByTimeAsync(1);
    last().up("one that lasts");
    await vi.advanceTimersByTimeAsync(30_001);
    last().cut();
    await vi.advanceTimersByTimeAsync(100);
    expect(begun).toHaveLength(before + 2);
  });

  it("gives up where somebody has to mend something, and says so", async () => {
    await opened();
    last().fail(new ConnectError("permanent", "Mend the token."));
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(told).toEqual([{ failed: "Mend the token." }]);
    expect(begun).toHaveLength(1);
  });

  it("is closed, also twice", async () => {
    await opened();
    await kept.close();
    await kept.close();
    expect(last().end.aborted).toBe(true);
    expect(kept.current).toBeNull();
    expect(told).toEqual([]);
  });

  it.each(["on its way", "waiting"])("is closed while it is %s", async (when) => {
    await opened();
    last().cut();
    await vi.advanceTimersByTimeAsync(when === "waiting" ? 99 : 100);
    await kept.close();
    last().up("too late");
    expect(kept.current).toBeNull();
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(begun).toHaveLength(when === "waiting" ? 1 : 2);
    expect(told).toEqual([{ lost: "The line was cut." }]);
  });

  it("fails to open when it is closed, before or meanwhile", async () => {
    const opening = kept.open();
    await Promise.all([kept.close(), expect(opening).rejects.toBeInstanceOf(ConnectError)]);
    await expect(kept.open()).rejects.toBeInstanceOf(ConnectError);
  });
});
