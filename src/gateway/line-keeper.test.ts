/** Lines that end in every way, and what the gateway hears of them. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Adapter, ConnectError, type Line, type Speaker } from "../adapter/adapter.js";
import { platforms } from "../session/platform.js";
import { LineKeeper } from "./line-keeper.js";

/** One line that was begun: the test says when it is up, and how it ends. */
interface Begun extends Line {
  readonly cut: () => void;
  readonly fail: (error: Error) => void;
}

const [, HERE = ""] = platforms();
const speaker: Speaker = { send: async ({ deliveryId }) => ({ messageId: deliveryId }) };
const message = { address: { platform: HERE, chatId: "ann" }, text: "hello", deliveryId: "1" };

describe("a line that is kept", () => {
  const heard: ("up" | string)[] = [];
  const begun: Begun[] = [];
  let keeper: LineKeeper;
  let goes = true;

  beforeEach(() => {
    vi.useFakeTimers();
    heard.length = 0;
    begun.length = 0;
    goes = true;
    const adapter: Adapter = {
      platform: HERE,
      account: "bot",
      capabilities: { maxText: 100, unit: "utf16", edit: false, threads: false },
      serve: (line) =>
        new Promise<void>((cut, fail) => {
          begun.push({ ...line, cut, fail });
          line.end.addEventListener("abort", () => goes && cut());
        }),
    };
    keeper = new LineKeeper({
      adapter,
      given: {
        receive: async () => "accepted",
        memory: { read: async () => null, write: async () => {} },
        commands: [],
        knows: async () => true,
        reactions: false,
        problem: () => {},
      },
      onUp: () => heard.push("up"),
      onDown: ({ outcome, message: reason }) => heard.push(`${outcome}: ${reason}`),
      random: () => 0,
    });
  });
  afterEach(async () => {
    goes = true;
    const stopped = keeper.stop();
    await vi.advanceTimersByTimeAsync(3_600_000);
    await stopped;
    vi.useRealTimers();
  });

  const last = (): Begun => begun.at(-1) as Begun;
  const opened = async (): Promise<void> => {
    const starting = keeper.start();
    last().up(speaker);
    await starting;
  };

  it("is started when it is up, and is spoken by from then on", async () => {
    const starting = keeper.start();
    expect(keeper.speaker).toBeNull();
    last().up(speaker);
    last().up(speaker);
    await starting;
    expect(await keeper.speaker?.send(message)).toEqual({ messageId: "1" });
    expect(heard).toEqual(["up"]);
  });

  it.each([
    ["an error", new Error("ECONNREFUSED"), "retryable"],
    ["a refusal", new ConnectError("permanent", "Mend the token."), "permanent"],
  ])("is started, too, when the first one failed by %s, and says so", async (_what, error, outcome) => {
    const starting = keeper.start();
    last().fail(error);
    await starting;
    expect(keeper.speaker).toBeNull();
    expect(heard).toEqual([expect.stringMatching(new RegExp(`^${outcome}: .*${error.message}`))]);
  });

  it("comes back, soon at first and then later and later", async () => {
    await opened();
    last().cut();
    await vi.advanceTimersByTimeAsync(100);
    expect(keeper.speaker).toBeNull();
    for (const pauseMs of [200, 400, 800]) {
      const before = begun.length;
      last().fail(new Error("it is not there"));
      await vi.advanceTimersByTimeAsync(pauseMs - 1);
      expect(begun).toHaveLength(before);
      await vi.advanceTimersByTimeAsync(1);
      expect(begun).toHaveLength(before + 1);
    }
    expect(heard[1]).toBe("retryable: The connection was cut.");
    last().up(speaker);
    expect(await keeper.speaker?.send(message)).toEqual({ messageId: "1" });
    expect(heard.filter((each) => each === "up")).toHaveLength(2);
  });

  it("does not hurry to one that lets us in only to cut us off", async () => {
    await opened();
    for (let n = 0; n < 12; n += 1) {
      last().cut();
      await vi.advanceTimersByTimeAsync(60_000);
      last().up(speaker);
    }
    const before = begun.length;
    last().cut();
    await vi.advanceTimersByTimeAsync(59_999);
    expect(begun).toHaveLength(before);
    await vi.advanceTimersByTimeAsync(1);
    last().up(speaker);
    await vi.advanceTimersByTimeAsync(30_001);
    last().cut();
    await vi.advanceTimersByTimeAsync(100);
    expect(begun).toHaveLength(before + 2);
  });

  it("gives up if somebody has to mend something, and says so", async () => {
    await opened();
    last().fail(new ConnectError("permanent", "Mend the token."));
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(heard).toEqual(["up", "permanent: Mend the token."]);
    expect(begun).toHaveLength(1);
  });

  it("is looked after from time to time if the error says when", async () => {
    await opened();
    last().fail(new ConnectError("permanent", "Switch it on.", { retryAfterMs: 1_800_000 }));
    await vi.advanceTimersByTimeAsync(1_799_999);
    expect(begun).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toHaveLength(2);
  });

  it("is renewed at once if the platform asks for that, and says nothing; not forever", async () => {
    await opened();
    for (let n = 0; n < 3; n += 1) {
      last().fail(new ConnectError("retryable", "renewed", { retryAfterMs: 0 }));
      await vi.advanceTimersByTimeAsync(0);
    }
    expect([begun.length, heard]).toEqual([4, ["up"]]);
    last().fail(new ConnectError("retryable", "renewed", { retryAfterMs: 0 }));
    await vi.advanceTimersByTimeAsync(799);
    expect([begun.length, heard]).toEqual([4, ["up", "retryable: renewed"]]);
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toHaveLength(5);
  });

  it("fails calls of a speaker whose line is gone, or is going", async () => {
    await opened();
    const old = keeper.speaker;
    last().cut();
    await vi.advanceTimersByTimeAsync(100);
    last().up(speaker);
    await expect(old?.send(message)).rejects.toMatchObject({ outcome: "retryable" });
    const going = keeper.speaker;
    goes = false;
    const stopped = keeper.stop();
    await expect(going?.send(message)).rejects.toMatchObject({ outcome: "retryable" });
    last().cut();
    await stopped;
  });

  it("is given up if it does not come up in time, and the next is tried, whether it goes or not", async () => {
    goes = false;
    const starting = keeper.start();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(last().end.aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(3_000);
    await starting;
    expect(heard).toEqual(["retryable: It did not answer within 30 s."]);
    const [late] = begun;
    await vi.advanceTimersByTimeAsync(100);
    expect(begun).toHaveLength(2);
    late?.up(speaker);
    expect([keeper.speaker, heard.length]).toEqual([null, 1]);
  });

  it("is stopped, also twice", async () => {
    await opened();
    await keeper.stop();
    await keeper.stop();
    expect(last().end.aborted).toBe(true);
    expect(keeper.speaker).toBeNull();
    expect(heard).toEqual(["up"]);
  });

  it("is waited for while it goes", async () => {
    await opened();
    goes = false;
    let isStopped = false;
    const stopped = keeper.stop().then(() => {
      isStopped = true;
    });
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(isStopped).toBe(false);
    last().cut();
    await stopped;
  });

  it.each(["on its way", "waiting"])("is stopped while it is %s", async (when) => {
    await opened();
    last().cut();
    await vi.advanceTimersByTimeAsync(when === "waiting" ? 99 : 100);
    await keeper.stop();
    last().up(speaker);
    expect(keeper.speaker).toBeNull();
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(begun).toHaveLength(when === "waiting" ? 1 : 2);
    expect(heard).toEqual(["up", "retryable: The connection was cut."]);
  });

  it("is started no more once it was stopped, before or meanwhile", async () => {
    const starting = keeper.start();
    await Promise.all([keeper.stop(), starting]);
    await keeper.start();
    expect([begun.length, heard]).toEqual([1, []]);
  });
});
