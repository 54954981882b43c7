/**
 * The lease of a turn. It is renewed for as long as the turn takes, by the database's clock; a turn that could not renew it
 * in time writes nothing more: whoever takes it on answers, once and whole.
 */
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { until, World } from "../../test/support/gateway-world.js";
import { startPostgres } from "../../test/support/postgres.js";
import type { Agent } from "../agent/agent.js";
import { openDb } from "../open-sessions.js";
import { StoreError } from "../session/errors.js";
import { openPostgres } from "../store/postgres/db.js";
import { openSqlStore } from "../store/sql-store.js";

let world: World;
afterEach(async () => {
  await world.close();
  await world.store.close();
});

const LEASE_MS = 30;

it("a turn that could not renew its lease does not end as done with what there was of its answer", async () => {
  const store = await openSqlStore(await openDb("sqlite::memory:"), 0);
  let elapsed = 0;
  let runs = 0;
  const agent: Agent = {
    name: "cut short",
    async *run({ signal }) {
      runs += 1;
      yield { kind: "text", text: "Half of" };
      if (runs === 1) {
        const stopped = new Promise((resolve) => signal.addEventListener("abort", resolve));
        elapsed += LEASE_MS;
        await stopped;
        return;
      }
      yield { kind: "message", message: { role: "assistant", content: "Half of an answer." }, results: [] };
      yield { kind: "done", stopped: false };
    },
  };
  const renew = vi.spyOn(store.turns, "renew");
  renew.mockRejectedValue(new StoreError("store_unreachable", "The store does not answer."));
  const finish = vi.spyOn(store.turns, "finish");
  world = await World.open({ on: store, gateway: { agent, leaseMs: LEASE_MS, elapsed: () => elapsed } });
  const chat = world.chat("ann");
  await chat.write("hello");
  await until(() => runs === 1 && world.gateway.lane(chat.key).run === undefined);
  expect(finish).not.toHaveBeenCalled();
  expect(await chat.transcript()).toEqual(["user: hello"]);

  renew.mockRestore();
  world.now += LEASE_MS; // Now somebody may take it.
  expect(await chat.next(0)).toBe("Half of an answer.");
  expect(chat.told).toHaveLength(1);
  expect(await chat.transcript()).toEqual(["user: hello", "assistant: Half of an answer."]);
});

it("a turn on PostgreSQL outlives its lease, since it is renewed", { timeout: 60_000 }, async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const db = await openPostgres(await server.createDatabase());
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let runs = 0;
  const agent: Agent = {
    name: "slow",
    async *run() {
      runs += 1;
      await finished;
      yield { kind: "message", message: { role: "assistant", content: "At last." }, results: [] };
      yield { kind: "done", stopped: false };
    },
  };
  const leaseMs = 1_000;
  world = await World.open({ on: await openSqlStore(db, 0), gateway: { agent, leaseMs } });
  const chat = world.chat("ann");
  await chat.write("hello");
  await until(() => runs === 1);
  const leaseUntil = async () => Number((await db.get("SELECT lease_until FROM turns"))?.lease_until);
  const first = await leaseUntil();
  await vi.waitUntil(async () => (await leaseUntil()) > first + leaseMs, { timeout: 30_000, interval: 50 });
  finish();
  expect(await chat.next(0)).toBe("At last."); // By the process that began it: nobody took it over.
  expect(runs).toBe(1);
});
