/** What became of a send is kept until it is written; and a wait is as long as was asked for, whatever the clock does. */

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SendError } from "../adapter/adapter.js";
import { openDb } from "../open-sessions.js";
import { deliveryIdOf } from "../session/ids.js";
import type { Db } from "../store/db.js";
import { openSqlStore } from "../store/sql-store.js";
import { ScriptedAdapter, type ScriptedOptions } from "../testing/scripted-adapter.js";
import { steadyClock } from "../util/clock.js";
import { processHolder } from "../util/holder.js";
import { Deliverer } from "./deliverer.js";
import type { Outbox } from "./store.js";

let db: Db;
let store: Awaited<ReturnType<typeof openSqlStore>>;
const open: Deliverer[] = [];
beforeEach(async () => {
  db = await openDb("sqlite::memory:");
  store = await openSqlStore(db, 0);
});
afterEach(async () => {
  vi.useRealTimers();
  for (const deliverer of open.splice(0)) await deliverer.stop();
  await store.close();
});

const OWNER = processHolder();

async function begin(options: ScriptedOptions, outbox: Outbox = store.outbox) {
  const adapter = new ScriptedAdapter(options);
  await adapter.connect(async () => "accepted");
  const problems: string[] = [];
  const deliverer = new Deliverer({
    surface: adapter,
    outbox,
    holder: OWNER,
    clock: Date.now,
    steady: steadyClock(Date.now),
    onProblem: (problem) => problems.push(problem),
    isReady: () => true,
    findFile: async () => null,
    giveUpAfterMs: 86_400_000,
    onFailed: () => {},
  });
  open.push(deliverer);
  return { adapter, deliverer, problems };
}

async function say(adapter: ScriptedAdapter, text: string): Promise<void> {
  const address = { platform: adapter.platform, chatId: "ann" };
  const row = { deliveryId: deliveryIdOf(text), account: adapter.account, holder: OWNER, address, text };
  await store.outbox.add([{ ...row, purpose: "reply", sessionId: null, shown: false }], Date.now());
}

const states = async () =>
  (await db.all("SELECT text, state FROM outbox ORDER BY id")).map(({ text, state }) => `${text} ${state}`);

/** An outbox that cannot write what became of a send, so many times. */
function failing(what: "sent" | "retry" | "fail" | "doubt", times: number): Outbox {
  let left = times;
  const call =
    (name: "sent" | "retry" | "fail" | "doubt") =>
    async (...given: never[]): Promise<void> => {
      if (name === what && left-- > 0) throw new Error("The disk is full.");
      return (store.outbox[name] as (...args: never[]) => Promise<void>).apply(store.outbox, given);
    };
  const through = Object.fromEntries(
    ["add", "pending", "nextDue", "sending", "interrupted"].map((name) => [
      name,
      (store.outbox[name as keyof Outbox] as (...args: never[]) => unknown).bind(store.outbox),
    ]),
  );
  return {
    ...through,
    sent: call("sent"),
    retry: call("retry"),
    fail: call("fail"),
    doubt: call("doubt"),
  } as unknown as Outbox;
}

describe("while the store cannot be written", () => {
  async function sendTwo(adapter: ScriptedAdapter, deliverer: Deliverer): Promise<void> {
    await say(adapter, "one");
    await say(adapter, "two");
    await deliverer.wake();
    await adapter.until((sent) => sent.length === 2);
    await deliverer.idle();
    expect(adapter.textsTo("ann")).toEqual(["one", "two"]);
    expect(await states()).toEqual(["one sent", "two sent"]);
  }

  it("a message that was refused for now is sent once it can", async () => {
    const refusals = [new SendError("retryable", "429", { retryAfterMs: 1 })];
    const onSend = () => {
      const refusal = refusals.shift();
      if (refusal) throw refusal;
    };
    const { adapter, deliverer, problems } = await begin({ onSend }, failing("retry", 3));
    await sendTwo(adapter, deliverer);
    expect(problems).toEqual([expect.stringMatching(/Can't save.*The disk is full/)]);
  });

  it("a message that was sent is not in doubt, nothing overtakes it, and it is not sent again", async () => {
    const { adapter, deliverer } = await begin({}, failing("sent", 3));
    await sendTwo(adapter, deliverer);
  });

  it("what failed for good, or nobody knows of, is kept as that", async () => {
    const outcomes = ["permanent", "unknown"] as const;
    let n = 0;
    const onSend = () => {
      throw new SendError(outcomes[n++] ?? "permanent", "no");
    };
    const { adapter, deliverer } = await begin({ onSend }, failing("doubt", 2));
    await say(adapter, "one");
    await say(adapter, "two");
    await deliverer.wake();
    await deliverer.idle();
    expect((await states()).slice(0, 2)).toEqual(["one failed", "two unknown"]);
  });

  it("a process that stops tries once more, and ends", async () => {
    const { adapter, deliverer } = await begin({}, failing("sent", Number.POSITIVE_INFINITY));
    await say(adapter, "one");
    await deliverer.wake();
    await adapter.until((sent) => sent.length === 1);
    await deliverer.stop();
    expect(await states()).toEqual(["one sending"]);
  });
});

describe("a wait that a platform asks for", () => {
  const STEP_MS = 100;
  let waits = 0;

  /** Sends, is told to wait, and lives on while the clock is set; after how long is it sent? */
  async function waited(waitMs: number, jumps: readonly { at: number; by: number }[]): Promise<number> {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"], now: 1e12 });
    let refused = false;
    const onSend = () => {
      if (refused) return;
      refused = true;
      throw new SendError("retryable", "429", { retryAfterMs: waitMs });
    };
    const { adapter, deliverer } = await begin({ onSend });
    await say(adapter, `waits ${++waits}`);
    await deliverer.wake();
    await deliverer.idle();
    let elapsed = 0;
    while (adapter.sent.length === 0 && elapsed < 100_000) {
      for (const { at, by } of jumps) if (at === elapsed) vi.setSystemTime(Date.now() + by);
      await deliverer.wake(); // As another commit would.
      await deliverer.idle();
      await vi.advanceTimersByTimeAsync(STEP_MS);
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate); // What the timer began comes to its end.
      elapsed += STEP_MS;
    }
    await deliverer.stop();
    vi.useRealTimers();
    return elapsed;
  }

  it("is over after that time, though the clock is set back by two hours", async () => {
    expect(await waited(2_000, [{ at: 500, by: -7_200_000 }])).toBe(2_000);
  });

  it("is that long for any clock", async () => {
    const jump = fc.record({
      at: fc.integer({ min: 0, max: 30 }).map((n) => n * 100),
      by: fc.integer({ min: -1e7, max: 1e7 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 30 }),
        fc.array(jump, { maxLength: 4 }),
        async (n, jumps) => {
          const waitMs = n * 100;
          const elapsed = await waited(waitMs, jumps);
          expect(elapsed).toBe(waitMs);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("is no longer for the next process, to whatever time the clock was set", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60_000 }),
        fc.integer({ min: -1e8, max: 1e8 }),
        async (waitMs, by) => {
          const now = 1e12;
          const adapter = new ScriptedAdapter();
          const account = { platform: adapter.platform, account: `account ${++waits}` };
          const row = { deliveryId: deliveryIdOf(account.account), ...account, holder: OWNER, text: "x" };
          const address = { platform: adapter.platform, chatId: "ann" };
          await store.outbox.add([{ ...row, address, purpose: "reply", sessionId: null, shown: false }], now);
          const [{ id = 0 } = {}] = await store.outbox.pending(account, 1);
          await store.outbox.sending(id, OWNER);
          await store.outbox.retry({ id, holder: OWNER }, waitMs, "429", now);
          const later = now + by;
          const due = await store.outbox.nextDue(account, later);
          const isPending = (await store.outbox.pending(account, 1, later)).length === 1;
          expect(isPending).toBe(due === null);
          if (due === null) return;
          expect(due - later).toBeLessThanOrEqual(waitMs);
          expect(await store.outbox.pending(account, 1, due)).toHaveLength(1);
        },
      ),
      { numRuns: 100 },
    );
  });
});
