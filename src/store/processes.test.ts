/** Random work on processes by two gateways at once, over both engines: no cap is exceeded, and each thing is said once. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Postgres, startPostgres } from "../../test/support/postgres.js";
import type { GatewayStore, PlacedProcess, ReportStep } from "../gateway/store.js";
import { openDb } from "../open-sessions.js";
import type { KeptProcess, NewProcess } from "../process/store.js";
import { deliveryIdOf, newProcessId, type ProcessId, type SessionId } from "../session/ids.js";
import { LOCAL } from "../session/platform.js";
import { asSessionKey } from "../session/session-key.js";
import { Sessions } from "../session/sessions.js";
import { addressOf, localSource, type SessionSource } from "../session/source.js";
import type { SessionStore } from "../session/store.js";
import type { Db } from "./db.js";
import { openSqlStore } from "./sql-store.js";

type Store = SessionStore & GatewayStore;

const HOMES = ["one", "two"];
const CHATS = ["a", "b", "c"];
const CAPS = { perSession: 2, inAll: 3 };
const account = { platform: LOCAL, account: "bot" };
const inChat = (chatId: string): SessionSource => ({ ...localSource(), chatId });

let postgres: Postgres;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "baton-processes-"));
  postgres = await startPostgres();
}, 180_000);
afterAll(async () => {
  await postgres.stop();
  rmSync(folder, { recursive: true });
});

/** What one gateway does; the numbers choose among what there is. */
interface Action {
  readonly what: string;
  readonly by: number;
  readonly chat: number;
  readonly home: number;
  readonly which: number;
  readonly asked: boolean;
}
const actionOf = (...what: readonly string[]): fc.Arbitrary<Action> =>
  fc.record({
    what: fc.constantFrom(...what),
    by: fc.nat(1),
    chat: fc.nat(CHATS.length - 1),
    home: fc.nat(HOMES.length - 1),
    which: fc.nat(9),
    asked: fc.boolean(),
  });

class World {
  readonly #stores: readonly Store[];
  readonly #sessions: readonly Sessions[];
  #sessionIds: readonly SessionId[] = [];
  readonly added = new Set<ProcessId>();
  readonly ends = new Map<ProcessId, number>();
  /** What was said, each with its delivery. */
  readonly said: { readonly id: ProcessId; readonly step: ReportStep; readonly delivery: string }[] = [];
  #now = 1_000;
  #deliveries = 0;

  constructor(stores: readonly Store[]) {
    this.#stores = stores;
    this.#sessions = stores.map((store) => new Sessions(store, { clock: () => this.#now }));
  }

  async begin(): Promise<void> {
    const [sessions] = this.#sessions;
    const entries = await Promise.all(CHATS.map((chat) => sessions?.getOrCreate(inChat(chat))));
    this.#sessionIds = entries.flatMap((entry) => (entry ? [entry.sessionId] : []));
  }

  async act(each: Action): Promise<void> {
    const store = this.#of(this.#stores, each.by);
    const { processes, reports } = store;
    const sessionId = this.#of(this.#sessionIds, each.chat);
    if (each.what === "add") await this.#add(store, sessionId, this.#of(HOMES, each.home), each.asked);
    else if (each.what === "say")
      await this.#report(store, pick(await reports.due(account, 9), each.which), () => ({
        kind: "completion",
      }));
    else if (each.what === "output" || each.what === "storm")
      await this.#report(
        store,
        pick(await reports.watched(this.#of(HOMES, each.home)), each.which),
        each.what === "output" ? outputOf(each) : stormOf,
      );
    else if (each.what === "forget") await processes.forget(this.#of(HOMES, each.home), this.#now - 2);
    else if (each.what === "move")
      await this.#of(this.#sessions, each.by).switchTo(inChat(this.#of(CHATS, each.which % 3)), sessionId, {
        account: account.account,
        holder: "",
      });
    else {
      const chosen = pick(await processes.list({}), each.which);
      if (chosen && each.what === "started") await processes.started(chosen.id, this.#now);
      else if (chosen && each.what === "ended") await this.#end(store, chosen);
    }
    this.#now++;
  }

  async #add(store: Store, sessionId: SessionId, home: string, asked: boolean): Promise<void> {
    const watch = { checkIntervalMs: null, notifyOnComplete: asked, patterns: asked ? [] : ["ready"] };
    const shown = { command: "make", workdir: "/", environment: "here", pty: false, walled: false };
    const fresh: NewProcess = { id: newProcessId(), home, sessionId, by: inChat("a"), ...shown, watch };
    if ((await store.processes.add(fresh, CAPS, this.#now)) === "added") this.added.add(fresh.id);
  }

  async #end(store: Store, { id }: KeptProcess): Promise<void> {
    const end = { kind: "exited", code: 0, signal: null, by: "itself", leftBehind: false } as const;
    if (await store.processes.ended(id, end, this.#now)) this.ends.set(id, (this.ends.get(id) ?? 0) + 1);
  }

  async #report(store: Store, seen: PlacedProcess | undefined, stepOf: StepOf): Promise<void> {
    if (!seen) return;
    const { process, place } = seen;
    const step = stepOf(process);
    const delivery = `${++this.#deliveries}`;
    const { key, source } = place;
    const about = { kind: "message", key, source, messageId: delivery, made: "process" } as const;
    const where = { account: account.account, holder: "", address: addressOf(source) };
    const said = { purpose: "notice", text: "", sessionId: null, shown: false } as const;
    const effects = {
      wake: { item: { ...account, ...about, text: "", inBackground: true as const }, holder: "" },
      deliveries: [{ deliveryId: deliveryIdOf(delivery), ...where, ...said }],
    };
    if (await store.reports.report(seen, step, effects, this.#now))
      this.said.push({ id: process.id, step, delivery });
  }

  async check(): Promise<void> {
    const store = this.#of(this.#stores, 0);
    const all = await store.processes.list({});
    const live = all.filter(({ state }) => state !== "ended");
    const most = (by: "sessionId" | "home") =>
      Math.max(0, ...live.map((one) => live.filter((each) => each[by] === one[by]).length));
    expect(most("sessionId")).toBeLessThanOrEqual(CAPS.perSession);
    expect(most("home")).toBeLessThanOrEqual(CAPS.inAll);

    // Each ended once, and each end was said at most once.
    expect([...this.ends.values()].filter((times) => times !== 1)).toEqual([]);
    const ofKind = (kind: ReportStep["kind"]) => this.said.filter(({ step }) => step.kind === kind);
    const completions = ofKind("completion").map(({ id }) => id);
    expect(new Set(completions).size).toBe(completions.length);
    expect(completions.filter((id) => !this.ends.has(id))).toEqual([]);
    // A storm is said once, with what it promises.
    const storms = ofKind("matches").map(({ id }) => id);
    expect(new Set(storms).size).toBe(storms.length);
    for (const { id, watch } of all)
      if (storms.includes(id)) expect(watch).toMatchObject({ notifyOnComplete: true, patterns: [] });
    // Nobody forgets one that is due, and nothing stays due that was said.
    const due = (await store.reports.due(account, 1_000)).map(({ process: { id } }) => id);
    expect(due.filter((id) => completions.includes(id))).toEqual([]);

    // What was printed was said without a gap and without saying it twice.
    for (const id of this.added) {
      const through = ofKind("output").flatMap(({ id: of, step }) =>
        of === id && step.kind === "output" ? [step] : [],
      );
      through.sort((one, other) => one.from - other.from);
      for (const [n, { from }] of through.entries()) expect(from).toBe(through[n - 1]?.through ?? 0);
      const kept = all.find((each) => each.id === id);
      if (kept) expect(kept.reportedThrough).toBe(through.at(-1)?.through ?? 0);
    }

    // What was said is in the inbox and in the outbox, and nothing else is.
    const deliveries = this.said.map(({ delivery }) => delivery).sort();
    const sent = (await store.outbox.pending(account, 1_000)).map(({ deliveryId }) => `${deliveryId}`);
    expect(sent.sort()).toEqual(deliveries);
    expect(await store.inbox.waiting(account)).toHaveLength(deliveries.length);
  }

  #of<Value>(values: readonly Value[], n: number): Value {
    const value = values[n % values.length];
    if (value === undefined) throw new Error("There is none.");
    return value;
  }
}

type StepOf = (process: KeptProcess) => ReportStep;

const outputOf =
  ({ which }: Action): StepOf =>
  ({ reportedThrough: from, end }) => ({
    kind: "output",
    from,
    through: from + 1 + which,
    isLast: end !== null,
  });

const stormOf: StepOf = ({ matchedThrough: from }) => ({
  kind: "matches",
  from,
  through: from + 1,
  isStorm: true,
});

function pick<Value>(values: readonly Value[], n: number): Value | undefined {
  return values[n % Math.max(1, values.length)];
}

describe.each<[string, (n: number) => Promise<string>]>([
  ["SQLite", async (n) => join(folder, `${n}.db`)],
  ["PostgreSQL", () => postgres.createDatabase()],
])("two gateways over %s", (_, urlOf) => {
  let worlds = 0;

  /** Each round at the same time, then the next one. */
  async function play(rounds: readonly (readonly Action[])[]): Promise<void> {
    const url = await urlOf(worlds++);
    const stores = [await openSqlStore(await openDb(url), 0), await openSqlStore(await openDb(url), 0)];
    try {
      const world = new World(stores);
      await world.begin();
      for (const actions of rounds) {
        await Promise.all(actions.map((each) => world.act(each)));
        await world.check();
      }
    } finally {
      for (const store of stores) await store.close();
    }
  }

  it.each<[string, fc.Arbitrary<Action>]>([
    ["exceed no cap", actionOf("add", "add", "add", "ended")],
    ["say everything once", actionOf("add", "started", "ended", "say", "output", "storm", "forget", "move")],
  ])(
    "%s, whatever they do at the same time",
    async (_claim, action) => {
      const round = fc.array(action, { minLength: 1, maxLength: 16 });
      const rounds = fc.array(round, { minLength: 4, maxLength: 12 });
      await fc.assert(fc.asyncProperty(rounds, play), { numRuns: 10, endOnFailure: true });
    },
    120_000,
  );
});

it("is found by an index of its own, whatever else the store keeps", async () => {
  const db = await openDb("sqlite::memory:");
  const plans: string[] = [];
  const store = await openSqlStore(db, 0);
  const all = db.all.bind(db);
  const explained: Db["all"] = async (sql, ...values) => {
    plans.push((await all(`EXPLAIN QUERY PLAN ${sql}`, ...values)).map(({ detail }) => detail).join("; "));
    return all(sql, ...values);
  };
  Object.assign(db, {
    all: explained,
    get: async (...asked: Parameters<Db["get"]>) => (await explained(...asked))[0],
  });
  await store.processes.holds(asSessionKey("agent:main:local:dm:cli"), 0);
  await store.reports.due(account, 10);
  await store.reports.watched("one");
  expect(plans).toEqual([
    expect.stringMatching(/^SEARCH r USING INDEX \S+ \(key=\?\); SEARCH p USING INDEX processes_live/),
    expect.stringMatching(/^SCAN p USING INDEX processes_due; SEARCH s /),
    expect.stringMatching(/^SEARCH p USING INDEX processes_watched .*; SEARCH s /),
  ]);
  expect(plans.join()).not.toContain("TEMP B-TREE");
  await store.close();
});
