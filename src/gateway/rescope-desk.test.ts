/** A change of scopes that is cut off at any transaction, before or after its commit, is finished by the next run. */
import { describe, expect, it } from "vitest";
import "../adapter/platforms.js";
import { openDb } from "../open-sessions.js";
import { OWNER } from "../session/access.js";
import { platforms } from "../session/platform.js";
import type { SessionScopes } from "../session/session-key.js";
import { Sessions } from "../session/sessions.js";
import type { SessionSource } from "../session/source.js";
import type { Db } from "../store/db.js";
import { openSqlStore } from "../store/sql-store.js";
import { processHolder } from "../util/holder.js";
import { RescopeDesk } from "./rescope-desk.js";
import { rememberScopes } from "./scope-memory.js";
import { AGENT } from "./shared-accounts.js";

const [, HERE = ""] = platforms();
const NOW = Date.UTC(2026, 0, 1);
const TO: SessionScopes = { dm: "platform", thread: "member" };
const group: SessionSource = { platform: HERE, chatType: "group", chatId: "g", userId: "ann" };
const dm: SessionSource = { platform: HERE, chatType: "dm", chatId: "1", userId: "ann" };
const said: readonly (readonly [SessionSource, SessionScopes])[] = [
  [dm, {}],
  [{ ...dm, threadId: "7" }, {}],
  [{ ...dm, chatId: "2" }, {}],
  [dm, TO],
  [group, { group: "member" }],
  [{ ...group, threadId: "7" }, {}],
];

/** A store in which people wrote before and after the change; `cut` may end any transaction. */
async function world(cut: { now: (work: () => Promise<unknown>) => Promise<unknown> }) {
  const db = await openDb("sqlite::memory:");
  let time = NOW;
  const cuttable: Db = {
    ...db,
    get: (...statement) => db.get(...statement),
    all: (...statement) => db.all(...statement),
    run: (...statement) => db.run(...statement),
    write: (...statement) => db.write(...statement),
    record: (fact) => db.record(fact),
    snapshot: (work) => db.snapshot(work),
    subscribe: (subscriber) => db.subscribe(subscriber),
    watch: (subscriber) => db.watch(subscriber),
    close: () => db.close(),
    dialect: db.dialect,
    transaction: <Result>(work: Parameters<Db["transaction"]>[0]) =>
      cut.now(() => db.transaction(work)) as Promise<Result>,
  };
  const store = await openSqlStore(cuttable, NOW);
  const under = (scopes: SessionScopes) => new Sessions(store, { clock: () => ++time, config: { scopes } });
  const ids: string[] = [];
  for (const [source, scopes] of said)
    ids.push((await under(scopes).receive(source, { role: "user", content: "hello" })).entry.sessionId);
  await under(TO).indexAll(); // Or else the index is updated at some time, in a transaction that counts here.
  const { lanes, accounts } = store;
  const desk = () =>
    new RescopeDesk({ lanes, accounts, scopes: TO, severalOn: [], clock: () => NOW + 1_000 });
  const outcome = async () => {
    const sessions = (await under(TO).list({}, OWNER)).items;
    const kept = await lanes.page("", 100);
    return {
      lanes: kept.map(({ key, sessionId }) => [key, ids.indexOf(sessionId)]),
      sessions: ids.map((id) => sessions.find(({ sessionId }) => sessionId === id)?.endReason),
    };
  };
  return { store, desk, outcome };
}

describe("carrying over", () => {
  it("is finished by the next run, whichever transaction was cut off", async () => {
    let counted = 0;
    const whole = await world({
      now: (work) => {
        counted++;
        return work();
      },
    });
    counted = 0;
    expect((await whole.desk().carryOver()).busy).toEqual([]);
    const steps = counted;
    expect(steps).toBeGreaterThan(4);
    const expected = await whole.outcome();
    expect(expected.sessions.filter((reason) => reason === "switched")).toHaveLength(4);
    await whole.store.close();

    for (const isCommitted of [false, true]) {
      for (let cutAt = 0; cutAt < steps; cutAt++) {
        let left: number | null = null;
        const cut = await world({
          now: async (work) => {
            const dies = left !== null && left-- === 0;
            if (dies && !isCommitted) throw new Error("cut off");
            const result = await work();
            if (dies) throw new Error("cut off");
            return result;
          },
        });
        left = cutAt;
        await expect(cut.desk().carryOver()).rejects.toThrow("cut off");
        left = null;
        await cut.desk().carryOver();
        expect(await cut.outcome(), `${cutAt}, ${isCommitted}`).toEqual(expected);
        await cut.store.close();
      }
    }
  });

  it("is refused while a gateway runs with the scopes from before, or for the agent that was named", async () => {
    const { store, desk, outcome } = await world({ now: (work) => work() });
    const before = await outcome();
    const account = { platform: HERE, account: "bot" };
    await rememberScopes(store.accounts, {}, true);
    await store.accounts.write(account, AGENT, "main");
    await store.accounts.take(account, { holder: processHolder(), leaseMs: 60_000 }, null, NOW);
    await expect(desk().carryOver()).rejects.toThrow(/Restart it/);
    const { lanes, accounts } = store;
    const renamed = { lanes, accounts, scopes: { agent: "bot" }, severalOn: [], clock: () => NOW };
    await expect(new RescopeDesk(renamed, ["main"]).carryOver()).rejects.toThrow(/"main"/);
    expect(await outcome()).toEqual(before);
    await rememberScopes(store.accounts, TO, false);
    expect((await desk().carryOver()).busy).toEqual([]);
    await store.close();
  });
});
