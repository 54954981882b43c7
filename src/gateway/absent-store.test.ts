/**
 * A PostgreSQL server that is away for longer than the lease on an account: every chat that writes is told once, and all of
 * it is answered when the server is back. If another process stands by, the platform is left to that one.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { until, World } from "../../test/support/gateway-world.js";
import { type Postgres, startPostgres } from "../../test/support/postgres.js";
import { openPostgres } from "../store/postgres/db.js";
import { openSqlStore } from "../store/sql-store.js";

/** The database's clock does not stand still: long enough for a machine that is busy. */
const LEASE_MS = 3_000;
const PROMISE = expect.stringMatching(/^I can't save anything right now.*I will answer when I can/);

let server: Postgres;
let store: World["store"];
let elapsed = 0;
const worlds: World[] = [];
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);
afterAll(() => server.stop());
beforeEach(async () => {
  store = await openSqlStore(await openPostgres(await server.createDatabase()), 0);
});
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
  await store.close();
});

async function open(holder?: string): Promise<World> {
  const gateway = { leaseMs: LEASE_MS, elapsed: () => elapsed, ...(holder ? { holder } : {}) };
  const world = await World.open({ on: store, shared: false, can: ["redelivers"], gateway });
  worlds.push(world);
  return world;
}

/** So that the holder has looked who stands by. */
async function renewedTwice(): Promise<void> {
  const renew = vi.spyOn(store.accounts, "renew");
  await until(() => renew.mock.settledResults.filter(({ type }) => type === "fulfilled").length >= 2);
  renew.mockRestore();
}

const stateOf = (world: World) => world.gateway.platforms()[0]?.state.kind;

it("every chat that writes meanwhile is told once, also after the lease has run out", {
  timeout: 60_000,
}, async () => {
  const world = await open();
  const [ann, bob, eve] = [world.chat("ann"), world.chat("bob"), world.chat("eve", { chatType: "group" })];
  expect(await ann.ask("hello")).toBe("hello (1)");
  await renewedTwice();
  await server.whileDown(async () => {
    await expect(ann.write("early")).rejects.toMatchObject({ code: "store_unreachable" });
    expect(await ann.next(1)).toEqual(PROMISE);
    elapsed += LEASE_MS;
    await until(() => stateOf(world) === "lost");
    for (const chat of [ann, bob, bob, eve])
      await expect(chat.write("late")).rejects.toMatchObject({ code: "store_unreachable" });
    expect(await bob.next(0)).toEqual(PROMISE);
  });
  await until(() => stateOf(world) === "connected");
  expect(await bob.ask("late")).toBe("late (1)"); // The platform brings it again.
  expect(await ann.ask("early")).toBe("early (3)");
  expect([ann.told.length, bob.told.length, eve.told.length]).toEqual([3, 2, 0]);
});

it("leaves the platform to a process that stands by", { timeout: 60_000 }, async () => {
  const world = await open();
  const other = await open("elsewhere 1 1 x");
  expect(stateOf(other)).toBe("standing by");
  await renewedTwice();
  await server.whileDown(async () => {
    elapsed += LEASE_MS;
    await until(
      () =>
        stateOf(world) === "lost" &&
        world.problems.some((text) => /Baton saves and answers nothing/.test(text)),
    );
    await expect(Promise.resolve().then(() => world.chat("ann").write("late"))).rejects.toThrow(
      "not connected",
    );
  });
});
