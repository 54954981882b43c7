/** One process has an account at a time; what cannot be reached is tried again or says why, and hurts nobody else. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { endedHolder } from "../../test/support/ended-holder.js";
import { ConnectError, type Line } from "../adapter/adapter.js";
import { openDb } from "../open-sessions.js";
import { StoreError } from "../session/errors.js";
import { openSqlStore } from "../store/sql-store.js";
import { ScriptedAdapter } from "../testing/scripted-adapter.js";
import { processHolder } from "../util/holder.js";
import { Connection } from "./connection.js";

let store: Awaited<ReturnType<typeof openSqlStore>>;
let now = 0;
let elapsed = 0;
const open: Connection[] = [];
beforeEach(async () => {
  now = 1_000;
  store = await openSqlStore(await openDb("sqlite::memory:"), 0);
});
afterEach(async () => {
  for (const connection of open.splice(0)) await connection.stop();
  await store.close();
});

/** An adapter whose lines are scripted: each entry is one attempt. */
class Moody extends ScriptedAdapter {
  line: Line | undefined;
  /** Ends the line that is up. */
  fail: (error: Error) => void = () => {};
  readonly moods: ("fine" | ConnectError)[];
  attempts = 0;

  constructor(...moods: ("fine" | ConnectError)[]) {
    super();
    this.moods = moods;
  }

  override async serve(line: Line): Promise<void> {
    this.attempts += 1;
    const mood = this.moods.shift() ?? "fine";
    if (mood !== "fine") throw mood;
    this.line = line;
    const failed = new Promise<never>((_, fail) => {
      this.fail = fail;
    });
    await Promise.race([super.serve(line), failed]);
  }
}

function connect(adapter: ScriptedAdapter, holder = processHolder(), takeOn = async () => {}) {
  const events: string[] = [];
  const causes: unknown[] = [];
  const connection = new Connection({
    adapter,
    accounts: store.accounts,
    commands: [{ name: "new", description: "" }],
    receive: async () => "accepted",
    knows: async () => true,
    reactions: false,
    holder,
    leaseMs: 60,
    clock: () => now,
    elapsed: () => elapsed,
    onProblem: (problem, details) => {
      events.push(problem);
      causes.push(details?.cause);
    },
    onTaken: async () => {
      await takeOn();
      events.push("taken");
    },
    onConnected: () => events.push("connected"),
    onLost: async () => void events.push("left"),
    connectMs: 50,
  });
  open.push(connection);
  return { connection, events, causes };
}

/** Another process takes an account away. */
async function steal(adapter: ScriptedAdapter): Promise<void> {
  const holder = await store.accounts.lease(adapter, now);
  await store.accounts.take(adapter, { holder: "thief 1 1 x", leaseMs: 1e9 }, holder?.holder ?? null, now);
}

describe("an account", () => {
  it("is taken, what was left is taken on, and only then does anything come in", async () => {
    const { connection, events } = connect(new Moody());
    await connection.start();
    expect(events).toEqual(["taken", "connected"]);
    expect(connection.state).toEqual({ kind: "connected", since: 1_000 });
  });

  it("is kept, and nothing comes in, until what was left is taken on by a store that failed for a moment", async () => {
    const adapter = new Moody();
    let failures = 2;
    const { connection, events } = connect(adapter, processHolder(), async () => {
      expect(adapter.attempts).toBe(0);
      if (failures-- > 0) throw new StoreError("store_full", "The disk is full.");
    });
    await connection.start();
    expect(connection.isHeld).toBe(true);
    expect(connection.state).toEqual({ kind: "lost", reason: "The disk is full." });
    await vi.waitFor(() => expect(connection.isConnected).toBe(true), 10_000);
    expect(events).toEqual([
      "Telegram is not ready. Baton keeps trying: The disk is full.",
      "taken",
      "connected",
    ]);
  });

  it("is not connected by a try that lost it meanwhile", async () => {
    const adapter = new Moody();
    let goOn = (): void => {};
    let calls = 0;
    const { connection, events } = connect(adapter, processHolder(), () => {
      calls += 1;
      if (calls > 1) return Promise.reject(new StoreError("store_full", "The disk is full."));
      return new Promise((resolve) => {
        goOn = resolve;
      });
    });
    const started = connection.start();
    await vi.waitFor(() => expect(calls).toBe(1), 10_000);
    await steal(adapter);
    await vi.waitFor(() => expect(connection.state.kind).toBe("standing by"), 10_000);
    now += 2e9; // The thief is gone: the account is taken again, and what is left there is not taken on.
    await vi.waitFor(() => expect(calls).toBeGreaterThan(2), 10_000);
    goOn();
    await started;
    const seen = calls;
    await vi.waitFor(() => expect(calls).toBeGreaterThan(seen + 1), 10_000);
    expect(adapter.attempts).toBe(0);
    expect(events).not.toContain("connected");
  });

  it("that others may have, too, says at the start what the store says", async () => {
    const adapter = new Moody();
    Object.assign(adapter.capabilities, { shared: true });
    const { connection } = connect(adapter, processHolder(), async () => {
      throw new StoreError("store_full", "The disk is full.");
    });
    await expect(connection.start()).rejects.toThrow("The disk is full.");
  });

  it("cannot be had from a store that does not say whose it is: that ends the start", async () => {
    await store.close();
    await expect(connect(new Moody()).connection.start()).rejects.toThrow(StoreError);
    open.pop();
    store = await openSqlStore(await openDb("sqlite::memory:"), 0);
  });

  it("has what its adapter says of trouble told under its platform's name, on one line", async () => {
    const adapter = new Moody();
    const { connection, events } = connect(adapter);
    await connection.start();
    adapter.line?.problem("not\ndelivered");
    expect(events.at(-1)).toBe("Telegram: not delivered");
  });

  it("is one process's: another stands by, and has it when the first lets go", async () => {
    const first = connect(new Moody());
    await first.connection.start();
    const waiting = new Moody();
    const second = connect(waiting);
    await second.connection.start();
    expect(second.connection.state).toMatchObject({ kind: "standing by" });
    expect([waiting.attempts, second.events]).toEqual([0, []]);
    await first.connection.stop();
    await vi.waitUntil(() => second.connection.isConnected, { timeout: 20_000 });
    expect(second.events).toEqual(["taken", "connected"]);
  });

  it("is taken at once from a process that has ended, and from one whose lease is over", async () => {
    const [gone, slow] = [endedHolder(), "elsewhere 1 1 x"];
    for (const holder of [gone, slow]) {
      const adapter = new Moody();
      await store.accounts.take(adapter, { holder, leaseMs: holder === gone ? 1_000 : 0 }, null, now);
      const { connection } = connect(adapter);
      await connection.start();
      expect(connection.isConnected).toBe(true);
      await connection.stop();
    }
  });

  it("that was taken away is let go of at once", async () => {
    const adapter = new Moody();
    const { connection, events } = connect(adapter);
    await connection.start();
    await steal(adapter);
    await vi.waitUntil(() => connection.state.kind === "standing by", { timeout: 20_000 });
    await vi.waitUntil(() => events.includes("left"), { timeout: 20_000 });
    expect(events.at(-2)).toMatch(/another process has the account now/);
    await expect(Promise.resolve().then(() => adapter.write({ userId: "ann" }, "hi"))).rejects.toThrow(
      "not connected",
    );
  });

  it("is not taken from a process that cannot be known to have ended, while its lease runs", async () => {
    // Another pid namespace of this machine, where the host's name and even the pid may be the same.
    const elsewhere = endedHolder({ place: "elsewhere" });
    const adapter = new Moody();
    await store.accounts.take(adapter, { holder: elsewhere, leaseMs: 1_000 }, null, now);
    const { connection } = connect(adapter);
    await connection.start();
    expect(connection.state).toEqual({ kind: "standing by", holder: elsewhere });
    now += 1_000;
    await vi.waitUntil(() => connection.isConnected, { timeout: 20_000 });
  });

  it("that cannot be renewed is let go of when its lease has run out, and taken again when it can be", async () => {
    const adapter = new Moody();
    let failure: Error | null = null;
    let renewals = 0;
    const away = <Result>(call: () => Promise<Result>): Promise<Result> =>
      failure ? Promise.reject(failure) : call();
    const { accounts } = store;
    const [renew, holder] = [accounts.renew.bind(accounts), accounts.lease.bind(accounts)];
    vi.spyOn(accounts, "renew").mockImplementation((...call) => {
      renewals += 1;
      return away(() => renew(...call));
    });
    vi.spyOn(accounts, "lease").mockImplementation((...call) => away(() => holder(...call)));
    const renewed = () => {
      const before = renewals;
      return vi.waitUntil(() => renewals > before + 1, { timeout: 20_000 });
    };
    const { connection, events } = connect(adapter);
    await connection.start();

    failure = new StoreError("store_full", "no room"); // Then nobody else can take it either.
    elapsed += 59;
    await renewed();
    elapsed += 59;
    await renewed();
    expect(connection.isConnected).toBe(true);

    failure = new StoreError("store_unreachable", "gone");
    await renewed();
    expect(connection.isConnected).toBe(true);
    elapsed += 60;
    expect([connection.isHeld, connection.isConnected]).toEqual([false, false]); // At once, whatever the beat.
    await vi.waitUntil(() => events.includes("left"), { timeout: 20_000 });
    expect(connection.state).toMatchObject({ kind: "lost", reason: expect.stringContaining("gone") });
    expect(events.join()).toMatch(/Baton saves and answers nothing until the store answers again/);
    // This platform does not bring again what was not taken: it is left, and keeps what is written meanwhile.
    expect(() => adapter.write({ userId: "ann" }, "hi")).toThrow("not connected");

    failure = null;
    await vi.waitUntil(() => connection.isConnected, { timeout: 20_000 });
    expect(adapter.attempts).toBe(2);
  });

  it("is not acted on by a process that stood still past its lease, until it has renewed it", async () => {
    const adapter = new Moody();
    const renew = store.accounts.renew.bind(store.accounts);
    let answer: () => void = () => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    vi.spyOn(store.accounts, "renew").mockImplementation((...call) => asked.then(() => renew(...call)));
    const { connection, events } = connect(adapter);
    await connection.start();
    elapsed += 60;
    expect(connection.isConnected).toBe(false);
    answer();
    await vi.waitUntil(() => connection.isConnected, { timeout: 20_000 });
    expect(events).toEqual(["taken", "connected", "connected"]); // What was to be said meanwhile is looked at.
  });

  it("remembers, for the next process too", async () => {
    const adapter = new Moody();
    await connect(adapter).connection.start();
    await adapter.line?.memory.write("offset", "7");
    await adapter.line?.memory.write("offset", "8\0");
    expect(await adapter.line?.memory.read("offset")).toBe("8\ufffd");
    expect(await store.accounts.read({ platform: adapter.platform, account: "other" }, "offset")).toBeNull();
  });
});

describe("a platform that cannot be reached", () => {
  it("is tried again", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    try {
      const adapter = new Moody(
        new ConnectError("retryable", "no route"),
        new ConnectError("retryable", "busy"),
      );
      const { connection, events } = connect(adapter);
      await connection.start();
      expect(connection.state).toEqual({ kind: "lost", reason: "no route" });
      await vi.advanceTimersByTimeAsync(1_000);
      await vi.advanceTimersByTimeAsync(2_000);
      expect(connection.isConnected).toBe(true);
      expect([adapter.attempts, connection.lastError]).toEqual([3, "busy"]);
      expect(events).toEqual([
        "taken",
        "Telegram is not connected: no route",
        "Telegram is not connected: busy",
        "connected",
      ]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("is given up for now where it does not answer, and stopping does not wait for it", async () => {
    class Silent extends Moody {
      override serve(): Promise<void> {
        return new Promise(() => {});
      }
    }
    const { connection } = connect(new Silent());
    await connection.start();
    expect(connection.state).toMatchObject({
      kind: "lost",
      reason: expect.stringMatching(/did not answer within/),
    });
    const again = connect(new Silent(), "me 1 1 x");
    await connection.stop();
    const starting = again.connection.start();
    await again.connection.stop();
    await starting;
    expect(again.connection.state.kind).toBe("idle");
    expect([again.events, again.connection.lastError]).toEqual([["taken"], null]); // Stopping is no trouble.
  });

  it("says a trouble once, however often it is tried", async () => {
    const down = () => new ConnectError("retryable", "no route");
    const first = down();
    const adapter = new Moody(first, down(), down());
    const { connection, events, causes } = connect(adapter);
    await connection.start();
    await vi.waitUntil(() => connection.isConnected, { timeout: 20_000 });
    expect(events).toEqual(["taken", "Telegram is not connected: no route", "connected"]);
    expect(causes).toEqual([first]);
  });

  it("is another line of the same connection if it asks for that, and that is no trouble", async () => {
    const adapter = new Moody();
    const { connection, events } = connect(adapter);
    await connection.start();
    adapter.fail(new ConnectError("retryable", "It is renewed.", { retryAfterMs: 0 }));
    await vi.waitUntil(() => adapter.attempts === 2 && connection.speaker !== null, { timeout: 20_000 });
    expect(connection.state).toEqual({ kind: "connected", since: 1_000 });
    expect(events).toEqual(["taken", "connected", "connected"]);
    expect(connection.lastError).toBeNull();
  });

  it("is let go of where the account was lost while it was being reached", async () => {
    const adapter = new Moody();
    const { connection } = connect(adapter);
    let arrive: () => void = () => {};
    const serve = adapter.serve.bind(adapter);
    adapter.serve = async (line) => {
      await steal(adapter);
      await new Promise<void>((resolve) => {
        arrive = resolve;
      });
      return serve(line);
    };
    const started = connection.start();
    await vi.waitUntil(() => connection.state.kind === "standing by", { timeout: 20_000 });
    arrive();
    await started;
    expect(connection.isConnected).toBe(false);
    expect(() => adapter.write({ userId: "ann" }, "hi")).toThrow("not connected");
  });

  it("is left where somebody has to mend it", async () => {
    const adapter = new Moody(new ConnectError("permanent", "The token is wrong."));
    const { connection } = connect(adapter);
    await connection.start();
    expect(connection.state).toEqual({ kind: "failed", reason: "The token is wrong." });
    expect(adapter.attempts).toBe(1);
  });

  it("is left where the adapter says that somebody has to mend it", async () => {
    const adapter = new Moody();
    const { connection, events } = connect(adapter);
    await connection.start();
    adapter.fail(new ConnectError("permanent", "The account was closed."));
    await vi.waitUntil(() => connection.state.kind !== "connected", { timeout: 20_000 });
    expect(connection.state).toEqual({ kind: "failed", reason: "The account was closed." });
    expect(connection.speaker).toBeNull();
    expect(connection.isConnected).toBe(false);
    expect(events.at(-1)).toMatch(/no longer connected: The account was closed\.$/);
    expect(adapter.attempts).toBe(1);
  });

  it("tells when it is lost and found again", async () => {
    const adapter = new Moody();
    const { connection, events } = connect(adapter);
    await connection.start();
    const first = adapter.line;
    adapter.fail(new ConnectError("retryable", "The line is dead."));
    await vi.waitUntil(() => connection.state.kind !== "connected", { timeout: 20_000 });
    expect(connection.state).toEqual({ kind: "lost", reason: "The line is dead." });
    expect(events.at(-1)).toBe("The connection to Telegram is lost: The line is dead. Baton tries again.");
    now = 2_000;
    await vi.waitUntil(() => connection.isConnected, { timeout: 20_000 });
    first?.up(adapter); // Too late, and twice.
    adapter.line?.up(adapter);
    expect(connection.state).toEqual({ kind: "connected", since: 2_000 });
    expect(events.filter((event) => event === "connected")).toHaveLength(2);
    await connection.stop();
    adapter.line?.up(adapter);
    expect(connection.state.kind).toBe("idle");
    expect(connection.speaker).toBeNull();
  });
});
