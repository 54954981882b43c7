/** Who has an account, as `baton gateway status` tells it, and accounts that share conversations without being meant to. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { endedHolder } from "../../test/support/ended-holder.js";
import { World } from "../../test/support/gateway-world.js";
import { openDb } from "../open-sessions.js";
import { openSqlStore } from "../store/sql-store.js";
import { processHolder } from "../util/holder.js";
import { holderText } from "./holder-words.js";
import { servedAccounts, sharingTexts } from "./shared-accounts.js";

describe("who has an account", () => {
  const now = Date.UTC(2026, 0, 10, 12);
  const holder = { holder: "host-a 12 1 x", since: now - 60_000, until: now + 9_000 };

  it("is told with since when and until when, to the one who has it and to one who stands by", () => {
    const lease =
      "has the account since 2026-01-10T11:59:00.000Z, with a lease until 2026-01-10T12:00:09.000Z";
    expect(holderText(holder, true, now)).toBe(`this gateway ${lease}`);
    expect(holderText(holder, false, now)).toBe(`this gateway stands by: process 12 on host-a ${lease}`);
  });

  it("is nobody without a lease that runs", () => {
    expect(holderText(null, false, now)).toBe("no gateway has the account");
    expect(holderText({ ...holder, until: now }, false, now)).toBe(
      "no gateway has the account: the lease of process 12 on host-a ran out 2026-01-10T12:00:00.000Z",
    );
  });
});

describe("two accounts of one platform on one store", () => {
  let store: Awaited<ReturnType<typeof openSqlStore>>;
  const worlds: World[] = [];
  beforeEach(async () => {
    store = await openSqlStore(await openDb("sqlite::memory:"), 0);
  });
  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.close();
    await store.close();
  });

  const serve = async (account: string, agent?: string): Promise<World> => {
    const scopes = agent === undefined ? {} : { gateway: { scopes: { agent } } };
    const world = await World.open({ on: store, account, shared: false, ...scopes });
    worlds.push(world);
    return world;
  };
  const SHARED =
    /^2 Telegram accounts \(one, two\) use this store for the agent "main", so somebody who writes to both has one conversation with both\..*scopes\.agent/;

  it("are told of when the second one starts", async () => {
    const first = await serve("one");
    const second = await serve("two");
    expect(first.problems).toEqual([]);
    expect(second.problems).toEqual([expect.stringMatching(SHARED)]);
    expect(sharingTexts(await servedAccounts(store.accounts, first.now))).toEqual(second.problems);
  });

  it("are parted by the agent's name in the keys, and then nothing is said", async () => {
    const first = await serve("one");
    const second = await serve("two", "other");
    expect([first.problems, second.problems]).toEqual([[], []]);
  });

  it("do not count where one of them is not served any more", async () => {
    const first = await serve("one");
    const { platform } = first.adapter;
    const take = (account: string, holder: string, leaseMs: number) =>
      store.accounts.take({ platform, account }, { holder, leaseMs }, null, first.now);
    await take("ended", endedHolder(), 60_000);
    await take("ran out", processHolder(), 0);
    for (const account of ["ended", "ran out"])
      await store.accounts.write({ platform, account }, "agent", "main");
    expect(sharingTexts(await servedAccounts(store.accounts, first.now))).toEqual([]);
  });
});
